/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: counts records by their fields, in the kernel or in user space. */
#include "compat/apply/rules.h"
#include "compat/log/debuglog.h"
#include "compat/lustre/class.h"
#include "compat/lustre/select.h"
#include "compat/set/counts.h"
#include "ctl/app/commands.h"
#include "ctl/app/file_argument.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/print.h"
#include "ctl/app/value.h"
#include "ctl/app/watch.h"
#include "ctl/hist/hist.h"
#include "ctl/input/live_args.h"
#include "lib/inside.h"

OPT_OWN(hist,
	{ "diff", 0, "FILE", AT(hist, diff), "show what changed since --json wrote FILE", .flags = OPT_OPENED },
	{ "do", 0, "ACTIONS", AT(hist, actions), "let the kernel also run ACTIONS: onmax($VAR).save(FIELD)" },
	{ "folded", 0, NULL, AT(hist, folded), "print each stack on one line, for flame graphs" },
	{ "here", 0, NULL, AT(hist, here), "read and count in user space, even if the kernel could count" },
	{ "keep", 0, NULL, AT(hist, keep), "continue to count after the command; 'dktrace hist' shows the table" },
	{ "keys", 'k', "FIELDS", AT(hist, keys), "count by FIELDS: id.syscall,common_pid (default event)", .offers = OFFER_FIELDS },
	{ "size", 0, "N", AT(hist, size), "use a table of N entries, a power of two (default 2048; 131072 in user space)" },
	{ "sort", 0, "COLUMNS", AT(hist, sort), "sort by COLUMN[.descending], at most two", .offers = OFFER_FIELDS },
	{ "sql", 0, "STATEMENT", AT(hist, sql), "count by STATEMENT, not by EVENT and --keys: SELECT prev_comm FROM sched_switch" },
	{ "vals", 0, "FIELDS", AT(hist, vals), "sum FIELDS; .percent and .graph show parts and bars", .offers = OFFER_FIELDS },
	{ "var", 0, "NAME=EXPR", AT(hist, vars), "define variables of the kernel's histogram" },
	{ "watch", 'w', "[=SECONDS]", AT(watch, watch), "show the table and rates every second, or every SECONDS" },
	{ .name = "by", .now = "keys" },
	{ .name = "group-by", .now = "keys" },
);

static bool is_selection(const char *word)
{
	const size_t len = strlen(word);

	return !strcmp(word, SELECT_ALL) || dkl_count_find(word, NULL) ||
	       dkl_mask_bit(MASK_DEBUG, word, len) >= 0 ||
	       dkl_mask_bit(MASK_SUBSYSTEM, word, len) >= 0;
}

int hist_find_file(const struct app *app, int n, char **argv)
{
	const int at = OPT(app, hist)->sql ? 1 : 2;

	return n == 2 && at == 2 && !is_selection(argv[1]) && file_argument_is_file(argv[1]) ? 1 :
											       at;
}

/* Without --keys, count the records of each event. */
#define DEFAULT_KEYS "event"

/* ---- arguments ---- */

/* The options that say how a table is shown. */
static int read_show_options(struct hist *hist)
{
	struct app *app = hist->app;
	int rc;

	if (OPT(app, sink)->style && OPT(app, hist)->diff)
		return app_usage("hist: cannot combine --style and --diff");
	rc = print_style(app, NULL, &hist->picture);
	if (!rc)
		rc = opt_number("top", OPT(app, print)->top, &hist->top);
	return rc ?: opt_number("size", OPT(app, hist)->size, &hist->size);
}

static int read_args(struct hist *hist, int argc, char **argv)
{
	struct app *app = hist->app;
	const struct hist_options *given = OPT(app, hist);
	int first = given->sql ? 1 : 2;
	int rc;

	hist->selection = argc > 1 ? argv[1] : SELECT_ALL;
	hist->command = argc > first ? argv + first : NULL;
	if (given->sql && (given->keys || given->vals || OPT(app, select)->filter))
		return app_usage("hist: cannot combine --sql with --keys, --vals or --filter");
	if (hist->command && app->input)
		return app_usage("hist: cannot combine a file with a command; give one of them");
	if (given->keep && (app->input || given->here))
		return app_usage("hist: --keep needs counting in the kernel");
	if (!given->sql && value_select(app->ctx, "hist", hist->selection))
		return app_usage("%s", dkt_error(app->ctx));
	rc = read_show_options(hist);
	if (!rc)
		rc = watch_read(&hist->watch, app, hist->command);
	if (!rc)
		rc = opt_seconds("duration", OPT(app, live)->duration, &hist->seconds);
	return rc;
}

/* Sets the event and the options that the statement stands for. */
static int read_sql(struct hist *hist)
{
	struct app *app = hist->app;
	int err = dkt__sql_new(hist->ctx, OPT(app, hist)->sql, NULL, &hist->sql);

	app->wrong = err == -EINVAL || err == -E2BIG;
	if (err)
		return err;
	hist->selection = hist->sql->event;
	OPT_CHANGE(app, hist)->keys = hist->sql->keys;
	OPT_CHANGE(app, hist)->vals = hist->sql->vals;
	OPT_CHANGE(app, select)->filter = hist->sql->filter;
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
	const struct hist_options *given = OPT(app, hist);
	DKT_OPTS(dkt_hist_opts, opts, .keys = given->keys ? given->keys : DEFAULT_KEYS,
		 .vals = given->vals, .sort = given->sort, .vars = given->vars,
		 .actions = given->actions, .size = (uint32_t)hist->size,
		 .filter = filter ? hist->filter : NULL, .skip = app->input ? 0 : getpid());

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
		err = dkl_conditions_add(&all, OPT(hist->app, select)->filter);
	if (!err && all.n)
		err = dkl_mask_expr(hist->ctx, all.text, &to->filter);
	if (!err && all.n)
		err = dkt__hist_filter(hist->hist, to->event, to->filter);
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
		return dkt__hist_fits_none(hist->hist, events, n);
	if (!n_filtered)
		return dkt__expr_check_any(hist->filter, events, n, 0);
	if (hist->n < n)
		app_say("%zu of %zu events have the fields and are counted", hist->n, n);
	return 0;
}

static int set_up(struct hist *hist)
{
	struct class_map *map = NULL;
	struct select *select = NULL;
	int err = OPT(hist->app, hist)->sql ? read_sql(hist) : 0;

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
	hist->stacks = OPT(hist->app, hist)->keys &&
		       strstr(OPT(hist->app, hist)->keys, "stacktrace");
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

	if (!OPT(hist->app, hist)->here)
		err = hist_run_kernel(hist, rc);
	if (err != -EOPNOTSUPP || OPT(hist->app, hist)->keep)
		return err;
	if (!OPT(hist->app, hist)->here)
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
	dkt__sql_free(hist->sql);
}

int cmd_hist(struct app *app, int argc, char **argv)
{
	struct hist hist = { .app = app, .ctx = app->ctx };
	struct inputs in = { 0 };
	struct record_args args = { 0 };
	int err, rc = 0;

	if (argc < 2 && !OPT(app, hist)->sql && !app->input) {
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
