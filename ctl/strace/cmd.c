/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* strace: prints system calls with their times, arguments and results. */
#include <fcntl.h>

#include "compat/io/output.h"
#include "compat/log/threads.h"
#include "compat/pipeline/outfile.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/privileges.h"
#include "ctl/app/stdout.h"
#include "ctl/app/value.h"
#include "ctl/input/args.h"
#include "ctl/input/live_args.h"
#include "ctl/profile/live.h"
#include "ctl/strace/strace.h"
#include "lib/base/stop.h"
#include "lib/inside.h"

OPT_OWN(strace,
	{ "calls", 'e', "CALLS", AT(strace, calls), "print these system calls: 'open*,read'; all but these: '!futex,read'", .offers = OFFER_CALLS },
	{ "children", 0, NULL, AT(what, children), "with --pid: also record processes that these start later" },
	{ "errors", 0, NULL, AT(strace, errors), "print calls that failed" },
	{ "output", 'o', "FILE", AT_APP(output), "write the calls to FILE; the command's own output stays where it is" },
	{ "pid", 'p', "LIST", AT(select, pid), "live: trace these processes, with all their threads; of a file: print calls of the threads with these IDs: 1,42", .check = value_numbers },
	{ "stack", 0, NULL, AT(strace, stack), "print where calls waited in the kernel, and who called them; with --summary: the functions that make them" },
	{ "summary", 0, NULL, AT(strace, summary), "count calls and errors, and measure times, by thread and call" },
	{ "took", 0, "TIME", AT(strace, took), "print calls that took longer than TIME, '>10ms', or shorter, '<1ms'" },
	{ .name = "duration", .now = "took", .first = "<>=" },
);

/* ---- arguments ---- */

/* The files are those before "--", the command follows it. */
static int read_words(struct strace *strace, int argc, char **argv)
{
	struct app *app = strace->app;
	int n = argc - app->n_command;

	if (app->n_command)
		strace->command = argv + n;
	for (int i = 1; i < n; i++)
		if (dkt__append(strace->files, strace->n_files, argv[i]))
			return app_usage("out of memory");
	if (strace->command && strace->n_files)
		return app_usage("strace: cannot combine a file with a command; give one of them");
	return 0;
}

static int read_args(struct strace *strace, int argc, char **argv)
{
	struct app *app = strace->app;
	const struct select_options *given = OPT(app, select);
	int rc = read_words(strace, argc, argv);

	if (rc)
		return rc;
	if (strace->command && given->pid)
		return app_usage("strace: cannot combine --pid with a command; give one of them");
	if (OPT(app, what)->children && (!given->pid || strace->n_files))
		return app_usage("strace: --children is for --pid of running processes");
	/* Files take a list with ranges, which selects records. */
	if (given->pid && !strace->n_files && value_processes(app->ctx, "pid", given->pid))
		return app_usage("%s", dkt_error(app->ctx));
	if (OPT(app, print)->top && !OPT(app, strace)->summary)
		return app_usage("strace: --top is for --summary");
	rc = opt_seconds("duration", OPT(app, live)->duration, &strace->seconds);
	if (!rc)
		rc = opt_number("top", OPT(app, print)->top, &strace->top);
	if (!rc)
		rc = strace_choice_read(&strace->choice, app);
	/* A call may begin on one CPU and end on another, so this is not a matter of its records. */
	strace->cpus = given->cpu;
	OPT_CHANGE(app, select)->cpu = NULL;
	return rc;
}

/* ---- origins ---- */

static int begin(struct strace *strace, uint32_t n)
{
	struct app *app = strace->app;
	int err;

	strace->origins = calloc(n, sizeof(*strace->origins));
	if (!strace->origins)
		return -ENOMEM;
	strace->n = n;
	err = OPT(app, strace)->summary ?
		      strace_summary_new(OPT(app, strace)->stack, &strace->summary) :
		      strace_lines_begin(&strace->lines, app);
	return err;
}

static int begin_origin(struct strace *strace, uint32_t i, struct dkt_ctx *ctx, const char *name,
			const char *kernel)
{
	struct strace_origin *origin = &strace->origins[i];

	*origin = (struct strace_origin){
		.ctx = ctx, .name = name, .index = i, .text.machine = call_machine(kernel)
	};
	return strace_origin_begin(strace, origin);
}

static int finish(struct strace *strace)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < strace->n; i++)
		err = calls_finish(strace->origins[i].calls);
	return err;
}

static int report(void *data, struct dkt_source *source, const struct losses_sum *all)
{
	struct strace *strace = data;
	const struct strace_totals totals = { .source = source,
					      .top = (size_t)strace->top,
					      .all = *all };
	int err = finish(strace);

	if (!err && strace->sampled)
		err = strace_sampled_end(strace);
	if (err)
		return err;
	return strace->summary ? strace_summary_print(strace->summary, strace->app, &totals) :
				 strace_lines_flush(&strace->lines);
}

/* ---- files ---- */

static int add_to_file(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct strace *strace = data;

	(void)source;
	return strace_origin_add(
		&strace->origins[strace->part_of ? strace->part_of[record->stream] : 0], record);
}

static int begin_files(struct strace *strace, struct inputs *in)
{
	int err = begin(strace, (uint32_t)in->pipeline.n);

	strace->source = strace->lines.source = in->pipeline.source;
	strace->part_of = in->pipeline.part_of;
	for (uint32_t i = 0; !err && i < strace->n; i++) {
		struct pipeline_part *part = &in->pipeline.parts[i];

		err = begin_origin(strace, i, part->ctx, in->n > 1 ? in->files[i].name : NULL,
				   dkt_source_info(part->source)->kernel);
		if (err)
			dkl_pipeline_fail(&in->pipeline, err);
	}
	return err;
}

/* Says what the files lack for an answer. Returns the exit status. */
static int report_missing(const struct strace *strace)
{
	const char *file = strace->n_files > 1 ? "no file" : strace->files[0];
	const char *has = strace->n_files > 1 ? "has" : "has no";
	uint64_t records = 0, stacks = 0;
	struct calls_info info;

	for (uint32_t i = 0; i < strace->n; i++) {
		calls_info(strace->origins[i].calls, &info);
		records += info.begins + info.ends;
		stacks += info.stacks;
	}
	if (!records) {
		app_say("%s %s record of a system call; to record them: dktrace record -e"
			" 'raw_syscalls:*'",
			file, has);
		return EXIT_FAILED;
	}
	if (OPT(strace->app, strace)->stack && !stacks)
		app_say("%s %s stacks; to record them: dktrace record -e"
			" 'raw_syscalls:*,sched_switch' --stack sched_switch",
			file, has);
	return 0;
}

static int run_files(struct strace *strace, struct inputs *in, int *rc)
{
	struct losses_sum all = { 0 };
	int missing, err = begin_files(strace, in);

	dkt__stop_on_end();
	if (!err)
		err = inputs_each(in, add_to_file, strace);
	for (size_t i = 0; i < in->pipeline.n; i++)
		losses_add_to(&all, &in->pipeline.parts[i].losses);
	if (!err)
		err = report(strace, in->pipeline.source, &all);
	if (err)
		return err;
	missing = report_missing(strace);
	OPT_CHANGE(strace->app, select)->cpu = strace->cpus;
	*rc = inputs_report_losses(in);
	if (missing)
		*rc = missing;
	return 0;
}

/* ---- live ---- */

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct strace *strace = data;

	strace->source = strace->lines.source = source;
	return strace_origin_add(&strace->origins[0], record);
}

static int idle(void *data)
{
	struct strace *strace = data;

	if (strace->sampled)
		return strace_sampled_step(strace);
	return strace->summary ? 0 : strace_lines_flush(&strace->lines);
}

static int prepare(void *data, pid_t command, bool *user_stacks)
{
	struct strace *strace = data;

	if (strace->summary && OPT(strace->app, strace)->stack)
		*user_stacks = !strace_sampled_begin(strace, command);
	return 0;
}

/* With --children the kernel's own list is enough. */
static int follow_processes(struct strace *strace)
{
	struct app *app = strace->app;
	struct strace_origin *origin = &strace->origins[0];
	struct threads threads = { 0 };
	int err = dkl_threads_of_processes(app->ctx, OPT(app, select)->pid, &threads);

	if (!err && !OPT(app, what)->children) {
		origin->followed = followed_new(threads.list, threads.n);
		err = origin->followed ? 0 : -ENOMEM;
	}
	dkl_threads_clear(&threads);
	return err;
}

static int run_live(struct strace *strace, int *rc)
{
	struct app *app = strace->app;
	struct strace_events events = { 0 };
	struct strace_texts texts = { 0 };
	struct live_opts opts = { .kind = "strace",
				  .only_command = strace->command,
				  .pids = OPT(app, select)->pid,
				  .command = strace->command,
				  .seconds = strace->seconds,
				  .user_stacks = OPT(app, strace)->stack,
				  .prepare = prepare,
				  .record = add_record,
				  .idle = idle,
				  .report = report,
				  .data = strace };
	struct strace_origin *origin;
	struct descriptors *names;
	char doing[64];
	int err = begin(strace, 1);

	if (!err)
		err = begin_origin(strace, 0, app->ctx, NULL, NULL);
	if (!err)
		err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);
	if (!err)
		err = live_args_cpus(app->ctx, strace->cpus);
	if (!err && OPT(app, select)->pid)
		err = follow_processes(strace);
	if (err)
		return err;
	origin = &strace->origins[0];
	names = origin->descriptors;
	if (names)
		err = strace_texts_create(&texts, app, app->ctx, &origin->choice);
	snprintf(doing, sizeof(doing), "tracing with %s", call_paths_words(texts.paths));
	opts.doing = names ? doing : "tracing";
	if (!err)
		err = strace_events_find(&events, app, app->ctx, &origin->choice,
					 names ? &texts : NULL);
	opts.events = events.list;
	opts.n = events.n;
	opts.filter = events.filter;
	opts.user_data = names && texts.paths == CALL_PATHS_KERNEL;
	if (!err && names && !strace->command)
		err = descriptors_read_proc(names);
	/* For the stacks of programs and the addresses of sockets. */
	if (OPT(app, strace)->stack || names)
		app->keep_privileges |= DKT__KEEP_PROCESSES;
	if (!err)
		err = live_run(app, &opts, rc);
	strace_events_clear(&events);
	strace_texts_remove(&texts, app->ctx);
	return err;
}

/* ---- all ---- */

static int open_inputs(struct strace *strace, struct record_args *args, struct inputs *in)
{
	struct app *app = strace->app;
	struct dkt_ctx *ctx;

	return strace->n_files > 1 ? inputs_open_all(in, args) :
				     live_args_open(app, args, in, &ctx);
}

static void clear(struct strace *strace)
{
	for (uint32_t i = 0; i < strace->n; i++)
		strace_origin_clear(&strace->origins[i]);
	free(strace->origins);
	free(strace->files);
	strace_lines_clear(&strace->lines);
	profile_live_close(strace->sampled);
	dkl_threads_clear(&strace->threads);
	strace_summary_free(strace->summary);
	strace_choice_clear(&strace->choice);
}

/* Lets all that is printed go into --output. The command that is run keeps standard output. */
static int begin_output(struct app *app, struct outfile *file, FILE **earlier)
{
	FILE *stream = NULL;
	int fd = -1, err = dkl_outfile_open_now(app->ctx, app->output, false, file);

	if (!err)
		err = dkl_outfile_begin(file);
	if (err)
		return err;
	fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (!stream) {
		err = dkt_fail(app->ctx, -errno, "write %s: %s", app->output, strerror(errno));
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = stdout_swap(app->ctx, stream, earlier);
	if (err)
		fclose(stream);
	return err;
}

static int end_output(struct app *app, struct outfile *file, FILE *earlier, int err)
{
	FILE *stream;
	int failed = 0;

	if (earlier) {
		stdout_swap(app->ctx, earlier, &stream);
		/* stdio keeps the text that it could not write, so that the last errno is the reason. */
		if (fflush(stream) || ferror(stream))
			failed = -errno;
		if (fclose(stream) && !failed)
			failed = -errno;
		if (failed)
			dkl_outfile_withdraw(file);
		print_output(file);
	}
	dkl_outfile_close(file);
	return failed && !err ? dkl_full_fail(app->ctx, failed, app->output) : err;
}

int cmd_strace(struct app *app, int argc, char **argv)
{
	struct strace strace = { .app = app };
	struct outfile file = { .fd = -1, .placer = &app->placer };
	FILE *earlier = NULL;
	struct record_args args = { 0 };
	struct inputs in = { 0 };
	int err, rc = read_args(&strace, argc, argv);

	if (!rc)
		rc = live_args_read(app, &args);
	if (!rc && strace.n_files > 1)
		rc = inputs_new(app, strace.files, strace.n_files, &in);
	if (rc) {
		clear(&strace);
		return live_args_close(app, &args, &in, 0, rc);
	}
	err = open_inputs(&strace, &args, &in);
	if (!err && app->output)
		err = begin_output(app, &file, &earlier);
	file.only_copy = !strace.n_files;
	if (!err)
		err = strace.n_files ? run_files(&strace, &in, &rc) : run_live(&strace, &rc);
	err = end_output(app, &file, earlier, err);
	clear(&strace);
	return live_args_close(app, &args, &in, err, rc);
}
