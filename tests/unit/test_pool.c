/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work. */
#include "lib/base/pool.h"
#include "lib/base/util.h"
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

enum { PARTS = 1000 };

struct parts {
	struct dkt__order order;
	uint64_t given[PARTS];
	uint64_t n; /* of given */
	uint64_t fails_at; /* PARTS: none */
	unsigned int first; /* threads whose error was the first */
};

static void give_out(void *data, unsigned int thread)
{
	struct parts *parts = data;
	uint64_t nr;
	int err = 0;

	(void)thread;
	while (!err) {
		pthread_mutex_lock(&parts->order.lock);
		nr = parts->order.taken++;
		pthread_mutex_unlock(&parts->order.lock);
		if (nr >= PARTS)
			return;
		err = dkt__order_wait(&parts->order, nr);
		if (!err && nr == parts->fails_at)
			err = -EIO;
		if (!err) {
			parts->given[parts->n++] = nr;
			dkt__order_next(&parts->order);
		}
	}
	if (dkt__order_fail(&parts->order, err))
		__atomic_fetch_add(&parts->first, 1, __ATOMIC_RELAXED);
}

static void parts_are_given_out_in_order_until_one_fails(void **state)
{
	static const uint64_t fails_at[] = { PARTS, 0, 500 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fails_at); i++) {
		struct parts parts = { .order = DKT__ORDER_INIT, .fails_at = fails_at[i] };

		dkt__pool_run(4, give_out, &parts);
		assert_int_equal(parts.n, fails_at[i]);
		for (uint64_t nr = 0; nr < parts.n; nr++)
			assert_int_equal(parts.given[nr], nr);
		assert_int_equal(parts.order.err, fails_at[i] == PARTS ? 0 : -EIO);
		assert_int_equal(parts.first, fails_at[i] != PARTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_is_called_once),
		cmocka_unit_test(parts_are_given_out_in_order_until_one_fails),
		cmocka_unit_test(the_size_is_at_most_what_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
