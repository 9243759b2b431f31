/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of a CPU that are contiguous in a file. */
#pragma once

#include "ctx.h"

struct dkt__extent {
	int fd; /* of the file, which stays open */
	uint64_t at, bytes; /* in the file; the last page may be cut */
	uint32_t page_size;
	uint32_t ahead; /* bytes to read at once */
	uint8_t *room; /* holds what was read last; NULL: nothing was */
	uint64_t first; /* page in it */
	size_t n; /* bytes in it */
};

void dkt__extent_clear(struct dkt__extent *extent);

/* How many pages there are. */
static inline uint64_t dkt__extent_pages(const struct dkt__extent *extent)
{
	return extent->bytes / extent->page_size + !!(extent->bytes % extent->page_size);
}

/*
 * The page of that number, of which *size bytes are there, valid until another one is asked for; the
 * next pages before end will be asked for, too. NULL: it cannot be read.
 */
const uint8_t *dkt__extent_page(struct dkt__extent *extent, uint64_t nr, uint64_t end,
				uint32_t *size);

/* The time that the page begins with, as dkt__page_time() reads it. False: it cannot be had. */
bool dkt__extent_time(const struct dkt__extent *extent, uint64_t nr, bool swap, uint64_t *time);
