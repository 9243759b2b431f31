/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs: stretches of a file that hold records in order of time. Collecting them. */
#ifndef COMPAT_RECORD_RUNS_H
#define COMPAT_RECORD_RUNS_H

#include <dktrace/dktrace.h>

#include "record.h"

/* More are not kept: a log with more is not worth reading run by run. */
#define RUNS_MAX (256 * 1024)

/* Fewer say nothing about the log. */
#define RUNS_SHORT 4096

struct run {
	uint64_t start; /* offset of its first record */
	uint64_t end; /* behind its last one */
	uint64_t first; /* key of its first record that is shown */
	uint64_t last;
	uint32_t order; /* in the file */
};

struct runs {
	struct run *run;
	size_t n;
	size_t room;
	bool too_many;
};

/* A record is at that place. It belongs to the last run or begins a new one. */
int runs_add(struct runs *runs, uint64_t offset, uint32_t len, uint64_t key);

/* A record that is not shown does not end a run. */
static inline void runs_skip(struct runs *runs, uint64_t offset, uint32_t len)
{
	if (runs->n && runs->run[runs->n - 1].end == offset)
		runs->run[runs->n - 1].end += len;
}

/* Runs are so short, after so many records, that sorting the log is faster than merging them. */
static inline bool runs_are_short(const struct runs *runs, uint64_t records)
{
	return runs->n >= RUNS_SHORT && runs->n > records / 8;
}

/* Sorts runs by their first key; returns how many of them overlap at the most. */
int runs_order(struct runs *runs, size_t *overlap);
void runs_clear(struct runs *runs);

#endif
