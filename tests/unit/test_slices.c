/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counts of a tree's nodes by time, which stay right while the slices become longer. */
#include "answers/view/slices.h"
#include "tests/helper/check.h"

static struct slices *new_slices(void)
{
	struct slices *slices = calloc(1, sizeof(*slices));

	assert_non_null(slices);
	return slices;
}

static void free_slices(struct slices *slices)
{
	slices_clear(slices);
	free(slices);
}

static uint64_t samples_of(const struct slices *slices, uint32_t node)
{
	uint64_t n = 0;

	for (size_t i = 0; i < slices->n; i++)
		n += slices->list[i].node == node ? slices->list[i].samples : 0;
	return n;
}

static uint64_t all_samples(const struct slices *slices)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < slices_all(slices); i++)
		n += slices->all[i];
	return n;
}

static void slices_of_a_node_are_sorted(void **state)
{
	struct slices *slices = new_slices();

	(void)state;
	assert_int_equal(slices_add(slices, 7, 5000), 0);
	assert_int_equal(slices_add(slices, 7, 5000 + 3 * SLICE_NS), 0);
	assert_int_equal(slices_add(slices, 3, 5000 + 4 * SLICE_NS), 0);
	/* An earlier time, and one before the first. */
	assert_int_equal(slices_add(slices, 7, 5000 + 2 * SLICE_NS), 0);
	assert_int_equal(slices_add(slices, 7, 1), 0);
	assert_int_equal(slices_finish(slices, NULL, 100), 0);
	assert_int_equal(slices->list[0].node, 3);
	assert_int_equal(slices->list[0].nr, 4);
	for (size_t i = 2; i < slices->n; i++)
		assert_true(slices->list[i - 1].nr <= slices->list[i].nr);
	assert_int_equal(samples_of(slices, 7), 4);
	assert_int_equal(slices_all(slices), 5);
	assert_int_equal(slices->all[0], 2);
	free_slices(slices);
}

static void a_long_time_makes_long_slices(void **state)
{
	struct slices *slices = new_slices();

	(void)state;
	for (uint64_t second = 0; second < 4000; second++)
		assert_int_equal(slices_add(slices, (uint32_t)(second % 3), second * 1000000000),
				 0);
	assert_int_equal(slices_add(slices, 5, UINT64_MAX), 0);
	assert_int_equal(slices_add(slices, 5, UINT64_MAX / 2), 0);
	assert_true(slices_all(slices) <= SLICES_TIME);
	assert_int_equal(all_samples(slices), 4002);
	assert_int_equal(slices_finish(slices, NULL, 100), 0);
	assert_int_equal(samples_of(slices, 0), 1334);
	assert_int_equal(samples_of(slices, 1), 1333);
	assert_int_equal(samples_of(slices, 5), 2);
	free_slices(slices);
}

static void a_span_is_in_each_slice_that_it_touches(void **state)
{
	struct slices *slices = new_slices();
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(slices_add(slices, 1, 1000), 0);
	assert_int_equal(slices_add_span(slices, 2, 500, 1000 + 2 * SLICE_NS + 100), 0);
	assert_int_equal(slices_add_span(slices, 2, 5000, 5000), 0);
	assert_int_equal(slices_finish(slices, NULL, 100), 0);
	assert_int_equal(slices->n, 4);
	assert_int_equal(slices->list[1].weight, SLICE_NS);
	assert_int_equal(slices->list[2].weight, SLICE_NS);
	assert_int_equal(slices->list[3].weight, 100);
	slices_clear(slices);
	/* Through years, of many slices, which are doubled meanwhile. */
	assert_int_equal(slices_add_span(slices, 2, 1000, UINT64_C(1) << 58), 0);
	for (size_t i = 0; i < slices->n; i++)
		sum += slices->list[i].weight;
	assert_int_equal(sum, (UINT64_C(1) << 58) - 1000);
	assert_true(slices->n <= SLICES_TIME);
	assert_int_equal(slices_add_span(slices, 3, UINT64_MAX - 1000, UINT64_MAX), 0);
	free_slices(slices);
}

static void slices_get_the_nodes_of_another_tree(void **state)
{
	const uint32_t places[] = { 0, 4, 4, 1 };
	struct slices *slices = new_slices();

	(void)state;
	for (uint32_t i = 0; i < 400; i++)
		assert_int_equal(slices_add(slices, 1 + i % 3, i * SLICE_NS), 0);
	assert_int_equal(slices_finish(slices, places, 10), 0);
	assert_true(slices->n <= 10 && slices->n > 4);
	assert_int_equal(samples_of(slices, 4), 267);
	assert_int_equal(samples_of(slices, 1), 133);
	free_slices(slices);
}

static void too_many_nodes_have_no_times(void **state)
{
	struct slices *slices = new_slices();

	(void)state;
	for (uint32_t i = 0; i < 2000000; i++)
		assert_int_equal(slices_add(slices, i, i * UINT64_C(1000)), 0);
	assert_int_equal(slices->n, 0);
	assert_true(slices->given_up);
	assert_int_equal(slices_add_span(slices, 1, 0, 100), 0);
	assert_int_equal(slices_finish(slices, NULL, 10), 0);
	assert_int_equal(slices->n, 0);
	assert_int_equal(all_samples(slices), 2000000);
	free_slices(slices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_of_a_node_are_sorted),
		cmocka_unit_test(a_long_time_makes_long_slices),
		cmocka_unit_test(a_span_is_in_each_slice_that_it_touches),
		cmocka_unit_test(slices_get_the_nodes_of_another_tree),
		cmocka_unit_test(too_many_nodes_have_no_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
