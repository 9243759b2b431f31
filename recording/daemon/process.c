/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts, ends and reaps a process beside the daemon. */
#include "recording/daemon/process.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/io.h"
#include "lib/base/memory.h"

/* The longest message. */
#define WORDS_MOST (1 << 16)

/* ioprio_set(2), which the C library lacks. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_IDLE        (3 << 13)

/* Not essential, so errors do not matter. */
static void set_priority(enum process_priority priority)
{
	const struct sched_param none = { 0 };

	if (priority == PROCESS_HURRY)
		return;
	setpriority(PRIO_PROCESS, 0, 19);
	if (priority == PROCESS_LOW)
		return;
	sched_setscheduler(0, SCHED_IDLE, &none);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
}

/* Closes all files after standard error but these. */
static void close_others(const struct process_opts *opts, int out)
{
	int next = STDERR_FILENO + 1;

	while (next >= 0) {
		int keep = out >= next ? out : -1;

		for (size_t i = 0; i < opts->n_keep; i++)
			if (opts->keep[i] >= next && (keep < 0 || opts->keep[i] < keep))
				keep = opts->keep[i];
		if (keep != next)
			dkt__close_range((unsigned int)next,
					 keep < 0 ? UINT_MAX : (unsigned int)keep - 1);
		next = keep < 0 ? -1 : keep + 1;
	}
}

/*
 * Keeps none of the daemon's files but those: if the daemon is killed, the next one needs the lock of its
 * segment and its instance at once. The daemon's context has such files, too, so the process gets another.
 */
static void child(const struct process_opts *opts, int out)
{
	struct dkt_ctx *ctx;
	const char *words = "";
	int err;

	/* The daemon's signals are not for it. */
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	set_priority(opts->priority);
	close_others(opts, out);
	err = dkt_ctx_new(NULL, &ctx);
	if (err)
		words = strerror(-err);
	else if (opts->run(ctx, opts->data))
		words = dkt_error(ctx);
	dkt__write_all(out, words, strlen(words));
	_exit(*words != '\0');
}

int process_start(struct dkt_ctx *ctx, const struct process_opts *opts, struct process *process)
{
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return dkt_fail(ctx, -errno, "create a pipe: %s", strerror(errno));
	process->pid = fork();
	if (process->pid < 0) {
		err = dkt_fail(ctx, -errno, "start a process: %s", strerror(errno));
		close(ends[0]);
		close(ends[1]);
		process->pid = 0;
		return err;
	}
	if (!process->pid)
		child(opts, ends[1]);
	close(ends[1]);
	process->out = ends[0];
	return 0;
}

int process_reap(struct dkt_ctx *ctx, struct process *process, bool wait, const char *killed)
{
	char *words __cleanup(free) = NULL;
	size_t len = 0;
	int status;

	if (!process->pid || waitpid(process->pid, &status, wait ? 0 : WNOHANG) != process->pid)
		return 0;
	dkt__read_fd(process->out, WORDS_MOST, &words, &len);
	close(process->out);
	*process = (struct process){ 0 };
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return dkt_fail(ctx, -EIO, "%s", len ? words : killed);
}

void process_hurry(const struct process *process)
{
	const struct sched_param none = { 0 };

	if (!process->pid)
		return;
	sched_setscheduler(process->pid, SCHED_OTHER, &none);
	setpriority(PRIO_PROCESS, (id_t)process->pid, 0);
}

void process_kill(struct process *process)
{
	if (!process->pid)
		return;
	kill(process->pid, SIGKILL);
	waitpid(process->pid, NULL, 0);
	close(process->out);
	*process = (struct process){ 0 };
}
