/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counts of pictures: bins that become wider, durations over time, small nodes of stacks. */
#include "answers/view/stacks.h"
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

/* Adds a stack of names, from the outermost one on. */
static void add_stack(struct stacks *stacks, const char *text, uint64_t count, uint64_t slept)
{
	const struct profile_value value = { count, slept };
	uint32_t at = 0;

	for (const char *p = text; *p;) {
		const size_t len = strcspn(p, ";");
		const uint32_t name =
			profile_names_add(&stacks->profile.names, PROFILE_KERNEL, p, len, "");

		assert_int_equal(profile_tree_down(&stacks->profile.tree, &at, name), 0);
		p += len + (p[len] == ';');
	}
	profile_value_add(&stacks->profile.tree.nodes[at].self[PROFILE_NOW], &value);
}

/* Asserts the totals of a node by its path. */
static void has(struct stacks *stacks, const char *text, uint64_t count, uint64_t slept)
{
	const struct profile_tree *tree = &stacks->profile.tree;
	uint32_t n = tree->n, at = 0;

	for (const char *p = text; *p;) {
		const size_t len = strcspn(p, ";");
		const uint32_t name = profile_names_add(
			&stacks->profile.names,
			strncmp(p, "(other)", len) != 0 ? PROFILE_KERNEL : PROFILE_GROUP, p, len,
			"");

		assert_int_equal(profile_tree_down(&stacks->profile.tree, &at, name), 0);
		p += len + (p[len] == ';');
	}
	assert_int_equal(tree->n, n);
	assert_int_equal(tree->nodes[at].total[PROFILE_NOW].samples, count);
	assert_int_equal(tree->nodes[at].total[PROFILE_NOW].weight, slept);
}

static void small_nodes_are_folded_with_their_exact_sums(void **state)
{
	struct stacks_folded folded;
	struct stacks stacks;

	(void)state;
	assert_int_equal(stacks_init(&stacks), 0);
	add_stack(&stacks, "e;big;a", 40000, 0);
	add_stack(&stacks, "e;s1;a;b", 2, 0);
	add_stack(&stacks, "e;s2", 3, 0);
	add_stack(&stacks, "e;big;b", 4, 0);
	add_stack(&stacks, "e;slept", 5, 7);
	profile_tree_sum(&stacks.profile.tree);
	assert_int_equal(stacks.profile.tree.n - 1, 9);
	/* Not more than the maximum: nothing happens. */
	assert_int_equal(stacks_fold(&stacks, &(struct stacks_most){ .nodes = 9 }, &folded), 0);
	assert_int_equal(stacks.profile.tree.n - 1, 9);
	assert_int_equal(folded.nodes, 0);
	assert_int_equal(stacks_fold(&stacks, &(struct stacks_most){ .nodes = 8 }, &folded), 0);
	/* e, big, a, its (other) with b, slept, (other) with s1, a, b and s2. */
	assert_int_equal(stacks.profile.tree.n - 1, 6);
	assert_int_equal(folded.nodes, 5);
	assert_int_equal(folded.value.samples, 4 + 2 + 3);
	assert_int_equal(folded.value.weight, 0);
	has(&stacks, "", 40000 + 2 + 3 + 4 + 5, 7);
	has(&stacks, "e;big", 40004, 0);
	has(&stacks, "e;big;a", 40000, 0);
	has(&stacks, "e;big;(other)", 4, 0);
	/* It slept all the time, however seldom it was recorded. */
	has(&stacks, "e;slept", 5, 7);
	has(&stacks, "e;(other)", 2 + 3, 0);
	stacks_clear(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_become_wider_and_no_count_is_lost),
		cmocka_unit_test(a_span_is_divided_among_the_bins),
		cmocka_unit_test(a_heat_map_keeps_all_durations),
		cmocka_unit_test(small_nodes_are_folded_with_their_exact_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
