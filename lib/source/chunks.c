/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of a CPU in compressed chunks, as in trace.dat version 7; decompresses one chunk at a time.
 */
#include "source/chunks.h"
#include "source/page.h"

/* The most that a chunk may be decompressed to; trace-cmd packs ten pages into one. */
#define CHUNK_MAX (16u << 20)

struct dkt__chunk {
	const uint8_t *data;
	uint64_t first; /* its first page */
	uint32_t packed, size; /* bytes */
	uint64_t *times; /* of its pages; NULL: not read yet */
};

static bool find_all(struct dkt__chunks *chunks, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 4);

	for (uint64_t i = 0; !cur->bad && i < n; i++) {
		struct dkt__chunk chunk = { .first = chunks->pages };

		chunk.packed = (uint32_t)dkt__cursor_number(cur, 4);
		chunk.size = (uint32_t)dkt__cursor_number(cur, 4);
		chunk.data = dkt__cursor_bytes(cur, chunk.packed);
		if (!chunk.data || !chunk.packed || !chunk.size || chunk.size > CHUNK_MAX ||
		    chunk.size % chunks->page_size)
			return false;
		if (dkt__append(chunks->list, chunks->n, chunk))
			return false;
		chunks->pages += chunk.size / chunks->page_size;
		chunks->largest = DKT__MAX(chunks->largest, chunk.size);
	}
	return !cur->bad;
}

bool dkt__chunks_find(struct dkt__chunks *chunks, struct dkt__cursor *cur)
{
	bool good = find_all(chunks, cur);

	chunks->rooms[0].chunk = chunks->rooms[1].chunk = chunks->n;
	return good;
}

void dkt__chunks_clear(struct dkt__chunks *chunks)
{
	for (size_t i = 0; i < chunks->n; i++)
		free(chunks->list[i].times);
	if (chunks->codec)
		chunks->codec->release(chunks->state);
	free(chunks->list);
	free(chunks->rooms[0].bytes);
	free(chunks->rooms[1].bytes);
	*chunks = (struct dkt__chunks){ 0 };
}

/* The last chunk that begins at or before the page. */
static size_t find_chunk(const struct dkt__chunks *chunks, uint64_t nr)
{
	size_t low = 0, high = chunks->n, mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (chunks->list[mid].first <= nr)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static bool unpack(struct dkt__chunks *chunks, size_t at, struct dkt__chunk_room *room)
{
	const struct dkt__chunk *chunk = &chunks->list[at];

	room->chunk = chunks->n;
	if (room->size < chunk->size) {
		free(room->bytes);
		room->size = chunk->size;
		room->bytes = malloc(room->size);
		if (!room->bytes)
			room->size = 0;
	}
	if (!room->size || chunks->codec->decompress(&chunks->state, chunk->data, chunk->packed,
						     room->bytes, chunk->size))
		return false;
	room->chunk = at;
	return true;
}

/* Makes the page's chunk the one in the first room. */
static bool select_chunk(struct dkt__chunks *chunks, uint64_t nr)
{
	struct dkt__chunk_room *rooms = chunks->rooms, other = rooms[1];
	size_t at = find_chunk(chunks, nr);

	if (other.chunk != at)
		return unpack(chunks, at, &rooms[0]);
	rooms[1] = rooms[0];
	rooms[0] = other;
	return true;
}

const uint8_t *dkt__chunks_page(struct dkt__chunks *chunks, uint64_t nr)
{
	const struct dkt__chunk_room *room = &chunks->rooms[0];
	const struct dkt__chunk *chunk = chunks->list + room->chunk;

	if (nr >= chunks->pages)
		return NULL;
	if (room->chunk == chunks->n || nr < chunk->first ||
	    nr - chunk->first >= chunk->size / chunks->page_size) {
		if (!select_chunk(chunks, nr))
			return NULL;
		chunk = chunks->list + room->chunk;
	}
	return room->bytes + (nr - chunk->first) * chunks->page_size;
}

static bool find_times(struct dkt__chunks *chunks, size_t at, bool swap)
{
	struct dkt__chunk *chunk = chunks->list + at;
	struct dkt__chunk_room *room = &chunks->rooms[chunks->rooms[0].chunk != at];
	uint32_t n = chunk->size / chunks->page_size;

	if (room->chunk != at && !unpack(chunks, at, room))
		return false;
	chunk->times = calloc(n, sizeof(*chunk->times));
	if (!chunk->times)
		return false;
	for (uint32_t i = 0; i < n; i++)
		chunk->times[i] = dkt__page_time(room->bytes + (size_t)i * chunks->page_size, swap);
	return true;
}

bool dkt__chunks_time(struct dkt__chunks *chunks, uint64_t nr, bool swap, uint64_t *time)
{
	size_t at = find_chunk(chunks, nr);
	struct dkt__chunk *chunk = chunks->list + at;

	if (nr >= chunks->pages || (!chunk->times && !find_times(chunks, at, swap)))
		return false;
	*time = chunk->times[nr - chunk->first];
	return true;
}
