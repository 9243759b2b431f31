/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats out of files: what libtraceevent may see of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format_check.h"

#define HEAD  "name: up\nID: 7\nformat:\n"
#define TYPE  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
#define VALUE "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n"
#define NONE  "print fmt: \"\"\n"

static void expect(const char *text, const char *wanted, bool wanted_bare)
{
	struct dkt_event event = { .system = "made", .name = "up" };
	bool bare;
	char *clean;

	assert_int_equal(dkt_ctx_new(NULL, &event.ctx), 0);
	clean = dkt__format_clean(&event, text, strlen(text), &bare);
	assert_string_equal(clean, wanted);
	assert_int_equal(bare, wanted_bare);
	free(clean);
	dkt_ctx_free(event.ctx);
}

static void test_good(void **state)
{
	static const char *const fields[] = {
		"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n",
		"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n",
		"\tfield:const char * fmt;\toffset:8;\tsize:8;\tsigned:0;\n",
		"\tfield:u8 mac[(6)];\toffset:8;\tsize:6;\n",
	};
	char text[512], wanted[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(text, sizeof(text), HEAD TYPE "\n%s\nprint fmt: \"%%d\", 5\n", fields[i]);
		snprintf(wanted, sizeof(wanted), HEAD TYPE "\n%s\nprint fmt: \"%%d\", 5\n",
			 fields[i]);
		expect(text, wanted, false);
	}
}

static void test_bad_fields(void **state)
{
	static const char *const lines[] = {
		"\tfield:;\toffset:8;\tsize:8;\tsigned:0;\n",
		"\tfield:char name[\xff\xff;\toffset:8;\tsize:8;\tsigned:0;\n",
		"\tfield:u64 value;\toffset:-8;\tsize:8;\tsigned:0;\n",
		"\tfield:u64 value;\toffset:8;\tsize:;\tsigned:0;\n",
		"\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0; and more\n",
		"\tfield:u64 \"value\";\toffset:8;\tsize:8;\tsigned:0;\n",
		"rubbish\n",
	};
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(text, sizeof(text), HEAD TYPE "%s", lines[i]);
		expect(text, HEAD TYPE "\n" NONE, true);
	}
}

static void test_bad_prints(void **state)
{
	static const char *const prints[] = {
		"\"%d\", 1 / REC->value",
		"\"%d\", 1 % 0",
		"\"%d\", (",
		"\"%d\", REC->none",
		"\"%d",
		"\"%s\", __print_symbolic(REC->value, { 1, \"one\" }",
		"",
	};
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(prints); i++) {
		snprintf(text, sizeof(text), HEAD VALUE "\nprint fmt: %s\n", prints[i]);
		expect(text, HEAD VALUE "\n" NONE, true);
	}
	/* In a string it divides nothing. */
	expect(HEAD VALUE "\nprint fmt: \"%d/5 \\\"%%\", REC->value\n",
	       HEAD VALUE "\nprint fmt: \"%d/5 \\\"%%\", REC->value\n", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad_fields),
		cmocka_unit_test(test_bad_prints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
