/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes in chunks, which are sent one after the other: unlike a buffer that grows, none is ever copied.
 * Chunks are used again, since memory that is new to a process is slow.
 */
#pragma once

#include "lib/base/util.h"

struct chunk {
	struct chunk *next;
	size_t len, size;
	char data[];
};

/* Chunks that wait to be used again. */
struct chunks;

int chunks_new(struct chunks **chunks);
void chunks_free(struct chunks *chunks);

struct bytes {
	struct chunk *first, *last;
	char *at; /* in the last chunk */
	size_t room; /* there */
	size_t before; /* bytes in the other chunks */
	bool failed; /* memory was out */
};

/* Adds bytes for which the last chunk has no room. */
void bytes_add_more(struct bytes *bytes, struct chunks *chunks, const void *from, size_t n);

static inline void bytes_add(struct bytes *bytes, struct chunks *chunks, const void *from, size_t n)
{
	if (dkt__unlikely(n > bytes->room)) {
		bytes_add_more(bytes, chunks, from, n);
		return;
	}
	memcpy(bytes->at, from, n);
	bytes->at += n;
	bytes->room -= n;
}

static inline size_t bytes_length(const struct bytes *bytes)
{
	return bytes->last ? bytes->before + bytes->last->size - bytes->room : 0;
}

/* Sets the length of the last chunk. */
void bytes_close(struct bytes *bytes);

/* Gives the chunks back. Any thread may call it. */
void bytes_clear(struct bytes *bytes, struct chunks *chunks);
