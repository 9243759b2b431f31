/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading pages: times, gaps, and wrong lengths. */
#include <kbuffer.h>

#include "lib/source/page.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

struct walk {
	struct dkt__page page;
	struct made_page made;
};

static int setup(void **state)
{
	struct walk *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->page.size = PAGE_BYTES;
	page_begin(&w->made, 1000);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* How many records there are from that offset on. */
static int count(struct walk *w, uint32_t offset)
{
	struct dkt__page_record rec;
	int n = 0, end = dkt__page_load(&w->page, w->made.bytes, offset, &rec);

	for (; !end; end = dkt__page_next(&w->page, &rec)) {
		const uint8_t *at = rec.data;

		assert_true(at >= w->made.bytes + PAGE_HEAD);
		assert_true(at + rec.size <= w->made.bytes + PAGE_BYTES);
		assert_true(++n < PAGE_BYTES);
	}
	assert_int_equal(end, 1);
	return n;
}

static uint64_t value_of(const struct dkt__page_record *rec)
{
	struct made_record record;

	assert_int_equal(rec->size, sizeof(record));
	memcpy(&record, rec->data, sizeof(record));
	return record.value;
}

static void an_empty_page_has_no_records(void **state)
{
	struct walk *w = *state;

	assert_int_equal(count(w, 0), 0);
	assert_false(w->page.bad);
	assert_int_equal(w->page.lost, 0);
}

static void times_add_up(void **state)
{
	struct walk *w = *state;
	struct dkt__page_record rec;

	page_record(&w->made, 0, 7, 1);
	page_record(&w->made, 5, 7, 2);
	page_extend(&w->made, UINT64_C(1) << 40);
	page_record(&w->made, 3, 7, 3);
	assert_int_equal(dkt__page_load(&w->page, w->made.bytes, 0, &rec), 0);
	assert_int_equal(rec.ts, 1000);
	assert_int_equal(value_of(&rec), 1);
	assert_int_equal(dkt__page_next(&w->page, &rec), 0);
	assert_int_equal(rec.ts, 1005);
	assert_int_equal(dkt__page_next(&w->page, &rec), 0);
	assert_int_equal(rec.ts, 1008 + (UINT64_C(1) << 40));
	assert_int_equal(value_of(&rec), 3);
	assert_int_equal(dkt__page_next(&w->page, &rec), 1);
	assert_int_equal(dkt__page_time(w->made.bytes, false), 1000);
	assert_false(w->page.bad);
}

static void absolute_times_replace_the_pages_time(void **state)
{
	struct walk *w = *state;
	struct dkt__page_record rec;

	page_head(&w->made, HEAD_STAMP, 7);
	page_word(&w->made, 1);
	page_record(&w->made, 0, 7, 1);
	assert_int_equal(dkt__page_load(&w->page, w->made.bytes, 0, &rec), 0);
	assert_int_equal(rec.ts, (1u << 27) + 7);
}

static void reading_starts_again_at_an_offset(void **state)
{
	struct walk *w = *state;
	struct dkt__page_record rec;
	uint32_t second;

	page_record(&w->made, 0, 7, 1);
	page_record(&w->made, 5, 7, 2);
	page_record(&w->made, 5, 7, 3);
	page_commit(&w->made, PAGE_MISSED);
	assert_int_equal(dkt__page_load(&w->page, w->made.bytes, 0, &rec), 0);
	assert_int_equal(w->page.lost, DKT_LOST_UNKNOWN);
	assert_int_equal(dkt__page_next(&w->page, &rec), 0);
	second = rec.offset;
	/* Walked again from there: the gap before the first record has been told. */
	assert_int_equal(dkt__page_load(&w->page, w->made.bytes, second, &rec), 0);
	assert_int_equal(w->page.lost, 0);
	assert_int_equal(value_of(&rec), 2);
	assert_int_equal(rec.ts, 1005);
	assert_int_equal(count(w, second), 2);
	assert_int_equal(count(w, PAGE_BYTES - 1), 0);
}

static void padding_is_skipped(void **state)
{
	struct walk *w = *state;

	page_record(&w->made, 0, 7, 1);
	/* A discarded event: its length is in the next word. */
	page_head(&w->made, HEAD_PADDING, 1);
	page_word(&w->made, 12);
	w->made.at += 8;
	page_record(&w->made, 5, 7, 2);
	assert_int_equal(count(w, 0), 2);
	assert_false(w->page.bad);
	/* Without a time it is the rest of the page. */
	page_head(&w->made, HEAD_PADDING, 0);
	page_record(&w->made, 5, 7, 3);
	assert_int_equal(count(w, 0), 2);
	assert_false(w->page.bad);
}

static void a_long_event_has_its_length_in_a_word(void **state)
{
	struct walk *w = *state;
	char data[1000] = { 0 };

	page_event(&w->made, 0, data, sizeof(data));
	page_record(&w->made, 5, 7, 2);
	assert_int_equal(count(w, 0), 2);
	assert_false(w->page.bad);
}

static void lost_records_before_a_page_are_counted(void **state)
{
	struct walk *w = *state;
	uint64_t lost = UINT64_C(5000000000);

	page_record(&w->made, 0, 7, 1);
	page_commit(&w->made, PAGE_MISSED | PAGE_STORED);
	memcpy(w->made.bytes + w->made.at, &lost, sizeof(lost));
	assert_int_equal(count(w, 0), 1);
	assert_true(w->page.lost == lost);
	/* No number there is one that is not known. */
	memset(w->made.bytes + w->made.at, 0, 8);
	assert_int_equal(count(w, 0), 1);
	assert_true(w->page.lost == DKT_LOST_UNKNOWN);
	/* A number that does not fit into the page. */
	while (w->made.at + 20 <= PAGE_BYTES)
		page_record(&w->made, 1, 7, 2);
	memset(w->made.bytes + PAGE_BYTES, 0x55, 16);
	page_commit(&w->made, PAGE_MISSED | PAGE_STORED);
	assert_true(PAGE_BYTES - w->made.at < 8 || count(w, 0) > 0);
	w->made.at = PAGE_BYTES - 4;
	page_commit(&w->made, PAGE_MISSED | PAGE_STORED);
	count(w, 0);
	assert_true(w->page.lost == DKT_LOST_UNKNOWN);
}

static void a_length_beyond_the_page_is_bad(void **state)
{
	struct walk *w = *state;
	uint64_t commit;

	page_record(&w->made, 0, 7, 1);
	for (commit = PAGE_BYTES - PAGE_HEAD + 1; commit < 1u << 27; commit = commit * 2 + 1) {
		memcpy(w->made.bytes + 8, &commit, sizeof(commit));
		assert_int_equal(count(w, 0), 0);
		assert_true(w->page.bad);
	}
}

/* Whatever stands where a length does: the records before it are there, the rest is bad. */
static void wrong_lengths_end_a_page(void **state)
{
	static const struct {
		uint32_t type, delta, word;
	} heads[] = {
		{ HEAD_LONG, 0, 0 },
		{ HEAD_LONG, 0, 3 },
		{ HEAD_LONG, 0, 4000 },
		{ HEAD_LONG, 0, 0x7fffffff },
		{ HEAD_LONG, 0, 0xfffffffd },
		{ HEAD_PADDING, 1, 0 },
		{ HEAD_PADDING, 1, 0xfffffff8 },
		{ HEAD_PADDING, 1, 0xffffffc0 },
		{ HEAD_PADDING, 1, 4096 },
		{ 28, 0, 0 },
	};
	struct walk *w = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		page_begin(&w->made, 1000);
		page_record(&w->made, 0, 7, 1);
		page_record(&w->made, 1, 7, 2);
		page_head(&w->made, heads[i].type, heads[i].delta);
		page_word(&w->made, heads[i].word);
		assert_int_equal(count(w, 0), 2);
		assert_true(w->page.bad);
		/* As the first one. */
		page_begin(&w->made, 1000);
		page_head(&w->made, heads[i].type, heads[i].delta);
		page_word(&w->made, heads[i].word);
		assert_int_equal(count(w, 0), 0);
		assert_true(w->page.bad);
	}
}

/* The data end in the middle of an event's head. */
static void data_may_end_within_a_header(void **state)
{
	struct walk *w = *state;
	uint32_t end;

	page_record(&w->made, 0, 7, 1);
	end = w->made.at;
	page_extend(&w->made, 5);
	page_record(&w->made, 1, 7, 2);
	for (w->made.at--; w->made.at > end; w->made.at--) {
		page_commit(&w->made, 0);
		assert_int_equal(count(w, 0), 1);
		assert_int_equal(w->page.bad, w->made.at != end + 8);
	}
}

/* ---- beside libtraceevent's kbuffer ---- */

/* A page of records, extends, stamps and discarded events, for a kernel of any kind. */
struct any_page {
	uint8_t *bytes;
	uint32_t size, at;
	bool swap;
	unsigned int long_size;
};

static void any_u32(struct any_page *any, uint32_t at, uint32_t v)
{
	v = any->swap ? bswap_32(v) : v;
	memcpy(any->bytes + at, &v, sizeof(v));
}

static void any_u64(struct any_page *any, uint32_t at, uint64_t v)
{
	v = any->swap ? bswap_64(v) : v;
	memcpy(any->bytes + at, &v, sizeof(v));
}

static void any_head(struct any_page *any, uint32_t type, uint32_t delta)
{
	/* Bit fields begin at the end where the machine's numbers do. */
	any_u32(any, any->at, dkt__event_word(type, delta, any->swap != DKT__BIG_ENDIAN));
	any->at += 4;
}

static void any_fill(struct any_page *any)
{
	uint32_t len, commit;

	memset(any->bytes, 0, any->size);
	any_u64(any, 0, (uint64_t)random() << 20);
	any->at = 8 + any->long_size;
	while (any->at + 600 < any->size) {
		switch (random() % 16) {
		case 0:
			any_head(any, HEAD_EXTEND, (uint32_t)random() & 0x7ffffff);
			any_u32(any, any->at, (uint32_t)random() & 0xffff);
			any->at += 4;
			break;
		case 1:
			any_head(any, HEAD_STAMP, (uint32_t)random() & 0x7ffffff);
			any_u32(any, any->at, (uint32_t)random() & 0xffffff);
			any->at += 4;
			break;
		case 2:
			len = 4 + (uint32_t)random() % 20 * 4;
			any_head(any, HEAD_PADDING, 1 + (uint32_t)random() % 1000);
			any_u32(any, any->at, len);
			any->at += len;
			break;
		case 3:
			len = 1 + (uint32_t)random() % 500;
			any_head(any, HEAD_LONG, (uint32_t)random() & 0x7ffffff);
			any_u32(any, any->at, len + 4);
			any->at += 4 + ((len + 3) & ~3u);
			break;
		default:
			len = 1 + (uint32_t)random() % 28;
			any_head(any, len, (uint32_t)random() & 0x7ffffff);
			any->at += 4 * len;
		}
	}
	commit = any->at - 8 - any->long_size;
	if (random() % 2) {
		commit |= (uint32_t)(PAGE_MISSED | (random() % 2 ? PAGE_STORED : 0));
		any_u64(any, any->at, any->long_size == 4 ? UINT64_C(0x0000567800005678) : 0x5678);
	}
	if (any->long_size == 4)
		any_u32(any, 8, commit);
	else
		any_u64(any, 8, commit);
}

static uint64_t compare(struct kbuffer *kbuf, const struct any_page *any)
{
	struct dkt__page page = { .size = any->size,
				  .swap = any->swap,
				  .long_size = (uint8_t)any->long_size };
	struct dkt__page_record rec;
	unsigned long long ts;
	void *data;
	uint64_t n = 0;
	int end;

	assert_int_equal(kbuffer_load_subbuffer(kbuf, any->bytes), 0);
	data = kbuffer_read_event(kbuf, &ts);
	end = dkt__page_load(&page, any->bytes, 0, &rec);
	/* kbuffer up to version 1.7 reports no loss if a time extend comes before the first record. */
	if (kbuffer_curr_offset(kbuf) == 8 + (int)any->long_size)
		assert_true((int64_t)page.lost == kbuffer_missed_events(kbuf));
	for (; !end; n++) {
		assert_ptr_equal(rec.data, data);
		assert_true(rec.ts == ts);
		assert_int_equal(rec.size, kbuffer_event_size(kbuf));
		assert_int_equal(rec.offset, kbuffer_curr_offset(kbuf));
		data = kbuffer_next_event(kbuf, &ts);
		end = dkt__page_next(&page, &rec);
	}
	assert_null(data);
	assert_false(page.bad);
	return n;
}

static void pages_read_as_by_kbuffer(void **state)
{
	static const uint32_t sizes[] = { 4096, 8192, 65536 };
	uint64_t n = 0;
	int kind, i;

	(void)state;
	srandom(1);
	for (kind = 0; kind < 12; kind++) {
		struct any_page any = { .size = sizes[kind / 4],
					.swap = kind & 1,
					.long_size = kind & 2 ? 4 : 8 };
		struct kbuffer *kbuf = kbuffer_alloc(
			kind & 2 ? KBUFFER_LSIZE_4 : KBUFFER_LSIZE_8,
			(kind & 1) == DKT__BIG_ENDIAN ? KBUFFER_ENDIAN_LITTLE : KBUFFER_ENDIAN_BIG);

		any.bytes = malloc(any.size);
		assert_non_null(any.bytes);
		assert_non_null(kbuf);
		for (i = 0; i < 200; i++) {
			any_fill(&any);
			n += compare(kbuf, &any);
		}
		kbuffer_free(kbuf);
		free(any.bytes);
	}
	assert_true(n > 100000);
}

/* A stamp of 59 bits below a page's time that needs more: as of the tai clock. */
static void the_high_bits_of_a_time_are_added(void **state)
{
	struct walk *w = *state;
	uint64_t now = UINT64_C(1780000000) * 1000000000;
	struct dkt__page_record rec;

	page_begin(&w->made, now);
	page_head(&w->made, HEAD_STAMP, (uint32_t)(now + 5) & 0x7ffffff);
	page_word(&w->made, (uint32_t)((now + 5) >> 27));
	page_record(&w->made, 0, 7, 1);
	assert_int_equal(dkt__page_load(&w->page, w->made.bytes, 0, &rec), 0);
	assert_true(rec.ts == now + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_page_has_no_records, setup, teardown),
		cmocka_unit_test_setup_teardown(times_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(absolute_times_replace_the_pages_time, setup,
						teardown),
		cmocka_unit_test_setup_teardown(reading_starts_again_at_an_offset, setup, teardown),
		cmocka_unit_test_setup_teardown(padding_is_skipped, setup, teardown),
		cmocka_unit_test_setup_teardown(a_long_event_has_its_length_in_a_word, setup,
						teardown),
		cmocka_unit_test_setup_teardown(lost_records_before_a_page_are_counted, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_length_beyond_the_page_is_bad, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_lengths_end_a_page, setup, teardown),
		cmocka_unit_test_setup_teardown(data_may_end_within_a_header, setup, teardown),
		cmocka_unit_test_setup_teardown(the_high_bits_of_a_time_are_added, setup, teardown),
		cmocka_unit_test(pages_read_as_by_kbuffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
