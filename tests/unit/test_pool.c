/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work. */
#include "lib/base/pool.h"
#include "tests/helper/check.h"

struct calls {
	unsigned int n; /* atomic */
	unsigned int numbers; /* a bit for each; atomic */
};

static void call(void *data, unsigned int nr)
{
	struct calls *calls = data;

	__atomic_fetch_add(&calls->n, 1, __ATOMIC_RELAXED);
	__atomic_fetch_or(&calls->numbers, 1u << nr, __ATOMIC_RELAXED);
}

static void each_number_is_called_once(void **state)
{
	struct calls all = { 0 }, others = { 0 }, alone = { 0 };
	struct dkt__pool pool;

	(void)state;
	dkt__pool_run(5, call, &all);
	assert_int_equal(all.n, 5);
	assert_int_equal(all.numbers, 0x1f);
	dkt__pool_start(&pool, 5, call, &others);
	dkt__pool_join(&pool);
	dkt__pool_join(&pool);
	assert_int_equal(others.n, 4);
	assert_int_equal(others.numbers, 0x1e);
	dkt__pool_run(1, call, &alone);
	assert_int_equal(alone.n, 1);
}

static void the_size_is_at_most_what_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(dkt__pool_size(1), 1);
	assert_true(dkt__pool_size(4) >= 1 && dkt__pool_size(4) <= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_is_called_once),
		cmocka_unit_test(the_size_is_at_most_what_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
