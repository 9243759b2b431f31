/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that find the runs of a log's later parts while its first part is read. */
#pragma once

#include <pthread.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/binary/crew.h"
#include "compat/lustre/binary/runs.h"

/* Records without damage, from a guessed offset on. */
struct ahead_part {
	const struct ahead *ahead;
	pthread_t thread;
	uint64_t start; /* guessed offset of the first record */
	uint64_t first; /* its actual offset */
	uint64_t end; /* offset after the last record */
	struct record_index index;
};

struct ahead {
	int fd;
	struct record_masks show;
	uint64_t part_size;
	bool stop; /* ends the threads; atomic */
	unsigned int next; /* the first part that was not taken */
	unsigned int n; /* number of parts */
	struct ahead_part parts[CREW_MAX - 1];
};

/*
 * Starts as many threads as there are CPUs for, each for a part of at least `least` bytes. The
 * struct must not move while they run.
 */
void dkl_ahead_open(struct ahead *ahead, int fd, uint64_t size, uint64_t least,
		    const struct record_masks *show);
void dkl_ahead_close(struct ahead *ahead);

/* Returns the guessed offset of the next part; UINT64_MAX: no more parts. */
static inline uint64_t ahead_start(const struct ahead *ahead)
{
	return ahead->next < ahead->n ? ahead->parts[ahead->next].start : UINT64_MAX;
}

/*
 * Waits for the part whose first record is at that offset, and takes it; reading continues at its
 * end. NULL: no such part, because of damage or a wrong guess. Valid until dkl_ahead_close().
 */
const struct ahead_part *dkl_ahead_take(struct ahead *ahead, uint64_t offset);
