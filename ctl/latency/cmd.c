/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency: measures the time from one event to another. */
#include "ctl/app/commands.h"
#include "ctl/app/file_argument.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/value.h"
#include "ctl/app/watch.h"
#include "ctl/input/live_args.h"
#include "ctl/latency/latency.h"
#include "lib/inside.h"

OPT_OWN(latency,
	{ "kernel", 0, NULL, AT(latency, kernel), "pair and count in the kernel: a table by powers of two" },
	{ "keys", 'k', "FIELD", AT(latency, keys), "group by FIELD, as in hist; 'none': do not group", .offers = OFFER_FIELDS },
	{ "match", 0, "FIELDS", AT(latency, match), "pair records that agree in FIELDS; BEGIN=END if the names differ", .offers = OFFER_FIELDS },
	{ "slowest", 0, "N", AT(latency, slowest), "show the N slowest with their records (default 5)" },
	{ "sort", 0, "COLUMN", AT(latency, sort), "sort groups by COLUMN[.descending] (default total.descending)", .words = latency_columns },
	{ "watch", 'w', "[=SECONDS]", AT(watch, watch), "show the table every second, or every SECONDS" },
	{ .name = "by", .now = "keys" },
	{ .name = "group-by", .now = "keys" },
	{ .name = "key", .now = "match" },
);

/* The command has no context before its files are known. */
static bool is_interval(const char *name)
{
	struct dkt_ctx *ctx;
	bool is = !dkt_ctx_new(NULL, &ctx) && dkt_interval_find(ctx, name);

	dkt_ctx_free(ctx);
	return is;
}

int latency_find_file(const struct app *app, int n, char **argv)
{
	(void)app;
	if (n > 1 && is_interval(argv[1]))
		return 2;
	/* Alone, it lists the pairs that the file has. */
	return n == 2 && file_argument_is_file(argv[1]) ? 1 : 3;
}

/* ---- arguments ---- */

/* Reads a ready-made pair or two events, then a command. */
static int read_args(struct latency *latency, int argc, char **argv)
{
	struct app *app = latency->app;
	bool function = !strcmp(argv[1], LATENCY_FUNCTION);
	const struct dkt_interval *list;
	struct dkt__guess guess;
	size_t n;
	const struct dkt_interval *row = function ? NULL : dkt_interval_find(app->ctx, argv[1]);
	int used = row ? 2 : 3, words = argc - app->n_command;

	if (function) {
		if (words < 3 || app->input)
			return app_usage("latency function: needs the name of a function of this"
					 " kernel");
		latency->pair = (struct dkt_interval){ .match = "common_pid", .per_task = true };
		latency->function = argv[2];
	} else if (row) {
		latency->pair = *row;
	} else {
		if (!strchr(argv[1], ':') && dkt_interval_list(app->ctx, &list, &n))
			return app_fail(app);
		if (words < 3) {
			dkt__interval_guess(app->ctx, &guess, argv[1]);
			return app_usage(
				"latency: '%s' is not a ready-made pair; give BEGIN and END events, or run"
				" 'dktrace latency' to list the pairs%s",
				argv[1], dkt__guess_words(&guess));
		}
		if (value_select(app->ctx, "latency", argv[1]) ||
		    value_select(app->ctx, "latency", argv[2]))
			return app_usage("%s", dkt_error(app->ctx));
		latency->pair = (struct dkt_interval){ .begin = argv[1], .end = argv[2] };
	}
	latency->pair = latency_override(latency, &latency->pair);
	if (!latency->pair.match)
		return app_usage("latency: give the fields that pair the records, such as"
				 " --match common_pid");
	if (print_style(app, OPT(app, latency)->kernel ? "kernel" : NULL, &latency->picture))
		return EXIT_USAGE;
	if (argc > used)
		latency->command = argv + used;
	if (latency->command && app->input)
		return app_usage("latency: cannot combine a file with a command; give one of them");
	return latency_view_read(&latency->view, app, latency->command);
}

/* ---- records ---- */

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct latency *latency = data;
	int err = 0;

	latency->source = source;
	for (size_t i = 0; !err && i < latency->n; i++) {
		if (latency->sets[i].needed == record->event)
			latency->sets[i].needed = NULL;
		err = dkt_intervals_add(latency->sets[i].pairs, source, record);
	}
	return err;
}

static int show(struct latency *latency, struct dkt_source *source, const struct losses_sum *all,
		bool last)
{
	struct latency_set *set = latency_chosen(latency);
	struct app *app = latency->app;
	struct latency_report report = { .app = app,
					 .ctx = latency->ctx,
					 .pairs = set->pairs,
					 .source = source,
					 .disks = source,
					 .title = set->pair.keys ? set->pair.keys : "",
					 .all = *all };
	int err = dkt_intervals_finish(set->pairs);

	if (err)
		return err;
	if (last)
		latency_report_missing(set, app->input);
	if (app->input && !latency->filter)
		latency_report_unpaired(set, app->input);
	if (latency->picture)
		err = latency_picture(set, source, all, stdout);
	else
		err = latency_view_print(&latency->view, &report, last);
	if (last && !OPT(app, print)->json && !OPT(app, print)->csv)
		latency_report_uncounted(&report);
	return err;
}

static int report(void *data, struct dkt_source *source, const struct losses_sum *all)
{
	return show(data, source, all, true);
}

static int run_input(struct latency *latency, struct inputs *in, int *rc)
{
	struct losses_sum all = { 0 };
	int err = inputs_each(in, add_record, latency);

	losses_add_to(&all, &in->pipeline.parts[0].losses);
	if (!err)
		err = report(latency, in->pipeline.source, &all);
	if (!err)
		*rc = inputs_report_losses(in);
	return err;
}

/* With --watch, shows the table when it is due. */
static int refresh(void *data)
{
	struct latency *latency = data;
	struct losses all = { 0 };
	struct losses_sum sum = { 0 };
	int err;

	if (!watch_due(&latency->view.watch))
		return 0;
	err = latency->source ? dkl_losses_count(&all, latency->source) : 0;
	losses_add_to(&sum, &all);
	if (!err)
		err = show(latency, latency->source, &sum, false);
	dkl_losses_clear(&all);
	return err;
}

static int run_live(struct latency *latency, int *rc)
{
	struct app *app = latency->app;
	struct live_opts opts = { .kind = "latency",
				  .doing = "watching",
				  .events = latency->sets[0].events,
				  .n = latency->sets[0].n,
				  .filter = latency->filter,
				  .only_command = latency->command &&
						  latency->sets[0].pair.per_task,
				  .command = latency->command,
				  .seconds = latency->seconds,
				  .record = add_record,
				  .idle = refresh,
				  .report = report,
				  .data = latency };

	return live_run(app, &opts, rc);
}

/* ---- all ---- */

/* in: the file; NULL: live. An error message may be in the file's own context. */
static int run(struct latency *latency, struct inputs *in, int *rc)
{
	int slowest = 5, err;

	*rc = opt_number("slowest", OPT(latency->app, latency)->slowest, &slowest);
	if (*rc)
		return 0;
	err = latency->function ? latency_create_probes(latency) : 0;
	if (!err)
		err = latency_choose(latency, slowest);
	if (err)
		return err;
	if (in)
		return run_input(latency, in, rc);
	return OPT(latency->app, latency)->kernel ? latency_run_kernel(latency, rc) :
						    run_live(latency, rc);
}

int cmd_latency(struct app *app, int argc, char **argv)
{
	struct latency latency = { .app = app, .ctx = app->ctx };
	struct record_args args = { 0 };
	struct inputs in = { 0 };
	int err, rc = 0;

	if (opt_seconds("duration", OPT(app, live)->duration, &latency.seconds))
		return EXIT_USAGE;
	rc = argc < 2 ? 0 : read_args(&latency, argc, argv);
	if (!rc)
		rc = live_args_read(app, &args);
	if (rc)
		return live_args_close(app, &args, &in, 0, rc);
	err = live_args_open(app, &args, &in, &latency.ctx);
	latency.source = in.pipeline.source;
	if (!err && argc < 2)
		err = latency_list(&latency);
	else if (!err)
		err = run(&latency, app->input ? &in : NULL, &rc);
	screen_end(&latency.view.watch.screen);
	for (size_t i = 0; i < latency.n; i++)
		latency_set_clear(&latency.sets[i]);
	dkt_expr_free(latency.filter);
	latency_remove_probes(&latency);
	return live_args_close(app, &args, &in, err, rc);
}
