/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of a CPU in compressed chunks, as in trace.dat version 7; decompresses one chunk at a time.
 */
#pragma once

#include "base/compress.h"
#include "source/file.h"

/* Pages of a chunk, unpacked. */
struct dkt__chunk_room {
	size_t chunk; /* which; as many as there are: none */
	uint8_t *bytes;
	size_t size;
};

struct dkt__chunks {
	const struct dkt__codec *codec;
	struct dkt__chunk *list;
	size_t n;
	uint64_t pages; /* of all chunks */
	uint32_t page_size;
	uint32_t largest; /* bytes of a chunk, unpacked */
	void *state; /* the codec's */
	/* For the page asked for last, and for a search by time, which keeps that page. */
	struct dkt__chunk_room rooms[2];
};

/*
 * Finds the chunks in the cursor's bytes: a count, then each with its two sizes before it. False:
 * what follows the chunks that were found makes no sense, or is not there.
 */
bool dkt__chunks_find(struct dkt__chunks *chunks, struct dkt__cursor *cur);
void dkt__chunks_clear(struct dkt__chunks *chunks);

/* The page of that number, valid until another chunk's is asked for. NULL: it cannot be had. */
const uint8_t *dkt__chunks_page(struct dkt__chunks *chunks, uint64_t nr);

/*
 * The time that the page begins with, as dkt__page_time() reads it. Those of a chunk are kept: a
 * search through them unpacks no chunk a second time. False: it cannot be had.
 */
bool dkt__chunks_time(struct dkt__chunks *chunks, uint64_t nr, bool swap, uint64_t *time);
