/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ring-buffer pages made by hand. */
#ifndef DKT_PAGES_H
#define DKT_PAGES_H

#include "lib/ctx.h"
#include "lib/source/page.h"
#include "tests/helper/tree.h"

#define PAGE_BYTES 4096
#define PAGE_HEAD  16

/* The flags in the upper bits of commit. */
#define PAGE_MISSED (UINT64_C(1) << 31)
#define PAGE_STORED (UINT64_C(1) << 30)

/* Types of an event's head beyond the lengths; 27 bits of time are above them. */
enum { HEAD_LONG = 0, HEAD_PADDING = 29, HEAD_EXTEND = 30, HEAD_STAMP = 31 };

/* A page, followed by space, as in a spool, for a header that is read beyond the end. */
struct made_page {
	uint8_t bytes[PAGE_BYTES + 16];
	uint32_t at;
};

/* struct trace_entry, then a number. */
struct made_record {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt;
	int32_t pid;
	uint64_t value;
};

static inline void page_commit(struct made_page *page, uint64_t flags)
{
	uint64_t commit = (page->at - PAGE_HEAD) | flags;

	memcpy(page->bytes + 8, &commit, sizeof(commit));
}

static inline void page_begin(struct made_page *page, uint64_t ts)
{
	memset(page, 0, sizeof(*page));
	memcpy(page->bytes, &ts, sizeof(ts));
	page->at = PAGE_HEAD;
	page_commit(page, 0);
}

static inline void page_word(struct made_page *page, uint32_t word)
{
	memcpy(page->bytes + page->at, &word, sizeof(word));
	page->at += sizeof(word);
	page_commit(page, 0);
}

static inline void page_head(struct made_page *page, uint32_t type, uint32_t delta)
{
	page_word(page, dkt__event_word(type, delta, DKT__BIG_ENDIAN));
}

/* Data of a multiple of four bytes. */
static inline void page_event(struct made_page *page, uint32_t delta, const void *data,
			      uint32_t len)
{
	if (len <= 28 * 4) {
		page_head(page, len / 4, delta);
	} else {
		page_head(page, HEAD_LONG, delta);
		page_word(page, len + 4);
	}
	memcpy(page->bytes + page->at, data, len);
	page->at += len;
	page_commit(page, 0);
}

static inline void page_record(struct made_page *page, uint32_t delta, uint16_t type,
			       uint64_t value)
{
	struct made_record record = { .type = type, .pid = 42, .value = value };

	page_event(page, delta, &record, sizeof(record));
}

/* Time goes on by so much before the next event. */
static inline void page_extend(struct made_page *page, uint64_t delta)
{
	page_head(page, HEAD_EXTEND, delta & ((1u << 27) - 1));
	page_word(page, (uint32_t)(delta >> 27));
}

#endif
