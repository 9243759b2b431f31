/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text to numbers: limits, units, lists, and invalid text. */
#include "lib/base/parse.h"
#include "tests/helper/check.h"

#define MAX_TEXT "18446744073709551615"

static void u64_is(const char *text, unsigned int base, int err, uint64_t wanted)
{
	uint64_t value = 77;
	int got = dkt__parse_u64(text, base, &value);

	if (got != err || value != wanted)
		fail_msg("'%s': %d, %llu", text, got, (unsigned long long)value);
}

static void u64_limits_hold(void **state)
{
	(void)state;
	u64_is("0", DKT__DEC, 0, 0);
	u64_is("007", DKT__DEC, 0, 7);
	u64_is(MAX_TEXT, DKT__DEC, 0, UINT64_MAX);
	u64_is("18446744073709551616", DKT__DEC, -ERANGE, 0);
	u64_is("99999999999999999999999", DKT__DEC, -ERANGE, 0);
	u64_is("", DKT__DEC, -EINVAL, 0);
	u64_is(" 1", DKT__DEC, -EINVAL, 0);
	u64_is("+1", DKT__DEC, -EINVAL, 0);
	u64_is("-1", DKT__DEC, -EINVAL, 0);
	u64_is("1 ", DKT__DEC, -EINVAL, 0);
	u64_is("1x", DKT__DEC, -EINVAL, 0);
	u64_is("0x10", DKT__DEC, -EINVAL, 0);
	u64_is("0x10", DKT__HEX, 0, 16);
	u64_is("fF", DKT__HEX, 0, 255);
	u64_is("0x", DKT__HEX, -EINVAL, 0);
	u64_is("ffffffffffffffff", DKT__HEX, 0, UINT64_MAX);
	u64_is("10000000000000000", DKT__HEX, -ERANGE, 0);
	u64_is("017", DKT__AS_C, 0, 15);
	u64_is("0X1F", DKT__AS_C, 0, 31);
	u64_is("0", DKT__AS_C, 0, 0);
	u64_is("08", DKT__AS_C, -EINVAL, 0);
	u64_is("0xg", DKT__AS_C, -EINVAL, 0);
}

static void s64_limits_hold(void **state)
{
	int64_t value;

	(void)state;
	assert_int_equal(dkt__parse_s64("-9223372036854775808", DKT__DEC, &value), 0);
	assert_true(value == INT64_MIN);
	assert_int_equal(dkt__parse_s64("9223372036854775808", DKT__DEC, &value), -ERANGE);
	assert_int_equal(dkt__parse_s64("-9223372036854775809", DKT__DEC, &value), -ERANGE);
	assert_int_equal(dkt__parse_s64("+0x1f", DKT__AS_C, &value), 0);
	assert_true(value == 31);
	assert_int_equal(dkt__parse_s64("--1", DKT__DEC, &value), -EINVAL);
	assert_int_equal(dkt__parse_s64("-", DKT__DEC, &value), -EINVAL);
	assert_int_equal(dkt__parse_int("100", 1, 100, &value), 0);
	assert_int_equal(dkt__parse_int("101", 1, 100, &value), -ERANGE);
	assert_true(value == 0);
	assert_int_equal(dkt__parse_int("0", 1, 100, &value), -ERANGE);
}

static void numbers_are_taken_from_a_longer_text(void **state)
{
	const char text[] = "12345,x", *p = text;
	uint64_t value;

	(void)state;
	/* The limit holds, whatever follows. */
	assert_int_equal(dkt__take_u64(&p, text + 3, DKT__DEC, &value), 0);
	assert_true(p == text + 3 && value == 123);
	assert_int_equal(dkt__take_u64(&p, NULL, DKT__DEC, &value), 0);
	assert_true(p == text + 5 && value == 45);
	assert_int_equal(dkt__take_u64(&p, NULL, DKT__DEC, &value), -EINVAL);
	assert_true(p == text + 5);
	/* The text that ends after the 0 is a 0. */
	p = "0x1";
	assert_int_equal(dkt__take_u64(&p, p + 1, DKT__AS_C, &value), 0);
	p = "0x1";
	assert_int_equal(dkt__take_u64(&p, p + 2, DKT__HEX, &value), 0);
	assert_true(*p == 'x' && value == 0);
}

static void sizes_have_units(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t bytes;
	} rows[] = {
		{ "0", 0, 0 },
		{ "100", 0, 100 },
		{ "64K", 0, 65536 },
		{ "64k", 0, 65536 },
		{ "1G", 0, UINT64_C(1) << 30 },
		{ "16777215T", 0, UINT64_C(16777215) << 40 },
		{ "16777216T", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "1KB", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ "1.5G", -EINVAL, 0 },
		{ "-1K", -EINVAL, 0 },
		{ "99999999999999999999X", -EINVAL, 0 },
	};
	uint64_t bytes;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (dkt__parse_size(rows[i].text, &bytes) != rows[i].err || bytes != rows[i].bytes)
			fail_msg("'%s' is %llu", rows[i].text, (unsigned long long)bytes);
}

static void times_have_units(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t ns;
	} rows[] = {
		{ "0", 0, 0 },
		{ "10ms", 0, 10000000 },
		{ "2", 0, UINT64_C(2000000000) },
		{ "2s", 0, UINT64_C(2000000000) },
		{ "1.5", 0, UINT64_C(1500000000) },
		{ "1.5ns", 0, 1 },
		{ "0.25us", 0, 250 },
		{ "1.9999999999", 0, UINT64_C(1999999999) },
		{ "1h", 0, UINT64_C(3600000000000) },
		{ "213503d", 0, UINT64_C(213503) * 86400 * UINT64_C(1000000000) },
		{ "213504d", -ERANGE, 0 },
		{ "18446744073.709551615", 0, UINT64_MAX },
		{ "18446744073.709551616s", -ERANGE, 0 },
		{ "18446744074", -ERANGE, 0 },
		{ "1.", -EINVAL, 0 },
		{ ".5", -EINVAL, 0 },
		{ "5 s", -EINVAL, 0 },
		{ "5S", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "-1s", -EINVAL, 0 },
		{ "1.5.5s", -EINVAL, 0 },
	};
	uint64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (dkt__parse_time(rows[i].text, 1000000000, &ns) != rows[i].err ||
		    ns != rows[i].ns)
			fail_msg("'%s' is %llu", rows[i].text, (unsigned long long)ns);
}

static void list_is(const char *text, int err, const char *wanted)
{
	char got[100] = "";
	size_t n, i, len = 0;
	int *list;

	if (dkt__parse_list(text, 99, &list, &n) != err)
		fail_msg("'%s' is taken wrongly", text);
	for (i = 0; i < n; i++)
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%d ", list[i]);
	assert_string_equal(got, wanted);
	assert_true(!err || !list);
	free(list);
}

static void lists_have_ranges(void **state)
{
	(void)state;
	list_is("7", 0, "7 ");
	list_is("1,3-5", 0, "1 3 4 5 ");
	list_is("5,5-5,0", 0, "5 5 0 ");
	list_is("99", 0, "99 ");
	list_is("100", -ERANGE, "");
	list_is("0-4294967296", -ERANGE, "");
	list_is("", -EINVAL, "");
	list_is("1,", -EINVAL, "");
	list_is(",1", -EINVAL, "");
	list_is("5-3", -EINVAL, "");
	list_is("1-", -EINVAL, "");
	list_is("1 2", -EINVAL, "");
	list_is("1-2-3", -EINVAL, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(u64_limits_hold),
		cmocka_unit_test(s64_limits_hold),
		cmocka_unit_test(numbers_are_taken_from_a_longer_text),
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(lists_have_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
