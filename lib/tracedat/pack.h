/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs records into ring-buffer pages, which source/page.h reads. */
#pragma once

#include "ctx.h"

/* No page is larger. */
#define DKT__PACK_MAX 65536

struct dkt__pack {
	/* set by the caller */
	uint32_t size; /* of a page, up to DKT__PACK_MAX */
	bool big_endian;
	uint8_t long_size;
	/* the page being filled, in the caller's memory */
	uint8_t *page; /* NULL: none */
	uint32_t at; /* where the next event goes */
	uint32_t end; /* events go up to there */
	uint64_t last; /* time of the last event */
	uint64_t lost; /* records lost before the page, DKT_LOST_UNKNOWN */
};

/* Returns the length of a page's header: its time and its commit. */
static inline uint32_t dkt__pack_head(const struct dkt__pack *pack)
{
	return 8u + pack->long_size;
}

/* Returns the length of the longest record that fits in a page. */
static inline uint32_t dkt__pack_room(const struct dkt__pack *pack)
{
	/* Before it a time extend, its own head and length; behind it a count of lost records. */
	return pack->size - dkt__pack_head(pack) - 8 - 8 - pack->long_size;
}

/* Begins a page, which must be all zero; its times start at ts; lost: records lost before it. */
void dkt__pack_begin(struct dkt__pack *pack, uint8_t *page, uint64_t ts, uint64_t lost);

/*
 * Adds a record to the page. Returns the place of its bytes, or NULL if it does not fit: the page
 * is full or the time goes backwards.
 */
uint8_t *dkt__pack_add(struct dkt__pack *pack, uint64_t ts, const void *data, uint32_t len);

/* Completes the page's header. */
void dkt__pack_end(struct dkt__pack *pack);

/* Stores a number in the given byte order. */
static inline void dkt__put_bytes(uint8_t *to, uint64_t value, unsigned int size, bool big_endian)
{
	for (unsigned int i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * (big_endian ? size - 1 - i : i));
}
