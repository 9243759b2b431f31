/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the name that a misspelt word probably means. */
#include "lib/base/guess.h"
#include "lib/base/util.h"
#include "tests/helper/check.h"

static const char *guess_of(struct dkt__guess *guess, const char *word)
{
	static const char *const names[] = { "report", "record", "sched_switch", "status", "x" };
	size_t i;

	dkt__guess_start(guess, word, strlen(word));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		dkt__guess_try(guess, names[i]);
	return dkt__guess_words(guess);
}

static void the_closest_name_is_suggested(void **state)
{
	struct dkt__guess guess;
	char word[100];

	(void)state;
	assert_string_equal(guess_of(&guess, "repotr"), "; did you mean report?");
	assert_string_equal(guess_of(&guess, "STATUS"), "; did you mean status?");
	assert_string_equal(guess_of(&guess, "switch"), "; did you mean sched_switch?");
	assert_string_equal(guess_of(&guess, "banana"), "");
	assert_string_equal(guess_of(&guess, ""), "");
	/* All of one letter changed is another word. */
	assert_string_equal(guess_of(&guess, "y"), "");
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_string_equal(guess_of(&guess, word), "");
}

static void a_member_is_suggested_with_its_group(void **state)
{
	struct dkt__guess guess;

	(void)state;
	dkt__guess_start(&guess, "sched_swich", 11);
	dkt__guess_member(&guess, "sched", "sched_switch");
	assert_string_equal(guess.best, "sched:sched_switch");
	dkt__guess_start(&guess, "shced", 5);
	dkt__guess_member(&guess, "sched", "sched_switch");
	assert_string_equal(guess.best, "sched");
	dkt__guess_start(&guess, "shced:sched_switch", 18);
	dkt__guess_member(&guess, "sched", "sched_switch");
	assert_string_equal(guess.best, "sched:sched_switch");
}

static void the_name_with_most_votes_wins(void **state)
{
	static const char *const names[] = { "pin", "pit", "pid", "pit", "other", "pid", "pid" };
	struct dkt__guess guess;
	struct dkt__guess_votes votes = { .guess = &guess };
	size_t i;

	(void)state;
	dkt__guess_start(&guess, "pix", 3);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		dkt__guess_vote(&votes, names[i]);
	dkt__guess_elect(&votes);
	assert_string_equal(guess.best, "pid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_closest_name_is_suggested),
		cmocka_unit_test(a_member_is_suggested_with_its_group),
		cmocka_unit_test(the_name_with_most_votes_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
