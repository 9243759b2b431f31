/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps pieces of several growing byte strings in one file without a name, and joins them at the
 * end.
 */
#pragma once

#include "ctx.h"

struct dkt__spill_piece {
	uint64_t at; /* in the file */
	uint32_t size;
	uint32_t raw; /* uncompressed size */
};

struct dkt__spill_string {
	struct dkt__spill_piece *pieces;
	size_t n;
	uint64_t size; /* of all pieces */
};

struct dkt__spill {
	int fd;
	uint64_t size;
	struct dkt_ctx *ctx;
};

/* Creates the file in that directory. */
int dkt__spill_open(struct dkt_ctx *ctx, const char *dir, struct dkt__spill *spill);
void dkt__spill_close(struct dkt__spill *spill);

/* Adds a piece to a string; a new string is all zero. */
int dkt__spill_add(struct dkt__spill *spill, struct dkt__spill_string *string, const void *bytes,
		   uint32_t size, uint32_t raw);
void dkt__spill_string_clear(struct dkt__spill_string *string);

/* Writes all bytes to the file at that offset. */
int dkt__spill_write(struct dkt_ctx *ctx, int fd, const void *bytes, size_t len, uint64_t at);

/* Copies a piece to the file at that offset. */
int dkt__spill_copy(struct dkt__spill *spill, const struct dkt__spill_piece *piece, int fd,
		    uint64_t at);
