/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffer that styles write to: numbers, padding, escaping, growing. */
#include "lib/base/buf.h"
#include "lib/ctx.h"
#include "tests/helper/check.h"

static int setup(void **state)
{
	return dkt_buf_new((struct dkt_buf **)state);
}

static int teardown(void **state)
{
	dkt_buf_free(*state);
	return 0;
}

/* Checks and then empties the buffer. */
static void holds(struct dkt_buf *buf, const char *text)
{
	size_t len;
	const char *data = dkt_buf_data(buf, &len);

	assert_int_equal(dkt_buf_error(buf), 0);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(data, text, len);
	dkt_buf_reset(buf);
}

static void numbers_are_padded(void **state)
{
	struct dkt_buf *buf = *state;
	uint64_t value;
	char text[48];
	int digits;

	dkt__buf_u64(buf, 0, 0, ' ');
	holds(buf, "0");
	dkt__buf_u64(buf, 7, 5, ' ');
	holds(buf, "    7");
	dkt__buf_u64(buf, 42, 6, '0');
	holds(buf, "000042");
	dkt__buf_u64(buf, 123456, 3, '0');
	holds(buf, "123456");
	dkt__buf_u64(buf, UINT64_MAX, 0, ' ');
	holds(buf, "18446744073709551615");
	dkt__buf_hex(buf, 0, 0, ' ');
	holds(buf, "0");
	dkt__buf_hex(buf, 0x2000400, 8, '0');
	holds(buf, "02000400");
	dkt__buf_hex(buf, UINT64_MAX, 0, ' ');
	holds(buf, "ffffffffffffffff");
	for (digits = 1, value = 1; digits <= 20; digits++, value *= 10) {
		snprintf(text, sizeof(text), "%llu%llu", (unsigned long long)value - 1,
			 (unsigned long long)value);
		dkt__buf_u64(buf, value - 1, 0, ' ');
		dkt__buf_u64(buf, value, 0, ' ');
		holds(buf, text);
	}
	dkt__buf_u64(buf, 1, 5000, '0');
	assert_int_equal(buf->len, 5000);
}

static void texts_are_appended(void **state)
{
	struct dkt_buf *buf = *state;
	size_t i;

	holds(buf, "");
	dkt__buf_add(buf, NULL, 0);
	dkt_buf_str(buf, "");
	holds(buf, "");
	dkt_buf_str(buf, "a");
	dkt__buf_add(buf, "bcd", 2);
	dkt_buf_printf(buf, "%d-%s", 5, "x");
	holds(buf, "abc5-x");
	for (i = 0; i < 10000; i++)
		dkt_buf_str(buf, "0123456789");
	assert_int_equal(buf->len, 100000);
	assert_memory_equal(buf->data + 99990, "0123456789", 10);
}

static void control_characters_are_escaped(void **state)
{
	struct dkt_buf *buf = *state;
	size_t i, len;

	dkt_buf_str(buf, "plain\n");
	dkt__buf_escape(buf, 0);
	holds(buf, "plain\n");
	dkt_buf_str(buf, "\033[31m\t\r\n\x7f\n");
	dkt__buf_escape(buf, 0);
	holds(buf, "\\x1b[31m\\t\\x0d\\n\\x7f\n");
	/* Only from there on. */
	dkt_buf_str(buf, "\001");
	dkt_buf_str(buf, "\001\n");
	dkt__buf_escape(buf, 1);
	holds(buf, "\001\\x01\n");
	dkt__buf_add(buf, "a\0b", 3);
	dkt__buf_escape(buf, 0);
	holds(buf, "a\\x00b");
	/* Other languages are not control characters. */
	dkt_buf_str(buf, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n");
	dkt__buf_escape(buf, 0);
	holds(buf, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n");
	/* C1 as UTF-8 and as a byte, an embedding, a line separator, a mark; longer than need be, cut. */
	dkt_buf_str(
		buf,
		"\xc2\x9b \x9b \xe2\x80\xae \xe2\x80\xa8 \xd8\x9c \xef\xbb\xbf \xc0\x9b \xe2\x80");
	dkt__buf_escape(buf, 0);
	holds(buf, "\\u009b \\x9b \\u202e \\u2028 \\u061c \\ufeff \\xc0\\x9b \\xe2\\x80");
	/* Wherever in a line it stands, and of what length that is. */
	for (i = 0; i < 70; i++) {
		char line[72], want[80];

		memset(line, 'a', sizeof(line));
		line[i] = i & 1 ? '\x7f' : '\x1f';
		dkt_buf_text(buf, line, i + 1);
		memset(want, 'a', sizeof(want));
		snprintf(want + i, sizeof(want) - i, "%s", i & 1 ? "\\x7f" : "\\x1f");
		holds(buf, want);
		dkt_buf_text(buf, line, sizeof(line));
		dkt_buf_data(buf, &len);
		assert_int_equal(len, sizeof(line) + 3);
		dkt_buf_reset(buf);
	}
	dkt_buf_text(buf, "a\n", 2);
	holds(buf, "a\\n");
	dkt__buf_escape(buf, 0);
	holds(buf, "");
}

static void cell(struct dkt_buf *buf, const char *text, const char *want)
{
	dkt__buf_cell(buf, text, strlen(text));
	holds(buf, want);
}

/* RFC 4180, and nothing that a spreadsheet works out. */
static void a_csv_cell_cannot_be_a_formula(void **state)
{
	struct dkt_buf *buf = *state;

	cell(buf, "", "");
	cell(buf, "plain text", "plain text");
	cell(buf, "a,b", "\"a,b\"");
	cell(buf, "a\"b", "\"a\"\"b\"");
	cell(buf, "a\nb\rc\td", "\"a\\x0ab\\x0dc\\x09d\"");
	cell(buf, "\\x41\\u0041\\n", "\"\\x5cx41\\x5cu0041\\n\"");
	cell(buf, "\xe2\x80\xae", "\"\\u202e\"");
	cell(buf, "=HYPERLINK(1)", "\"'=HYPERLINK(1)\"");
	cell(buf, "@sum", "\"'@sum\"");
	cell(buf, "+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\"");
	cell(buf, "-2+3", "\"'-2+3\"");
	cell(buf, "-", "\"'-\"");
	cell(buf, "-5", "-5");
	cell(buf, "+1.5", "+1.5");
	cell(buf, "a=b", "a=b");
}

static char *words(const char *fmt, ...) DKT_PRINTF(1, 2);
static char *words(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = dkt__words(fmt, ap);
	va_end(ap);
	assert_non_null(text);
	return text;
}

static void messages_escape_their_arguments(void **state)
{
	static const char name[] = "a\ndktrace: forged \033[2J";
	char *text = words("open %s: %d", name, 5);

	(void)state;
	assert_string_equal(text, "open a\\ndktrace: forged \\x1b[2J: 5");
	free(text);
	/* A message of several lines is passed on. */
	text = words("%s", "filter: no\n  a\033\n  ^");
	assert_string_equal(text, "filter: no\n  a\\x1b\n  ^");
	free(text);
}

static void a_failed_allocation_keeps_the_text(void **state)
{
	struct dkt_buf *buf = *state;

	dkt_buf_str(buf, "kept");
	assert_null(dkt__buf_room(buf, SIZE_MAX - 10));
	assert_int_equal(dkt_buf_error(buf), -ENOMEM);
	assert_int_equal(buf->len, 4);
	dkt_buf_reset(buf);
	assert_int_equal(dkt_buf_error(buf), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_are_padded, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_are_appended, setup, teardown),
		cmocka_unit_test_setup_teardown(control_characters_are_escaped, setup, teardown),
		cmocka_unit_test_setup_teardown(a_csv_cell_cannot_be_a_formula, setup, teardown),
		cmocka_unit_test(messages_escape_their_arguments),
		cmocka_unit_test_setup_teardown(a_failed_allocation_keeps_the_text, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
