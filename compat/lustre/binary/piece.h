/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A piece of a log, as many records as fit into memory: sorts it and writes it to a file. */
#pragma once

#include "compat/lustre/binary/runs.h"

struct piece_entry {
	uint64_t key;
	uint32_t offset; /* in the piece */
	uint32_t len;
};

struct piece {
	uint8_t *bytes;
	struct piece_entry *entries, *other;
	uint8_t *out; /* output buffer */
	size_t len, max_len;
	size_t n, max_n;
	uint32_t first_sec; /* the earliest second */
};

/* Allocates about `memory` bytes. Close the piece even if that fails. */
int dkl_piece_open(struct piece *piece, size_t memory);
void dkl_piece_close(struct piece *piece);

/* True if there is space for the longest record. */
static inline bool piece_has_room(const struct piece *piece)
{
	return piece->max_len - piece->len >= RECORD_MAX && piece->n < piece->max_n;
}

/* Adds a record; piece_has_room() must be true. */
void dkl_piece_add(struct piece *piece, const uint8_t *rec, uint32_t len);

/*
 * Writes the records to the file in order of their keys, from the offset on, and empties the piece.
 * Adds them to runs. Returns 0, -ENOMEM or the error of the write.
 */
int dkl_piece_write(struct piece *piece, int fd, uint64_t offset, struct runs *runs);
