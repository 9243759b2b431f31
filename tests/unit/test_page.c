/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages walked: times, gaps, and lengths that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "page.h"
#include "pages.h"

struct walk {
	struct dkt__page page;
	struct made_page made;
};

static int setup(void **state)
{
	struct walk *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->page.size = PAGE_BYTES;
	w->page.kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	assert_non_null(w->page.kbuf);
	page_begin(&w->made, 1000);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct walk *w = *state;

	kbuffer_free(w->page.kbuf);
	free(w);
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

static void test_empty(void **state)
{
	struct walk *w = *state;

	assert_int_equal(count(w, 0), 0);
	assert_false(w->page.bad);
	assert_int_equal(w->page.lost, 0);
}

static void test_times(void **state)
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
	assert_int_equal(dkt__page_time(w->made.bytes), 1000);
	assert_false(w->page.bad);
}

static void test_absolute_time(void **state)
{
	struct walk *w = *state;
	struct dkt__page_record rec;

	page_head(&w->made, HEAD_STAMP, 7);
	page_word(&w->made, 1);
	page_record(&w->made, 0, 7, 1);
	assert_int_equal(dkt__page_load(&w->page, w->made.bytes, 0, &rec), 0);
	assert_int_equal(rec.ts, (1u << 27) + 7);
}

static void test_offset(void **state)
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

static void test_padding(void **state)
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

static void test_long_event(void **state)
{
	struct walk *w = *state;
	char data[1000] = { 0 };

	page_event(&w->made, 0, data, sizeof(data));
	page_record(&w->made, 5, 7, 2);
	assert_int_equal(count(w, 0), 2);
	assert_false(w->page.bad);
}

static void test_missed(void **state)
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
	/* A number that would lie behind the page. */
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

static void test_commit_beyond_page(void **state)
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
static void test_lying_lengths(void **state)
{
	static const struct {
		uint32_t head, word;
	} heads[] = {
		{ HEAD_LONG, 0 },
		{ HEAD_LONG, 3 },
		{ HEAD_LONG, 4000 },
		{ HEAD_LONG, 0x7fffffff },
		{ HEAD_LONG, 0xfffffffd },
		{ HEAD_PADDING | 1 << 5, 0 },
		{ HEAD_PADDING | 1 << 5, 0xfffffff8 },
		{ HEAD_PADDING | 1 << 5, 0xffffffc0 },
		{ HEAD_PADDING | 1 << 5, 4096 },
		{ 28, 0 },
	};
	struct walk *w = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		page_begin(&w->made, 1000);
		page_record(&w->made, 0, 7, 1);
		page_record(&w->made, 1, 7, 2);
		page_word(&w->made, heads[i].head);
		page_word(&w->made, heads[i].word);
		assert_int_equal(count(w, 0), 2);
		assert_true(w->page.bad);
		/* As the first one. */
		page_begin(&w->made, 1000);
		page_word(&w->made, heads[i].head);
		page_word(&w->made, heads[i].word);
		assert_int_equal(count(w, 0), 0);
		assert_true(w->page.bad);
	}
}

/* The data end in the middle of an event's head. */
static void test_cut(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(test_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_absolute_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_offset, setup, teardown),
		cmocka_unit_test_setup_teardown(test_padding, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_event, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_commit_beyond_page, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lying_lengths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
