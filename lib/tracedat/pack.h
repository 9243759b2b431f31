/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs records into ring-buffer pages; source/page.h reads such pages. */
#pragma once

#include "lib/ctx.h"

/* The size of the largest page. */
#define DKT__PACK_MAX 65536

struct dkt__pack {
	/* set by the caller */
	uint32_t size; /* of a page, at most DKT__PACK_MAX */
	bool big_endian;
	uint8_t long_size;
	/* the page being filled, in the caller's memory */
	uint8_t *page; /* NULL: no page is being filled */
	uint32_t at; /* offset of the next event */
	uint32_t end; /* offset of the end of the space for events */
	uint64_t last; /* time of the last event */
	uint64_t lost; /* records lost before the page; may be DKT_LOST_UNKNOWN */
};

/* Returns the length of a page's header, which holds a time and the commit. */
static inline uint32_t dkt__pack_head(const struct dkt__pack *pack)
{
	return 8u + pack->long_size;
}

/* Returns the length of the longest record that fits in a page. */
static inline uint32_t dkt__pack_room(const struct dkt__pack *pack)
{
	/*
	 * A time extend, the record's header and its length may come before the record, and the
	 * number of lost records after it.
	 */
	return pack->size - dkt__pack_head(pack) - 8 - 8 - pack->long_size;
}

/*
 * Begins a page, which must be all zero. ts: the page's start time; lost: the number of records
 * lost before the page, or DKT_LOST_UNKNOWN.
 */
void dkt__pack_begin(struct dkt__pack *pack, uint8_t *page, uint64_t ts, uint64_t lost);

/*
 * Adds a record to the page. Returns the address of its bytes in the page. NULL: the page is full,
 * ts is before the last record, or ts is too far after it.
 */
uint8_t *dkt__pack_add(struct dkt__pack *pack, uint64_t ts, const void *data, uint32_t len);

/* Completes the page: writes its commit and, if known, the number of lost records. */
void dkt__pack_end(struct dkt__pack *pack);

/* Stores a number in the given byte order. */
static inline void dkt__put_bytes(uint8_t *to, uint64_t value, unsigned int size, bool big_endian)
{
	for (unsigned int i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * (big_endian ? size - 1 - i : i));
}
