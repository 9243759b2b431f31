/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of errors and signals: those that the C library has, if it has names. */
#include <signal.h>

#include "lib/base/errno_names.h"
#include "tests/helper/check.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
#define HAS_NAMES
#endif
#endif

static void names_are_those_of_the_headers(void **state)
{
	(void)state;
	assert_string_equal(dkt__errno_name(ENOENT), "ENOENT");
	assert_string_equal(dkt__errno_name(EHWPOISON), "EHWPOISON");
	assert_string_equal(dkt__signal_name(SIGHUP), "HUP");
	assert_string_equal(dkt__signal_name(SIGSYS), "SYS");
}

static void a_number_without_a_name_has_none(void **state)
{
	static const int numbers[] = { INT32_MIN, -1, 0, 4096, INT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		assert_null(dkt__errno_name(numbers[i]));
		assert_null(dkt__signal_name(numbers[i]));
	}
	assert_null(dkt__signal_name(SIGRTMIN));
}

static void names_are_those_of_the_c_library(void **state)
{
	(void)state;
#ifdef HAS_NAMES
	for (int i = 1; i < 256; i++) {
		const char *error = strerrorname_np(i), *signal = sigabbrev_np(i);

		assert_string_equal(dkt__errno_name(i) ?: "", error ?: "");
		assert_string_equal(dkt__signal_name(i) ?: "", signal ?: "");
	}
#else
	print_message("skipped: this C library has no names\n");
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_headers),
		cmocka_unit_test(a_number_without_a_name_has_none),
		cmocka_unit_test(names_are_those_of_the_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
