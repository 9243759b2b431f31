/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Generic netlink, with the one family that every kernel has: the controller. */
#include <linux/filter.h>
#include <linux/genetlink.h>
#include <linux/seccomp.h>
#include <netlink/attr.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/inside.h"
#include "tests/helper/check.h"

static int setup(void **state)
{
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	*state = ctx;
	return 0;
}

static int teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

/* A container may forbid netlink; then only the message can be tested. */
static void need_netlink(struct dkt_ctx *ctx)
{
	if (dkt__netlink_family(ctx, "nlctrl") >= 0)
		return;
	print_message("skipped: %s\n", dkt_error(ctx));
	skip();
}

static void families_are_told_apart(void **state)
{
	need_netlink(*state);
	assert_int_equal(dkt__netlink_family(*state, "nlctrl"), 1);
	assert_int_equal(dkt__netlink_family(*state, "dkt-no-such"), 0);
	assert_int_equal(dkt__netlink_family(*state, ""), 0);
	assert_int_equal(dkt__netlink_family(*state, "longer than any family's name may be"), 0);
}

struct seen {
	int families;
	int controllers;
	int stop_after;
	int stop_with;
};

static int count_family(void *data, const void *attrs, size_t len)
{
	struct nlattr *name = nla_find((struct nlattr *)attrs, (int)len, CTRL_ATTR_FAMILY_NAME);
	struct seen *seen = data;

	assert_non_null(name);
	seen->families++;
	seen->controllers += !nla_strcmp(name, "nlctrl");
	return seen->families == seen->stop_after ? seen->stop_with : 0;
}

static int dump_families(struct dkt_ctx *ctx, struct seen *seen)
{
	return dkt__netlink_dump(ctx, "nlctrl", CTRL_CMD_GETFAMILY, 1, count_family, seen);
}

static void dump_has_every_answer(void **state)
{
	struct seen seen = { 0 };

	need_netlink(*state);
	assert_ok(*state, dump_families(*state, &seen));
	assert_int_equal(seen.controllers, 1);
	assert_true(seen.families >= 1);
}

static void dump_stops_on_request(void **state)
{
	struct seen enough = { .stop_after = 1, .stop_with = 1 };
	struct seen broken = { .stop_after = 1, .stop_with = -EBADMSG };

	need_netlink(*state);
	assert_ok(*state, dump_families(*state, &enough));
	assert_int_equal(enough.families, 1);
	assert_int_equal(dump_families(*state, &broken), -EBADMSG);
	assert_int_equal(broken.families, 1);
	assert_string_equal(dkt_error(*state), "ask generic netlink family 'nlctrl': Bad message");
}

static void missing_family_is_named(void **state)
{
	struct seen seen = { 0 };

	need_netlink(*state);
	assert_fails(*state, -ENOENT, "no generic netlink family 'dkt-no-such'",
		     dkt__netlink_dump(*state, "dkt-no-such", 1, 1, count_family, &seen));
}

static void a_refusal_of_the_kernel_has_a_message(void **state)
{
	struct seen seen = { 0 };

	need_netlink(*state);
	assert_fails(*state, -EOPNOTSUPP,
		     "ask generic netlink family 'nlctrl': Operation not supported",
		     dkt__netlink_dump(*state, "nlctrl", 200, 1, count_family, &seen));
	assert_int_equal(seen.families, 0);
	/* The policy dump wants a family named. */
	assert_fails(*state, -EINVAL, "ask generic netlink family 'nlctrl': Invalid argument",
		     dkt__netlink_dump(*state, "nlctrl", CTRL_CMD_GETPOLICY, 1, count_family,
				       &seen));
}

/* Where the kernel explains itself, the explanation is passed on. */
static void the_kernels_own_explanation_is_used(void **state)
{
	struct seen seen = { 0 };
	int err;

	need_netlink(*state);
	err = dkt__netlink_dump(*state, "ethtool", 32 /* ETHTOOL_MSG_STATS_GET */, 1, count_family,
				&seen);
	if (err != -EINVAL) {
		print_message("skipped: %s\n", dkt_error(*state));
		skip();
	}
	assert_string_equal(
		dkt_error(*state),
		"ask generic netlink family 'ethtool': Invalid argument: no stats requested");
}

/* Makes a system call fail, or with err 0 do nothing, for good. */
static int forbid(int call, int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int look_without_sockets(struct dkt_ctx *ctx, int err)
{
	if (forbid(SYS_socket, err))
		return 77;
	if (dkt__netlink_family(ctx, "nlctrl") != -err)
		return 1;
	return strncmp(dkt_error(ctx), "open generic netlink: ", 22) ? 2 : 0;
}

/* A question that is never sent is never answered. */
static int wait_in_vain(struct dkt_ctx *ctx, int err)
{
	if (forbid(SYS_sendmsg, err))
		return 77;
	if (dkt__netlink_family(ctx, "nlctrl") != -ETIMEDOUT)
		return 1;
	if (strcmp(dkt_error(ctx), "list generic netlink families: no answer within 2 s"))
		return 2;
	return 0;
}

static void child_succeeds(struct dkt_ctx *ctx, int (*run)(struct dkt_ctx *ctx, int err), int err)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(run(ctx, err));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: no seccomp here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void forbidden_netlink_has_a_message(void **state)
{
	static const int errors[] = { EPERM, EAFNOSUPPORT, EPROTONOSUPPORT, ENOMEM };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		child_succeeds(*state, look_without_sockets, errors[i]);
}

static void silence_does_not_hang(void **state)
{
	need_netlink(*state);
	child_succeeds(*state, wait_in_vain, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_are_told_apart),
		cmocka_unit_test(dump_has_every_answer),
		cmocka_unit_test(dump_stops_on_request),
		cmocka_unit_test(missing_family_is_named),
		cmocka_unit_test(a_refusal_of_the_kernel_has_a_message),
		cmocka_unit_test(the_kernels_own_explanation_is_used),
		cmocka_unit_test(forbidden_netlink_has_a_message),
		cmocka_unit_test(silence_does_not_hang),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
