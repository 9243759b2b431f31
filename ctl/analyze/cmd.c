/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* analyze: answers a question from the records of files, or from records made live. */
#include "ctl/analyze/run.h"
#include "ctl/analyze/show.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/print.h"
#include "ctl/input/args.h"

OPT_TABLE(analyze,
	{ "comm", 0, "GLOBS", AT(select, comm), "show rows of these programs: dd,ll_ost*", .check = value_programs, .flags = OPT_FAR },
	{ "keys", 'k', "COLUMNS", AT(analyze, keys), "group intervals by one or two columns: process,cpu; 'none': do not group", .flags = OPT_FAR },
	{ "pid", 'p', "LIST", AT(select, pid), "show rows of the threads with these IDs: 1,42", .check = value_numbers, .flags = OPT_FAR },
	{ "sort", 0, "COLUMN", AT(analyze, sort), "sort tables by COLUMN[.descending]", .flags = OPT_FAR },
	{ .name = "by", .now = "keys" },
	{ .name = "group-by", .now = "keys" },
	{ .name = "duration", .now = "took", .first = "<>=" },
);

/* ---- the list ---- */

static int list(const struct app *app)
{
	static const struct column columns[] = {
		{ .key = "name" },
		{ .key = "description", .heading = "ANSWERS", .flags = COL_FOLD },
		{ .key = "events", .flags = COL_DATA },
	};
	struct rows *rows = rows_new("analyses", columns, ARRAY_SIZE(columns));
	const struct analysis *analysis = NULL;

	while ((analysis = analysis_next(analysis))) {
		char *events __cleanup(free) = analysis_takes_periods(analysis) ?
						       strdup("") :
						       run_event_names(analysis->kind, " ");

		rows_add(rows, val_text(analysis->name), val_text(analysis->help),
			 val_text(events));
	}
	return print_rows(app, 0, rows, NULL);
}

/* ---- running ---- */

static int read_args(struct run *run, struct show *show, int argc, char **argv)
{
	struct app *app = run->app;
	int words = argc - app->n_command,
	    rc = opt_seconds("duration", OPT(app, live)->duration, &run->seconds);

	if (rc)
		return rc;
	run->files = argv + 2;
	run->n_files = (size_t)words - 2;
	if (argc > words)
		run->command = argv + words;
	if (run->command && run->n_files)
		return app_usage("analyze: cannot combine a file with a command; give one of them");
	rc = show_read(show, app);
	return rc ? rc : run_read(run, argv[1]);
}

int cmd_analyze(struct app *app, int argc, char **argv)
{
	struct run run = { .app = app, .ctx = app->ctx };
	struct show show = { .run = &run };
	struct analyze_opts opts = { .group_by = OPT(app, analyze)->keys };
	int err, rc;

	if (argc - app->n_command < 2)
		return list(app) ? app_fail(app) : 0;
	rc = read_args(&run, &show, argc, argv);
	if (rc)
		return run_close(&run, 0, rc);
	opts.top = show.top;
	/* Stacks cost time, so they are recorded only if their answer is shown. */
	run.stacks = OPT(app, analyze)->keys && strstr(OPT(app, analyze)->keys, "where");
	run.row = show_row;
	run.idle = show_idle;
	run.finish = show_finish;
	run.data = &show;
	err = run_open(&run);
	print_begin(app, &show.out, 0);
	if (!err)
		err = run_all(&run, &opts, &rc);
	if (run.analysis->view == VIEW_LOG)
		show.out.form = OUT_TEXT;
	if (out_end(&show.out) && !err)
		err = -ENOMEM;
	show_clear(&show);
	return run_close(&run, err, rc);
}
