/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples of system calls for the summary. The tracer finds the callers in a program by frame pointers, which the C
 * library does not keep; of samples, they are found by its call frame information.
 */
#include "compat/log/threads.h"
#include "compat/lustre/programs.h"
#include "ctl/app/groups.h"
#include "ctl/profile/live.h"
#include "ctl/strace/strace.h"

/* Samples of so many bytes are named at once. */
#define NAME_BYTES (8u << 20)

/* Large programs take long. */
#define LAST_MS 30000

static int find_threads(const struct app *app, pid_t command, struct threads *threads)
{
	const struct select_options *given = OPT(app, select);

	if (command)
		return dkt__append(threads->list, threads->n, command);
	if (given->pid)
		return dkl_threads_of_processes(app->ctx, given->pid, threads);
	return given->comm ? dkl_threads_of_programs(app->ctx, given->comm, threads) : 0;
}

static int open_samples(struct strace *strace, const struct threads *threads, bool waits,
			enum dkt__callers callers)
{
	const struct profile_live_opts opts = { .threads = threads->list,
						.n_threads = threads->n,
						.waits = waits,
						.calls = true,
						.callers = callers };
	int err = profile_live_open(strace->app->ctx, &opts, &strace->sampled);

	return err ?: profile_live_start(strace->sampled);
}

bool strace_sampled_begin(struct strace *strace, pid_t command)
{
	const struct app *app = strace->app;
	struct threads *threads = &strace->threads;
	int err = find_threads(app, command, threads);

	if (!err)
		err = open_samples(strace, threads, command, DKT__CALLERS_DWARF);
	if (err == -EOPNOTSUPP)
		err = open_samples(strace, threads, command, DKT__CALLERS_FP);
	if (!err)
		return true;
	app_say("%s; callers are found by frame pointers only", dkt_error(app->ctx));
	profile_live_close(strace->sampled);
	strace->sampled = NULL;
	return false;
}

static int take(struct strace *strace, int wait_ms)
{
	struct strace_callers *callers = strace_summary_callers(strace->summary);

	return profile_live_take(strace->sampled, 0, wait_ms, strace_callers_round(callers));
}

int strace_sampled_step(struct strace *strace)
{
	int err = profile_live_step(strace->sampled);

	if (!err && profile_live_waiting(strace->sampled) > NAME_BYTES)
		err = take(strace, 0);
	return err == -EAGAIN ? 0 : err;
}

int strace_sampled_end(struct strace *strace)
{
	int err = 0;

	/* The first answer may be of a question from before. */
	for (int i = 0; !err && i < 2; i++)
		err = take(strace, LAST_MS);
	return err == -EAGAIN ? dkt_fail(strace->app->ctx, -ETIME,
					 "name the functions of samples: no answer in %d s",
					 LAST_MS / 1000) :
				err;
}
