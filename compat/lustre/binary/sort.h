/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a binary log in order of time, in memory that does not grow with the log. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"

struct merge_log;
struct record_index;
struct record_sort;

struct record_sort_opts {
	int fd; /* the log; stays the caller's and open */
	const char *name; /* of the log, for messages */
	struct record_masks show;
	/* Called for each damaged place when the log is read for the first time. */
	void (*report_bad)(void *data, uint64_t offset, const struct record_head *head);
	void *data;
	uint64_t size; /* of the log in bytes, to report progress; 0: do not report it */
	size_t memory; /* approximate limit in bytes; 0: 32 MB */
	const struct record_index
		*index; /* of the whole log, which is valid; NULL: it was not read yet */
};

/*
 * Reads the whole log once. If it has runs of records in order, such as the kernel writes for each
 * CPU, these are read again when they are needed. Otherwise the log is sorted piece by piece into
 * an unnamed file in $TMPDIR or /tmp. A pipe is copied there, too.
 */
int dkl_record_sort_new(struct dkt_ctx *ctx, const struct record_sort_opts *opts,
			struct record_sort **sort);
void dkl_record_sort_free(struct record_sort *sort);

const struct record_counts *dkl_record_sort_counts(const struct record_sort *sort);

/*
 * Gets the next record in order of seconds and microseconds; equal records stay in the order of the
 * log. Returns 0, 1 at the end, or -errno. The record is valid until the next call.
 */
int dkl_record_sort_next(struct record_sort *sort, const uint8_t **rec, uint32_t *len);

/*
 * For threads that merge slices instead of calling dkl_record_sort_next(): the log to merge; the number
 * of threads and the size of slices that the memory allows; and a check that the threads together
 * merged as many records as the log has.
 */
const struct merge_log *dkl_record_sort_log(const struct record_sort *sort);
unsigned int dkl_record_sort_share(const struct record_sort *sort, uint64_t *slice_size);
int dkl_record_sort_check(struct record_sort *sort, uint64_t done);

/* ---- binary/print.c ---- */

/*
 * Writes all lines to a file unchanged. dkl_record_sort_next() must not have been called. After a failure, with
 * an error message, the output has the beginning of the text.
 */
int dkl_record_print(struct dkt_ctx *ctx, struct record_sort *sort, int fd);

/* Writes all lines to a terminal, with control characters escaped. */
int dkl_record_print_escaped(struct dkt_ctx *ctx, struct record_sort *sort, int fd);
