/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triggers: lines as the kernels write them, commands as people do, exclusions. */
#include "lib/inside.h"
#include "lib/instance/trigger.h"
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

/* As kernels 6.1, 6.12 and 6.18 list them. */
static void a_trigger_file_is_read(void **state)
{
	static const char text[] =
		"stacktrace:unlimited\n"
		"enable_event:sched:sched_wakeup:count=2\n"
		"disable_event:kmem:kmalloc:unlimited if prio > 100\n"
		"traceoff:count=0 if comm ~ \" if *\"\n"
		"nosuch:unlimited\n"
		"hist:keys=common_pid:vals=hitcount:sort=hitcount:size=2048 if prio > 1 [active]\n"
		"hist:keys=pid,prio:vals=hitcount:sort=hitcount:size=128 [paused]\n"
		"hist:keys=common_cpucommon_cpu,vec:vals=hitcount:c0=common_cpucommon_cpu [active]\n";
	static const struct {
		const char *text, *action, *target, *filter;
		int64_t left;
	} want[] = {
		/* clang-format off */
		{ "stacktrace", "stacktrace", NULL, NULL, -1 },
		{ "enable_event:sched:sched_wakeup:2", "enable_event", "sched:sched_wakeup", NULL, 2 },
		{ "disable_event:kmem:kmalloc if prio > 100", "disable_event", "kmem:kmalloc",
		  "prio > 100", -1 },
		{ "traceoff:0 if comm ~ \" if *\"", "traceoff", NULL, "comm ~ \" if *\"", 0 },
		{ "hist:keys=common_pid:vals=hitcount:sort=hitcount:size=2048 if prio > 1", "hist",
		  NULL, "prio > 1", -1 },
		{ "hist:keys=pid,prio:vals=hitcount:sort=hitcount:size=128", "hist", NULL, NULL, -1 },
		/* as kernel 7.3 prints it */
		{ "hist:keys=common_cpu,vec:vals=hitcount:c0=common_cpu", "hist", NULL, NULL, -1 },
		/* clang-format on */
	};
	struct dkt_trigger **triggers __cleanup(free) = NULL;
	size_t n, i;

	(void)state;
	assert_int_equal(dkt__triggers_parse(text, &triggers, &n), 0);
	assert_int_equal(n, ARRAY_SIZE(want));
	for (i = 0; i < n; i++) {
		assert_string_equal(triggers[i]->text, want[i].text);
		assert_string_equal(triggers[i]->action, want[i].action);
		assert_int_equal(!triggers[i]->target, !want[i].target);
		if (want[i].target)
			assert_string_equal(triggers[i]->target, want[i].target);
		assert_int_equal(!triggers[i]->filter, !want[i].filter);
		if (want[i].filter)
			assert_string_equal(triggers[i]->filter, want[i].filter);
		assert_int_equal(triggers[i]->left, want[i].left);
	}
}

static void an_empty_file_has_no_triggers(void **state)
{
	static const char text[] = "# Available triggers:\n"
				   "# traceon traceoff stacktrace enable_event disable_event\n";
	struct dkt_trigger **triggers __cleanup(free) = NULL;
	size_t n;

	(void)state;
	assert_int_equal(dkt__triggers_parse(text, &triggers, &n), 0);
	assert_int_equal(n, 0);
	assert_true(dkt__trigger_offered(text, "traceon"));
	assert_true(dkt__trigger_offered(text, "disable_event"));
	assert_false(dkt__trigger_offered(text, "snapshot"));
	assert_false(dkt__trigger_offered(text, "trace"));
	assert_false(dkt__trigger_offered(text, "hist"));
	assert_true(dkt__trigger_offered("traceoff:unlimited\n", "snapshot"));
}

static void commands_become_triggers(void **state)
{
	static const char *const good[][2] = {
		{ "traceoff", "traceoff" },
		{ "traceoff:5", "traceoff:5" },
		{ "traceoff:count=5 if a == 1", "traceoff:5 if a == 1" },
		{ "traceoff:unlimited", "traceoff" },
		{ "enable_event:a:b:3 if x", "enable_event:a:b:3 if x" },
		{ "enable_hist:a:b", "enable_hist:a:b" },
		{ "hist:keys=a:size=128", "hist:keys=a:size=128" },
	};
	static const char *const bad[] = {
		"",
		"nosuch",
		"traceoff:",
		"traceoff:x",
		"traceoff:-1",
		"traceoff:5x",
		"traceoff:5:6",
		"traceoff if ",
		"traceoff:9999999999999999999999",
		"traceoff\nif a == 1",
		"tracoff if a == 1",
		"enable_event",
		"enable_event:",
		"enable_event:a",
		"enable_event:a:",
		"enable_event::b",
		"enable_event: if a:b",
		"enable_event:a:b:c",
		"hist",
		"hist:",
	};
	char room[5000];
	struct dkt_trigger *trigger;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		assert_ok(*state, dkt__trigger_parse(*state, good[i][0], &trigger));
		assert_string_equal(trigger->text, good[i][1]);
		free(trigger);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(dkt__trigger_parse(*state, bad[i], &trigger), -EINVAL);
		assert_null(trigger);
		assert_true(*dkt_error(*state));
	}
	memset(room, 'x', sizeof(room));
	room[sizeof(room) - 1] = '\0';
	memcpy(room, "traceoff if ", 12);
	assert_int_equal(dkt__trigger_parse(*state, room, &trigger), -E2BIG);
}

static bool relation(struct dkt_ctx *ctx, const char *a, const char *b,
		     bool (*holds)(const struct dkt_trigger *, const struct dkt_trigger *))
{
	struct dkt_trigger *one __cleanup(free) = NULL, *two __cleanup(free) = NULL;

	assert_ok(ctx, dkt__trigger_parse(ctx, a, &one));
	assert_ok(ctx, dkt__trigger_parse(ctx, b, &two));
	return holds(one, two);
}

static void equal_and_excluding_triggers_are_recognised(void **state)
{
	struct dkt_ctx *ctx = *state;

	assert_true(relation(ctx, "traceoff:5", "traceoff if a == 1", dkt__trigger_same));
	assert_false(relation(ctx, "traceoff", "traceon", dkt__trigger_same));
	assert_true(relation(ctx, "traceoff", "traceon:1", dkt__trigger_excludes));
	assert_false(relation(ctx, "traceoff", "traceoff", dkt__trigger_excludes));
	assert_false(relation(ctx, "traceoff", "stacktrace", dkt__trigger_excludes));
	assert_true(relation(ctx, "enable_event:a:b", "enable_event:a:b:1", dkt__trigger_same));
	assert_false(relation(ctx, "enable_event:a:b", "enable_event:a:c", dkt__trigger_same));
	assert_true(relation(ctx, "enable_event:a:b", "disable_event:a:b", dkt__trigger_excludes));
	assert_false(relation(ctx, "enable_event:a:b", "disable_event:a:c", dkt__trigger_excludes));
	assert_false(relation(ctx, "enable_event:a:b", "disable_hist:a:b", dkt__trigger_excludes));
	assert_false(relation(ctx, "hist:keys=a", "hist:keys=b", dkt__trigger_same));
	assert_true(relation(ctx, "hist:keys=a if b", "hist:keys=a if b", dkt__trigger_same));
	assert_false(relation(ctx, "hist:keys=a:v=b", "hist:keys=a:w=b", dkt__trigger_same));
	assert_false(relation(ctx, "hist:keys=a:v=b", "hist:keys=a", dkt__trigger_same));
	assert_true(
		relation(ctx, "hist:keys=a,b:v=b:w=c:onmatch(x.y).z($q)",
			 "hist:keys=a,b:vals=hitcount:v=b,w=c:sort=hitcount:size=2048:clock=mono"
			 ":onmatch(x.y).z($q)",
			 dkt__trigger_same));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_trigger_file_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_file_has_no_triggers, setup, teardown),
		cmocka_unit_test_setup_teardown(commands_become_triggers, setup, teardown),
		cmocka_unit_test_setup_teardown(equal_and_excluding_triggers_are_recognised, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
