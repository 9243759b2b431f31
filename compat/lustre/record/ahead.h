/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that find the runs of a log's later parts while its first part is read. */
#pragma once

#include <pthread.h>

#include "lustre/record.h"
#include "lustre/record/crew.h"
#include "lustre/record/runs.h"

/* Records without damage, from a place that was guessed. */
struct ahead_part {
	const struct ahead *ahead;
	pthread_t thread;
	uint64_t start; /* where the first one should begin */
	uint64_t first; /* where it does */
	uint64_t end;
	struct runs runs;
	uint64_t kept;
	uint64_t dropped;
	uint32_t cpus;
	uint32_t longest;
};

struct ahead {
	int fd;
	struct record_masks show;
	uint64_t part_size;
	bool stop; /* nobody wants more; atomic */
	unsigned int next; /* the first that has not been taken */
	unsigned int n;
	struct ahead_part parts[CREW_MAX - 1];
};

/*
 * Begins, if there are CPUs for it and each part has as many bytes as are worth a thread. It stays
 * where it is in memory.
 */
void ahead_open(struct ahead *ahead, int fd, uint64_t size, uint64_t least,
		const struct record_masks *show);
void ahead_close(struct ahead *ahead);

/* Offset from which ahead_take() may have a part; UINT64_MAX: nowhere. */
static inline uint64_t ahead_start(const struct ahead *ahead)
{
	return ahead->next < ahead->n ? ahead->parts[ahead->next].start : UINT64_MAX;
}

/*
 * Takes the part whose first record is at that offset, when its thread is done; reading goes on at
 * its end. NULL: none is, as where there was damage or the guess was wrong. It is valid until
 * ahead_close().
 */
const struct ahead_part *ahead_take(struct ahead *ahead, uint64_t offset);
