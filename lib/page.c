/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records in a ring-buffer page, one after the other, by libtraceevent's kbuffer. */
#include "page.h"

#include "banned.h"

/* struct buffer_data_page of kernel/trace/ring_buffer.c: u64 time stamp, local_t commit, data. */
#define PAGE_HEAD (8 + sizeof(long))

/* Of commit, the bits that are a length; the upper ones say that records were lost. */
#define COMMIT_MASK ((1u << 27) - 1)

static int take(struct dkt__page *page, void *data, unsigned long long ts,
		struct dkt__page_record *record)
{
	const uint8_t *at = data;
	uint32_t size;

	if (!data)
		return 1;
	record->offset = (uint32_t)kbuffer_curr_offset(page->kbuf);
	size = (uint32_t)kbuffer_event_size(page->kbuf);
	/* kbuffer believes the lengths in the page. */
	if (at < page->bytes + PAGE_HEAD || at > page->bytes + page->end ||
	    size > (size_t)(page->bytes + page->end - at)) {
		page->bad = true;
		return 1;
	}
	record->ts = ts;
	record->data = data;
	record->size = size;
	return 0;
}

int dkt__page_load(struct dkt__page *page, const void *bytes, uint32_t offset,
		   struct dkt__page_record *record)
{
	unsigned long long ts = 0;
	uint64_t commit = 0;
	void *data;
	int err, missed;

	memcpy(&commit, (const uint8_t *)bytes + 8, sizeof(long));
	page->bytes = bytes;
	page->lost = 0;
	page->end = (uint32_t)(PAGE_HEAD + (commit & COMMIT_MASK));
	page->bad = page->end > page->size;
	if (page->bad)
		return 1;
	if (kbuffer_load_subbuffer(page->kbuf, (void *)bytes)) {
		page->bad = true;
		return 1;
	}
	missed = kbuffer_missed_events(page->kbuf);
	if (missed && !offset)
		page->lost = missed < 0 ? DKT_LOST_UNKNOWN : (uint64_t)missed;
	data = kbuffer_read_event(page->kbuf, &ts);
	err = take(page, data, ts, record);
	while (!err && record->offset < offset)
		err = dkt__page_next(page, record);
	return err;
}

int dkt__page_next(struct dkt__page *page, struct dkt__page_record *record)
{
	unsigned long long ts = 0;
	void *data = kbuffer_next_event(page->kbuf, &ts);

	return take(page, data, ts, record);
}
