/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The index of a log: its runs, stretches of the file whose records are in order of time. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"

/* Maximum number of runs. A log with more is faster to sort. */
#define RUNS_MAX (256 * 1024)

/* Longer runs are split, because runs are read as a whole. */
#define RUNS_CUT (16 * 1024)

struct run {
	uint64_t start; /* offset of its first record */
	uint64_t end; /* offset after its last record */
	uint64_t first; /* key of its first shown record */
	uint64_t last; /* key of its last shown record */
	uint32_t order; /* position among the runs of the file */
	bool follows; /* it was split from the run before */
};

struct runs {
	struct run *run;
	size_t n;
	uint64_t cut; /* runs are split at this length, in bytes; 0: RUNS_CUT */
	uint64_t breaks; /* number of times that the time went back, or that the file has a gap */
	uint64_t next; /* offset of a record that continues the last run */
	bool no_order; /* the runs are so many or so short that sorting is faster than merging */
};

/* Consecutive records, without what is damaged before and after them. */
struct record_piece {
	uint64_t start, end; /* offsets in the file */
};

/* The result of the first reading of a file, or of a part. */
struct record_index {
	struct runs runs; /* of the records that are shown */
	uint64_t kept, dropped; /* shown; not shown */
	uint32_t cpus; /* highest CPU of a kept record, plus 1 */
	struct record_piece *pieces; /* of all kept records */
	size_t n_pieces;
	uint64_t piece_size; /* longest piece, if not a single record; 0: no pieces */
};

/* Adds a record that is shown. */
int dkl_record_index_add(struct record_index *index, uint64_t offset, const uint8_t *rec,
			 uint32_t len);

/* Adds a record that is not shown. */
void dkl_record_index_skip(struct record_index *index, uint64_t offset, uint32_t len);

/* Appends the index of the next part of the file. */
int dkl_record_index_append(struct record_index *index, const struct record_index *more);
void dkl_record_index_clear(struct record_index *index);

/* Adds a record to the last run, or begins a new run with it. */
int dkl_runs_add(struct runs *runs, uint64_t offset, uint32_t len, uint64_t key);
int dkl_runs_append(struct runs *runs, const struct runs *more);

/* Joins runs that continue each other, up to that length. */
void dkl_runs_join(struct runs *runs, uint64_t cut);

/* Sorts runs by their first key. */
void dkl_runs_order(struct runs *runs);

/* Gets the largest number of runs that overlap in time. Call before dkl_runs_order(). */
int dkl_runs_overlap(const struct runs *runs, size_t *overlap);

/* Returns the length of the longest run, in bytes. */
size_t dkl_runs_longest(const struct runs *runs);
void dkl_runs_clear(struct runs *runs);

struct epochs {
	struct record_index *list; /* in the order of the file */
	size_t n;
	bool none; /* there is one epoch, whatever the clock does */
	bool never_back; /* only a boot sets the clock back, so that each such place begins an epoch */
	bool too_many; /* the log has no order at all */
	uint32_t *last; /* by CPU: seconds of its last record in this epoch; 0: none */
	size_t n_last;
};

/* Adds the next record of the file. */
int dkl_epochs_add(struct epochs *epochs, uint64_t offset, const uint8_t *rec, uint32_t len);

/*
 * After the last record: joins the epochs into one if no two of them overlap in time, as the parts of a
 * file do that are only in another order, or if they cannot be read one by one.
 */
int dkl_epochs_finish(struct epochs *epochs);
void dkl_epochs_clear(struct epochs *epochs);
