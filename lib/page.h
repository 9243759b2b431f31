/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records in a ring-buffer page, one after the other. */
#ifndef DKT_PAGE_H
#define DKT_PAGE_H

#include <kbuffer.h>

#include "internal.h"

struct dkt__page {
	struct kbuffer *kbuf;
	const uint8_t *bytes;
	uint32_t size; /* of a page */
	uint32_t end; /* of its data, from the start of the page */
	uint32_t left; /* records that make sense and have not been returned */
	uint64_t lost; /* before its first record; DKT_LOST_UNKNOWN */
	bool broken; /* what comes after them makes no sense */
	bool bad; /* and has been come to */
};

struct dkt__page_record {
	uint64_t ts;
	const void *data;
	uint32_t size;
	uint32_t offset; /* where it begins, for dkt__page_load() */
};

/*
 * Begins to walk a page at an offset in it (0: at its start) that an earlier walk gave. 0: the
 * first record is in *record; 1: there is none.
 */
int dkt__page_load(struct dkt__page *page, const void *bytes, uint32_t offset,
		   struct dkt__page_record *record);

/* 0: the next one; 1: end of the page. */
int dkt__page_next(struct dkt__page *page, struct dkt__page_record *record);

/* Time stamp of a page's first record, before it is walked. */
static inline uint64_t dkt__page_time(const void *bytes)
{
	uint64_t stamp;

	memcpy(&stamp, bytes, sizeof(stamp));
	return stamp;
}

#endif
