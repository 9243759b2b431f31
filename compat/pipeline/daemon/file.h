/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon's file of binary records, of limited size. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/record.h"

/*
 * Blocks hold whole records and end where a block ends, so that going round over old records leaves
 * none that is torn.
 */
#define DAEMON_BLOCK 65536

/* How many of the added records are in the file. */
struct daemon_tally {
	uint64_t records;
	uint64_t bytes;
};

struct daemon_file {
	struct dkt_ctx *ctx;
	char *name;
	int fd;
	uint64_t limit; /* bytes */
	unsigned int
		rotate; /* older files that are kept; 0: the file is overwritten from its start */
	uint64_t pos; /* where the block begins */
	size_t room; /* bytes of the block */
	size_t len; /* bytes in it */
	size_t last; /* where its last record begins */
	size_t written; /* so many of the bytes are in the file */
	bool over; /* old records follow the block */
	uint64_t rounds; /* how often the limit was reached */
	struct daemon_tally done; /* in the file */
	struct daemon_tally waiting; /* in the block alone */
	uint8_t block[2 * DAEMON_BLOCK];
	uint8_t before[2 * DAEMON_BLOCK]; /* what the file had there */
};

/* Opens or makes the file. pos is where an earlier run ended, UINT64_MAX if that is not known. */
int daemon_file_open(struct dkt_ctx *ctx, const char *name, uint64_t limit, unsigned int rotate,
		     uint64_t pos, struct daemon_file **file);

/*
 * The record has at most RECORD_FROM_LINE_MAX bytes; counts: done.records has it. After a failure,
 * also of daemon_file_flush(), the file is as it was before the write that failed, and done says
 * what it has.
 */
int daemon_file_add(struct daemon_file *file, const uint8_t *rec, size_t len, bool counts);

/* All that was added is in the file. */
int daemon_file_flush(struct daemon_file *file);

/* Where a later run goes on. */
uint64_t daemon_file_pos(const struct daemon_file *file);
void daemon_file_close(struct daemon_file *file);
