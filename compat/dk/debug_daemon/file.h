/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon's file of binary records, of limited size. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"

/*
 * The file consists of blocks of this size, which hold whole records. So no record is damaged when
 * the daemon starts again at the beginning of the file.
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
	unsigned int rotate; /* older files kept; 0: overwrite the file from its start */
	uint64_t pos; /* where the block begins in the file */
	size_t room; /* the size of the block */
	size_t len; /* bytes of records in the block */
	size_t last; /* where its last record begins */
	size_t written; /* bytes of the block that are in the file */
	bool over; /* old records follow the block */
	uint64_t rounds; /* how often the limit was reached */
	struct daemon_tally done; /* in the file */
	struct daemon_tally waiting; /* only in the block */
	uint8_t block[2 * DAEMON_BLOCK];
	uint8_t before[2 * DAEMON_BLOCK]; /* the file's previous content at that place */
};

/* Opens or creates the file. pos is where an earlier run ended; UINT64_MAX: unknown. */
int dkl_daemon_file_open(struct dkt_ctx *ctx, const char *name, uint64_t limit, unsigned int rotate,
			 uint64_t pos, struct daemon_file **file);

/*
 * Adds a record of at most RECORD_FROM_LINE_MAX bytes; counts: include it in done.records. A failure,
 * also of dkl_daemon_file_flush(), leaves the file as it was before the failed write.
 */
int dkl_daemon_file_add(struct daemon_file *file, const uint8_t *rec, size_t len, bool counts);

/* Writes all records that were added to the file. */
int dkl_daemon_file_flush(struct daemon_file *file);

/* Returns the position at which a later run continues. */
uint64_t dkl_daemon_file_pos(const struct daemon_file *file);
void dkl_daemon_file_close(struct daemon_file *file);
