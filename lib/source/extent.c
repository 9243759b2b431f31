/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of a CPU that are contiguous in a file. They are read into a buffer that is reused: for
 * pages that are needed once this is cheaper than mapping them.
 */
#include "lib/source/extent.h"
#include "lib/base/io.h"
#include "lib/source/page.h"

void dkt__extent_clear(struct dkt__extent *extent)
{
	free(extent->room);
	extent->room = NULL;
	extent->n = 0;
}

/* Returns how many bytes of the page are in the file. */
static uint32_t page_bytes(const struct dkt__extent *extent, uint64_t nr)
{
	return (uint32_t)DKT__MIN(extent->bytes - nr * extent->page_size, extent->page_size);
}

/* Returns the page if the last read included it. */
static const uint8_t *find(const struct dkt__extent *extent, uint64_t nr, uint32_t size)
{
	uint64_t at = (nr - extent->first) * extent->page_size;

	return nr >= extent->first && at < extent->n && extent->n - at >= size ? extent->room + at :
										 NULL;
}

/* Reads as much as there is, up to n bytes. */
static size_t read_at(const struct dkt__extent *extent, uint64_t at, void *to, size_t n)
{
	ssize_t got = dkt__pread_all(extent->fd, to, n, extent->at + at);

	return got > 0 ? (size_t)got : 0;
}

const uint8_t *dkt__extent_page(struct dkt__extent *extent, uint64_t nr, uint64_t end,
				uint32_t *size)
{
	size_t room = (size_t)DKT__MIN(DKT__MAX(extent->ahead, extent->page_size), extent->bytes);
	uint64_t at = nr * extent->page_size, to = DKT__MAX(end, nr + 1) * extent->page_size;
	const uint8_t *page;

	*size = page_bytes(extent, nr);
	page = find(extent, nr, *size);
	if (page)
		return page;
	if (!extent->room)
		extent->room = dkt__read_buffer(room);
	if (!extent->room)
		return NULL;
	extent->first = nr;
	extent->n =
		read_at(extent, at, extent->room, DKT__MIN(DKT__MIN(to, extent->bytes) - at, room));
	return find(extent, nr, *size);
}

bool dkt__extent_time(const struct dkt__extent *extent, uint64_t nr, bool swap, uint64_t *time)
{
	uint8_t stamp[sizeof(*time)];
	const uint8_t *page = find(extent, nr, sizeof(stamp));
	uint64_t at = nr * extent->page_size;

	if (page_bytes(extent, nr) < sizeof(stamp) ||
	    (!page && read_at(extent, at, stamp, sizeof(stamp)) < sizeof(stamp)))
		return false;
	*time = dkt__page_time(page ? page : stamp, swap);
	return true;
}
