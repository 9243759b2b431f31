/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top: shows what the machine does now, on the whole screen or frame by frame. */
#include <inttypes.h>
#include <signal.h>

#include "compat/log/threads.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/print.h"
#include "ctl/top/top.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"
#include "lib/inside.h"

OPT_OWN(top,
	{ "batch", 'b', NULL, AT(top, batch), "print frames as text, for a file or a pipe" },
	{ "delay", 'd', "SECONDS", AT(top, delay), "show a frame every SECONDS (default 1)" },
	{ "frames", 'n', "N", AT(top, frames), "end after N frames" },
	{ "interval", 0, "NAMES", AT(top, intervals), "also measure these ready-made pairs, as latency lists them: fsync,jbd2", .offers = OFFER_MEASURED },
	{ "json", 'J', NULL, AT(print, json), "print JSON" },
	{ "log", 0, NULL, AT(top, count_log), "also count what the debug log records, by class and event" },
	{ "panel", 0, "NAMES", AT(top, panels), "with --batch or --json: print these panels: processes,calls,disks,classes,events,buffers,intervals,functions", .offers = OFFER_PANELS },
	{ "pid", 'p', "PID", AT(top, pid), "show the threads and system calls of process PID" },
	{ "rows", 0, "N", AT(top, n_rows), "with --batch or --json: print N rows of each panel (default 10); 0: all" },
	{ "sort", 0, "COLUMN", AT(top, sort), "sort panels by COLUMN[.ascending]: cpu, calls, written, time ...", .offers = OFFER_COLUMNS },
);

#define DELAY 1.0

/* The rows of each panel that batch mode prints. */
#define BATCH_ROWS 10

struct run {
	struct top top;
	struct top_screen *screen; /* NULL: batch mode, or not open yet */
	bool batch;
	bool started;
	double delay, last;
	double seconds; /* end after this time; 0: no limit */
	int frames, shown; /* frames 0: no limit */
	int rows;
	unsigned int panels;
};

/* ---- frames ---- */

static int show(struct run *run)
{
	int err = top_take(&run->top);

	run->last = live_now();
	run->shown++;
	if (!err && run->batch)
		err = top_print(&run->top, run->panels, (size_t)run->rows);
	return err;
}

static int start(struct run *run)
{
	int err = top_log_start(&run->top);

	if (!err)
		err = activity_start(run->top.activity, dkt__monotonic_ns());
	run->started = true;
	run->last = live_now();
	top_cost(&run->top.cost, 0);
	if (run->batch)
		top_functions_want(&run->top, run->panels & 1u << TOP_FUNCTIONS);
	if (!err && !run->batch)
		err = top_screen_open(&run->top, &run->screen);
	return err;
}

/*
 * All records up to now have been counted. The recording ends as by Ctrl-C; what comes until it has ended is of
 * no frame.
 */
static int idle(void *data)
{
	struct run *run = data;
	bool quit = false, due;
	int err = run->started ? 0 : start(run);

	if (!err)
		err = top_log_read(&run->top);
	top_functions_step(&run->top);
	due = live_now() - run->last >= run->delay && !(run->frames && run->shown >= run->frames);
	if (!err && due)
		err = show(run);
	if (!err && run->screen)
		err = top_screen_run(run->screen, due, &quit);
	if (quit || (due && run->frames && run->shown >= run->frames))
		raise(SIGINT);
	return err;
}

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct run *run = data;

	run->top.source = source;
	return activity_add(run->top.activity, record);
}

/* The messages that follow are for the user's own screen. */
static int report(void *data, struct dkt_source *source, const struct losses_sum *all)
{
	struct run *run = data;

	(void)source, (void)all;
	top_screen_close(run->screen);
	run->screen = NULL;
	return 0;
}

/* The screen can show the panel of functions later. */
static int prepare(void *data, pid_t pid, bool *user_stacks)
{
	struct run *run = data;

	(void)pid, (void)user_stacks;
	if (!run->batch || run->panels & 1u << TOP_FUNCTIONS)
		top_functions_open(&run->top);
	return 0;
}

static int record(struct run *run, int *rc)
{
	struct live_event *events __cleanup(free) = NULL;
	struct live_opts opts = { .kind = "top",
				  .seconds = run->seconds,
				  .prepare = prepare,
				  .record = add_record,
				  .idle = idle,
				  .report = report,
				  .data = run };
	const struct activity_event *counted = activity_events(run->top.activity, &opts.n);

	events = calloc(opts.n, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < opts.n; i++)
		events[i].event = counted[i].event;
	opts.events = events;
	return live_run(run->top.app, &opts, rc);
}

/* ---- arguments ---- */

static bool process_exists(struct app *app)
{
	struct threads threads = { 0 };
	int err = dkl_threads_of_processes(app->ctx, OPT(app, top)->pid, &threads);

	dkl_threads_clear(&threads);
	return !err;
}

static int read_args(struct run *run)
{
	struct app *app = run->top.app;
	const struct top_options *given = OPT(app, top);
	int64_t pid = 0;
	int rc;

	run->batch = given->batch || OPT(app, print)->json;
	if (!run->batch && !isatty(STDOUT_FILENO))
		return app_usage("top: standard output is not a terminal; use --batch to print"
				 " frames as text, or --json");
	if (given->pid && dkt__parse_int(given->pid, 1, INT32_MAX, &pid))
		return app_usage("--pid: '%s' is not the number of a process", given->pid);
	run->top.process = (int32_t)pid;
	if (pid && !process_exists(app))
		return app_fail(app);
	run->top.count_log = given->count_log;
	if (opt_seconds("delay", given->delay, &run->delay) ||
	    opt_seconds("duration", OPT(app, live)->duration, &run->seconds) ||
	    opt_number("frames", given->frames, &run->frames) ||
	    opt_number("rows", given->n_rows, &run->rows) || top_read_sort(&run->top, given->sort))
		return EXIT_USAGE;
	rc = top_read_intervals(&run->top, given->intervals);
	return rc ? rc : top_read_panels(&run->top, given->panels, &run->panels);
}

int cmd_top(struct app *app, int argc, char **argv)
{
	struct run run = { .top.app = app, .delay = DELAY, .rows = BATCH_ROWS };
	int rc = read_args(&run), err;

	(void)argc;
	(void)argv;
	if (rc)
		return rc;
	/* For calls that began before this command, and for the files of calls. */
	app->keep_privileges |= DKT__KEEP_PROCESSES;
	err = dkt_tracefs_open(app->ctx, 0);
	if (!err)
		live_clean(app);
	if (!err)
		err = top_open(&run.top);
	if (!err)
		err = record(&run, &rc);
	top_screen_close(run.screen);
	if (!err && run.top.uncounted) {
		app_say("%" PRIu64 " of the log's records were not counted", run.top.uncounted);
		rc = rc ? rc : EXIT_LOST;
	}
	top_close(&run.top);
	return err ? app_fail(app) : rc;
}
