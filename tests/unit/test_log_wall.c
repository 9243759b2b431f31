/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wall clock beside the log's clock: what is kept of it, and the difference at a time. */
#include "compat/log/wall.h"
#include "tests/helper/check.h"

static void a_clock_that_is_not_set_has_one_part(void **state)
{
	struct log_wall wall = { 0 };

	(void)state;
	dkl_log_wall_add(&wall, 100, 5000);
	dkl_log_wall_add(&wall, 200, 5900);
	assert_int_equal(wall.n, 1);
	assert_int_equal(wall.parts[0].until, 200);
	assert_int_equal(dkl_log_wall_at(&wall, 50), 5000);
	assert_int_equal(dkl_log_wall_at(&wall, 300), 5000);
}

static void each_time_has_the_difference_that_was_seen_around_it(void **state)
{
	struct log_wall wall = { 0 };

	(void)state;
	dkl_log_wall_add(&wall, 100, 5000000);
	dkl_log_wall_add(&wall, 200, 5000000);
	dkl_log_wall_add(&wall, 400, -3000000);
	assert_int_equal(wall.n, 2);
	assert_int_equal(dkl_log_wall_at(&wall, 200), 5000000);
	assert_int_equal(dkl_log_wall_at(&wall, 300), -3000000);
	assert_int_equal(dkl_log_wall_at(&wall, 500), -3000000);
}

static void the_oldest_part_makes_room(void **state)
{
	struct log_wall wall = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= LOG_WALL_PARTS + 2; i++)
		dkl_log_wall_add(&wall, i, (int64_t)i * 2000000);
	assert_int_equal(wall.n, LOG_WALL_PARTS);
	assert_int_equal(wall.parts[0].from, 3);
	assert_int_equal(wall.parts[LOG_WALL_PARTS - 1].from, LOG_WALL_PARTS + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_that_is_not_set_has_one_part),
		cmocka_unit_test(each_time_has_the_difference_that_was_seen_around_it),
		cmocka_unit_test(the_oldest_part_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
