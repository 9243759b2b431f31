/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of a CPU in chunks, compressed as in trace.dat version 7, or plain anywhere in a file;
 * decompresses one chunk at a time.
 */
#include "lib/source/chunks.h"
#include "lib/source/page.h"

/* Compressed bytes that are read before their memory is freed. */
#define FORGOTTEN (64 << 10)

int dkt__chunks_add(struct dkt__chunks *chunks, struct dkt__chunk chunk)
{
	int err;

	chunk.first = chunks->pages;
	err = dkt__append(chunks->list, chunks->n, chunk);
	if (err)
		return err;
	chunks->pages += chunk.size / chunks->page_size;
	if (chunk.data)
		chunks->largest = DKT__MAX(chunks->largest, chunk.size);
	return 0;
}

bool dkt__chunks_find(struct dkt__chunks *chunks, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 4);

	for (uint64_t i = 0; !cur->bad && i < n; i++) {
		struct dkt__chunk chunk = { 0 };

		chunk.packed = (uint32_t)dkt__cursor_number(cur, 4);
		chunk.size = (uint32_t)dkt__cursor_number(cur, 4);
		chunk.data = dkt__cursor_bytes(cur, chunk.packed);
		if (!chunk.data || !chunk.packed || !chunk.size || chunk.size > DKT__CHUNK_MAX ||
		    chunk.size % chunks->page_size)
			return false;
		if (dkt__chunks_add(chunks, chunk))
			return false;
	}
	return !cur->bad;
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
	dkt__extent_clear(&chunks->plain);
	*chunks = (struct dkt__chunks){ 0 };
}

void dkt__chunks_drop(struct dkt__chunks *chunks, uint64_t nr)
{
	size_t n = 0;

	while (n < chunks->n &&
	       chunks->list[n].first + chunks->list[n].size / chunks->page_size <= nr)
		free(chunks->list[n++].times);
	if (!n)
		return;
	chunks->n -= n;
	memmove(chunks->list, chunks->list + n, chunks->n * sizeof(*chunks->list));
	chunks->walked -= DKT__MIN(chunks->walked, n);
	for (size_t i = 0; i < ARRAY_SIZE(chunks->rooms); i++)
		chunks->rooms[i].chunk -= DKT__MIN(chunks->rooms[i].chunk, n);
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

/* Frees the memory of compressed bytes that were read: a file can be larger than all memory. */
static void forget(struct dkt__chunks *chunks, const struct dkt__chunk *chunk)
{
	const uint8_t *end = chunk->data + chunk->packed;

	if (!chunks->file)
		return;
	if (!chunks->kept || chunk->data < chunks->kept)
		chunks->kept = chunk->data;
	if (end - chunks->kept < FORGOTTEN)
		return;
	dkt__file_forget(chunks->file, chunks->kept, end);
	chunks->kept = end;
}

static bool unpack(struct dkt__chunks *chunks, size_t at, struct dkt__chunk_room *room)
{
	const struct dkt__chunk *chunk = &chunks->list[at];

	room->chunk = 0;
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
	forget(chunks, chunk);
	room->chunk = at + 1;
	return true;
}

/* Makes the chunk the one in the first room. */
static bool select_chunk(struct dkt__chunks *chunks, size_t at)
{
	struct dkt__chunk_room *rooms = chunks->rooms, other = rooms[1];

	if (other.chunk != at + 1)
		return unpack(chunks, at, &rooms[0]);
	rooms[1] = rooms[0];
	rooms[0] = other;
	return true;
}

/* The plain chunk as pages of the file, without a room for them. */
static struct dkt__extent extent_of(const struct dkt__chunks *chunks,
				    const struct dkt__chunk *chunk)
{
	return (struct dkt__extent){ .fd = chunks->plain.fd,
				     .at = chunk->at,
				     .bytes = chunk->size,
				     .page_size = chunks->page_size,
				     .ahead = chunks->plain.ahead };
}

static const uint8_t *plain_page(struct dkt__chunks *chunks, const struct dkt__chunk *chunk,
				 uint64_t nr)
{
	struct dkt__extent *plain = &chunks->plain;
	uint8_t *room = plain->room;
	uint32_t size;

	/* All plain chunks are read into one room, whose size does not depend on the chunk. */
	if (!room)
		room = malloc(DKT__MAX(plain->ahead, chunks->page_size));
	if (!room)
		return NULL;
	if (plain->at != chunk->at || !plain->room)
		*plain = extent_of(chunks, chunk);
	plain->room = room;
	return dkt__extent_page(plain, nr - chunk->first, chunk->size / chunks->page_size, &size);
}

static bool holds(const struct dkt__chunks *chunks, size_t at, uint64_t nr)
{
	const struct dkt__chunk *chunk = &chunks->list[at];

	return at < chunks->n && nr >= chunk->first &&
	       nr - chunk->first < chunk->size / chunks->page_size;
}

const uint8_t *dkt__chunks_page(struct dkt__chunks *chunks, uint64_t nr)
{
	const struct dkt__chunk *chunk;
	size_t at = chunks->walked;

	if (nr >= chunks->pages)
		return NULL;
	if (!holds(chunks, at, nr)) {
		at = holds(chunks, at + 1, nr) ? at + 1 : find_chunk(chunks, nr);
		if (!holds(chunks, at, nr))
			return NULL;
		chunks->walked = at;
	}
	chunk = &chunks->list[at];
	if (!chunk->data)
		return plain_page(chunks, chunk, nr);
	if (chunks->rooms[0].chunk != at + 1 && !select_chunk(chunks, at))
		return NULL;
	return chunks->rooms[0].bytes + (nr - chunk->first) * chunks->page_size;
}

/* The walk's room stays as it is. */
static bool plain_time(const struct dkt__chunks *chunks, const struct dkt__chunk *chunk,
		       uint64_t nr, bool swap, uint64_t *time)
{
	const struct dkt__extent *plain = &chunks->plain;
	const struct dkt__extent other = extent_of(chunks, chunk);
	bool same = plain->room && plain->at == chunk->at;

	return dkt__extent_time(same ? plain : &other, nr - chunk->first, swap, time);
}

static bool find_times(struct dkt__chunks *chunks, size_t at, bool swap)
{
	struct dkt__chunk *chunk = chunks->list + at;
	struct dkt__chunk_room *room = &chunks->rooms[chunks->rooms[0].chunk != at + 1];
	uint32_t n = chunk->size / chunks->page_size;

	if (room->chunk != at + 1 && !unpack(chunks, at, room))
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

	if (nr >= chunks->pages)
		return false;
	if (!chunk->data)
		return plain_time(chunks, chunk, nr, swap, time);
	if (!chunk->times && !find_times(chunks, at, swap))
		return false;
	*time = chunk->times[nr - chunk->first];
	return true;
}
