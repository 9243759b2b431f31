/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process beside the daemon: with the files that it needs, and a message if it fails. */
#pragma once

#include <dktrace/dktrace.h>

/* Does the work. ctx is its own. Returns its error, of which the context has the words. */
typedef int (*process_fn)(struct dkt_ctx *ctx, void *data);

/* All zero: none runs. */
struct process {
	pid_t pid; /* 0: none runs */
	int out; /* the end of a pipe that has its error message */
};

/* The daemon's own priority is above that of others. */
enum process_priority {
	PROCESS_HURRY, /* the daemon's */
	PROCESS_LOW, /* it gives way to others, but is never left without time */
	PROCESS_IDLE, /* the time that others do not need */
};

struct process_opts {
	process_fn run;
	void *data;
	const int *keep; /* descriptors that it needs, in ascending order */
	size_t n_keep;
	enum process_priority priority;
};

/* Starts the process. It does not take the daemon's signals, except for SIGTERM, which ends it. */
int process_start(struct dkt_ctx *ctx, const struct process_opts *opts, struct process *process);

/*
 * Looks whether it has ended; wait: until it has. Then pid is 0, and the result is that of run(), with its
 * message. killed: the message if a signal ended it.
 */
int process_reap(struct dkt_ctx *ctx, struct process *process, bool wait, const char *killed);

/* Lets it run as others do from now on, because somebody waits for it. */
void process_hurry(const struct process *process);

/* Ends it at once. */
void process_kill(struct process *process);
