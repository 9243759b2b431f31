/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counts of pictures: bins that become wider, durations over time, trees of stacks. */
#include "answers/view/flame.h"
#include "tests/helper/check.h"

static void bins_become_wider_and_no_count_is_lost(void **state)
{
	struct series *series = calloc(1, sizeof(*series));
	struct axis axis = { 0 };
	uint64_t sum = 0, ts = 5000;

	(void)state;
	assert_non_null(series);
	for (unsigned int i = 0; i < 40; i++, ts += ts)
		series_add(series, &axis, axis_bin(&axis, ts), i + 1);
	/* A time before the first one is in the first bin. */
	series_add(series, &axis, axis_bin(&axis, 1), 100);
	series_fold(series, &axis);
	assert_int_equal(series->shift, axis.shift);
	assert_int_equal(axis.origin, 5000);
	assert_true((axis.last - axis.origin) >> axis.shift < AXIS_BINS);
	assert_true((axis.last - axis.origin) >> axis.shift >= AXIS_BINS / 2);
	for (uint32_t i = 0; i < AXIS_BINS; i++)
		sum += series->counts[i];
	assert_int_equal(sum, 40 * 41 / 2 + 100);
	assert_int_equal(series->total, sum);
	assert_int_equal(series->counts[(axis.last - axis.origin) >> axis.shift], 40);
	free(series);
}

static void a_span_is_divided_among_the_bins(void **state)
{
	struct series *series = calloc(1, sizeof(*series));
	struct axis axis = { 0 };

	(void)state;
	assert_non_null(series);
	axis_bin(&axis, 0);
	series_add_span(series, &axis, 1000, 3000);
	assert_int_equal(series->counts[0], 24);
	assert_int_equal(series->counts[1], 1024);
	assert_int_equal(series->counts[2], 952);
	/* The bins become twice as wide while it is added. */
	series_add_span(series, &axis, 3000, 1024 * 1024 + 10);
	assert_int_equal(axis.shift, 11);
	assert_int_equal(series->counts[0], 1048);
	assert_int_equal(series->counts[1], 2048);
	assert_int_equal(series->counts[512], 10);
	assert_int_equal(series->total, 1024 * 1024 + 10 - 1000);
	free(series);
}

static void a_heat_map_keeps_all_durations(void **state)
{
	struct heat *heat = calloc(1, sizeof(*heat));
	struct dkt__dist all = { 0 };
	struct axis axis = { 0 };
	uint64_t cells = 0;

	(void)state;
	assert_non_null(heat);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(heat_add(heat, &axis, i * i * 1000, i * 37, false), 0);
	assert_int_equal(heat_add(heat, &axis, 4999 * 4999 * 1000ull, 4999 * 37, true), 0);
	assert_int_equal(heat_fold(heat, &axis), 0);
	for (uint32_t i = 0; i < HEAT_COLUMNS; i++) {
		assert_int_equal(dkt__dist_merge(&all, &heat->columns[i]), 0);
		for (unsigned int power = 0; power < 64; power++) {
			uint64_t sum = 0;

			for (unsigned int part = 0; part < 4; part++)
				sum += dkt__dist_part(&heat->columns[i], power, part, 4);
			assert_int_equal(sum, dkt__dist_power(&heat->columns[i], power));
			cells += sum;
		}
	}
	assert_int_equal(all.count, 4999);
	assert_int_equal(all.sum, 37ull * 4999 * 4998 / 2);
	assert_int_equal(cells, 4999);
	dkt__dist_clear(&all);
	heat_clear(heat);
	free(heat);
}

static void stacks_share_the_frames_that_they_begin_with(void **state)
{
	static char texts[][16] = { "e;c;main;b", "e;c;main", "e;c;main+1;b", "e;c;main;a" };
	struct stack_count counts[4];
	struct stacks stacks = { .counts = counts, .n_counts = 4 };
	struct flame_node *main_node;
	struct flame flame;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		counts[i] = (struct stack_count){ .text = texts[i], .count = 1 + i, .off = 10 * i };
	assert_int_equal(flame_make(&flame, &stacks), 0);
	assert_int_equal(flame.root.count, 10);
	assert_int_equal(flame.root.off, 60);
	/* e, c, main, main+1, a, b and b. */
	assert_int_equal(flame.n, 7);
	main_node = flame.root.child->child->child;
	assert_int_equal(main_node->len, 4);
	assert_int_equal(main_node->count, 1 + 2 + 4);
	assert_int_equal(main_node->child->count, 4);
	assert_int_equal(main_node->child->next->count, 1);
	assert_int_equal(main_node->next->count, 3);
	assert_null(main_node->next->next);
	flame_clear(&flame);
}

static void small_nodes_are_folded_with_their_exact_sums(void **state)
{
	static char texts[][16] = { "e;big;a", "e;s1;a;b", "e;s2", "e;big;b", "e;slept" };
	struct stack_count counts[5];
	struct stacks stacks = { .counts = counts, .n_counts = 5 };
	struct flame_node *e, *other;
	struct flame flame;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		counts[i] = (struct stack_count){ .text = texts[i], .count = 1 + i };
	counts[0].count = 40000;
	counts[4].off = 7;
	assert_int_equal(flame_make(&flame, &stacks), 0);
	assert_int_equal(flame.n, 9);
	/* Not more than the maximum: nothing happens. */
	assert_int_equal(flame_fold(&flame, 9), 0);
	assert_int_equal(flame.n, 9);
	assert_int_equal(flame.folded, 0);
	assert_int_equal(flame_fold(&flame, 8), 0);
	/* e, big, a, its (other) with b, slept, (other) with s1, a, b and s2. */
	assert_int_equal(flame.n, 6);
	assert_int_equal(flame.folded, 5);
	assert_int_equal(flame.folded_count, 4 + 2 + 3);
	assert_int_equal(flame.folded_off, 0);
	assert_int_equal(flame.root.count, 40000 + 2 + 3 + 4 + 5);
	e = flame.root.child;
	assert_int_equal(e->child->count, 40004);
	assert_int_equal(e->child->child->count, 40000);
	other = e->child->child->next;
	assert_int_equal(other->len, strlen("(other)"));
	assert_memory_equal(other->name, "(other)", other->len);
	assert_int_equal(other->count, 4);
	assert_ptr_equal(other, e->child->last);
	/* It slept all the time, however seldom it was recorded. */
	assert_int_equal(e->child->next->off, 7);
	assert_int_equal(e->last->count, 2 + 3);
	assert_null(e->last->child);
	flame_clear(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_become_wider_and_no_count_is_lost),
		cmocka_unit_test(a_span_is_divided_among_the_bins),
		cmocka_unit_test(a_heat_map_keeps_all_durations),
		cmocka_unit_test(stacks_share_the_frames_that_they_begin_with),
		cmocka_unit_test(small_nodes_are_folded_with_their_exact_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
