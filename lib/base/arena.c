/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An arena: memory for many small objects that are released together. */
#include "lib/base/arena.h"
#include "lib/base/util.h"

/*
 * Chunk sizes double between these two. The sanitizer sees the end of an object that has a chunk to
 * itself.
 */
#ifdef __SANITIZE_ADDRESS__
#define EACH_ALONE  true
#define CHUNK_FIRST 1
#define CHUNK_MAX   1
#else
#define EACH_ALONE  false
#define CHUNK_FIRST 512
#define CHUNK_MAX   16384
#endif
#define ALIGNMENT _Alignof(max_align_t)

struct dkt__arena_chunk {
	struct dkt__arena_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

static struct dkt__arena_chunk *new_chunk(struct dkt__arena *arena, size_t size)
{
	struct dkt__arena_chunk *first = arena->chunks, *chunk;
	size_t room = first ? DKT__MIN(2 * first->size, (size_t)CHUNK_MAX) : CHUNK_FIRST;

	room = DKT__MAX(room, size);
	chunk = calloc(1, sizeof(*chunk) + room);
	if (!chunk)
		return NULL;
	chunk->size = room;
	/* A large object fills its own chunk, so the chunk being filled stays in front. */
	if (first && room == size && size > CHUNK_MAX) {
		chunk->next = first->next;
		first->next = chunk;
	} else {
		chunk->next = first;
		arena->chunks = chunk;
	}
	return chunk;
}

void *dkt__arena_alloc(struct dkt__arena *arena, size_t size)
{
	struct dkt__arena_chunk *chunk = arena->chunks;
	void *data;

	if (size > PTRDIFF_MAX - sizeof(*chunk) - ALIGNMENT)
		return NULL;
#ifndef __SANITIZE_ADDRESS__
	size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
#endif
	if (!chunk || EACH_ALONE || chunk->size - chunk->used < size)
		chunk = new_chunk(arena, size);
	if (!chunk)
		return NULL;
	data = chunk->data + chunk->used;
	chunk->used += size;
	return data;
}

char *dkt__arena_strndup(struct dkt__arena *arena, const char *text, size_t len)
{
	char *copy = dkt__arena_alloc(arena, len + 1);

	return copy ? memcpy(copy, text, len) : NULL;
}

void *dkt__arena_grow(struct dkt__arena *arena, void *items, size_t n, size_t size)
{
	void *more;

	if (n & (n - 1))
		return items;
	more = dkt__arena_alloc(arena, (n ? 2 * n : 1) * size);
	return more && n ? memcpy(more, items, n * size) : more;
}

void dkt__arena_free(struct dkt__arena *arena)
{
	struct dkt__arena_chunk *next;

	for (struct dkt__arena_chunk *chunk = arena->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	arena->chunks = NULL;
}
