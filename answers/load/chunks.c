/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes in chunks. */
#include "answers/load/chunks.h"

#include <pthread.h>

/* The first chunk is small: many columns have few bytes. */
#define FIRST_SIZE ((4u << 10) - sizeof(struct chunk))
#define SIZE       ((64u << 10) - sizeof(struct chunk))

/* Chunks that are kept: 64 MB. */
#define KEPT 1024

struct chunks {
	pthread_mutex_t lock;
	struct chunk *list;
	size_t n;
};

int chunks_new(struct chunks **chunks)
{
	*chunks = calloc(1, sizeof(**chunks));
	if (!*chunks)
		return -ENOMEM;
	pthread_mutex_init(&(*chunks)->lock, NULL);
	return 0;
}

static void free_list(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

void chunks_free(struct chunks *chunks)
{
	if (!chunks)
		return;
	free_list(chunks->list);
	pthread_mutex_destroy(&chunks->lock);
	free(chunks);
}

static struct chunk *take(struct chunks *chunks, size_t size)
{
	struct chunk *chunk = NULL;

	if (size == SIZE) {
		pthread_mutex_lock(&chunks->lock);
		chunk = chunks->list;
		if (chunk) {
			chunks->list = chunk->next;
			chunks->n--;
		}
		pthread_mutex_unlock(&chunks->lock);
	}
	if (!chunk)
		chunk = malloc(sizeof(*chunk) + size);
	if (chunk)
		*chunk = (struct chunk){ .size = size };
	return chunk;
}

void bytes_close(struct bytes *bytes)
{
	if (bytes->last)
		bytes->last->len = bytes->last->size - bytes->room;
}

static bool next(struct bytes *bytes, struct chunks *chunks)
{
	struct chunk *chunk = take(chunks, bytes->last ? SIZE : FIRST_SIZE);

	if (!chunk) {
		bytes->failed = true;
		return false;
	}
	bytes_close(bytes);
	if (bytes->last) {
		bytes->before += bytes->last->len;
		bytes->last->next = chunk;
	} else {
		bytes->first = chunk;
	}
	bytes->last = chunk;
	bytes->at = chunk->data;
	bytes->room = chunk->size;
	return true;
}

void bytes_add_more(struct bytes *bytes, struct chunks *chunks, const void *from, size_t n)
{
	while (n) {
		size_t part;

		if (!bytes->room && !next(bytes, chunks))
			return;
		part = DKT__MIN(n, bytes->room);
		memcpy(bytes->at, from, part);
		bytes->at += part;
		bytes->room -= part;
		from = (const char *)from + part;
		n -= part;
	}
}

void bytes_clear(struct bytes *bytes, struct chunks *chunks)
{
	struct chunk *chunk = bytes->first;

	pthread_mutex_lock(&chunks->lock);
	while (chunk) {
		struct chunk *rest = chunk->next;

		if (chunk->size == SIZE && chunks->n < KEPT) {
			chunk->next = chunks->list;
			chunks->list = chunk;
			chunks->n++;
		} else {
			free(chunk);
		}
		chunk = rest;
	}
	pthread_mutex_unlock(&chunks->lock);
	*bytes = (struct bytes){ 0 };
}
