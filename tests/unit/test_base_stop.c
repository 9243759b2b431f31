/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stop flag: the chosen signals set it to their number. */
#include <signal.h>

#include "base/stop.h"
#include "check.h"

static void signals_set_the_flag(void **state)
{
	(void)state;
	assert_int_equal(dkt__stopped(), 0);
	dkt__stop_on_end();
	raise(SIGINT);
	assert_int_equal(dkt__stopped(), SIGINT);
	raise(SIGTERM);
	assert_int_equal(dkt__stopped(), SIGTERM);
	raise(SIGPIPE);
	assert_int_equal(dkt__stopped(), SIGTERM);
	dkt__stop_forget();
	assert_int_equal(dkt__stopped(), 0);
	dkt__stop_on(SIGHUP);
	raise(SIGHUP);
	assert_int_equal(dkt__stopped(), SIGHUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(signals_set_the_flag) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
