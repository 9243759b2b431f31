/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stores the pieces of several growing byte strings in one unnamed file, until the caller copies
 * them to the output.
 */
#pragma once

#include "lib/ctx.h"

struct dkt__spill_piece {
	uint64_t at; /* offset in the unnamed file */
	uint32_t size;
	uint32_t raw; /* uncompressed size */
	bool recode; /* its form is not that of the output */
	bool packed; /* if so: it is compressed */
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

/* Creates the unnamed file in the directory dir. */
int dkt__spill_open(struct dkt_ctx *ctx, const char *dir, struct dkt__spill *spill);

/* Uses an empty file of the caller, who keeps the descriptor. */
int dkt__spill_take(struct dkt_ctx *ctx, int fd, struct dkt__spill *spill);

void dkt__spill_close(struct dkt__spill *spill);

/* Appends a piece to a string. A new string must be all zero. */
int dkt__spill_add(struct dkt__spill *spill, struct dkt__spill_string *string, const void *bytes,
		   uint32_t size, uint32_t raw);
void dkt__spill_string_clear(struct dkt__spill_string *string);

/* Writes all bytes to fd at the offset at. */
int dkt__spill_write(struct dkt_ctx *ctx, int fd, const void *bytes, size_t len, uint64_t at);

/* Adds a piece to the buffer. */
int dkt__spill_read(struct dkt__spill *spill, const struct dkt__spill_piece *piece,
		    struct dkt_buf *buf);

/* Copies a piece to fd at the offset at. */
int dkt__spill_copy(struct dkt__spill *spill, const struct dkt__spill_piece *piece, int fd,
		    uint64_t at);
