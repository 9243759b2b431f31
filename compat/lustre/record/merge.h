/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the runs of a slice; reads each run through a window, only while its records are due. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/record.h"
#include "lustre/record/slice.h"
#include "lustre/record/winners.h"

/* The log that is merged. Several threads may merge slices of it. */
struct merge_log {
	const char *name; /* for messages */
	int fd; /* that the runs are in */
	struct record_masks show;
	struct runs runs; /* sorted */
	size_t window; /* bytes of a run that are read together; holds the longest record */
};

struct merge_cursor;

struct merge {
	const struct merge_log *log;
	struct slice slice;
	size_t next_open; /* the first of the runs that is not being read yet, of both kinds */
	size_t next_run;
	uint64_t next_first; /* key from which that one is due */
	struct winners winners;
	struct merge_cursor **cursors; /* by leaf of the tree */
	uint32_t room; /* of cursors */
	struct merge_cursor *spare; /* a list */
	struct merge_cursor *current; /* whose record was returned last, in that leaf */
	uint32_t leaf;
	uint64_t done; /* records returned, of all slices */
	uint64_t failed_at; /* offset where the log is not what it was */
};

/* Begins with a slice, which is copied; all of the one before has been read, or it failed. */
int merge_start(struct merge *merge, const struct merge_log *log, const struct slice *slice);
void merge_clear(struct merge *merge);

/* As record_sort_next(), but that it says no words. */
int merge_next(struct merge *merge, const uint8_t **rec, uint32_t *len);

/* The words of what merge_next() failed with. */
int merge_fail(struct dkt_ctx *ctx, const struct merge *merge, int err);
