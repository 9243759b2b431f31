/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* strace: prints system calls with their times, arguments and results. */
#include "app/opt.h"
#include "base/stop.h"
#include "input/live_args.h"
#include "lustre/mask.h"
#include "strace/strace.h"

struct strace {
	struct app *app;
	struct dkt_ctx *ctx; /* of the kernel that records */
	struct strace_choice choice;
	struct dkt_expr *filter; /* of --filter; NULL: none */
	struct calls *calls;
	struct descriptors *descriptors; /* NULL: names are not needed */
	struct strace_lines lines;
	struct strace_summary *summary; /* NULL: lines */
	struct dkt_source *source; /* of the records; NULL: no record yet */
	struct dkt_event *known; /* the last event, and whether the filter fits it */
	bool fits;
	char **command;
	bool any; /* a record has come */
	int32_t starting; /* the command's thread until it executes the command; 0: it has */
	uint64_t now; /* time of the last record */
	double seconds;
	int top;
};

/* ---- arguments ---- */

static int read_args(struct strace *strace, int argc, char **argv)
{
	struct app *app = strace->app;
	int rc;

	strace->command = argc > 1 ? argv + 1 : NULL;
	if (strace->command && app->input)
		return app_usage("strace: cannot combine --input with a command; give one of them");
	if (app->top && !app->summary)
		return app_usage("strace: --top is for --summary");
	rc = opt_seconds("time", app->seconds, &strace->seconds);
	if (!rc)
		rc = opt_number("top", app->top, &strace->top);
	if (!rc)
		rc = strace_choice_read(&strace->choice, app);
	/* A call may begin on one CPU and end on another, so this is not a matter of its records. */
	app->cpu = NULL;
	return rc;
}

/* ---- calls ---- */

/* The search for the command in $PATH is not part of the command. */
static bool is_start(struct strace *strace, const struct call *call)
{
	if (!strace->starting || call->tid != strace->starting)
		return false;
	if (call->state == CALL_ENDED && !call->ret && call->kind->name &&
	    !strcmp(call->kind->name, "execve"))
		strace->starting = 0;
	return strace->starting;
}

static int learn(struct strace *strace, const struct call *call)
{
	return strace->descriptors ? descriptors_learn(strace->descriptors, call) : 0;
}

static int take_call(void *data, const struct call *call)
{
	struct strace *strace = data;
	/* A new descriptor is shown with its name, a closed one too. */
	bool opens = call->kind->signature && call->kind->signature->returns == RETURN_FD;
	int err = opens ? learn(strace, call) : 0;

	if (!err)
		err = strace_programs_learn(&strace->lines.programs, call);
	if (!err && !is_start(strace, call) &&
	    strace_choice_has(&strace->choice, call, strace->now))
		err = strace->summary ? strace_summary_add(strace->summary, call) :
					strace_lines_put(&strace->lines, call);
	return err || opens ? err : learn(strace, call);
}

static int take_task(void *data, const struct call_task *task)
{
	struct strace *strace = data;

	strace_programs_forget(&strace->lines.programs, task->tid);
	return strace->descriptors ? descriptors_task(strace->descriptors, task) : 0;
}

/* A record that lacks a field of the filter is not refused: the other one of the call may have it. */
static enum call_verdict selects(void *data, const struct dkt_record *record)
{
	struct strace *strace = data;

	if (record->event != strace->known) {
		strace->known = record->event;
		strace->fits = !dkt_expr_check_match(strace->filter, record->event);
	}
	if (!strace->fits)
		return CALL_UNTOLD;
	return dkt_expr_match(strace->filter, record, dkt_source_comm(strace->source, record)) ?
		       CALL_SELECTED :
		       CALL_REFUSED;
}

static int set_up(struct strace *strace)
{
	struct app *app = strace->app;
	struct calls_opts opts = {
		.call = take_call, .task = take_task, .data = strace, .texts = !app->summary
	};
	int err = app->calls ? strace_choice_calls(&strace->choice, strace->ctx, app->calls) : 0;

	if (!err && app->filter)
		err = mask_expr(strace->ctx, app->filter, &strace->filter);
	if (strace->filter)
		opts.selects = selects;
	if (!err)
		err = app->summary ? strace_summary_new(&strace->summary) :
				     strace_lines_begin(&strace->lines, app);
	if (!err && !app->summary)
		err = descriptors_new(&strace->descriptors);
	strace->lines.text.descriptors = strace->descriptors;
	return err ? err : calls_new(strace->ctx, &opts, &strace->calls);
}

/* ---- records ---- */

static int first_record(struct strace *strace, struct dkt_source *source,
			const struct dkt_record *record)
{
	strace->any = true;
	strace->source = source;
	strace->lines.source = source;
	strace->lines.text.machine =
		call_machine(strace->app->input ? dkt_source_info(source)->kernel : NULL);
	/* The first thread is the command's. */
	if (strace->command)
		strace->starting = record->pid;
	return strace->descriptors && strace->command ?
		       descriptors_inherit(strace->descriptors, record->pid) :
		       0;
}

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct strace *strace = data;
	int err = strace->any || !record->event ? 0 : first_record(strace, source, record);

	strace->now = record->ts;
	if (!err && !record->event && strace->descriptors) {
		descriptors_forget(strace->descriptors);
		err = strace_lines_gap(&strace->lines, record);
	}
	return err ? err : calls_add(strace->calls, record);
}

static int idle(void *data)
{
	struct strace *strace = data;

	return strace->summary ? 0 : strace_lines_flush(&strace->lines);
}

static int report(void *data, struct dkt_source *source, uint64_t seen, uint64_t lost)
{
	struct strace *strace = data;
	const struct strace_totals totals = { .source = source,
					      .machine = strace->lines.text.machine,
					      .top = (size_t)strace->top,
					      .seen = seen,
					      .lost = lost };
	int err = calls_finish(strace->calls);

	if (err)
		return err;
	return strace->summary ? strace_summary_print(strace->summary, strace->app, &totals) :
				 strace_lines_flush(&strace->lines);
}

static int run_input(struct strace *strace, struct inputs *in, int *rc)
{
	const struct losses *losses = &in->line.parts[0].losses;
	struct calls_info info;
	int err;

	dkt__stop_on_end();
	err = inputs_each(in, add_record, strace);
	if (!err)
		err = report(strace, in->line.source, losses->seen, losses->lost);
	if (err)
		return err;
	calls_info(strace->calls, &info);
	if (!info.begins && !info.ends)
		app_say("%s has no record of a system call; to record them: dktrace record -e"
			" 'raw_syscalls:*'",
			strace->app->input);
	*rc = inputs_report_losses(in);
	return 0;
}

static int run_live(struct strace *strace, int *rc)
{
	struct app *app = strace->app;
	struct strace_events events = { 0 };
	struct strace_texts texts = { 0 };
	struct live_opts opts = { .kind = "strace",
				  .doing = "tracing",
				  .only_command = strace->command,
				  .command = strace->command,
				  .seconds = strace->seconds,
				  .record = add_record,
				  .idle = idle,
				  .report = report,
				  .data = strace };
	int err = dkt_caps_check(strace->ctx, DKT_NEED_CONTROL);

	if (!err && strace->descriptors)
		err = strace_texts_create(&texts, app, strace->ctx, &strace->choice);
	if (!err)
		err = strace_events_find(&events, app, strace->ctx, &strace->choice,
					 strace->descriptors ? &texts : NULL);
	opts.events = events.list;
	opts.n = events.n;
	opts.filter = events.filter;
	if (!err && strace->descriptors && !strace->command)
		err = descriptors_read_proc(strace->descriptors);
	if (!err)
		err = live_run(app, &opts, rc);
	strace_events_clear(&events);
	strace_texts_remove(&texts, strace->ctx);
	return err;
}

/* ---- all ---- */

static void clear(struct strace *strace)
{
	calls_free(strace->calls);
	descriptors_free(strace->descriptors);
	strace_lines_clear(&strace->lines);
	strace_summary_free(strace->summary);
	strace_choice_clear(&strace->choice);
	dkt_expr_free(strace->filter);
}

int cmd_strace(struct app *app, int argc, char **argv)
{
	struct strace strace = { .app = app, .ctx = app->ctx };
	struct record_args args = { 0 };
	struct inputs in = { 0 };
	int err, rc = read_args(&strace, argc, argv);

	if (!rc && strace.command)
		rc = spawn_check(strace.command);
	if (!rc)
		rc = live_args_read(app, &args);
	if (rc) {
		clear(&strace);
		return live_args_close(app, &args, &in, 0, rc);
	}
	err = live_args_open(app, &args, &in, &strace.ctx);
	if (!err)
		err = set_up(&strace);
	if (!err)
		err = app->input ? run_input(&strace, &in, &rc) : run_live(&strace, &rc);
	clear(&strace);
	return live_args_close(app, &args, &in, err, rc);
}
