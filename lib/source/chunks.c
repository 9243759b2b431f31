/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of a CPU in compressed chunks, decompressed one chunk at a time. */
#include "source/chunks.h"
#include "page.h"

#include "banned.h"

/* trace-cmd packs ten pages into one. */
#define CHUNK_MAX (16u << 20)

struct dkt__chunk {
	const uint8_t *data;
	uint64_t first; /* its first page */
	uint32_t packed, size; /* bytes */
	uint64_t *times; /* of its pages; NULL: nobody asked for one */
};

static bool find_all(struct dkt__chunks *chunks, struct dkt__cursor *cur)
{
	uint64_t i, n = dkt__cursor_number(cur, 4), room = 0;

	for (i = 0; !cur->bad && i < n; i++) {
		struct dkt__chunk chunk = { .first = chunks->pages };

		chunk.packed = (uint32_t)dkt__cursor_number(cur, 4);
		chunk.size = (uint32_t)dkt__cursor_number(cur, 4);
		chunk.data = dkt__cursor_bytes(cur, chunk.packed);
		if (!chunk.data || !chunk.size || chunk.size > CHUNK_MAX ||
		    chunk.size % chunks->page_size)
			return false;
		if (chunks->n == room) {
			struct dkt__chunk *list;

			room = room ? room * 2 : 64;
			list = reallocarray(chunks->list, room, sizeof(*list));
			if (!list)
				return false;
			chunks->list = list;
		}
		chunks->list[chunks->n++] = chunk;
		chunks->pages += chunk.size / chunks->page_size;
	}
	return !cur->bad;
}

bool dkt__chunks_find(struct dkt__chunks *chunks, struct dkt__cursor *cur)
{
	bool good = find_all(chunks, cur);

	chunks->current = chunks->n;
	return good;
}

void dkt__chunks_clear(struct dkt__chunks *chunks)
{
	size_t i;

	for (i = 0; i < chunks->n; i++)
		free(chunks->list[i].times);
	if (chunks->codec)
		chunks->codec->release(chunks->state);
	free(chunks->list);
	free(chunks->room);
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

static bool unpack(struct dkt__chunks *chunks, size_t at)
{
	const struct dkt__chunk *chunk = &chunks->list[at];

	chunks->current = chunks->n;
	if (chunks->size < chunk->size) {
		free(chunks->room);
		chunks->size = chunk->size;
		chunks->room = malloc(chunks->size);
		if (!chunks->room)
			chunks->size = 0;
	}
	if (!chunks->size || chunks->codec->decompress(&chunks->state, chunk->data, chunk->packed,
						       chunks->room, chunk->size))
		return false;
	chunks->current = at;
	return true;
}

const uint8_t *dkt__chunks_page(struct dkt__chunks *chunks, uint64_t nr)
{
	size_t at = chunks->current;
	const struct dkt__chunk *chunk;

	if (nr >= chunks->pages)
		return NULL;
	chunk = chunks->list + at;
	if (at == chunks->n || nr < chunk->first ||
	    nr - chunk->first >= chunk->size / chunks->page_size) {
		at = find_chunk(chunks, nr);
		if (!unpack(chunks, at))
			return NULL;
		chunk = chunks->list + at;
	}
	return chunks->room + (nr - chunk->first) * chunks->page_size;
}

bool dkt__chunks_time(struct dkt__chunks *chunks, uint64_t nr, bool swap, uint64_t *time)
{
	struct dkt__chunk *chunk = chunks->list + find_chunk(chunks, nr);
	uint32_t i, n;

	if (nr >= chunks->pages)
		return false;
	n = chunk->size / chunks->page_size;
	if (!chunk->times) {
		const uint8_t *page = dkt__chunks_page(chunks, chunk->first);

		if (page)
			chunk->times = calloc(n, sizeof(*chunk->times));
		if (!chunk->times)
			return false;
		for (i = 0; i < n; i++, page += chunks->page_size)
			chunk->times[i] = dkt__page_time(page, swap);
	}
	*time = chunk->times[nr - chunk->first];
	return true;
}
