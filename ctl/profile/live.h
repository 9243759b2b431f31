/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples that are taken while a command runs, and shown round by round. The kernel's records go into a file in
 * memory. Another process names their functions: it alone reads the programs of others, confined, and sends
 * names back.
 */
#pragma once

#include <sys/types.h>

#include "answers/profile/names.h"
#include "answers/profile/tree.h"
#include "ctl/app/app.h"
#include "lib/inside.h"

struct profile_live_opts {
	const pid_t *threads; /* and what they start; valid as long as the samples are taken */
	size_t n_threads; /* 0: the machine */
	bool waits; /* the threads are one that is to execute a program */
	bool calls; /* sample system calls, not the CPU's time: the groups are their numbers */
	enum dkt__callers callers;
	size_t ring_size; /* 0: as usual */
};

struct profile_live;

/* Opens the events. This needs privileges. Errors: those of dkt__sampler_open(). */
int profile_live_open(struct dkt_ctx *ctx, const struct profile_live_opts *opts,
		      struct profile_live **live);

/* Begins, after a stop too. */
int profile_live_start(struct profile_live *live);

/* Moves what came to the file. To be called more often than the rings are full. */
int profile_live_step(struct profile_live *live);

/* Bytes that were not named yet. */
uint64_t profile_live_waiting(const struct profile_live *live);

/* A round: the names of its functions, and its stacks below their group: a program, or the number of a call. */
struct profile_round {
	struct profile_names names;
	struct profile_tree tree;
	uint64_t samples;
	uint64_t lost; /* samples, since the beginning */
};

int profile_round_init(struct profile_round *round);
void profile_round_clear(struct profile_round *round);

/*
 * Adds the samples since the last round, of a process (0: of all). -EAGAIN, without an error message: they are not
 * named yet, ask again. wait_ms: how long to wait for that.
 */
int profile_live_take(struct profile_live *live, int32_t process, int wait_ms,
		      struct profile_round *round);

/* The seconds of CPU that the process for the names has used. */
double profile_live_cost(const struct profile_live *live);

/* Stops until the next start. */
void profile_live_stop(struct profile_live *live);
void profile_live_close(struct profile_live *live);
