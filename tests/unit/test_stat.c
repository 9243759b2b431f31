/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stat: rows of events and classes, scaled counts, ratios, the spread of several runs. */
#include <math.h>

#include "recording/stat/counts.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define COUNT "\tfield:int count;\toffset:8;\tsize:4;\tsigned:1;\n"

struct test {
	char dir[TREE_NAME], classes[TREE_NAME];
	struct dkt_ctx *ctx;
	struct stat_events events;
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));

	*state = test;
	assert_int_equal(tree_make(test->dir), 0);
	assert_int_equal(tree_make(test->classes), 0);
	assert_int_equal(tree_text(test->dir, "available_events",
				   "block:issue\nblock:plug\nraw_syscalls:sys_enter\n"
				   "sched:switch\n"),
			 0);
	assert_int_equal(tree_event(test->dir, "block", "issue", 1, COUNT, "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "block", "plug", 2, "", "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "raw_syscalls", "sys_enter", 3, "", "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "sched", "switch", 4, "", "\"\""), 0);
	assert_int_equal(tree_text(test->classes, "made-up.yaml",
				   "classes:\n"
				   "  iotrace:\n    entries:\n      - events: 'block:*'\n"
				   "  ioctl:\n    entries:\n      - events: block:issue\n"
				   "        filter: count > 7\n"),
			 0);
	setenv("DKTRACE_CLASSES", test->classes, 1);
	test->ctx = tree_ctx(test->dir);
	return test->ctx ? 0 : -1;
}

static int teardown(void **state)
{
	struct test *test = *state;

	stat_events_clear(&test->events);
	dkt_ctx_free(test->ctx);
	tree_remove(test->dir);
	tree_remove(test->classes);
	free(test);
	return 0;
}

/* ---- events ---- */

static int find(struct test *test, const char *events, const char *classes, bool per_class)
{
	const struct stat_wish wish = { .events = events,
					.classes = classes,
					.per_class = per_class };

	stat_events_clear(&test->events);
	return stat_events_find(test->ctx, &wish, &test->events);
}

/* The rows, with the number of events of each, as "a 1, b 2". */
static void assert_rows(const struct test *test, const char *wanted)
{
	char text[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < test->events.n_rows; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %zu", i ? ", " : "",
					test->events.rows[i].name, test->events.rows[i].n);
	assert_string_equal(text, wanted);
}

static void each_word_is_rows(void **state)
{
	struct test *test = *state;

	assert_ok(test->ctx, find(test, "cycles:u,block:*,cs", NULL, false));
	assert_rows(test, "cycles:u 1, block:issue 1, block:plug 1, cs 1");
	assert_ok(test->ctx, find(test, "block:*,-block:plug , switch:k", NULL, false));
	assert_rows(test, "block:issue 1, sched:switch:k 1");
	assert_true(test->events.list[test->events.rows[1].events[0]].perf.attr.exclude_user);
	assert_ok(test->ctx, find(test, "block:issue[count == 1],block:issue", NULL, false));
	assert_rows(test, "block:issue[count == 1] 1, block:issue 1");
	assert_int_equal(test->events.n, 2);
	assert_string_equal(test->events.list[0].filter, "count == 1");
	assert_ok(test->ctx, find(test, "cs,cs", NULL, false));
	assert_rows(test, "cs 1, cs 1");
	assert_int_equal(test->events.n, 1);
}

static void a_class_is_the_sum_of_its_events(void **state)
{
	struct test *test = *state;

	assert_ok(test->ctx, find(test, "iotrace,cs", "ioctl", false));
	assert_rows(test, "iotrace 2, cs 1, ioctl 1");
	/* The same event with the filter of a class is counted by itself. */
	assert_int_equal(test->events.n, 4);
	assert_string_equal(test->events.list[test->events.rows[2].events[0]].filter,
			    "(count > 7)");
	assert_ok(test->ctx, find(test, "iotrace,-block:plug", NULL, false));
	assert_rows(test, "iotrace 1");
	assert_ok(test->ctx, find(test, "hsm", NULL, false));
	assert_rows(test, "hsm 0");
}

static void per_class_sums_what_was_asked_for(void **state)
{
	struct test *test = *state;

	assert_ok(test->ctx, find(test, "block:issue[count < 9],sched:*,cs", NULL, true));
	assert_rows(test, "sched:switch 1, cs 1, iotrace 1, ioctl 1");
	assert_string_equal(test->events.list[test->events.rows[2].events[0]].filter, "count < 9");
	assert_string_equal(test->events.list[test->events.rows[3].events[0]].filter,
			    "(count < 9) && ((count > 7))");
	assert_ok(test->ctx, find(test, "iotrace", NULL, true));
	assert_rows(test, "iotrace 2");
	assert_ok(test->ctx, find(test, "block:plug:k", NULL, true));
	assert_rows(test, "iotrace 1");
	assert_true(test->events.list[0].perf.attr.exclude_user);
}

static void words_that_name_nothing_are_refused(void **state)
{
	struct test *test = *state;

	assert_fails(test->ctx, -ENOENT,
		     "there is no event or class 'iotrce'; did you mean iotrace?",
		     find(test, "iotrce", NULL, false));
	assert_fails(test->ctx, -ENOENT,
		     "there is no event or class 'cycels:u'; did you mean cycles?",
		     find(test, "cs,cycels:u", NULL, false));
	assert_fails(test->ctx, -ENOENT,
		     "no event matches 'sched:swich'; did you mean sched:switch?",
		     find(test, "sched:swich", NULL, false));
	assert_fails(test->ctx, -EINVAL, "--event: ',' names no event",
		     find(test, ",", NULL, false));
	assert_fails(test->ctx, -EINVAL, "--event: 'block:*,-block:*' names no event",
		     find(test, "block:*,-block:*", NULL, false));
	assert_fails(test->ctx, -EINVAL, NULL, find(test, "context-switches:u", NULL, false));
	assert_fails(test->ctx, -EINVAL, NULL, find(test, "migrations:u", NULL, false));
}

/* ---- counts ---- */

static void a_count_is_scaled_to_the_whole_time(void **state)
{
	const struct dkt__count whole = { 1000, 50, 50 }, half = { 1000, 50, 25 },
				never = { 0, 50, 0 }, asleep = { 0, 0, 0 };
	const struct dkt__count since = dkt__count_since(&(struct dkt__count){ 30, 20, 10 },
							 &(struct dkt__count){ 10, 5, 4 });

	(void)state;
	assert_true(fabs(dkt__count_scaled(&whole) - 1000) < 1e-9);
	assert_true(fabs(dkt__count_scaled(&half) - 2000) < 1e-9);
	assert_true(fabs(dkt__count_scaled(&never)) < 1e-9);
	assert_true(fabs(dkt__count_scaled(&asleep)) < 1e-9);
	assert_int_equal(since.value, 20);
	assert_int_equal(since.enabled, 15);
	assert_int_equal(since.running, 6);
}

/* Counts that were read, of one event at two places. */
static void get(struct test *test, const struct stat_places *places, struct dkt__count now[2],
		size_t group, struct stat_value *value)
{
	enum stat_state states[1] = { STAT_COUNTED };
	struct dkt__count before[2] = { { 0 } };
	const struct stat_counts counts = { .ctx = test->ctx,
					    .events = &test->events,
					    .places = places,
					    .states = states,
					    .now = now,
					    .before = before };

	stat_counts_get(&counts, 0, group, value);
}

static void counts_of_threads_are_summed(void **state)
{
	struct dkt__counted list[2] = { { 7, -1 }, { 8, -1 } };
	size_t group_of[2] = { 0, 0 };
	const struct stat_places places = {
		.list = list, .group_of = group_of, .n = 2, .n_groups = 1
	};
	struct test *test = *state;
	struct stat_value value;

	assert_ok(test->ctx, find(test, "cycles", NULL, false));
	get(test, &places, (struct dkt__count[]){ { 10, 40, 10 }, { 5, 10, 10 } }, 0, &value);
	assert_int_equal(value.state, STAT_COUNTED);
	assert_true(fabs(value.count - 45) < 1e-9);
	assert_true(fabs(value.ran - 0.4) < 1e-9);
	get(test, &places, (struct dkt__count[]){ { 0, 40, 0 }, { 0, 10, 0 } }, 0, &value);
	assert_int_equal(value.state, STAT_NEVER_RAN);
	/* Threads that slept had nothing to count. */
	get(test, &places, (struct dkt__count[]){ { 0, 0, 0 }, { 0, 0, 0 } }, 0, &value);
	assert_int_equal(value.state, STAT_COUNTED);
	assert_true(fabs(value.count) < 1e-9 && value.ran >= 1);
}

/* A thread's counter on one CPU does not run while the thread is on another. */
static void a_thread_that_moved_is_not_scaled(void **state)
{
	struct dkt__counted list[2] = { { 7, 0 }, { 7, 1 } };
	size_t group_of[2] = { 0, 1 };
	const struct stat_places places = {
		.list = list, .group_of = group_of, .n = 2, .n_groups = 2
	};
	struct test *test = *state;
	struct stat_value value;

	assert_ok(test->ctx, find(test, "cycles", NULL, false));
	get(test, &places, (struct dkt__count[]){ { 30, 100, 30 }, { 70, 100, 70 } }, 0, &value);
	assert_true(fabs(value.count - 30) < 1e-9 && value.ran > 0.999);
	get(test, &places, (struct dkt__count[]){ { 30, 100, 30 }, { 70, 100, 70 } }, 1, &value);
	assert_true(fabs(value.count - 70) < 1e-9);
	/* Half of the time others had the hardware. */
	get(test, &places, (struct dkt__count[]){ { 15, 100, 15 }, { 35, 100, 35 } }, 0, &value);
	assert_true(fabs(value.count - 30) < 1e-9 && fabs(value.ran - 0.5) < 1e-9);
	/* Software shares nothing. */
	assert_ok(test->ctx, find(test, "cs", NULL, false));
	get(test, &places, (struct dkt__count[]){ { 3, 100, 0 }, { 70, 100, 70 } }, 0, &value);
	assert_true(fabs(value.count - 3) < 1e-9 && value.ran >= 1);
	assert_int_equal(value.state, STAT_COUNTED);
}

static void a_device_is_counted_on_its_cpus(void **state)
{
	struct dkt__counted list[2] = { { -1, 0 }, { -1, 1 } };
	size_t group_of[2] = { 0, 1 };
	const struct stat_places places = {
		.list = list, .group_of = group_of, .n = 2, .n_groups = 2
	};
	struct test *test = *state;
	struct stat_value value;

	assert_ok(test->ctx, find(test, "cycles", NULL, false));
	snprintf(test->events.list[0].perf.cpus, sizeof(test->events.list[0].perf.cpus), "0,8");
	get(test, &places, (struct dkt__count[]){ { 30, 100, 100 }, { 0, 0, 0 } }, 0, &value);
	assert_int_equal(value.state, STAT_COUNTED);
	assert_true(fabs(value.count - 30) < 1e-9);
	get(test, &places, (struct dkt__count[]){ { 30, 100, 100 }, { 0, 0, 0 } }, 1, &value);
	assert_int_equal(value.state, STAT_NEVER_RAN);
}

/* ---- ratios ---- */

static void assert_ratio(struct test *test, const double *counts, size_t row, double wanted,
			 const char *to, bool is_share)
{
	struct stat_value values[8] = { { 0 } };
	struct stat_ratio ratio;

	for (size_t i = 0; i < test->events.n_rows; i++)
		values[i] = (struct stat_value){ .count = counts[i], .ran = 1 };
	assert_int_equal(stat_ratio(&test->events, values, row, 2000, &ratio), to != NULL);
	if (!to)
		return;
	assert_string_equal(ratio.to, to);
	assert_true(fabs(ratio.value - wanted) < 1e-9);
	assert_int_equal(ratio.is_share, is_share);
}

static void events_are_compared_with_those_they_depend_on(void **state)
{
	struct test *test = *state;
	const double counts[8] = { 1000, 200, 300, 50, 40, 8, 10, 5 };

	assert_ok(test->ctx, find(test,
				  "task-clock,cycles,instructions,branches,branch-misses,"
				  "LLC-load-misses,LLC-loads,cs",
				  NULL, false));
	assert_ratio(test, counts, 0, 0.5, "elapsed", false);
	assert_ratio(test, counts, 1, 0, NULL, false);
	assert_ratio(test, counts, 2, 1.5, "cycles", false);
	assert_ratio(test, counts, 4, 0.8, "branches", true);
	assert_ratio(test, counts, 5, 0.8, "LLC-loads", true);
	assert_ratio(test, counts, 7, 0, NULL, false);
	assert_int_equal(stat_clock_row(&test->events), 0);
	assert_ok(test->ctx,
		  find(test, "instructions:u,cycles,raw_syscalls:sys_enter,faults", NULL, false));
	/* The program's instructions are not compared with the cycles of the kernel, too. */
	assert_ratio(test, counts, 0, 0, NULL, false);
	assert_ratio(test, counts, 3, 50.0 / 300, "raw_syscalls:sys_enter", false);
	assert_ratio(test, counts, 2, 0, NULL, false);
	assert_int_equal(stat_clock_row(&test->events), -1);
	assert_int_equal(stat_calls_row(&test->events), 2);
}

/* ---- several runs ---- */

static void the_spread_is_the_standard_error_of_the_mean(void **state)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct stat_spread spread = { 0 };

	(void)state;
	assert_true(stat_spread_error(&spread) <= 0);
	stat_spread_add(&spread, 3);
	assert_true(stat_spread_error(&spread) <= 0);
	spread = (struct stat_spread){ 0 };
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		stat_spread_add(&spread, values[i]);
	assert_true(fabs(spread.mean - 5) < 1e-9);
	/* The variance is 32/7. */
	assert_true(fabs(stat_spread_error(&spread) - sqrt(32.0 / 7 / 8) / 5) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_word_is_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(a_class_is_the_sum_of_its_events, setup, teardown),
		cmocka_unit_test_setup_teardown(per_class_sums_what_was_asked_for, setup, teardown),
		cmocka_unit_test_setup_teardown(words_that_name_nothing_are_refused, setup,
						teardown),
		cmocka_unit_test(a_count_is_scaled_to_the_whole_time),
		cmocka_unit_test_setup_teardown(counts_of_threads_are_summed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_thread_that_moved_is_not_scaled, setup, teardown),
		cmocka_unit_test_setup_teardown(a_device_is_counted_on_its_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(events_are_compared_with_those_they_depend_on,
						setup, teardown),
		cmocka_unit_test(the_spread_is_the_standard_error_of_the_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
