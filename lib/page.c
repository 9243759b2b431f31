/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records in a ring-buffer page, one after the other, by libtraceevent's kbuffer. */
#include "page.h"

#include "banned.h"

/* struct buffer_data_page of kernel/trace/ring_buffer.c: u64 time stamp, local_t commit, data. */
#define PAGE_HEAD (8 + sizeof(long))

/* Of commit, the bits that are a length; the upper ones say that records were lost. */
#define COMMIT_MASK ((1u << 27) - 1)

/* And those upper ones: some were lost, and their number is stored behind the data. */
#define COMMIT_MISSED (1u << 31)
#define COMMIT_STORED (1u << 30)

/* struct ring_buffer_event of include/linux/ring_buffer.h: 5 bits of type, 27 of time. */
enum event_type {
	EVENT_LONG = 0, /* length in the next word, that word included */
	EVENT_SHORT_MAX = 28, /* 1 to this: length in words */
	EVENT_PADDING,
	EVENT_TIME_EXTEND,
	EVENT_TIME_STAMP,
};

/* Bytes of the event of this head, 0 if it has none that can be; word is what follows the head. */
static uint32_t event_bytes(uint32_t head, uint32_t word)
{
	uint32_t type = head & 31;

	/* A length beyond any page must not wrap around. */
	if (word > 1u << 24)
		word = type == EVENT_TIME_EXTEND || type == EVENT_TIME_STAMP ? 0 : 1u << 24;
	switch (type) {
	case EVENT_LONG:
		return word < 4 ? 0 : 4 + ((word + 3) & ~3u);
	case EVENT_PADDING:
		return word < 4 ? 0 : 4 + word;
	case EVENT_TIME_EXTEND:
	case EVENT_TIME_STAMP:
		return 8;
	default:
		return 4 + 4 * type;
	}
}

/*
 * kbuffer believes the lengths in a page, forever if they lead it back. So they are looked
 * through first: how many records can be asked of it?
 */
static void look_through(struct dkt__page *page)
{
	const uint8_t *bytes = page->bytes;
	uint32_t at = PAGE_HEAD, head, word, len;

	page->left = 0;
	while (at < page->end) {
		word = 0;
		if (page->end - at < 4)
			break;
		memcpy(&head, bytes + at, sizeof(head));
		/* Padding without a time is all the rest of the page. */
		if (head == EVENT_PADDING) {
			at = page->end;
			break;
		}
		if (page->end - at >= 8)
			memcpy(&word, bytes + at + 4, sizeof(word));
		len = event_bytes(head, word);
		if (!len || len > page->end - at)
			break;
		page->left += (head & 31) <= EVENT_SHORT_MAX;
		at += len;
	}
	page->broken = at < page->end;
}

static int take(struct dkt__page *page, void *data, unsigned long long ts,
		struct dkt__page_record *record)
{
	if (!data) {
		page->bad = true;
		return 1;
	}
	page->left--;
	record->offset = (uint32_t)kbuffer_curr_offset(page->kbuf);
	record->size = (uint32_t)kbuffer_event_size(page->kbuf);
	record->ts = ts;
	record->data = data;
	return 0;
}

/* Nothing more can be asked of the page. */
static int page_end(struct dkt__page *page)
{
	page->bad = page->broken;
	return 1;
}

static uint64_t missed_records(const struct dkt__page *page, uint64_t commit)
{
	uint64_t count;

	if (!(commit & COMMIT_MISSED))
		return 0;
	if (!(commit & COMMIT_STORED) || page->size - page->end < sizeof(long))
		return DKT_LOST_UNKNOWN;
	count = 0;
	memcpy(&count, page->bytes + page->end, sizeof(long));
	return count ? count : DKT_LOST_UNKNOWN;
}

int dkt__page_load(struct dkt__page *page, const void *bytes, uint32_t offset,
		   struct dkt__page_record *record)
{
	unsigned long long ts = 0;
	uint64_t commit = 0;
	void *data;
	int err;

	memcpy(&commit, (const uint8_t *)bytes + 8, sizeof(long));
	page->bytes = bytes;
	page->lost = 0;
	page->end = (uint32_t)(PAGE_HEAD + (commit & COMMIT_MASK));
	page->bad = page->end > page->size;
	if (page->bad)
		return 1;
	look_through(page);
	if (!offset)
		page->lost = missed_records(page, commit);
	if (!page->left)
		return page_end(page);
	if (kbuffer_load_subbuffer(page->kbuf, (void *)bytes)) {
		page->bad = true;
		return 1;
	}
	data = kbuffer_read_event(page->kbuf, &ts);
	err = take(page, data, ts, record);
	while (!err && record->offset < offset)
		err = dkt__page_next(page, record);
	return err;
}

int dkt__page_next(struct dkt__page *page, struct dkt__page_record *record)
{
	unsigned long long ts = 0;
	void *data;

	if (!page->left)
		return page_end(page);
	data = kbuffer_next_event(page->kbuf, &ts);
	return take(page, data, ts, record);
}
