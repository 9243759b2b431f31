/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of a CPU in compressed chunks, as in trace.dat version 7; decompresses one chunk at a time.
 */
#pragma once

#include "base/compress.h"
#include "source/file.h"

/* The decompressed pages of a chunk. */
struct dkt__chunk_room {
	size_t chunk; /* number of the chunk; the number of chunks means none */
	uint8_t *bytes;
	size_t size;
};

struct dkt__chunks {
	const struct dkt__codec *codec;
	struct dkt__chunk *list;
	size_t n;
	uint64_t pages; /* of all chunks */
	uint32_t page_size;
	uint32_t largest; /* bytes of a decompressed chunk */
	void *state; /* the codec's */
	/*
	 * One for the page returned last, one for a search by time, which must keep that page
	 * valid.
	 */
	struct dkt__chunk_room rooms[2];
};

/*
 * Finds the chunks in the cursor's bytes: a count, then the chunks, each after its two sizes.
 * Returns false if the bytes after the found chunks are invalid or missing.
 */
bool dkt__chunks_find(struct dkt__chunks *chunks, struct dkt__cursor *cur);
void dkt__chunks_clear(struct dkt__chunks *chunks);

/* Returns page nr, valid until a page of another chunk is read. NULL: the page cannot be read. */
const uint8_t *dkt__chunks_page(struct dkt__chunks *chunks, uint64_t nr);

/*
 * Reads the start time of page nr, as dkt__page_time() does. Keeps the times of a chunk, so that a
 * search decompresses no chunk twice. Returns false if the page cannot be read.
 */
bool dkt__chunks_time(struct dkt__chunks *chunks, uint64_t nr, bool swap, uint64_t *time);
