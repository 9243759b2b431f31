/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages made of records, which libtraceevent's kbuffer reads back. */
#include <kbuffer.h>

#include "lib/tracedat/pack.h"
#include "tests/helper/check.h"

#define MAX_RECORDS 64

struct packed {
	uint8_t page[DKT__PACK_MAX];
	struct dkt__pack pack;
	struct kbuffer *kbuf;
};

static void begin(struct packed *p, bool big, uint8_t long_size, uint32_t size, uint64_t lost)
{
	memset(p, 0, sizeof(*p));
	p->pack = (struct dkt__pack){ .size = size, .big_endian = big, .long_size = long_size };
	p->kbuf = kbuffer_alloc(long_size == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
				big ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	assert_non_null(p->kbuf);
	dkt__pack_begin(&p->pack, p->page, 1000, lost);
}

/* The page holds these records and no others. */
static void expect(struct packed *p, const uint64_t *times, const uint32_t *sizes, int n)
{
	unsigned long long ts;
	void *data;
	int i;

	dkt__pack_end(&p->pack);
	assert_int_equal(kbuffer_load_subbuffer(p->kbuf, p->page), 0);
	data = kbuffer_read_event(p->kbuf, &ts);
	for (i = 0; i < n; i++) {
		assert_non_null(data);
		assert_int_equal(ts, times[i]);
		assert_int_equal(kbuffer_event_size(p->kbuf), (sizes[i] + 3) & ~3u);
		if (sizes[i])
			assert_int_equal(*(uint8_t *)data, i + 1);
		data = kbuffer_next_event(p->kbuf, &ts);
	}
	assert_null(data);
	kbuffer_free(p->kbuf);
}

/* Short and long records, small and large steps in time, in every byte order and word size. */
static void kbuffer_reads_back_every_record(void **state)
{
	const uint64_t times[] = { 1000,
				   1000,
				   1001,
				   1000 + (1 << 27),
				   UINT64_C(1) << 40,
				   (UINT64_C(1) << 40) + 5,
				   (UINT64_C(1) << 40) + (1 << 27) + 4 };
	const uint32_t sizes[] = { 8, 112, 113, 116, 1, 2000, 16 };
	struct packed *p = malloc(sizeof(*p));
	uint8_t bytes[2000];
	int kind;
	size_t i;

	(void)state;
	assert_non_null(p);
	for (kind = 0; kind < 4; kind++) {
		begin(p, kind & 1, kind & 2 ? 8 : 4, 4096, 0);
		for (i = 0; i < ARRAY_SIZE(times); i++) {
			memset(bytes, (int)i + 1, sizeof(bytes));
			assert_non_null(dkt__pack_add(&p->pack, times[i], bytes, sizes[i]));
		}
		expect(p, times, sizes, ARRAY_SIZE(times));
	}
	free(p);
}

/* The number of records lost before a page is stored after its records, or only a flag is set. */
static void losses_before_a_page_are_stored_or_marked(void **state)
{
	const uint64_t lost[] = { 0, 7, DKT_LOST_UNKNOWN };
	const int told[] = { 0, 7, -1 };
	struct packed *p = malloc(sizeof(*p));
	uint8_t bytes[8] = { 1 };
	size_t i;

	(void)state;
	assert_non_null(p);
	for (i = 0; i < ARRAY_SIZE(lost); i++) {
		begin(p, false, 8, 4096, lost[i]);
		assert_non_null(dkt__pack_add(&p->pack, 1000, bytes, sizeof(bytes)));
		dkt__pack_end(&p->pack);
		kbuffer_load_subbuffer(p->kbuf, p->page);
		assert_int_equal(kbuffer_missed_events(p->kbuf), told[i]);
		kbuffer_free(p->kbuf);
	}
	free(p);
}

/* A page takes what fits and not a byte more, and no record from before its last one. */
static void a_full_page_takes_no_more(void **state)
{
	struct packed *p = malloc(sizeof(*p));
	uint8_t bytes[65536] = { 1 };
	uint32_t room;
	int n = 0;

	(void)state;
	assert_non_null(p);
	begin(p, false, 8, 4096, 0);
	while (dkt__pack_add(&p->pack, 1000, bytes, 100))
		n++;
	assert_int_equal(n, (4096 - 16) / 104);
	dkt__pack_end(&p->pack);
	kbuffer_free(p->kbuf);

	begin(p, false, 8, 65536, 5);
	room = dkt__pack_room(&p->pack);
	assert_uint_in_range(room, 65536 - 64, 65536);
	assert_non_null(dkt__pack_add(&p->pack, UINT64_C(1) << 50, bytes, room));
	assert_null(dkt__pack_add(&p->pack, UINT64_C(1) << 50, bytes, 4));
	expect(p, (uint64_t[]){ UINT64_C(1) << 50 }, &room, 1);

	begin(p, false, 8, 4096, 0);
	assert_non_null(dkt__pack_add(&p->pack, 2000, bytes, 4));
	assert_null(dkt__pack_add(&p->pack, 1999, bytes, 4));
	assert_null(dkt__pack_add(&p->pack, UINT64_MAX, bytes, 4));
	kbuffer_free(p->kbuf);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kbuffer_reads_back_every_record),
		cmocka_unit_test(losses_before_a_page_are_stored_or_marked),
		cmocka_unit_test(a_full_page_takes_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
