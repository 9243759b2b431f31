/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Servants: what ends them. */
#include <signal.h>

#include "lib/base/pass.h"
#include "lib/base/servant.h"
#include "tests/helper/check.h"

/* Answers each message with the same, until the connection ends; then it writes one to the pipe. */
static void be_echo(int fd, int last)
{
	char byte;
	struct dkt__pass pass = { .head = &byte, .n_head = 1 };

	while (dkt__pass_take(fd, &pass) == 1)
		dkt__pass_send(fd, &pass);
	_exit(write(last, "", 1) != 1);
}

static void a_servant_ends_with_its_connection_and_by_no_signal_to_the_group(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	char byte = 'a';
	struct dkt__pass pass = { .head = &byte, .n_head = 1 };
	int fd, ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = dkt__servant_fork(&fd);
	if (!pid)
		be_echo(fd, ends[1]);
	assert_true(pid > 0);
	/* It answers only when it is ready, and after each signal. */
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		assert_int_equal(dkt__pass_send(fd, &pass), 0);
		assert_int_equal(dkt__pass_take(fd, &pass), 1);
		assert_int_equal(kill(pid, signals[i]), 0);
	}
	assert_int_equal(dkt__pass_send(fd, &pass), 0);
	assert_int_equal(dkt__pass_take(fd, &pass), 1);
	dkt__servant_end(pid, &fd);
	assert_int_equal(fd, -1);
	/* Its work was done when the call returned. */
	assert_int_equal(kill(pid, 0), -1);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	/* It has ended already. */
	dkt__servant_end(pid, &fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_servant_ends_with_its_connection_and_by_no_signal_to_the_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
