/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist of live events: counted by the kernel if it can, otherwise in user space. */
#include "ctl/app/live.h"
#include "compat/io/say.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/privileges.h"
#include "ctl/hist/hist.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* ---- in user space ---- */

int hist_add(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct hist *hist = data;

	if (record->event) {
		hist->first = hist->source ? hist->first : record->ts;
		hist->last = record->ts;
		hist->source = source;
	}
	return dkt_hist_add(hist->hist, source, record);
}

static int idle(void *data)
{
	return hist_refresh(data);
}

static int report(void *data, struct dkt_source *source, const struct losses_sum *all)
{
	(void)source, (void)all;
	return hist_finish(data);
}

int hist_run_user(struct hist *hist, int *rc)
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
				  .idle = idle,
				  .report = report,
				  .data = hist };
	struct dkt_table *empty;
	/* This fails for features that only the kernel has, before anything is created. */
	int err = dkt_hist_read(hist->hist, NULL, &empty);

	if (err)
		return err;
	dkt_table_free(empty);
	return live_run(hist->app, &opts, rc);
}

/* ---- in the kernel ---- */

static int watch(struct hist *hist, struct spawn *spawn)
{
	int err = live_begin(hist->app, spawn, "counting", hist->seconds);

	hist->watch.last = live_now();
	return err ? err : live_wait(spawn, hist->seconds, idle, hist);
}

/* Creates an instance for this process. With --keep, opens or creates the one that stays. */
static int open_instance(struct hist *hist, const char *name)
{
	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	struct dkt_ctx *ctx = hist->app->ctx;
	int err;

	if (!OPT(hist->app, hist)->keep)
		return dkt_instance_own(ctx, name, &hist->in);
	err = dkt_instance_open(ctx, name, &opts, &hist->in);
	/* The library uses the same clock for the ages of records. */
	return err ? err : dkt_instance_set_clock(hist->in, "mono");
}

/* An event can have only one kept histogram. */
static int check_kept(struct hist *hist)
{
	struct dkt_table *table;

	for (size_t i = 0; OPT(hist->app, hist)->keep && i < hist->n; i++) {
		if (dkt__instance_get_hist(hist->in, hist->events[i].event, &table))
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
		remove = dkt__instance_is_new(hist->in);
		err = check_kept(hist);
	}
	hist->begun = (uint64_t)dkt__wall_ns();
	if (!err)
		err = dkt_hist_start(hist->hist, hist->in);
	if (!err)
		err = spawn_start(hist->app->ctx, &spawn, hist->command);
	if (!err && OPT(hist->app, hist)->keep) {
		app_say("counting continues: 'dktrace hist' shows it, 'dktrace reset' ends it");
		remove = false;
	} else if (!err) {
		err = watch(hist, &spawn);
	}
	if (!err && !OPT(hist->app, hist)->keep)
		err = hist_finish(hist);
	spawn_finish(&spawn);
	*rc = spawn.status;
	if (remove)
		live_remove(hist->app, hist->in);
	else
		dkt_instance_close(hist->in);
	hist->in = NULL;
	return err;
}

/* ---- kept histograms ---- */

/* Prints the histogram of an event, if it has one. */
static int show_event(struct hist *hist, struct dkt_instance *in, struct dkt_event *event,
		      bool *any)
{
	const struct app *app = hist->app;
	struct dkt_trigger **triggers __cleanup(free) = NULL;
	struct dkt_table *table;
	size_t n;
	int err = dkt_instance_get_triggers(in, event, &triggers, &n);

	/* Another process may have removed its probe since the events were listed. */
	if (err == -ENOENT)
		return 0;
	for (size_t i = 0; !err && i < n; i++) {
		if (strcmp(triggers[i]->action, "hist") != 0)
			continue;
		/* A document of SVG has one picture. */
		if (hist->picture && *any)
			return dkt_fail(app->ctx, -EEXIST,
					"%s:%s is kept, too, and is not in the picture; without"
					" --style svg, 'dktrace hist' shows all",
					dkt_event_system(event), dkt_event_name(event));
		err = dkt__instance_get_hist(in, event, &table);
		if (err)
			break;
		if (!hist->picture && !OPT(app, print)->json && !OPT(app, print)->csv &&
		    !OPT(app, hist)->folded) {
			printf("%s", *any ? "\n" : "");
			dkl_say_line(stdout, "%s:%s %s", dkt_event_system(event),
				     dkt_event_name(event), triggers[i]->text);
			printf("\n");
		}
		*any = true;
		err = hist_show(hist, table, true);
		dkt_table_free(table);
		break;
	}
	return err;
}

int hist_show_kept(struct hist *hist)
{
	struct app *app = hist->app;
	char *name __cleanup(free) = live_name(app, "hist");
	struct dkt_event *const *events;
	struct dkt_instance *in = NULL;
	bool any = false;
	size_t n;
	int err = name ? dkt_instance_open(app->ctx, name, NULL, &in) : -ENOMEM;

	if (err == -ENOENT)
		return dkt_fail(
			app->ctx, err,
			"no histogram is kept; 'dktrace hist EVENT --keys FIELDS' makes one,"
			" with --keep it stays");
	if (!err)
		err = privileges_limit(app, 0);
	if (!err)
		err = dkt_events(app->ctx, &events, &n);
	for (size_t i = 0; !err && i < n; i++)
		err = show_event(hist, in, events[i], &any);
	dkt_instance_close(in);
	return err;
}
