/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intervals of some system calls among all. */
#include <sys/syscall.h>

#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

static struct dkt_ctx *ctx;

/* True if the filter of these names compares the number as shown. */
static bool compares(const char *names, const char *sign, int nr)
{
	const struct dkt_interval *row = dkt_interval_find(ctx, DKT__CALLS);
	char *filter __cleanup(free) = NULL;
	char *one __cleanup(free) = dkt__format("id %s %d ", sign, nr);
	char *all __cleanup(free) = NULL;

	assert_ok(ctx, dkt__interval_calls_filter(ctx, row, names, &filter));
	all = dkt__format("%s ", filter);
	return strstr(all, one);
}

static void all_calls_are_those_that_do_not_wait(void **state)
{
	(void)state;
	assert_true(compares(DKT__CALLS, "!=", SYS_futex));
	assert_true(compares(DKT__CALLS, "!=", SYS_wait4));
	assert_true(compares(DKT__CALLS, "!=", SYS_nanosleep));
	assert_true(compares(DKT__CALLS, "!=", SYS_accept4));
	assert_true(compares(DKT__CALLS, "!=", SYS_epoll_pwait));
	assert_false(compares(DKT__CALLS, "!=", SYS_fsync));
}

static void named_calls_are_these_also_if_they_wait(void **state)
{
	(void)state;
	assert_true(compares("read,futex", "==", SYS_read));
	assert_true(compares("read,futex", "==", SYS_futex));
	assert_false(compares("read,futex", "==", SYS_write));
}

static void an_unknown_call_is_refused(void **state)
{
	const struct dkt_interval *row = dkt_interval_find(ctx, DKT__CALLS);
	char *filter;

	(void)state;
	assert_fails(ctx, -ENOENT,
		     "'reed' is neither a pair of events nor a system call; 'dktrace latency' lists"
		     " the pairs",
		     dkt__interval_calls_filter(ctx, row, "read,reed", &filter));
	free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_calls_are_those_that_do_not_wait),
		cmocka_unit_test(named_calls_are_these_also_if_they_wait),
		cmocka_unit_test(an_unknown_call_is_refused),
	};
	int failed;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	dkt_ctx_free(ctx);
	return failed;
}
