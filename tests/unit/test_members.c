/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Members of a struct as lines of a text: what is read, left out, copied and printed. */
#include "lib/base/members.h"
#include "lib/base/strings.h"
#include "tests/helper/check.h"

struct thing {
	uint32_t mask, count;
	uint64_t bytes;
	bool on;
	char *name;
	struct dkt__strings words;
};

#define ROW(...) DKT__MEMBER(thing, __VA_ARGS__)

static const struct dkt__member list[] = {
	ROW("mask", HEX, mask, .mark = true),
	ROW("count", U32, count),
	ROW("bytes", U64, bytes),
	ROW("on", FLAG, on),
	ROW("name", TEXT, name, .mark = true),
	ROW("word", TEXTS, words),
};

static const struct dkt__members members = { list, ARRAY_SIZE(list), " " };

static bool is_marked(const struct dkt__member *member)
{
	return member->mark;
}

static char *print(const struct thing *thing)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	dkt__members_print(&members, thing, f);
	fclose(f);
	return text;
}

static void assert_printed(const struct thing *thing, const char *want)
{
	char *text = print(thing);

	assert_string_equal(text, want);
	free(text);
}

static void what_is_empty_has_no_line_except_for_masks_and_counts(void **state)
{
	struct thing thing = { 0 };

	(void)state;
	assert_printed(&thing, "mask 0x00000000\nbytes 0\n");
	thing = (struct thing){ .count = 1, .on = true };
	assert_printed(&thing, "mask 0x00000000\ncount 1\nbytes 0\non 1\n");
}

static void a_text_is_read_as_it_was_printed_and_has_one_line(void **state)
{
	static const char want[] = "mask 0xffffffff\ncount 7\nbytes 18446744073709551615\non 1\n"
				   "name a b\nword x\nword y z\n";
	char text[sizeof(want)];
	struct thing thing = { 0 };

	(void)state;
	strcpy(text, want);
	assert_int_equal(dkt__members_parse(&members, &thing, text), 0);
	assert_printed(&thing, want);
	thing.name[1] = '\n';
	assert_printed(&thing, want);
	dkt__members_clear(&members, &thing, NULL);
	assert_printed(&thing, "mask 0x00000000\nbytes 0\n");
}

static void a_line_of_no_member_changes_nothing(void **state)
{
	static const char *const lines[] = { "",
					     "mask",
					     "masks 1",
					     "mask 4294967296",
					     "mask  1",
					     "count -1",
					     "bytes 0x10",
					     "bytes",
					     "other 1",
					     "name\tx",
					     "bytes 99999999999999999999" };
	struct thing thing = { .mask = 1, .count = 2, .bytes = 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(dkt__members_read(&members, &thing, lines[i]), -EINVAL);
	assert_printed(&thing, "mask 0x00000001\ncount 2\nbytes 3\n");
}

static void only_chosen_members_are_copied_and_cleared(void **state)
{
	struct thing from = { .mask = 1, .count = 2 }, to = { .bytes = 9 };

	(void)state;
	assert_int_equal(dkt__members_read(&members, &from, "name n"), 0);
	assert_int_equal(dkt__members_read(&members, &from, "word w"), 0);
	assert_int_equal(dkt__members_copy(&members, &to, &from, is_marked), 0);
	assert_printed(&to, "mask 0x00000001\nbytes 9\nname n\n");
	dkt__members_clear(&members, &from, is_marked);
	assert_printed(&from, "mask 0x00000000\ncount 2\nbytes 0\nword w\n");
	dkt__members_clear(&members, &from, NULL);
	dkt__members_clear(&members, &to, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_empty_has_no_line_except_for_masks_and_counts),
		cmocka_unit_test(a_text_is_read_as_it_was_printed_and_has_one_line),
		cmocka_unit_test(a_line_of_no_member_changes_nothing),
		cmocka_unit_test(only_chosen_members_are_copied_and_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
