/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stop flag: the chosen signals set it to their number. */
#include <signal.h>
#include <sys/wait.h>

#include "lib/base/stop.h"
#include "tests/helper/check.h"

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
	raise(SIGHUP);
	assert_int_equal(dkt__stopped(), SIGHUP);
	dkt__stop_forget();
	assert_int_equal(dkt__stopped(), 0);
	dkt__stop_on(SIGUSR1);
	raise(SIGUSR1);
	assert_int_equal(dkt__stopped(), SIGUSR1);
}

static void a_hangup_that_nohup_ignores_stays_ignored(void **state)
{
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		signal(SIGHUP, SIG_IGN);
		dkt__stop_on_end();
		raise(SIGHUP);
		_exit(dkt__stopped());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Returns the status of a child in which SIGTERM came before it executes a program. */
static int child(void (*first)(int sig))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		first(SIGTERM);
		dkt__stop_on(SIGTERM);
		/* The second handler must not count as the one of before. */
		dkt__stop_on_end();
		raise(SIGTERM);
		dkt__stop_return();
		execl("/bin/sh", "sh", "-c", "kill -PIPE $$; kill -TERM $$; exit 3", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void nothing(int sig)
{
	(void)sig;
}

static void ignore(int sig)
{
	signal(sig, SIG_IGN);
}

static void ignore_both(int sig)
{
	ignore(sig);
	ignore(SIGPIPE);
}

static void a_program_gets_the_signals_as_they_were(void **state)
{
	int status;

	(void)state;
	status = child(nothing);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	status = child(ignore);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGPIPE);
	status = child(ignore_both);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_gets_the_signals_as_they_were),
		cmocka_unit_test(a_hangup_that_nohup_ignores_stays_ignored),
		cmocka_unit_test(signals_set_the_flag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
