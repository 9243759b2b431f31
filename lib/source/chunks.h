/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of a CPU in chunks, compressed as in trace.dat version 7, or plain anywhere in a file;
 * decompresses one chunk at a time.
 */
#pragma once

#include "lib/base/compress.h"
#include "lib/source/extent.h"
#include "lib/source/file.h"

/* The most that a chunk may be decompressed to; trace-cmd packs ten pages into one. */
#define DKT__CHUNK_MAX (16u << 20)

struct dkt__chunk {
	const uint8_t *data; /* compressed; NULL: it is plain */
	uint64_t at; /* of a plain one: its offset in the file */
	uint64_t first; /* its first page */
	uint32_t packed, size; /* bytes */
	uint64_t *times; /* of its pages; NULL: not read yet */
};

/* The decompressed pages of a chunk. */
struct dkt__chunk_room {
	size_t chunk; /* number of the chunk plus 1; 0: none */
	uint8_t *bytes;
	size_t size;
};

struct dkt__chunks {
	const struct dkt__codec *codec;
	struct dkt__chunk *list;
	size_t n;
	size_t walked; /* the chunk of the page returned last */
	uint64_t pages; /* of all chunks */
	uint32_t page_size;
	uint32_t largest; /* bytes of a decompressed chunk */
	void *state; /* the codec's */
	const struct dkt__file *file; /* whose mapping has the compressed bytes; NULL: other memory */
	const uint8_t *kept; /* from here on they are in memory; NULL: none is */
	/*
	 * One for the page returned last, one for a search by time, which must keep that page
	 * valid.
	 */
	struct dkt__chunk_room rooms[2];
	struct dkt__extent plain; /* the plain chunk that is being read; the caller sets its file */
};

/*
 * Adds a chunk after the others: compressed bytes, which must stay valid, or, if data is NULL, pages at
 * an offset in the file. Its size must be a number of pages. Returns 0 or -ENOMEM.
 */
int dkt__chunks_add(struct dkt__chunks *chunks, struct dkt__chunk chunk);

/*
 * Finds the chunks in the cursor's bytes: a count, then the chunks, each after its two sizes.
 * Returns false if the bytes after the found chunks are invalid or missing.
 */
bool dkt__chunks_find(struct dkt__chunks *chunks, struct dkt__cursor *cur);
void dkt__chunks_clear(struct dkt__chunks *chunks);

/*
 * Forgets the chunks whose pages are all before page nr. The other pages keep their numbers. The
 * page returned last stays valid.
 */
void dkt__chunks_drop(struct dkt__chunks *chunks, uint64_t nr);

/* Returns page nr, valid until a page of another chunk is read. NULL: the page cannot be read. */
const uint8_t *dkt__chunks_page(struct dkt__chunks *chunks, uint64_t nr);

/*
 * Reads the start time of page nr, as dkt__page_time() does. Keeps the times of a chunk, so that a
 * search decompresses no chunk twice. Returns false if the page cannot be read.
 */
bool dkt__chunks_time(struct dkt__chunks *chunks, uint64_t nr, bool swap, uint64_t *time);
