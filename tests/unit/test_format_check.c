/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats: which fields are valid, and which formats libtraceevent may see. */
#include "lib/event/format_check.h"
#include "tests/helper/check.h"

#define HEAD  "name: up\nID: 7\nformat:\n"
#define TYPE  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
#define VALUE "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n"
#define NONE  "print fmt: \"\"\n"

static void expect(const char *text, bool foreign, const char *wanted)
{
	char *clean = dkt__format_clean(text, strlen(text), foreign);

	assert_string_equal(clean, wanted);
	free(clean);
}

static void valid_fields_are_kept(void **state)
{
	static const char *const fields[] = {
		"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n",
		"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n",
		"\tfield:const char * fmt;\toffset:8;\tsize:8;\tsigned:0;\n",
		"\tfield:u8 mac[(6)];\toffset:8;\tsize:6;\n",
		"\tfield:u8 all[65528];\toffset:8;\tsize:65528;\tsigned:0;\n",
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
	};
	char text[512], wanted[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(text, sizeof(text), HEAD TYPE "\n%s\nprint fmt: \"%%d\", 5\n", fields[i]);
		snprintf(wanted, sizeof(wanted), HEAD TYPE "\n%s\n" NONE, fields[i]);
		expect(text, true, wanted);
		expect(text, false, text);
	}
}

static void spaces_in_place_of_tabs_become_tabs(void **state)
{
	static const char text[] = HEAD
		"        field:unsigned short common_type;       offset:0;       size:2; signed:0;\n"
		" field:u64 value; offset:8; size:8; signed:0;\n" NONE;

	(void)state;
	expect(text, true, HEAD TYPE VALUE NONE);
	expect(text, false, HEAD TYPE VALUE NONE);
}

/* No record can have these fields. */
static void fields_outside_of_records_are_removed(void **state)
{
	static const char *const fields[] = {
		"\tfield:u32 v;\toffset:4294967295;\tsize:4;\tsigned:0;\n",
		"\tfield:u32 v;\toffset:18446744073709551615;\tsize:4;\tsigned:0;\n",
		"\tfield:u32 v;\toffset:99999999999999999999;\tsize:4;\tsigned:0;\n",
		"\tfield:char v[16];\toffset:16;\tsize:4294967280;\tsigned:0;\n",
		"\tfield:char v[16];\toffset:65521;\tsize:16;\tsigned:0;\n",
		"\tfield:u32 v;\toffset:-1;\tsize:4;\tsigned:0;\n",
		"\tfield:__data_loc char[] v;\toffset:8;\tsize:1;\tsigned:0;\n",
		"\tfield:__rel_loc u8[] v;\toffset:8;\tsize:8;\tsigned:0;\n",
	};
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(text, sizeof(text), HEAD TYPE "%sprint fmt: \"\"\n", fields[i]);
		expect(text, true, HEAD TYPE NONE);
		expect(text, false, HEAD TYPE NONE);
	}
}

/* libtraceevent could be harmed by these. */
static void fields_that_harm_libtraceevent_are_removed(void **state)
{
	static const char *const lines[] = {
		"\tfield:;\toffset:8;\tsize:8;\tsigned:0;\n",
		"\tfield:int ;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:int;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:char *;\toffset:8;\tsize:8;\tsigned:0;\n",
		"\tfield:u32 [4];\toffset:8;\tsize:16;\tsigned:0;\n",
		"\tfield:char name[\xff\xff;\toffset:8;\tsize:8;\tsigned:0;\n",
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
		expect(text, true, HEAD TYPE NONE);
	}
}

/* libtraceevent parses print formats recursively, without a limit. */
static void nested_print_formats_are_removed(void **state)
{
	(void)state;
	expect(HEAD VALUE "\nprint fmt: \"%d\", 1 % 0\n", true, HEAD VALUE "\n" NONE);
	expect(HEAD VALUE "print fmt: \"%d\", REC->value\n\nmore\n", true, HEAD VALUE NONE);
	expect(HEAD VALUE "print fmt: \"%d\", REC->value", false,
	       HEAD VALUE "print fmt: \"%d\", REC->value");
	expect("", true, NONE);
	expect("", false, "");
}

/* A file can have any number of fields. */
static void the_number_of_fields_is_limited(void **state)
{
	char *text = NULL, *clean, *line;
	size_t size, n = 0;
	FILE *f = open_memstream(&text, &size);
	int i;

	(void)state;
	assert_non_null(f);
	for (i = 0; i < 2 * DKT__FIELDS_MAX; i++)
		fprintf(f, "\tfield:u8 f%d;\toffset:8;\tsize:1;\tsigned:0;\n", i);
	assert_int_equal(fclose(f), 0);
	clean = dkt__format_clean(text, size, true);
	for (line = clean; (line = strstr(line, "field:")); line++)
		n++;
	assert_int_equal(n, DKT__FIELDS_MAX);
	free(clean);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_fields_are_kept),
		cmocka_unit_test(spaces_in_place_of_tabs_become_tabs),
		cmocka_unit_test(fields_outside_of_records_are_removed),
		cmocka_unit_test(fields_that_harm_libtraceevent_are_removed),
		cmocka_unit_test(nested_print_formats_are_removed),
		cmocka_unit_test(the_number_of_fields_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
