/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules for what has begun and not ended. */
#include "tests/helper/check.h"

#include "lib/base/open.h"

struct value {
	struct dkt__begun begun;
	int note;
};

static struct value *begin(struct dkt__open *open, uint64_t key, uint64_t ts)
{
	bool again;

	return dkt__open_begin(open, &key, ts, 0, &again);
}

static struct value *end(struct dkt__open *open, uint64_t key)
{
	bool part;

	return dkt__open_end(open, &key, 0, &part, NULL);
}

static void the_later_of_two_begins_counts_or_the_first(void **state)
{
	struct dkt__open open = { .all.size = sizeof(struct value), .all.keys.n_words = 1 };

	(void)state;
	begin(&open, 7, 100);
	begin(&open, 7, 200);
	assert_int_equal(end(&open, 7)->begun.ts, 200);
	assert_int_equal(open.again, 1);
	assert_null(end(&open, 7));
	assert_int_equal(open.unbegun, 1);

	open.first = true;
	begin(&open, 7, 300);
	begin(&open, 7, 400);
	assert_int_equal(end(&open, 7)->begun.ts, 300);
	assert_int_equal(open.again, 1);
	dkt__open_clear(&open);
}

static void a_loss_forgets_all_and_values_keep_their_memory(void **state)
{
	struct dkt__open open = { .all.size = sizeof(struct value), .all.keys.n_words = 1 };

	(void)state;
	for (uint64_t key = 0; key < 100; key++)
		begin(&open, key, key)->note = 1;
	assert_int_equal(dkt__open_drop(&open), 100);
	assert_null(end(&open, 5));
	for (uint64_t key = 1000; key < 1100; key++)
		assert_int_equal(begin(&open, key, key)->note, 1);
	assert_int_equal(begin(&open, 1, 1)->note, 0);
	dkt__open_clear(&open);
}

static void a_request_ends_with_its_last_sectors(void **state)
{
	struct dkt__open open = { .requests = true,
				  .all.size = sizeof(struct value),
				  .all.keys.n_words = DKT__REQUEST_WORDS };
	const uint64_t whole[DKT__REQUEST_WORDS] = { 8, 100, 3 };
	const uint64_t rest[DKT__REQUEST_WORDS] = { 8, 116, 3 };
	struct value *value;
	bool again, part;
	void *cut;

	(void)state;
	value = dkt__open_begin(&open, whole, 10, 24, &again);
	value->note = 1;
	value = dkt__open_begin(&open, rest, 11, 8, &again);
	value->note = 2;
	assert_false(again);
	/* The rest begins where another request began, which cannot be in the device any more. */
	assert_null(dkt__open_end(&open, whole, 16, &part, &cut));
	assert_true(part);
	assert_int_equal(((struct value *)cut)->note, 2);
	assert_int_equal(open.again, 1);
	value = dkt__open_end(&open, rest, 8, &part, &cut);
	assert_non_null(value);
	assert_int_equal(value->note, 1);
	assert_int_equal(value->begun.ts, 10);
	assert_false(part);
	assert_null(cut);
	/* The kernel completes flushes that no device has got. */
	assert_null(dkt__open_end(&open, whole, 0, &part, &cut));
	assert_int_equal(open.unbegun, 0);
	assert_null(dkt__open_end(&open, whole, 1, &part, &cut));
	assert_int_equal(open.unbegun, 1);
	dkt__open_clear(&open);
}

static void what_never_ends_is_forgotten(void **state)
{
	struct dkt__open open = { .all.size = sizeof(struct dkt__begun), .all.keys.n_words = 1 };

	(void)state;
	for (uint64_t key = 0; key <= DKT__OPEN_MAX; key++)
		assert_non_null(begin(&open, key, key));
	assert_int_equal(open.forgotten, DKT__OPEN_MAX);
	assert_int_equal(dkt__open_n(&open), 1);
	dkt__open_clear(&open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_later_of_two_begins_counts_or_the_first),
		cmocka_unit_test(a_loss_forgets_all_and_values_keep_their_memory),
		cmocka_unit_test(a_request_ends_with_its_last_sectors),
		cmocka_unit_test(what_never_ends_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
