/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffer that styles write to: numbers, padding, escaping, growing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "internal.h"

static int setup(void **state)
{
	return dkt_buf_new((struct dkt_buf **)state);
}

static int teardown(void **state)
{
	dkt_buf_free(*state);
	return 0;
}

/* What is in the buffer is that text; then it is empty. */
static void holds(struct dkt_buf *buf, const char *text)
{
	size_t len;
	const char *data = dkt_buf_data(buf, &len);

	assert_int_equal(dkt_buf_error(buf), 0);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(data, text, len);
	dkt_buf_reset(buf);
}

static void test_numbers(void **state)
{
	struct dkt_buf *buf = *state;
	uint64_t value;
	char text[48];
	int digits;

	dkt_buf_u64(buf, 0, 0, ' ');
	holds(buf, "0");
	dkt_buf_u64(buf, 7, 5, ' ');
	holds(buf, "    7");
	dkt_buf_u64(buf, 42, 6, '0');
	holds(buf, "000042");
	dkt_buf_u64(buf, 123456, 3, '0');
	holds(buf, "123456");
	dkt_buf_u64(buf, UINT64_MAX, 0, ' ');
	holds(buf, "18446744073709551615");
	dkt_buf_hex(buf, 0, 0, ' ');
	holds(buf, "0");
	dkt_buf_hex(buf, 0x2000400, 8, '0');
	holds(buf, "02000400");
	dkt_buf_hex(buf, UINT64_MAX, 0, ' ');
	holds(buf, "ffffffffffffffff");
	for (digits = 1, value = 1; digits <= 20; digits++, value *= 10) {
		snprintf(text, sizeof(text), "%llu%llu", (unsigned long long)value - 1,
			 (unsigned long long)value);
		dkt_buf_u64(buf, value - 1, 0, ' ');
		dkt_buf_u64(buf, value, 0, ' ');
		holds(buf, text);
	}
	dkt_buf_u64(buf, 1, 5000, '0');
	assert_int_equal(buf->len, 5000);
}

static void test_text(void **state)
{
	struct dkt_buf *buf = *state;
	size_t i;

	holds(buf, "");
	dkt_buf_add(buf, NULL, 0);
	dkt_buf_str(buf, "");
	holds(buf, "");
	dkt_buf_str(buf, "a");
	dkt_buf_add(buf, "bcd", 2);
	dkt_buf_printf(buf, "%d-%s", 5, "x");
	holds(buf, "abc5-x");
	for (i = 0; i < 10000; i++)
		dkt_buf_str(buf, "0123456789");
	assert_int_equal(buf->len, 100000);
	assert_memory_equal(buf->data + 99990, "0123456789", 10);
}

static void test_escape(void **state)
{
	struct dkt_buf *buf = *state;

	dkt_buf_str(buf, "plain\n");
	dkt_buf_escape(buf, 0);
	holds(buf, "plain\n");
	dkt_buf_str(buf, "\033[31m\t\r\n\x7f\n");
	dkt_buf_escape(buf, 0);
	holds(buf, "\\x1b[31m\\t\\x0d\\n\\x7f\n");
	/* Only from there on. */
	dkt_buf_str(buf, "\001");
	dkt_buf_str(buf, "\001\n");
	dkt_buf_escape(buf, 1);
	holds(buf, "\001\\x01\n");
	dkt_buf_add(buf, "a\0b", 3);
	dkt_buf_escape(buf, 0);
	holds(buf, "a\\x00b");
	/* Other languages are not control characters. */
	dkt_buf_str(buf, "\xc3\xa4\n");
	dkt_buf_escape(buf, 0);
	holds(buf, "\xc3\xa4\n");
	dkt_buf_escape(buf, 0);
	holds(buf, "");
}

static void test_out_of_memory(void **state)
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
		cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_escape, setup, teardown),
		cmocka_unit_test_setup_teardown(test_out_of_memory, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
