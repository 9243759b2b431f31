/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON that is read value by value: what it takes, what it refuses, and how much memory that needs. */
#include <malloc.h>

#include "lib/base/json_reader.h"
#include "tests/helper/check.h"

/* Takes the whole text, and nothing of it. */
static int skip_all(const char *text)
{
	struct dkt__json json = { .at = text };
	int err = dkt__json_skip(&json);

	if (!err)
		err = dkt__json_end(&json);
	assert_true(!err == !json.wrong);
	dkt__json_clear(&json);
	return err;
}

static void json_of_the_rfc_is_taken(void **state)
{
	static const char *const good[] = {
		"{}",
		" [ ] ",
		"[1, -0, 0.5, 1e9, -1.25E-3]",
		"{\"a\" : [true,false,null]}",
		"\"\"",
		"\"\\u00e9\\n\"",
		"[{\"a\":{}},[[\"\\\"\"]]]",
		"12",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(skip_all(good[i]), 0);
}

static void everything_else_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[1,]",
		"{\"a\"}",
		"{\"a\":}",
		"{a:1}",
		"[1 2]",
		"01",
		"1.",
		"-",
		"1e",
		"+1",
		"tru",
		"nul",
		"\"",
		"\"\n\"",
		"[1]]",
		"'a'",
		"{,}",
		"\"\\x\"",
		"\"\\u12\"",
		"NaN",
		"[1]//",
		"\"\\u0000\"",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(skip_all(bad[i]), -EBADMSG);
}

static void a_text_is_decoded(void **state)
{
	struct dkt__json json = { .at = "\"a\\/\\u00e9\\ud83d\\ude00\\ud800x\"" };

	(void)state;
	assert_int_equal(dkt__json_text(&json), 0);
	assert_string_equal(json.text.data, "a/\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbdx");
	dkt__json_clear(&json);
}

static void a_number_is_whole_and_fits(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
		int err;
	} rows[] = {
		{ "9223372036854775807", INT64_MAX, 0 },
		{ "-9223372036854775808", INT64_MIN, 0 },
		{ "9223372036854775808", 0, -EBADMSG },
		{ "1.5", 0, -EBADMSG },
		{ "\"1\"", 0, -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dkt__json json = { .at = rows[i].text };
		int64_t value = 0;

		assert_int_equal(dkt__json_int(&json, &value), rows[i].err);
		assert_int_equal(value, rows[i].value);
		dkt__json_clear(&json);
	}
}

static int take(void *data, struct dkt__json *json)
{
	++*(size_t *)data;
	return dkt__json_skip(json);
}

/* Allocated bytes, as the C library counts them. */
static size_t in_use(void)
{
#if !defined(__GLIBC__)
	return 0;
#elif __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks;
#else
	return (size_t)mallinfo().uordblks;
#endif
}

/* The memory in use while the last of the elements is taken. */
static int measure(void *data, struct dkt__json *json)
{
	*(size_t *)data = in_use();
	return dkt__json_skip(json);
}

static void values_take_no_memory(void **state)
{
	const size_t n = 1000000;
	char *text = malloc(3 * n + 2);
	struct dkt__json json = { .at = text };
	size_t elements = 0, before = 0, after = 0;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		memcpy(text + 1 + 3 * i, "{},", 3);
	text[0] = '[';
	memcpy(text + 3 * n, "]", 2);
	before = in_use();
	assert_int_equal(dkt__json_array(&json, measure, &after), 0);
	assert_true(after <= before + 4096);
	json.at = text;
	assert_int_equal(dkt__json_array(&json, take, &elements), 0);
	assert_int_equal(elements, n);
	dkt__json_clear(&json);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_of_the_rfc_is_taken),
		cmocka_unit_test(everything_else_is_refused),
		cmocka_unit_test(a_text_is_decoded),
		cmocka_unit_test(a_number_is_whole_and_fits),
		cmocka_unit_test(values_take_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
