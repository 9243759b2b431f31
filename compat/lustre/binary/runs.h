/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects runs: stretches of a file whose records are in order of time. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"

/* Maximum number of runs. A log with more is faster to sort. */
#define RUNS_MAX (256 * 1024)

/* Longer runs are split, because only whole runs are found to be due. */
#define RUNS_CUT (16 * 1024)

/* With fewer breaks, runs_are_short() cannot tell. */
#define RUNS_SHORT 4096

struct run {
	uint64_t start; /* offset of its first record */
	uint64_t end; /* offset after its last record */
	uint64_t first; /* key of its first shown record */
	uint64_t last; /* key of its last shown record */
	uint32_t order; /* position among the runs of the file */
};

struct runs {
	struct run *run;
	size_t n;
	size_t room;
	uint64_t cut; /* runs are split at this length, in bytes; 0: RUNS_CUT */
	uint64_t breaks; /* number of times that the time went back, or that the file has a gap */
	bool too_many;
};

/* The result of the first reading of a file, or of a part. */
struct record_index {
	struct runs runs; /* of the records that are shown */
	uint64_t kept, dropped; /* shown; not shown */
	uint32_t cpus; /* highest CPU of a kept record, plus 1 */
	uint32_t longest; /* record */
};

/* Adds a record that is shown. */
int dkl_record_index_add(struct record_index *index, uint64_t offset, const uint8_t *rec,
			 uint32_t len);

/* Adds a record to the last run, or begins a new run with it. */
int dkl_runs_add(struct runs *runs, uint64_t offset, uint32_t len, uint64_t key);

/* Extends the last run by a hidden record, which does not end it. */
static inline void runs_skip(struct runs *runs, uint64_t offset, uint32_t len)
{
	if (runs->n && runs->run[runs->n - 1].end == offset)
		runs->run[runs->n - 1].end += len;
}

/* True if, after so many records, the runs are so short that sorting is faster than merging. */
static inline bool runs_are_short(const struct runs *runs, uint64_t records)
{
	return runs->breaks >= RUNS_SHORT && runs->breaks > records / 8;
}

/* Appends the runs of the next part of the file. */
int dkl_runs_append(struct runs *runs, const struct runs *more);

/* Joins runs that continue each other, up to that length. */
void dkl_runs_join(struct runs *runs, uint64_t cut);

/* Sorts runs by their first key. */
void dkl_runs_order(struct runs *runs);

/* Gets the largest number of runs that overlap in time. Call before dkl_runs_order(). */
int dkl_runs_overlap(const struct runs *runs, size_t *overlap);
void dkl_runs_clear(struct runs *runs);
