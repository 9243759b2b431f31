/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks the records in a ring-buffer page. */
#pragma once

#include <byteswap.h>

#include "lib/expr/gate.h"

struct dkt__page {
	uint32_t size; /* of a page */
	uint8_t long_size; /* of the kernel that filled it; 0: as on this machine */
	bool swap; /* the numbers are in the other byte order */
	bool cut; /* the file ends within it */
	bool may_be_empty; /* zeros are a page of the kernel that has no records yet */
	bool bad; /* the walk found invalid data */
	const uint8_t *bytes;
	uint32_t at; /* the next event */
	uint32_t end; /* of the data, from the start of the page */
	uint64_t ts; /* of the event before it */
	uint64_t lost; /* before its first record; DKT_LOST_UNKNOWN */
};

struct dkt__page_record {
	uint64_t ts;
	const void *data;
	uint32_t size;
	uint32_t offset; /* where it begins, for dkt__page_load() */
};

/*
 * Starts at an offset in the page that an earlier walk gave, or at 0. Returns 0 with the first
 * record in *record, or 1 if there is none.
 */
int dkt__page_load(struct dkt__page *page, const void *bytes, uint32_t offset,
		   struct dkt__page_record *record);

/* dkt__page_next(), if the next event is not a short record of this machine's byte order. */
int dkt__page_next_slow(struct dkt__page *page, struct dkt__page_record *record);

#define DKT__EVENT_SHORT_MAX 28 /* types 1 to this: a record of so many words */

/*
 * Returns the head of an event with its type in the lowest 5 bits and its time in the 27 above: struct
 * ring_buffer_event of include/linux/ring_buffer.h. On big-endian machines, bit fields begin at the other end.
 * big_endian: of the machine that filled the page, as whose number the word was read.
 */
static inline uint32_t dkt__event_head(uint32_t word, bool big_endian)
{
	return big_endian ? word >> 27 | word << 5 : word;
}

/* Returns the word of such a head, as a number of the machine that fills the page. */
static inline uint32_t dkt__event_word(uint32_t type, uint32_t time, bool big_endian)
{
	return big_endian ? type << 27 | time : time << 5 | type;
}

/* Gets the next record. Returns 0, or 1 at the end of the page. */
static inline int dkt__page_next(struct dkt__page *page, struct dkt__page_record *record)
{
	uint32_t head, size, at = page->at;

	if (dkt__likely(!page->swap && page->end - at >= sizeof(head))) {
		memcpy(&head, page->bytes + at, sizeof(head));
		head = dkt__event_head(head, DKT__BIG_ENDIAN);
		size = (head & 31) * 4;
		/* A length of 0, another kind of event, wraps around. */
		if (dkt__likely(size - 1 < DKT__EVENT_SHORT_MAX * 4 &&
				page->end - at - sizeof(head) >= size)) {
			page->ts += head >> 5;
			page->at = at + (uint32_t)sizeof(head) + size;
			*record = (struct dkt__page_record){
				.ts = page->ts,
				.data = page->bytes + at + sizeof(head),
				.size = size,
				.offset = at,
			};
			return 0;
		}
	}
	return dkt__page_next_slow(page, record);
}

/* How the records of an event are treated. */
enum dkt__verdict {
	DKT__UNASKED,
	DKT__WANTED,
	DKT__UNWANTED,
	DKT__GATED, /* and above: wanted if they pass the gate of that number */
};

/*
 * Skips the next short records of this machine's byte order that are not wanted. Returns their
 * number. verdicts: enum dkt__verdict by type.
 */
static inline uint32_t dkt__page_skip(struct dkt__page *page, const uint8_t *verdicts,
				      const struct dkt__gate *gates)
{
	uint32_t head, size, n = 0, at = page->at, end = page->end;
	uint64_t ts = page->ts;
	const uint8_t *data;
	uint8_t verdict;
	uint16_t type;

	for (; end - at >= sizeof(head) + sizeof(type); n++) {
		memcpy(&head, page->bytes + at, sizeof(head));
		head = dkt__event_head(head, DKT__BIG_ENDIAN);
		size = (head & 31) * 4;
		if (size - 1 >= DKT__EVENT_SHORT_MAX * 4 || end - at - sizeof(head) < size)
			break;
		data = page->bytes + at + sizeof(head);
		memcpy(&type, data, sizeof(type));
		verdict = verdicts[type];
		if (verdict == DKT__UNASKED || verdict == DKT__WANTED ||
		    (verdict >= DKT__GATED &&
		     dkt__gate_passes(&gates[verdict - DKT__GATED], data, size)))
			break;
		ts += head >> 5;
		at += (uint32_t)sizeof(head) + size;
	}
	page->at = at;
	page->ts = ts;
	return n;
}

/* Returns the time stamp of a page's first record, without a walk. */
static inline uint64_t dkt__page_time(const void *bytes, bool swap)
{
	uint64_t stamp;

	memcpy(&stamp, bytes, sizeof(stamp));
	return swap ? bswap_64(stamp) : stamp;
}

/* Removes the note that records were lost before a page of this machine. */
void dkt__page_forget_lost(void *bytes);

/*
 * For a page of this machine that was not read with the kernel's calls: removes the records in its
 * first bytes of data, which a reader took; and stores the number of records lost before the page.
 */
void dkt__page_drop(void *bytes, uint32_t size, uint32_t taken);
void dkt__page_mark_lost(void *bytes, uint32_t size, uint64_t lost);
