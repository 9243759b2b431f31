/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The merge by time. */
#include "tests/helper/check.h"

#include "lib/base/heap.h"

/* Streams of rising times are merged; of equal times the stream that is first in order comes first. */
static void streams_are_merged_by_time_then_order(void **state)
{
	enum { STREAMS = 37, RECORDS = 50 };
	uint64_t time[STREAMS], last = 0, noise = 1, seen = 0;
	uint32_t left[STREAMS], last_order = 0, nr;
	struct dkt__heap heap = { 0 };

	(void)state;
	for (nr = 0; nr < STREAMS; nr++) {
		time[nr] = nr % 5;
		left[nr] = RECORDS;
		assert_int_equal(dkt__heap_add(&heap, (struct dkt__heap_item){ .ts = time[nr],
									       .order = 99 - nr,
									       .nr = nr }),
				 0);
	}
	for (; heap.n; seen++) {
		const struct dkt__heap_item top = heap.list[0];

		assert_int_equal(top.ts, time[top.nr]);
		assert_true(top.ts > last || (top.ts == last && top.order >= last_order) || !seen);
		assert_true(top.ts <= dkt__heap_bound(&heap));
		last = top.ts;
		last_order = top.order;
		noise = noise * 6364136223846793005u + 1442695040888963407u;
		/* At equal times, a stream must not come again before the others have advanced. */
		time[top.nr] += 1 + (noise >> 60) % 7;
		if (--left[top.nr])
			dkt__heap_move(&heap, time[top.nr]);
		else
			dkt__heap_drop(&heap);
	}
	assert_int_equal(seen, STREAMS * RECORDS);
	dkt__heap_clear(&heap);
}

/* The first one's bound is the oldest time of the others. */
static void the_bound_is_the_oldest_time_of_the_others(void **state)
{
	struct dkt__heap heap = { 0 };
	uint32_t i;

	(void)state;
	assert_int_equal(dkt__heap_bound(&heap), UINT64_MAX);
	for (i = 0; i < 3; i++)
		assert_int_equal(
			dkt__heap_add(&heap, (struct dkt__heap_item){ .ts = 30 - 10 * i, .nr = i }),
			0);
	assert_int_equal(heap.list[0].nr, 2);
	assert_int_equal(dkt__heap_bound(&heap), 20);
	dkt__heap_move(&heap, 25);
	assert_int_equal(heap.list[0].nr, 1);
	assert_int_equal(dkt__heap_bound(&heap), 25);
	dkt__heap_drop(&heap);
	assert_int_equal(dkt__heap_bound(&heap), 30);
	dkt__heap_drop(&heap);
	assert_int_equal(dkt__heap_bound(&heap), UINT64_MAX);
	dkt__heap_clear(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_merged_by_time_then_order),
		cmocka_unit_test(the_bound_is_the_oldest_time_of_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
