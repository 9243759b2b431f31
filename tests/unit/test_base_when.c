/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times as people write them, and invalid ones. */
#include "tests/helper/check.h"

#include <time.h>

/* 2017-05-17 22:47:36 UTC. */
#define NOW INT64_C(1495061256)

static time_t made_time(time_t *at)
{
	(void)at;
	return NOW;
}

#define time made_time
#include "lib/base/when.c"
#undef time

static int64_t ns_of(const char *text)
{
	int64_t ns = -1;

	if (dkt__parse_when(text, &ns))
		fail_msg("'%s' is refused", text);
	return ns;
}

static void seconds_since_the_epoch_are_read(void **state)
{
	(void)state;
	assert_true(ns_of("@0") == 0);
	assert_true(ns_of("@1495061256.496695") == INT64_C(1495061256496695000));
	assert_true(ns_of("@1.000000001") == DKT__NSEC_PER_SEC + 1);
	/* Digits beyond ns change nothing. */
	assert_true(ns_of("@1.9999999999") == 2 * DKT__NSEC_PER_SEC - 1);
	assert_true(ns_of("@9223372035.5") > 0);
}

static void times_ago_are_read(void **state)
{
	(void)state;
	assert_true(ns_of("-90") == (NOW - 90) * DKT__NSEC_PER_SEC);
	assert_true(ns_of("-2m") == (NOW - 120) * DKT__NSEC_PER_SEC);
	assert_true(ns_of("-1h") == (NOW - 3600) * DKT__NSEC_PER_SEC);
	assert_true(ns_of("-1d") == (NOW - 86400) * DKT__NSEC_PER_SEC);
}

static void dates_and_times_of_day_are_read(void **state)
{
	const int64_t day = (NOW - (22 * 3600 + 47 * 60 + 36)) * DKT__NSEC_PER_SEC;

	(void)state;
	assert_true(ns_of("1970-01-02 00:00") == 86400 * DKT__NSEC_PER_SEC);
	assert_true(ns_of("1970-01-02 00:00:01.25") ==
		    86401 * DKT__NSEC_PER_SEC + DKT__NSEC_PER_SEC / 4);
	assert_true(ns_of("2017-05-17T22:47:36") == INT64_C(1495061256) * DKT__NSEC_PER_SEC);
	assert_true(ns_of("2017-05-17") == day);
	assert_true(ns_of("2016-02-29") == INT64_C(1456704000) * DKT__NSEC_PER_SEC);
	assert_true(ns_of("12:34") == day + (12 * 3600 + 34 * 60) * DKT__NSEC_PER_SEC);
	assert_true(ns_of("12:34:56") == day + (12 * 3600 + 34 * 60 + 56) * DKT__NSEC_PER_SEC);
}

static void times_of_iso_8601_are_read(void **state)
{
	static const char *const same[] = {
		"2017-05-17T22:47:36Z",      "2017-05-17 22:47:36z",
		"2017-05-18T00:47:36+02",    "2017-05-18T00:47:36+0200",
		"2017-05-18T00:17:36+01:30", "2017-05-17T17:47:36-05:00",
		"2017-05-17T22:47:36.000Z",  "2017-05-17T22:47:36.0+00",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (ns_of(same[i]) != NOW * DKT__NSEC_PER_SEC)
			fail_msg("'%s' is another time", same[i]);
	assert_true(ns_of("2017-05-17T22:47Z") == (NOW - 36) * DKT__NSEC_PER_SEC);
}

static void a_time_is_formatted_as_it_is_read(void **state)
{
	char text[DKT__WHEN_SIZE];

	(void)state;
	assert_true(dkt__format_when(1495061256, text));
	assert_string_equal(text, "2017-05-17 22:47:36");
	assert_true(ns_of(text) == INT64_C(1495061256) * DKT__NSEC_PER_SEC);
	assert_true(dkt__format_when(-1, text));
	assert_string_equal(text, "1969-12-31 23:59:59");
	assert_false(dkt__format_when(INT64_MAX, text));
	assert_string_equal(text, "");
}

static void a_time_that_is_too_large_becomes_the_largest(void **state)
{
	struct timespec ts = { .tv_sec = 1495061256, .tv_nsec = 7 };

	(void)state;
	assert_true(dkt__timespec_ns(&ts) == INT64_C(1495061256000000007));
	/* The year 2400. */
	ts.tv_sec = INT64_C(13569465600);
	assert_true(dkt__timespec_ns(&ts) == INT64_MAX);
	ts.tv_sec = INT64_MAX / DKT__NSEC_PER_SEC;
	ts.tv_nsec = 999999999;
	assert_true(dkt__timespec_ns(&ts) == INT64_MAX);
	ts.tv_sec = -INT64_C(13569465600);
	assert_true(dkt__timespec_ns(&ts) == INT64_MIN);
}

static void invalid_times_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"yesterday",
		"@",
		"@x",
		"@-1",
		"@1.",
		"@1.x",
		"@1.5x",
		"@1 ",
		"@99999999999999999999",
		"@9223372036854775807",
		"-",
		"-x",
		"-5y",
		"-5ss",
		"--5",
		"-99999999999",
		"25:00",
		"12:60",
		"12",
		"12:",
		"12:34:",
		"12:34:x",
		"12:34:56.",
		"12:34:56.x",
		"12:34 ",
		"2026-13-01 10:00",
		"2026-02-30",
		"2026-02-30 10:00",
		"2026-02-29T10:00Z",
		"2026-04-31",
		"2026-00-01",
		"2026-01-01T",
		"2026-01-01Z",
		"2026-01-01T10:00+",
		"2026-01-01T10:00+1",
		"2026-01-01T10:00+01:",
		"2026-01-01T10:00+01:60",
		"2026-01-01T10:00+25",
		"2026-01-01T10:00Zx",
		"2026-01-01T10:00:Z",
		"2026-01-01T10:00:00.0000000000000000000000000000000Z",
		"10:00Z",
		"2999-01-01 10:00",
		"2026-01-01 ",
		"2026-01-01 x",
		"1.5",
	};
	int64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (dkt__parse_when(texts[i], &ns) != -EINVAL)
			fail_msg("'%s' is taken as %lld", texts[i], (long long)ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_since_the_epoch_are_read),
		cmocka_unit_test(times_ago_are_read),
		cmocka_unit_test(dates_and_times_of_day_are_read),
		cmocka_unit_test(times_of_iso_8601_are_read),
		cmocka_unit_test(a_time_is_formatted_as_it_is_read),
		cmocka_unit_test(a_time_that_is_too_large_becomes_the_largest),
		cmocka_unit_test(invalid_times_are_refused),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
