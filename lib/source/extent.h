/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of a CPU that are contiguous in a file. */
#pragma once

#include "lib/ctx.h"

struct dkt__extent {
	int fd; /* the file, which another object closes */
	uint64_t at, bytes; /* offset and length in the file; the last page may be truncated */
	uint32_t page_size;
	uint32_t ahead; /* bytes to read at once */
	uint8_t *room; /* holds the last read; NULL: nothing read yet */
	uint64_t first; /* the first page in room */
	size_t n; /* bytes in room */
};

void dkt__extent_clear(struct dkt__extent *extent);

/* Returns the number of pages. */
static inline uint64_t dkt__extent_pages(const struct dkt__extent *extent)
{
	return extent->bytes / extent->page_size + !!(extent->bytes % extent->page_size);
}

/*
 * Returns page nr, of which *size bytes are in the file; valid until the next call. Also reads the
 * next pages before end. NULL: the page cannot be read.
 */
const uint8_t *dkt__extent_page(struct dkt__extent *extent, uint64_t nr, uint64_t end,
				uint32_t *size);

/*
 * Reads the start time of page nr, as dkt__page_time() does. Returns false if the page cannot be
 * read.
 */
bool dkt__extent_time(const struct dkt__extent *extent, uint64_t nr, bool swap, uint64_t *time);
