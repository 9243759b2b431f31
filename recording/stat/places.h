/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where events are counted: in threads, in a command, on the CPUs of the machine. */
#pragma once

#include "lib/inside.h"

/* The parts that counts are shown by. */
enum stat_by { STAT_BY_NOTHING, STAT_BY_CPU, STAT_BY_THREAD };

/* A thread or a CPU that has rows of its own; both -1: all. */
struct stat_group {
	pid_t tid;
	int cpu;
	char comm[16]; /* of the thread */
};

/* All zeroes: nowhere. */
struct stat_places {
	struct dkt__counted *list;
	size_t *group_of; /* of each of the list */
	size_t n;
	struct stat_group *groups;
	size_t n_groups;
};

/* Clear the places in either case. */

/* All CPUs that are online, or all threads of the machine. */
int stat_places_machine(struct dkt_ctx *ctx, enum stat_by by, struct stat_places *places);

/*
 * The threads of the processes "12,13" (pids), or those with such names "dd,ll_ost*" (comm). -ESRCH: there is none.
 */
int stat_places_threads(struct dkt_ctx *ctx, enum stat_by by, const char *pids, const char *comm,
			struct stat_places *places);

/* One process. */
int stat_places_process(struct dkt_ctx *ctx, enum stat_by by, pid_t pid,
			struct stat_places *places);

/* True if a thread of these places still exists, or they are CPUs. */
bool stat_places_exist(const struct stat_places *places);

void stat_places_clear(struct stat_places *places);
