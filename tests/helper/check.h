/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assertions in addition to cmocka's, and the headers that cmocka needs before its own. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <dktrace/dktrace.h>

/* The name that cmocka 2 gives to one of its calls; it warns of the older one. */
#ifndef assert_uint_in_range
#define assert_uint_in_range assert_in_range
#endif

static inline void check_result(int have, int want, const char *call, const char *file, int line)
{
	if (have == want)
		return;
	print_error("%s is %d, not %d\n", call, have, want);
	_fail(file, line);
}

static inline void check_words(struct dkt_ctx *ctx, const char *want, const char *call,
			       const char *file, int line)
{
	if (!want || !strcmp(dkt_error(ctx), want))
		return;
	print_error("%s says\n  %s\nnot\n  %s\n", call, dkt_error(ctx), want);
	_fail(file, line);
}

static inline void check_part(const char *text, const char *part, bool wanted, const char *file,
			      int line)
{
	if (text && !strstr(text, part) == !wanted)
		return;
	print_error("%s \"%s\" in:\n%s\n", wanted ? "no" : "there is", part,
		    text ? text : "(null)");
	_fail(file, line);
}

/* With DKT_TEST=WORDS in the environment a program runs only the tests that have the words in their name. */
static inline void check_choose(void)
{
	static char pattern[256];
	const char *words = getenv("DKT_TEST");

	if (!words)
		return;
	snprintf(pattern, sizeof(pattern), "*%s*", words);
	cmocka_set_test_filter(pattern);
}

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
	(check_choose(),                                                                           \
	 _cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup,         \
				 teardown))

/* The call returns 0; a failure shows its message. */
#define assert_ok(ctx, call)                                                                       \
	do {                                                                                       \
		int check_err = (call);                                                            \
		if (check_err)                                                                     \
			print_error("%s\n", dkt_error(ctx));                                       \
		check_result(check_err, 0, #call, __FILE__, __LINE__);                             \
	} while (0)

/* The call returns err with exactly this message; NULL: with any message. */
#define assert_fails(ctx, err, words, call)                                                        \
	do {                                                                                       \
		check_result(call, err, #call, __FILE__, __LINE__);                                \
		check_words(ctx, words, #call, __FILE__, __LINE__);                                \
	} while (0)

/* The text has this part, or does not have it. */
#define assert_has(text, part)   check_part(text, part, true, __FILE__, __LINE__)
#define assert_lacks(text, part) check_part(text, part, false, __FILE__, __LINE__)

#endif
