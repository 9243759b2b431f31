/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Privileges for tracefs: who lacks which, and what remains after they are dropped. */
#include <sys/capability.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/caps.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

#define BIT(cap)    (1ull << (cap))
#define NOBODY_HERE 4242 /* not the owner of the tests' files */

struct fixture {
	struct dkt_ctx *ctx;
	char dir[32];
	char path[64];
};

static const char *below(struct fixture *f, const char *name)
{
	assert_true(snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name) < 64);
	return f->path;
}

static void set_modes(struct fixture *f, mode_t dir, mode_t instances, mode_t file)
{
	assert_int_equal(chmod(f->dir, 0700), 0);
	assert_int_equal(chmod(below(f, "instances"), instances), 0);
	assert_int_equal(chmod(below(f, "set_event"), file), 0);
	assert_int_equal(chmod(below(f, "trace_clock"), file), 0);
	assert_int_equal(chmod(f->dir, dir), 0);
}

static void make_file(struct fixture *f, const char *name)
{
	FILE *file = fopen(below(f, name), "we");

	assert_non_null(file);
	fclose(file);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	DKT_OPTS(dkt_ctx_opts, opts);

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/dkt-caps-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(mkdir(below(f, "instances"), 0700), 0);
	make_file(f, "set_event");
	make_file(f, "trace_clock");
	opts.root = f->dir;
	assert_int_equal(dkt_ctx_new(&opts, &f->ctx), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	chmod(f->dir, 0700);
	unlink(below(f, "set_event"));
	unlink(below(f, "trace_clock"));
	rmdir(below(f, "instances"));
	rmdir(f->dir);
	dkt_ctx_free(f->ctx);
	free(f);
	return 0;
}

/* Checks the needs as another user with these capabilities, and that the check fails at that place. */
static void refused(struct fixture *f, uint64_t caps, unsigned int needs, const char *place,
		    const char *mode)
{
	struct dkt__rights rights = {
		.uid = NOBODY_HERE,
		.gid = NOBODY_HERE,
		.caps = caps,
		.initial_ns = true,
	};
	bool control = needs & DKT_NEED_CONTROL;
	char owner[16] = "root", want[256];

	if (getuid())
		snprintf(owner, sizeof(owner), "%u", (unsigned int)getuid());
	snprintf(want, sizeof(want),
		 "%s: no permission for %s%s (owner %s, mode %s): need %s; run as root",
		 control ? "control the tracer" : "read tracefs", f->dir, place, owner, mode,
		 control ? "cap_dac_override" : "cap_dac_read_search or cap_dac_override");
	assert_fails(f->ctx, -EPERM, want, dkt__rights_check(f->ctx, &rights, needs));
}

static void allowed(struct fixture *f, uint64_t caps, unsigned int needs)
{
	struct dkt__rights rights = {
		.uid = NOBODY_HERE,
		.gid = NOBODY_HERE,
		.caps = caps,
		.initial_ns = true,
	};

	assert_ok(f->ctx, dkt__rights_check(f->ctx, &rights, needs));
}

static void another_user_needs_capabilities(void **state)
{
	struct fixture *f = *state;

	set_modes(f, 0700, 0750, 0640);
	refused(f, 0, DKT_NEED_READ, "", "0700");
	refused(f, 0, DKT_NEED_READ | DKT_NEED_CONTROL, "", "0700");
	refused(f, BIT(CAP_DAC_READ_SEARCH), DKT_NEED_CONTROL, "/instances", "0750");
	allowed(f, BIT(CAP_DAC_READ_SEARCH), DKT_NEED_READ);
	allowed(f, BIT(CAP_DAC_OVERRIDE), DKT_NEED_READ | DKT_NEED_CONTROL);
	allowed(f, 0, 0);
}

static void mode_may_be_enough(void **state)
{
	struct fixture *f = *state;

	set_modes(f, 0755, 0755, 0644);
	allowed(f, 0, DKT_NEED_READ);
	refused(f, 0, DKT_NEED_CONTROL, "/instances", "0755");
	set_modes(f, 0755, 0757, 0644);
	refused(f, 0, DKT_NEED_CONTROL, "/set_event", "0644");
	set_modes(f, 0755, 0757, 0646);
	allowed(f, 0, DKT_NEED_CONTROL);
}

static void owner_and_group_count(void **state)
{
	struct fixture *f = *state;
	gid_t groups[2] = { NOBODY_HERE + 1, 0 };
	struct dkt__rights rights = { .uid = getuid(), .gid = NOBODY_HERE, .initial_ns = true };
	struct stat st;

	set_modes(f, 0700, 0750, 0640);
	assert_ok(f->ctx, dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL));
	assert_int_equal(stat(f->dir, &st), 0);
	rights.uid = NOBODY_HERE;
	rights.groups = groups;
	rights.n_groups = ARRAY_SIZE(groups);
	groups[1] = st.st_gid;
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_READ), -EPERM);
	/* As tracefs is with gid= and mode=0750. */
	set_modes(f, 0750, 0750, 0640);
	assert_ok(f->ctx, dkt__rights_check(f->ctx, &rights, DKT_NEED_READ));
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL), -EPERM);
	set_modes(f, 0770, 0770, 0660);
	assert_ok(f->ctx, dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL));
	rights.n_groups = 1;
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL), -EPERM);
}

/* As after chgrp -R and chmod -R g+rwX of the instance's directory. */
static void a_given_instance_is_enough_for_its_log(void **state)
{
	static const char *const files[] = { "set_event", "trace", "tracing_on" };
	struct fixture *f = *state;
	struct dkt__rights rights = {
		.uid = NOBODY_HERE, .gid = NOBODY_HERE, .initial_ns = true, .instance = "ops"
	};
	char path[64];

	set_modes(f, 0755, 0755, 0644);
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL), -EPERM);
	assert_int_equal(mkdir(below(f, "instances/ops"), 0700), 0);
	assert_int_equal(mkdir(below(f, "instances/ops/events"), 0755), 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "instances/ops/%s", files[i]);
		make_file(f, path);
		assert_int_equal(chmod(below(f, path), 0666), 0);
	}
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL), -EPERM);
	assert_int_equal(chmod(below(f, "instances/ops"), 0755), 0);
	assert_ok(f->ctx, dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL));
	rights.instance = "other";
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL), -EPERM);
	rights.instance = "ops";
	assert_int_equal(chmod(below(f, "instances/ops/tracing_on"), 0644), 0);
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_CONTROL), -EPERM);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "instances/ops/%s", files[i]);
		assert_int_equal(unlink(below(f, path)), 0);
	}
	assert_int_equal(rmdir(below(f, "instances/ops/events")), 0);
	assert_int_equal(rmdir(below(f, "instances/ops")), 0);
}

static void foreign_owner_is_out_of_reach(void **state)
{
	struct fixture *f = *state;
	struct dkt__rights rights = { .uid = 0, .gid = 0, .caps = ~0ull, .initial_ns = false };

	if (getuid()) {
		print_message("skipped: chown needs root\n");
		skip();
	}
	set_modes(f, 0700, 0750, 0640);
	assert_int_equal(chown(f->dir, 65534, 65534), 0);
	assert_int_equal(dkt__rights_check(f->ctx, &rights, DKT_NEED_READ), -EPERM);
	assert_has(dkt_error(f->ctx), "(owner 65534, mode 0700): need "
				      "cap_dac_read_search or cap_dac_override of the "
				      "initial user namespace; this root was not");
	rights.initial_ns = true;
	assert_ok(f->ctx, dkt__rights_check(f->ctx, &rights, DKT_NEED_READ));
}

static void mounted_is_not_mounted_again(void **state)
{
	struct fixture *f = *state;

	set_modes(f, 0755, 0755, 0644);
	allowed(f, 0, DKT_NEED_MOUNT | DKT_NEED_READ);
}

static void lockdown_is_reported(void **state)
{
	(void)state;
	assert_false(dkt__lockdown_refuses("[none] integrity confidentiality\n"));
	assert_false(dkt__lockdown_refuses("none [integrity] confidentiality\n"));
	assert_true(dkt__lockdown_refuses("none integrity [confidentiality]\n"));
}

static void known_names_are_libcaps(void **state)
{
	struct fixture *f = *state;
	struct dkt__cap cap;
	cap_value_t value;
	size_t i;
	int rc;

	for (i = 0; !(rc = dkt__caps_get(f->ctx, i, &cap, sizeof(cap))); i++) {
		assert_int_equal(cap_from_name(cap.name, &value), 0);
		assert_true(*cap.use);
	}
	assert_int_equal(rc, 1);
	assert_int_equal(i, 5);
	assert_null(cap.name);
}

/* Runs in a child, as it is for good. The child's status is the number of the failed step. */
static int drop_and_look(struct dkt_ctx *ctx, bool as_nobody)
{
	struct dkt__cap cap;
	size_t i;

	if (as_nobody && setresuid(65534, 65534, 65534))
		return 2;
	if (dkt__caps_limit(ctx, DKT__KEEP_SYMBOLS | DKT__KEEP_TRACEFS))
		return 3;
	for (i = 0; !dkt__caps_get(ctx, i, &cap, sizeof(cap)); i++)
		if (cap.have && strcmp(cap.name, "cap_syslog"))
			return 4;
	if (dkt__caps_limit(ctx, DKT__KEEP_SYMBOLS | DKT__KEEP_TRACEFS))
		return 5;
	/* Not even a program started now gets them back; bit 34 is cap_syslog. */
	execl("/bin/sh", "sh", "-c",
	      "! grep -E '^Cap(Prm|Inh|Eff)' /proc/self/status | grep -qvE '0000000[04]00000000'",
	      NULL);
	return 6;
}

static void child_succeeds(struct fixture *f, bool as_nobody)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(drop_and_look(f->ctx, as_nobody));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void dropped_capabilities_stay_dropped(void **state)
{
	child_succeeds(*state, false);
}

static void a_user_without_capabilities_can_drop(void **state)
{
	if (getuid()) {
		print_message("skipped: becoming nobody needs root\n");
		skip();
	}
	child_succeeds(*state, true);
}

/* Effective capabilities of this process, bit by bit. */
static uint64_t effective(void)
{
	cap_t set = cap_get_proc();
	cap_flag_value_t value;
	uint64_t caps = 0;
	cap_value_t cap;

	for (cap = 0; CAP_IS_SUPPORTED(cap); cap++)
		if (!cap_get_flag(set, cap, CAP_EFFECTIVE, &value) && value == CAP_SET)
			caps |= BIT(cap);
	cap_free(set);
	return caps;
}

static int keep_and_look(struct dkt_ctx *ctx)
{
	uint64_t files = BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER), all = effective();

	if (dkt__caps_lower(ctx, DKT__LOWER_ALL) || effective())
		return 2;
	if (dkt__caps_lower(ctx, DKT__LOWER_ALL) || dkt__caps_raise(ctx) || effective())
		return 9;
	if (dkt__caps_raise(ctx) || effective() != all)
		return 3;
	/* Nothing was gained by a program's file, so all of it is the caller's own. */
	if (dkt__caps_lower(ctx, DKT__LOWER_GAINED) || effective() != all || dkt__caps_raise(ctx))
		return 4;
	if (dkt__caps_limit(ctx, DKT__KEEP_OUTPUT | DKT__KEEP_PROCESSES) ||
	    effective() != (all & (files | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH))))
		return 5;
	if (dkt__caps_limit(ctx, DKT__KEEP_OUTPUT) || effective() != (all & files))
		return 8;
	/* Capabilities that are already dropped cannot be kept; this tracefs belongs to this user. */
	if (dkt__caps_limit(ctx, DKT__KEEP_INPUT | DKT__KEEP_TRACEFS | DKT__KEEP_KILL) ||
	    effective())
		return 6;
	return dkt__caps_raise(ctx) || effective() ? 7 : 0;
}

static void only_the_named_capabilities_are_kept(void **state)
{
	struct fixture *f = *state;
	pid_t pid;
	int status;

	assert_ok(f->ctx, dkt_tracefs_open(f->ctx, 0));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(keep_and_look(f->ctx));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(another_user_needs_capabilities, setup, teardown),
		cmocka_unit_test_setup_teardown(mode_may_be_enough, setup, teardown),
		cmocka_unit_test_setup_teardown(owner_and_group_count, setup, teardown),
		cmocka_unit_test_setup_teardown(a_given_instance_is_enough_for_its_log, setup,
						teardown),
		cmocka_unit_test_setup_teardown(foreign_owner_is_out_of_reach, setup, teardown),
		cmocka_unit_test_setup_teardown(mounted_is_not_mounted_again, setup, teardown),
		cmocka_unit_test(lockdown_is_reported),
		cmocka_unit_test_setup_teardown(known_names_are_libcaps, setup, teardown),
		cmocka_unit_test_setup_teardown(dropped_capabilities_stay_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(a_user_without_capabilities_can_drop, setup,
						teardown),
		cmocka_unit_test_setup_teardown(only_the_named_capabilities_are_kept, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
