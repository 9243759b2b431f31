/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist of live events: counted by the kernel if it can, otherwise in user space. */
#include <time.h>

#include "app/live.h"
#include "app/rights.h"
#include "hist/hist.h"
#include "io/say.h"

/* ---- here ---- */

int hist_add(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	return dkt_hist_add(((struct hist *)data)->hist, source, record);
}

int hist_read_here(struct hist *hist, struct dkt_table **table)
{
	return dkt_hist_table(hist->hist, table);
}

static int idle_here(void *data)
{
	return hist_refresh(data, hist_read_here);
}

static int report_here(void *data, struct dkt_source *source, uint64_t seen, uint64_t lost)
{
	(void)source, (void)seen, (void)lost;
	return hist_finish(data, hist_read_here);
}

int hist_run_here(struct hist *hist, int *rc)
{
	struct live_opts opts = { .kind = "hist",
				  .doing = "counting",
				  .events = hist->events,
				  .n = hist->n,
				  .filter = hist->filter,
				  .stacks = hist->stacks,
				  .command = hist->command,
				  .seconds = hist->seconds,
				  .record = hist_add,
				  .idle = idle_here,
				  .report = report_here,
				  .data = hist };
	struct dkt_table *none;
	/* Report features that only the kernel has before anything is created. */
	int err = dkt_hist_table(hist->hist, &none);

	if (err)
		return err;
	dkt_table_free(none);
	return live_run(hist->app, &opts, rc);
}

/* ---- by the kernel ---- */

/* Whether it is over is looked at so often, ms. */
#define LOOK_MS 20

static int read_kernel(struct hist *hist, struct dkt_table **table)
{
	return dkt_hist_read(hist->hist, hist->in, table);
}

static int watch(struct hist *hist, struct spawn *spawn)
{
	static const struct timespec look = { .tv_nsec = LOOK_MS * 1000000 };
	double from = live_now();
	int err = live_begin(hist->app, spawn, "counting", hist->seconds);

	hist->watch.last = from;
	while (!err && !live_over(spawn, from, hist->seconds)) {
		nanosleep(&look, NULL);
		err = hist_refresh(hist, read_kernel);
	}
	return err;
}

/* An instance that goes with this process, or the one that stays. */
static int open_instance(struct hist *hist, const char *name)
{
	struct dkt_ctx *ctx = hist->app->ctx;
	int err;

	if (!hist->app->keep)
		return dkt_instance_own(ctx, name, &hist->in);
	err = dkt_instance_open(ctx, name, DKT_CREATE, &hist->in);
	/* Ages are measured by it. */
	return err ? err : dkt_instance_set_clock(hist->in, "mono");
}

/* The words of the failure that is being told stay. */
static void close_instance(struct hist *hist, bool remove)
{
	struct dkt_ctx *ctx = hist->app->ctx;
	char *words = dkt_error_take(ctx);
	char *name __cleanup(free) = hist->in ? strdup(dkt_instance_name(hist->in)) : NULL;

	dkt_instance_close(hist->in);
	hist->in = NULL;
	if (remove && name && dkt_instance_remove(ctx, name))
		app_say("%s; 'dktrace reset' will remove it", dkt_error(ctx));
	dkt_error_give(ctx, 0, words);
}

/* A kept histogram is shown by its event: one for each event. */
static int check_kept(struct hist *hist)
{
	struct dkt_table *table;

	for (size_t i = 0; hist->app->keep && i < hist->n; i++) {
		if (dkt_instance_get_hist(hist->in, hist->events[i].event, &table))
			continue;
		dkt_table_free(table);
		return dkt_fail(hist->app->ctx, -EEXIST,
				"%s:%s is counted already: 'dktrace hist' shows it, 'dktrace reset'"
				" ends it",
				dkt_event_system(hist->events[i].event),
				dkt_event_name(hist->events[i].event));
	}
	return 0;
}

int hist_run_kernel(struct hist *hist, int *rc)
{
	char *name __cleanup(free) = live_name(hist->app, "hist");
	struct spawn spawn = SPAWN_INIT;
	bool remove = false;
	int err = name ? dkt_caps_check(hist->app->ctx, DKT_NEED_CONTROL) : -ENOMEM;

	live_catch();
	if (!err)
		err = open_instance(hist, name);
	if (!err) {
		remove = dkt_instance_is_new(hist->in);
		err = check_kept(hist);
	}
	if (!err)
		err = dkt_hist_start(hist->hist, hist->in);
	if (!err && hist->command) {
		err = spawn_start(&spawn, hist->command);
		if (err)
			dkt_fail(hist->app->ctx, err, "run %s: %s", hist->command[0],
				 strerror(-err));
	}
	if (!err && hist->app->keep) {
		fprintf(stderr,
			"dktrace: counting continues: 'dktrace hist' shows it, 'dktrace reset' ends it\n");
		remove = false;
	} else if (!err) {
		err = watch(hist, &spawn);
	}
	if (!err && !hist->app->keep)
		err = hist_finish(hist, read_kernel);
	spawn_finish(&spawn);
	*rc = spawn.status;
	close_instance(hist, remove);
	return err;
}

/* ---- what was kept ---- */

/* Prints the histogram of an event, if it has one. */
static int show_event(struct app *app, struct dkt_instance *in, struct dkt_event *event, bool *any)
{
	struct dkt_trigger **triggers __cleanup(free) = NULL;
	struct hist hist = { .app = app, .ctx = app->ctx };
	struct dkt_table *table;
	size_t n;
	int err = dkt_instance_get_triggers(in, event, &triggers, &n);

	for (size_t i = 0; !err && i < n; i++) {
		if (strcmp(triggers[i]->action, "hist") != 0)
			continue;
		err = dkt_instance_get_hist(in, event, &table);
		if (err)
			break;
		if (!app->json && !app->csv && !app->folded) {
			printf("%s", *any ? "\n" : "");
			say_line(stdout, "%s:%s %s", dkt_event_system(event), dkt_event_name(event),
				 triggers[i]->text);
			printf("\n");
		}
		*any = true;
		err = hist_show(&hist, table, true);
		dkt_table_free(table);
		break;
	}
	return err;
}

int hist_show_kept(struct app *app)
{
	char *name __cleanup(free) = live_name(app, "hist");
	struct dkt_event *const *events;
	struct dkt_instance *in;
	bool any = false;
	size_t n;
	int err = name ? dkt_instance_open(app->ctx, name, 0, &in) : -ENOMEM;

	if (err == -ENOENT)
		return dkt_fail(
			app->ctx, err,
			"no histogram is kept; 'dktrace hist EVENT --keys FIELDS' makes one,"
			" with --keep it stays");
	if (!err)
		err = rights_limit(app, 0);
	if (!err)
		err = dkt_events(app->ctx, &events, &n);
	for (size_t i = 0; !err && i < n; i++)
		err = show_event(app, in, events[i], &any);
	dkt_instance_close(in);
	return err;
}
