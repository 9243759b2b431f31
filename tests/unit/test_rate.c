/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --rate: how limits are read, and which records pass. */
#include "compat/pipeline/selection.h"
#include "tests/helper/check.h"

#define SECOND INT64_C(1000000000)

static void limits_are_read_by_class(void **state)
{
	static const char *const wrong[] = {
		"",
		"rpctrace",
		"rpctrace=",
		"rpctrace=0",
		"rpctrace=-1",
		"rpctrace=1x",
		"nosuch=1",
		"=1",
		"rpctrace=1,",
		",rpctrace=1",
		"rpctrace= 1",
		"rpctrace=99999999999",
	};
	const char *bad;
	struct rate rate;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(dkl_rate_parse(wrong[i], &rate, &bad), -EINVAL);
	assert_int_equal(dkl_rate_parse("trace=1,bogus=2", &rate, &bad), -EINVAL);
	assert_string_equal(bad, "bogus=2");
	assert_int_equal(dkl_rate_parse("trace=1,RPCTRACE=200", &rate, &bad), 0);
	assert_int_equal(rate.limited, 0x00100001);
	assert_int_equal(rate.most[20], 200);
}

static void a_class_has_its_limit_per_second(void **state)
{
	const char *bad;
	struct rate rate;
	int i, n = 0;

	(void)state;
	assert_int_equal(dkl_rate_parse("trace=2,rpctrace=3", &rate, &bad), 0);
	for (i = 0; i < 10; i++)
		n += dkl_rate_takes(&rate, 1u << 20, 5 * SECOND + i);
	assert_int_equal(n, 3);
	/* Each class has its own count; a class without a limit has none. */
	assert_true(dkl_rate_takes(&rate, 1, 5 * SECOND));
	for (i = 0; i < 10; i++)
		assert_true(dkl_rate_takes(&rate, 1u << 21, 5 * SECOND));
	/* With several classes, the first one with a limit counts. */
	assert_true(dkl_rate_takes(&rate, 1u << 20 | 1 | 2, 5 * SECOND));
	assert_false(dkl_rate_takes(&rate, 1u << 20 | 1, 5 * SECOND));
	/* The next second, and a clock that was set back. */
	assert_true(dkl_rate_takes(&rate, 1u << 20, 6 * SECOND));
	assert_true(dkl_rate_takes(&rate, 1u << 20, 4 * SECOND));
	assert_int_equal(rate.dropped, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_read_by_class),
		cmocka_unit_test(a_class_has_its_limit_per_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
