/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Globs: stars, classes and quotes as the kernel's glob_match() takes them. */
#include "lib/base/glob.h"
#include "lib/base/util.h"
#include "tests/helper/check.h"

static void globs_match_as_in_the_kernel(void **state)
{
	static const struct {
		const char *glob, *text;
		bool hit;
	} rows[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "anything", true },
		{ "sched_*", "sched_switch", true },
		{ "*_enter_*", "sys_enter_read", true },
		{ "*ab*ab", "abababxab", true },
		{ "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "[a-c]x", "bx", true },
		{ "[a-c]x", "dx", false },
		{ "[!a-c]x", "dx", true },
		{ "[!a-c]x", "ax", false },
		{ "[]a]", "]", true },
		{ "[a-]", "-", true },
		/* As in the kernel it is a member. */
		{ "[^a]", "a", true },
		{ "[^a]", "b", false },
		{ "[ab", "[ab", true },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "a\\", "a", true },
		{ "Sched", "sched", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (dkt__glob(rows[i].glob, rows[i].text) != rows[i].hit)
			fail_msg("'%s' and '%s'", rows[i].glob, rows[i].text);
	/* Neither is read beyond its end. */
	assert_true(dkt__glob_match("ab*x", 3, "abcd", 3));
	assert_false(dkt__glob_match("abc", 3, "abcd", 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(globs_match_as_in_the_kernel) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
