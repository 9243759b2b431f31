/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts a log piece by piece: each becomes one long run of a file. */
#ifndef COMPAT_RECORD_PIECE_H
#define COMPAT_RECORD_PIECE_H

#include <dktrace/dktrace.h>

#include "record/runs.h"
#include "record/spill.h"

struct piece_entry {
	uint64_t key;
	uint32_t offset; /* in the piece */
	uint32_t len;
};

struct piece {
	struct dkt_ctx *ctx;
	struct spill *spill;
	struct runs *runs;
	uint8_t *bytes; /* NULL: it is not open */
	struct piece_entry *entries, *other;
	size_t len, max_len;
	size_t n, max_n;
	uint32_t first_sec; /* the lowest */
};

/* Sorted pieces go to the spill and what is known of them to runs. Takes about `memory` bytes. */
int piece_open(struct piece *piece, struct dkt_ctx *ctx, size_t memory, struct spill *spill,
	       struct runs *runs);

/* Takes a record; writes the piece first if it is full. */
int piece_add(struct piece *piece, const uint8_t *rec, uint32_t len);

/* Writes what there is, after which the spill can be read. */
int piece_finish(struct piece *piece);
void piece_close(struct piece *piece);

#endif
