/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the runs of a slice; reads each run through a window, only while its records are due. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/binary/slice.h"
#include "compat/lustre/binary/winners.h"

/* The log that is merged. Several threads may merge slices of it. */
struct merge_log {
	const char *name; /* for messages */
	int fd; /* file with the runs */
	struct record_masks show;
	struct runs runs; /* sorted */
	size_t window; /* size of the read buffer of a run; holds the longest record */
};

struct merge_cursor;

struct merge {
	const struct merge_log *log;
	struct slice slice;
	size_t next_open; /* next run of slice.open that is not being read yet */
	size_t next_run; /* next of the slice's own runs that is not being read yet */
	uint64_t next_first; /* key from which the next run is due */
	struct winners winners;
	struct merge_cursor **cursors; /* by leaf of the tree */
	uint32_t room; /* size of cursors */
	struct merge_cursor *spare; /* list of unused cursors */
	struct merge_cursor *current; /* cursor of the record that was returned last */
	uint32_t leaf; /* its leaf */
	uint64_t done; /* records returned from all slices */
	uint64_t failed_at; /* offset where the log has changed */
};

/* Starts with a slice, which is copied, after the slice before was read to its end or failed. */
int dkl_merge_start(struct merge *merge, const struct merge_log *log, const struct slice *slice);
void dkl_merge_clear(struct merge *merge);

/* Like dkl_record_sort_next(), but sets no error message. */
int dkl_merge_next(struct merge *merge, const uint8_t **rec, uint32_t *len);

/* Sets the error message for an error of dkl_merge_next(). */
int dkl_merge_fail(struct dkt_ctx *ctx, const struct merge *merge, int err);
