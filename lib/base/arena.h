/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An arena: memory for many small objects that are released together. */
#pragma once

#include <stddef.h>

struct dkt__arena_chunk;

struct dkt__arena {
	struct dkt__arena_chunk *chunks; /* the one being filled first */
};

/* Returns zeroed memory, or NULL if memory is out. */
void *dkt__arena_alloc(struct dkt__arena *arena, size_t size);

/* Returns a copy of len bytes with a NUL behind it, or NULL if memory is out. */
char *dkt__arena_strndup(struct dkt__arena *arena, const char *text, size_t len);

/*
 * Returns an array of n items with room for one more, which is zeroed; the array may move. NULL if
 * memory is out. The arrays hold a power of two items, so n alone tells when one is full.
 */
void *dkt__arena_grow(struct dkt__arena *arena, void *items, size_t n, size_t size);

void dkt__arena_free(struct dkt__arena *arena);
