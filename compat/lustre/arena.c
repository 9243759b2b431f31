/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An arena: chunks that are filled one after the other and freed together. */
#include <stdlib.h>
#include <string.h>

#include "lustre/arena.h"

#define CHUNK_SIZE 16384
#define ALIGNMENT  _Alignof(max_align_t)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	void *data;

	size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->size = room;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	data = chunk->data + chunk->used;
	chunk->used += size;
	return data;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	return copy ? memcpy(copy, text, len) : NULL;
}

void *arena_grow(struct arena *arena, void *items, size_t n, size_t size)
{
	void *more;

	if (n & (n - 1))
		return items;
	more = arena_alloc(arena, (n ? 2 * n : 1) * size);
	return more && n ? memcpy(more, items, n * size) : more;
}

void arena_free(struct arena *arena)
{
	struct arena_chunk *chunk, *next;

	for (chunk = arena->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	arena->chunks = NULL;
}
