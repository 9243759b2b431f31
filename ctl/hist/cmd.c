/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: counts records by their fields, in the kernel or in user space. */
#include "compat/apply/rules.h"
#include "compat/log/debuglog.h"
#include "compat/lustre/class.h"
#include "compat/lustre/select.h"
#include "ctl/app/live.h"
#include "ctl/app/opt.h"
#include "ctl/app/print.h"
#include "ctl/app/value.h"
#include "ctl/hist/hist.h"
#include "ctl/input/live_args.h"

/* Without --keys, count the records of each event. */
#define DEFAULT_KEYS "event"

/* ---- arguments ---- */

/* The options that say how a table is shown. */
static int read_show_options(struct hist *hist)
{
	struct app *app = hist->app;
	int rc;

	if (app->style && app->diff)
		return app_usage("hist: cannot combine --style and --diff");
	rc = print_style(app, &hist->picture);
	if (!rc)
		rc = opt_number("top", app->top, &hist->top);
	return rc ?: opt_number("size", app->size, &hist->size);
}

static int read_args(struct hist *hist, int argc, char **argv)
{
	struct app *app = hist->app;
	int first = app->sql ? 1 : 2;
	int rc;

	hist->selection = argc > 1 ? argv[1] : SELECT_ALL;
	hist->command = argc > first ? argv + first : NULL;
	if (app->sql && (app->keys || app->vals || app->filter))
		return app_usage("hist: cannot combine --sql with --keys, --vals or --filter");
	if (hist->command && app->input)
		return app_usage("hist: cannot combine a file with a command; give one of them");
	if (app->keep && (app->input || app->here))
		return app_usage("hist: --keep needs counting in the kernel");
	if (!app->sql && value_select(app->ctx, "hist", hist->selection))
		return app_usage("%s", dkt_error(app->ctx));
	rc = read_show_options(hist);
	if (!rc)
		rc = watch_read(&hist->watch, app, hist->command);
	if (!rc)
		rc = opt_seconds("duration", app->duration, &hist->seconds);
	return rc;
}

/* Sets the event and the options that the statement stands for. */
static int read_sql(struct hist *hist)
{
	struct app *app = hist->app;
	int err = dkt_sql_new(hist->ctx, app->sql, NULL, &hist->sql);

	app->wrong = err == -EINVAL || err == -E2BIG;
	if (err)
		return err;
	hist->selection = hist->sql->event;
	app->keys = hist->sql->keys;
	app->vals = hist->sql->vals;
	app->filter = hist->sql->filter;
	return 0;
}

static int select_hist_events(struct hist *hist, struct class_map **map, struct select **select)
{
	int err = dkl_class_map_open(hist->ctx, NULL, map);

	if (!err && !hist->sql)
		err = hist_take_count(hist, *map);
	if (!err)
		err = dkl_select_new(hist->ctx, *map, hist->selection, select);
	return err ? err : dkl_select_check(hist->ctx, *select);
}

static int new_hist(struct hist *hist, bool filter)
{
	const struct app *app = hist->app;
	DKT_OPTS(dkt_hist_opts, opts, .keys = app->keys ? app->keys : DEFAULT_KEYS,
		 .vals = app->vals, .sort = app->sort, .vars = app->vars, .actions = app->actions,
		 .size = (uint32_t)hist->size, .filter = filter ? hist->filter : NULL,
		 .skip = app->input ? 0 : getpid());

	dkt_hist_free(hist->hist);
	hist->hist = NULL;
	return dkt_hist_new(hist->ctx, &opts, &hist->hist);
}

/* If only some records of an event belong to the class, count only these. */
static int add_condition(struct hist *hist, const struct select *select, struct live_event *to)
{
	char *belongs __cleanup(free) = NULL;
	struct conditions all = { 0 };
	int err = dkl_select_condition(select, to->event, &belongs);

	if (!err)
		err = dkl_conditions_add(&all, belongs);
	if (!err && all.n && hist->filter && !dkt_expr_check(hist->filter, to->event))
		err = dkl_conditions_add(&all, hist->app->filter);
	if (!err && all.n)
		err = dkl_mask_expr(hist->ctx, all.text, &to->filter);
	if (!err && all.n)
		err = dkt_hist_filter(hist->hist, to->event, to->filter);
	free(all.text);
	return err;
}

/* Skips events that lack the fields, if there are several. */
static int add_events(struct hist *hist, const struct select *select)
{
	size_t n, n_filtered = 0;
	struct dkt_event *const *events = dkl_select_events(select, &n);

	hist->events = calloc(n + 1, sizeof(*hist->events));
	if (!hist->events)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct live_event *to = &hist->events[hist->n];
		int err = dkt_hist_event(hist->hist, events[i]);

		if (err && (err != -ENOENT || n == 1))
			return err;
		if (err)
			continue;
		to->event = events[i];
		hist->n++;
		err = add_condition(hist, select, to);
		if (err)
			return err;
		n_filtered += !hist->filter || !dkt_expr_check(hist->filter, to->event);
	}
	if (!hist->n)
		return dkt_hist_misfit(hist->hist, events, n);
	if (!n_filtered)
		return dkt_expr_check_any(hist->filter, events, n, 0);
	if (hist->n < n)
		app_say("%zu of %zu events have the fields and are counted", hist->n, n);
	return 0;
}

static int set_up(struct hist *hist)
{
	struct class_map *map = NULL;
	struct select *select = NULL;
	int err = hist->app->sql ? read_sql(hist) : 0;

	if (!err)
		err = select_hist_events(hist, &map, &select);
	if (!err)
		err = live_args_filter(hist->app, hist->ctx, &hist->filter);
	if (!err)
		err = new_hist(hist, true);
	if (!err)
		err = add_events(hist, select);
	dkl_select_free(select);
	dkl_class_map_free(map);
	hist->stacks = hist->app->keys && strstr(hist->app->keys, "stacktrace");
	return err;
}

/* ---- counting ---- */

static int run_input(struct hist *hist, struct inputs *in, int *rc)
{
	int err = inputs_each(in, hist_add, hist);

	if (!err)
		err = hist_finish(hist);
	if (!err)
		*rc = inputs_report_losses(in);
	return err;
}

/* The kernel counts if it can; otherwise dktrace does, in user space. */
static int run_live(struct hist *hist, int *rc)
{
	int err = -EOPNOTSUPP;

	if (!hist->app->here)
		err = hist_run_kernel(hist, rc);
	if (err != -EOPNOTSUPP || hist->app->keep)
		return err;
	if (!hist->app->here)
		app_say("%s: records are read and counted in user space", dkt_error(hist->ctx));
	/* The kernel filters. Do not filter again: the names of processes may be unknown. */
	err = new_hist(hist, false);
	for (size_t i = 0; !err && i < hist->n; i++)
		err = dkt_hist_event(hist->hist, hist->events[i].event);
	return err ? err : hist_run_user(hist, rc);
}

static void clear(struct hist *hist)
{
	screen_end(&hist->watch.screen);
	dkt_hist_free(hist->hist);
	dkt_expr_free(hist->filter);
	for (size_t i = 0; i < hist->n; i++)
		dkt_expr_free(hist->events[i].filter);
	json_object_put(hist->before);
	free(hist->events);
	dkt_sql_free(hist->sql);
}

int cmd_hist(struct app *app, int argc, char **argv)
{
	struct hist hist = { .app = app, .ctx = app->ctx };
	struct inputs in = { 0 };
	struct record_args args = { 0 };
	int err, rc = 0;

	if (argc < 2 && !app->sql && !app->input) {
		rc = read_show_options(&hist);
		if (!rc && hist_show_kept(&hist))
			rc = app_fail(app);
		return rc;
	}
	rc = read_args(&hist, argc, argv);
	if (!rc)
		rc = live_args_read(app, &args);
	if (rc)
		return live_args_close(app, &args, &in, 0, rc);
	err = live_args_open(app, &args, &in, &hist.ctx);
	if (!err)
		err = set_up(&hist);
	if (!err)
		err = app->input ? run_input(&hist, &in, &rc) : run_live(&hist, &rc);
	clear(&hist);
	return live_args_close(app, &args, &in, err, rc);
}
