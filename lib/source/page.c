/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks the records in a ring-buffer page, whatever lengths they claim. */
#include "lib/source/page.h"

/* struct buffer_data_page of kernel/trace/ring_buffer.c: u64 time stamp, local_t commit, data. */
#define STAMP_SIZE 8

/* The bits of commit that hold the length; the upper bits report lost records. */
#define COMMIT_MASK ((1u << 27) - 1)

/* Records were lost before the page; with COMMIT_STORED their number follows the data. */
#define COMMIT_MISSED (1u << 31)
#define COMMIT_STORED (1u << 30)

enum event_type {
	EVENT_LONG = 0, /* length in the next word, which it includes */
	EVENT_PADDING = DKT__EVENT_SHORT_MAX + 1,
	EVENT_TIME_EXTEND,
	EVENT_TIME_STAMP,
};

/* An absolute time stamp has 59 bits; the bits above are the page's (rb_fix_abs_ts()). */
#define STAMP_BITS 59

static uint32_t read_u32(const struct dkt__page *page, uint32_t at)
{
	uint32_t word;

	memcpy(&word, page->bytes + at, sizeof(word));
	return page->swap ? bswap_32(word) : word;
}

static uint64_t read_long(const struct dkt__page *page, uint32_t at)
{
	uint64_t word;

	if (page->long_size == 4)
		return read_u32(page, at);
	memcpy(&word, page->bytes + at, sizeof(word));
	return page->swap ? bswap_64(word) : word;
}

static uint64_t absolute(uint64_t before, uint64_t stamp)
{
	stamp |= before >> STAMP_BITS << STAMP_BITS;
	return stamp < before && before >> STAMP_BITS ? stamp + (UINT64_C(1) << STAMP_BITS) : stamp;
}

static int page_bad(struct dkt__page *page)
{
	page->at = page->end;
	page->bad = true;
	return 1;
}

/* Skips an event that is not a record. Returns false if it is invalid, or the last of the page. */
static bool skip(struct dkt__page *page, uint32_t head)
{
	uint32_t left = page->end - page->at, delta = head >> 5, word;

	/* Padding without a time fills the rest of the page. */
	if ((head & 31) == EVENT_PADDING && !delta) {
		page->at = page->end;
		return false;
	}
	if (left < 8) {
		page_bad(page);
		return false;
	}
	word = read_u32(page, page->at + 4);
	if ((head & 31) == EVENT_TIME_STAMP) {
		page->ts = absolute(page->ts, ((uint64_t)word << 27) + delta);
		word = 4;
	} else if ((head & 31) == EVENT_TIME_EXTEND) {
		page->ts += ((uint64_t)word << 27) + delta;
		word = 4;
	} else {
		page->ts += delta;
	}
	if (word < 4 || word > left - 4) {
		page_bad(page);
		return false;
	}
	page->at += 4 + word;
	return true;
}

int dkt__page_next_slow(struct dkt__page *page, struct dkt__page_record *record)
{
	uint32_t head, begin, left, size, before;

	do {
		left = page->end - page->at;
		if (!left)
			return 1;
		if (left < 4)
			return page_bad(page);
		head = dkt__event_head(read_u32(page, page->at), page->swap != DKT__BIG_ENDIAN);
	} while ((head & 31) > DKT__EVENT_SHORT_MAX && skip(page, head));
	if ((head & 31) > DKT__EVENT_SHORT_MAX)
		return 1;
	before = 4;
	size = (head & 31) * 4;
	if (!size) {
		size = left < 8 ? 0 : read_u32(page, page->at + 4);
		/* A length beyond any page must not wrap around. */
		if (size < 4 || size > left)
			return page_bad(page);
		before = 8;
		size = ((size + 3) & ~3u) - 4;
	}
	if (left < before || size > left - before)
		return page_bad(page);
	begin = page->at;
	page->ts += head >> 5;
	page->at += before + size;
	*record = (struct dkt__page_record){
		.ts = page->ts,
		.data = page->bytes + begin + before,
		.size = size,
		.offset = begin,
	};
	return 0;
}

static uint64_t missed_records(const struct dkt__page *page, uint32_t commit)
{
	uint64_t count;

	if (!(commit & COMMIT_MISSED))
		return 0;
	if (!(commit & COMMIT_STORED) || page->size - page->end < page->long_size)
		return DKT_LOST_UNKNOWN;
	count = read_long(page, page->end);
	return count ? count : DKT_LOST_UNKNOWN;
}

int dkt__page_load(struct dkt__page *page, const void *bytes, uint32_t offset,
		   struct dkt__page_record *record)
{
	uint32_t commit, head;
	int end;

	if (!page->long_size)
		page->long_size = sizeof(long);
	head = STAMP_SIZE + page->long_size;
	page->bytes = bytes;
	page->lost = 0;
	page->at = page->end = 0;
	page->bad = page->size < head;
	if (page->bad)
		return 1;
	commit = (uint32_t)read_long(page, STAMP_SIZE);
	page->bad = (commit & COMMIT_MASK) > page->size - head;
	if (page->bad && !page->cut)
		return 1;
	page->at = head;
	page->end = head + DKT__MIN(commit & COMMIT_MASK, page->size - head);
	page->ts = dkt__page_time(bytes, page->swap);
	/* The kernel gives no page without a time: a power failure has left zeros in a file. */
	page->bad |= !page->ts && !commit && !page->may_be_empty;
	if (!offset)
		page->lost = missed_records(page, commit);
	do
		end = dkt__page_next(page, record);
	while (!end && record->offset < offset);
	return end;
}

void dkt__page_forget_lost(void *bytes)
{
	unsigned long commit;

	memcpy(&commit, (uint8_t *)bytes + STAMP_SIZE, sizeof(commit));
	commit &= ~(unsigned long)(COMMIT_MISSED | COMMIT_STORED);
	memcpy((uint8_t *)bytes + STAMP_SIZE, &commit, sizeof(commit));
}

static void set_commit(uint8_t *bytes, uint64_t commit)
{
	unsigned long word = (unsigned long)commit;

	memcpy(bytes + STAMP_SIZE, &word, sizeof(word));
}

void dkt__page_drop(void *bytes, uint32_t size, uint32_t taken)
{
	const uint32_t head = STAMP_SIZE + sizeof(unsigned long);
	struct dkt__page page = { .size = size };
	struct dkt__page_record record;
	uint8_t *p = bytes;
	uint64_t stamp;
	uint32_t word;

	if (taken > size - head || dkt__page_load(&page, bytes, head + taken, &record)) {
		set_commit(p, 0);
		return;
	}
	/* The record's own distance is from the record before it. */
	memcpy(&word, p + record.offset, sizeof(word));
	stamp = record.ts - (dkt__event_head(word, DKT__BIG_ENDIAN) >> 5);
	memcpy(p, &stamp, sizeof(stamp));
	memmove(p + head, p + record.offset, page.end - record.offset);
	set_commit(p, page.end - record.offset);
}

void dkt__page_mark_lost(void *bytes, uint32_t size, uint64_t lost)
{
	const uint32_t head = STAMP_SIZE + sizeof(unsigned long);
	uint8_t *p = bytes;
	unsigned long commit, count = (unsigned long)lost;

	memcpy(&commit, p + STAMP_SIZE, sizeof(commit));
	commit &= COMMIT_MASK;
	if (lost != DKT_LOST_UNKNOWN && commit <= size - head &&
	    size - head - commit >= sizeof(count)) {
		memcpy(p + head + commit, &count, sizeof(count));
		commit |= COMMIT_STORED;
	}
	set_commit(p, commit | COMMIT_MISSED);
}
