/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the runs of a log, one slice of time after another; reads a run when its records are due. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/binary/runs.h"
#include "lib/base/heap.h"

/* The log that is merged. Several threads may merge slices of it. */
struct merge_log {
	const char *name; /* for messages */
	int fd; /* file with the runs */
	struct record_masks show;
	struct runs runs; /* sorted */
	size_t longest; /* run, in bytes */
	size_t batch; /* bytes of runs that a thread reads at once, before they are due */
};

/* The slices that have been taken; starts as all zeroes. */
struct slices {
	uint64_t to; /* all keys of the last one are lower; UINT64_MAX: no limit */
	size_t end; /* the run after the last one that begins in it */
	uint32_t *open; /* runs that begin earlier and have records behind it */
	size_t n_open;
};

struct merge_cursor;

/* Runs that were read together: fewer calls read those that are next to each other in the file. */
struct merge_batch {
	uint8_t *bytes;
	size_t first; /* the first of them in the list of due runs */
	size_t n;
	size_t *at; /* where each is in the bytes; SIZE_MAX: it is not there */
};

struct merge {
	const struct merge_log *log;
	uint64_t from; /* lowest key of the slice */
	uint64_t to; /* all keys are lower */
	uint32_t *due; /* runs that have records in the slice, by their first key */
	size_t n_due;
	size_t next_due; /* the first one that is not being read yet */
	uint64_t horizon; /* its first key; UINT64_MAX: none is left */
	struct dkt__heap heap; /* of cursors */
	struct merge_cursor *cursors;
	size_t n_cursors;
	struct merge_batch batch;
	uint32_t *idle; /* cursors without a run */
	size_t n_idle;
	bool taken; /* the heap's first cursor is at the record that was returned last */
	uint64_t done; /* records returned from all slices */
	uint64_t failed_at; /* offset where the log has changed */
};

/*
 * Starts with the next slice, after the one before was read to its end. It has about `size` bytes, or more if
 * many keys are equal. 1: no more slices.
 */
int dkl_merge_slice(struct merge *merge, struct slices *slices, uint64_t size);
void dkl_merge_clear(struct merge *merge);

/* Like dkl_record_sort_next(), but sets no error message. */
int dkl_merge_next(struct merge *merge, const uint8_t **rec, uint32_t *len);

/* Sets the error message for an error of dkl_merge_next(). */
int dkl_merge_fail(struct dkt_ctx *ctx, const struct merge *merge, int err);

/* ---- pieces.c: a log whose records are out of order ---- */

/* Threads that read a log. More gain nothing, because only one at a time writes its output. */
#define THREADS_MAX 4

/*
 * Writes the records of the log that are shown to another file, each piece of the index as a sorted run, and
 * puts that file and these runs into the log. A thread uses less than twice the index' piece size of memory.
 */
int dkl_pieces_sort(struct dkt_ctx *ctx, struct merge_log *log, const struct record_index *index,
		    int fd);
