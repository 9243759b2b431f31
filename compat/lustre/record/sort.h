/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a binary log in order of time, in memory that does not grow with the log. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/record.h"

struct merge_log;
struct record_sort;

struct record_sort_opts {
	int fd; /* the log; stays the caller's and open */
	const char *name; /* of the log, for messages */
	struct record_masks show;
	/* Called for each damaged place while the log is read for the first time. */
	void (*tell_bad)(void *data, uint64_t offset, const struct record_head *head);
	void *data;
	uint64_t size; /* of the log in bytes, to tell how far its reading is; 0: that is not told */
	size_t memory; /* bytes to get along with, about; 0: 32 MB */
};

/* The result of reading the log. */
struct record_counts {
	uint64_t kept;
	uint64_t dropped; /* not shown */
	uint32_t cpus; /* of those that are shown, from 0 on: one more than the last */
	uint64_t bad; /* damaged places, as Lustre's lctl counts them */
	uint64_t empty; /* headers that say length 0, which are passed over */
	uint64_t empty_at; /* offset of the first of them */
	uint64_t big; /* kept, though Lustre's lctl would not take them */
	enum record_end end;
	uint64_t end_at; /* what the log ended at or in: offset, and bytes from there on */
	uint64_t end_len;
	int read_err; /* 0, or why the log could not be read to its end */
};

/*
 * Reads all of the log once. Runs of records that are in order, as the kernel writes for each CPU,
 * are read again as they are needed; a log that is in no order is first sorted piece by piece into
 * a file without a name below $TMPDIR or /tmp. A pipe is copied there too.
 */
int record_sort_new(struct dkt_ctx *ctx, const struct record_sort_opts *opts,
		    struct record_sort **sort);
void record_sort_free(struct record_sort *sort);

const struct record_counts *record_sort_counts(const struct record_sort *sort);

/*
 * The next record by seconds and microseconds, equal ones as they are in the log. 0: there is one,
 * valid until the next call; 1: end.
 */
int record_sort_next(struct record_sort *sort, const uint8_t **rec, uint32_t *len);

/*
 * For threads that merge slices of it, instead: what they merge, how many threads and how large
 * slices memory allows, and whether the records that all of them got are those of the log.
 */
const struct merge_log *record_sort_log(const struct record_sort *sort);
unsigned int record_sort_share(const struct record_sort *sort, uint64_t *slice_size);
int record_sort_check(struct record_sort *sort, uint64_t done);
