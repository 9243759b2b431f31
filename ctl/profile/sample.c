/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: takes the samples, and writes them into a perf.data file. */
#include "ctl/profile/sample.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "compat/io/output.h"
#include "compat/log/threads.h"
#include "compat/lustre/programs.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/print.h"
#include "ctl/app/value.h"
#include "ctl/profile/profile.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/servant.h"
#include "recording/record/file.h"

/* The reader's priority: above that of a workload which leaves no CPU idle. */
#define NICE (-10)

/* So many samples a second are refused as a mistake: the kernel's own limit is far below. */
#define FREQUENCY_MAX 1000000

/* More than any command line. */
#define WORDS_MAX (4u << 20)

static const char *const callers_words[] = { "fp", "dwarf", "lbr", "none", NULL };

OPT_OWN(sample,
	{ "call-graph", 'g', "HOW", AT(sample, callers), "find callers by fp (frame pointers, default), dwarf[,BYTES] of stack, lbr or none", .words = callers_words },
	{ "frequency", 'F', "N", AT(sample, frequency), "take N samples a second of each running thread (default 99)" },
	{ "kernel", 0, NULL, AT(sample, kernel), "sample only the kernel" },
	{ "user", 0, NULL, AT(sample, user), "sample only programs, not the kernel" },
);

/* ---- options ---- */

static int read_frequency(const char *text, uint64_t *frequency)
{
	int64_t value = 0;

	if (text && dkt__parse_int(text, 1, FREQUENCY_MAX, &value))
		return app_usage("--frequency: '%s' is not a number from 1 to %d", text,
				 FREQUENCY_MAX);
	*frequency = (uint64_t)value;
	return 0;
}

/* Reads the size of the stack in "dwarf,8192". */
static int read_stack_size(const char *text, uint32_t *size)
{
	int64_t value;

	if (dkt__parse_int(text, 8, DKT__SAMPLER_STACK_MAX, &value))
		return app_usage("--call-graph: '%s' is not a number of bytes from 8 to %d", text,
				 DKT__SAMPLER_STACK_MAX);
	*size = (uint32_t)value & ~7u;
	return 0;
}

static int read_callers(const char *text, struct profile_sample *what)
{
	static const char dwarf[] = "dwarf,";

	if (!text)
		return 0;
	if (!strncmp(text, dwarf, strlen(dwarf))) {
		what->callers = DKT__CALLERS_DWARF;
		return read_stack_size(text + strlen(dwarf), &what->stack_size);
	}
	for (size_t i = 0; callers_words[i]; i++) {
		if (strcmp(text, callers_words[i]) != 0)
			continue;
		what->callers = (enum dkt__callers)i;
		return 0;
	}
	return app_usage("--call-graph: '%s' is none of fp, dwarf, dwarf,BYTES, lbr, none", text);
}

const char *profile_sample_given(const struct app *app)
{
	const struct sample_options *given = OPT(app, sample);

	return given->frequency         ? "frequency" :
	       given->callers           ? "call-graph" :
	       given->user              ? "user" :
	       given->kernel            ? "kernel" :
	       OPT(app, live)->duration ? "duration" :
					  NULL;
}

int profile_sample_read(const struct app *app, struct profile_sample *what)
{
	const struct sample_options *given = OPT(app, sample);
	int rc;

	*what = (struct profile_sample){ .pids = OPT(app, select)->pid,
					 .comms = OPT(app, select)->comm,
					 .off_cpu = OPT(app, profile)->off_cpu,
					 .only_user = given->user,
					 .only_kernel = given->kernel };
	if (what->pids && value_processes(app->ctx, "pid", what->pids))
		return app_usage("%s", dkt_error(app->ctx));
	if (given->user && given->kernel)
		return app_usage("profile: cannot combine --user and --kernel; without them both "
				 "are sampled");
	if (what->off_cpu && (given->user || given->kernel))
		return app_usage(
			"profile: cannot combine --off-cpu and --%s: waits have callers in "
			"the kernel and in programs",
			given->user ? "user" : "kernel");
	if (!!what->pids + !!what->comms + !!app->n_command > 1)
		return app_usage("profile: give one of --pid, --comm, --class and a command");
	/* The header is written last, so that a pipe cannot take it. */
	if (app->output && !strcmp(app->output, "-"))
		return app_usage("profile: cannot write a profile to standard output; name a file");
	rc = read_frequency(given->frequency, &what->frequency);
	if (!rc)
		rc = read_callers(given->callers, what);
	if (!rc)
		rc = opt_seconds("duration", OPT(app, live)->duration, &what->seconds);
	return rc;
}

/* ---- setting up ---- */

struct recording {
	struct app *app;
	const struct profile_sample *what;
	struct spawn spawn;
	struct threads threads;
	struct capture_file file;
	struct dkt__sampler *sampler;
	char *words_text; /* the command line; its words end with NULs */
	char **words;
	size_t n_words;
	int end_fd; /* of the command; -1: none */
	bool full; /* the disk has no more room for it */
	double from; /* the time at which sampling began; 0: it did not */
};

/* The command line as it was given, for the file. Without memory or /proc it has none. */
static void read_command_line(struct recording *recording)
{
	size_t len;

	if (dkt__read_file("/proc/self/cmdline", WORDS_MAX, &recording->words_text, &len))
		return;
	for (char *p = recording->words_text; p < recording->words_text + len; p += strlen(p) + 1)
		if (dkt__append(recording->words, recording->n_words, p))
			return;
}

static int find_threads(struct recording *recording)
{
	const struct profile_sample *what = recording->what;
	struct dkt_ctx *ctx = recording->app->ctx;

	if (recording->spawn.pid)
		return dkt__with_words(ctx,
				       dkt__append(recording->threads.list, recording->threads.n,
						   recording->spawn.pid));
	if (what->pids)
		return dkl_threads_of_processes(ctx, what->pids, &recording->threads);
	return what->comms ? dkl_threads_of_programs(ctx, what->comms, &recording->threads) : 0;
}

/* Each CPU has a descriptor for each thread. The command has been started with the limit of before. */
static void raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int began(void *data)
{
	struct recording *recording = data;
	int err = live_begin(recording->app, &recording->spawn, "profiling",
			     recording->what->seconds);

	recording->from = live_now();
	if (!err)
		print_kept(recording->file.path, recording->file.kept);
	return err;
}

/* With a command, the end of the time ends the profile but not the command. */
static bool is_over(void *data)
{
	struct recording *recording = data;
	const double seconds = recording->what->seconds;

	recording->full = !capture_file_room(&recording->file);
	return recording->full || live_over(&recording->spawn, recording->from, seconds) ||
	       (seconds > 0 && live_now() - recording->from >= seconds);
}

static int open_sampler(struct recording *recording)
{
	const struct profile_sample *what = recording->what;
	DKT_OPTS(dkt__sampler_opts, opts, .frequency = what->frequency,
		 .threads = recording->threads.list, .n_threads = recording->threads.n,
		 .waits = recording->spawn.pid, .only_user = what->only_user,
		 .only_kernel = what->only_kernel, .callers = what->callers,
		 .stack_size = what->stack_size, .off_cpu = what->off_cpu,
		 .words = recording->words, .n_words = recording->n_words, .begin = began,
		 .over = is_over, .end_fd = recording->end_fd, .seconds = what->seconds,
		 .data = recording);

	return dkt__sampler_open(recording->app->ctx, &opts, &recording->sampler);
}

static int set_up(struct recording *recording, char **command, const char *path)
{
	struct dkt_ctx *ctx = recording->app->ctx;
	int err = spawn_start(ctx, &recording->spawn, command);

	if (!err)
		err = find_threads(recording);
	if (err)
		return err;
	read_command_line(recording);
	raise_files();
	setpriority(PRIO_PROCESS, 0, NICE);
	recording->end_fd = recording->spawn.pid ? dkt__process_open(recording->spawn.pid) : -1;
	err = open_sampler(recording);
	if (!err)
		err = capture_file_open(ctx, path, &recording->file);
	if (!err && !recording->file.regular)
		err = dkt_fail(ctx, -EINVAL,
			       "write %s: a profile cannot go through a pipe; name a file",
			       recording->file.path);
	return err;
}

/* ---- ending ---- */

static int report(const struct recording *recording, const struct dkt__sampler_result *result)
{
	const uint64_t wanted = recording->what->frequency;

	if (result->no_kernel)
		app_say("sampled only programs: the kernel's side needs root, cap_perfmon, or"
			" kernel.perf_event_paranoid of 1 or less");
	if (wanted > result->frequency)
		app_say("took %" PRIu64 " samples a second, the limit of"
			" kernel.perf_event_max_sample_rate",
			result->frequency);
	if (result->throttled)
		app_say("the kernel paused the sampling %" PRIu64
			" times, because it took too much time; a smaller --frequency avoids that",
			result->throttled);
	if (recording->full)
		app_say("profiling ended: the disk is full up to the part that stays free for"
			" other programs");
	if (!result->lost)
		return 0;
	app_say("%" PRIu64 " samples were lost before they were read; a smaller --frequency or"
		" '--call-graph fp' keeps more",
		result->lost);
	return EXIT_LOST;
}

static void tear_down(struct recording *recording)
{
	/* Without a beginning, the command was never executed. */
	if (!recording->from)
		spawn_finish(&recording->spawn);
	dkt__sampler_close(recording->sampler);
	dkl_threads_clear(&recording->threads);
	free(recording->words);
	free(recording->words_text);
	dkt__closep(&recording->end_fd);
	if (recording->from > 0)
		capture_file_close(&recording->file);
	else
		capture_file_discard(&recording->file);
}

int profile_record(struct app *app, const struct profile_sample *what, char **command,
		   const char *path, struct dkt__sampler_result *result)
{
	struct recording recording = { .app = app,
				       .what = what,
				       .spawn = SPAWN_INIT,
				       .file = CAPTURE_FILE_INIT,
				       .end_fd = -1 };
	int rc, err;

	*result = (struct dkt__sampler_result){ 0 };
	live_catch();
	err = set_up(&recording, command, path);
	if (!err)
		err = capture_file_in(&recording.file,
				      dkt__sampler_run(recording.sampler, recording.file.fd));
	if (recording.from > 0)
		dkt__sampler_get(recording.sampler, result, sizeof(*result));
	rc = err ? app_fail(app) : report(&recording, result);
	tear_down(&recording);
	/* If the profile has ended first, the command still gets its signals. */
	if (command && recording.from > 0)
		live_wait(&recording.spawn, 0, NULL, NULL);
	spawn_finish(&recording.spawn);
	return recording.from > 0 && recording.spawn.status ? recording.spawn.status : rc;
}
