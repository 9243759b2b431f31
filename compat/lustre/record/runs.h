/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects runs: stretches of a file whose records are in order of time. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/record.h"

/* More are not kept: a log with more is not worth reading run by run. */
#define RUNS_MAX (256 * 1024)

/* Records are in order for longer than that, but runs are cut there: what is due is found by run. */
#define RUNS_CUT (16 * 1024)

/* Fewer breaks say nothing about the log. */
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
	uint64_t cut; /* bytes; 0: RUNS_CUT. More in a log with too many runs */
	uint64_t breaks; /* runs that begin with an older record than the one before, or behind a gap */
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
	return runs->breaks >= RUNS_SHORT && runs->breaks > records / 8;
}

/* Adds the runs of what follows in the file. */
int runs_append(struct runs *runs, const struct runs *more);

/* Sorts runs by their first key. */
void runs_order(struct runs *runs);

/* How many runs overlap at the most; before they are sorted. */
int runs_overlap(const struct runs *runs, size_t *overlap);
void runs_clear(struct runs *runs);
