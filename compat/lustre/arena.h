/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for many small things that are all let go together. */
#ifndef COMPAT_ARENA_H
#define COMPAT_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
};

/* Zeroed memory, NULL if there is none. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of len bytes with a NUL behind it. */
char *arena_strndup(struct arena *arena, const char *text, size_t len);

/*
 * Room for one more item, zeroed, behind an array of n items, which may move; NULL if there is no
 * memory. Arrays that grow hold a power of two items, so n alone says when one is full.
 */
void *arena_grow(struct arena *arena, void *items, size_t n, size_t size);

void arena_free(struct arena *arena);

#endif
