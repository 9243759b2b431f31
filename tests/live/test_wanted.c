/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wanted set of a private instance, on the running kernel's tracefs. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "compat/lustre/select.h"
#include "compat/set/wanted.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

#define OWNER "dkt-test-wanted"

struct test {
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct wanted *wanted;
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));

	*state = test;
	assert_int_equal(dkt_ctx_new(NULL, &test->ctx), 0);
	assert_ok(test->ctx, dkt_tracefs_open(test->ctx, 0));
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;

	if (test->in)
		assert_ok(test->ctx, dkt_instance_remove(test->ctx, dkt_instance_name(test->in)));
	dkt_instance_close(test->in);
	dkl_wanted_free(test->wanted);
	dkt_ctx_free(test->ctx);
	free(test);
	return 0;
}

static void want(struct test *test, const struct wanted_words *words)
{
	struct dkt_change *change;

	assert_ok(test->ctx, dkl_wanted_new(test->ctx, words, &test->wanted));
	assert_ok(test->ctx, dkt_instance_own(test->ctx, OWNER, &test->in));
	assert_ok(test->ctx, dkt_change_new(test->in, &change));
	assert_ok(test->ctx, dkl_wanted_apply(test->wanted, change));
	assert_ok(test->ctx, dkt_change_commit(change));
	dkt_change_free(change);
}

static const struct wanted_event *find(struct test *test, const char *system, const char *name)
{
	struct dkt_event *event = dkt_event_find(test->ctx, system, name);

	assert_non_null(event);
	for (size_t i = 0; i < test->wanted->n; i++)
		if (test->wanted->list[i].event == event)
			return &test->wanted->list[i];
	return NULL;
}

static void assert_filter(struct test *test, const char *system, const char *name,
			  const char *wanted)
{
	char *text;

	assert_ok(test->ctx, dkt_instance_get_filter(
				     test->in, dkt_event_find(test->ctx, system, name), &text));
	assert_string_equal(text, wanted);
	free(text);
}

static void the_instance_gets_exactly_the_events_and_filters(void **state)
{
	const struct wanted_words words = { .events = "sched:sched_switch[prev_pid > 0 && prev_prio"
						      " < 100],sched:sched_wak*",
					    .filter = "prev_pid != 7",
					    .comms = "dd",
					    .cpus = "0" };
	struct test *test = *state;
	struct dkt_event **on;
	char *cpus;
	size_t n;

	want(test, &words);
	assert_ok(test->ctx, dkt_instance_get_events(test->in, &on, &n));
	assert_int_equal(n, test->wanted->n);
	assert_true(n > 1);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(on[i], test->wanted->list[i].event);
	free(on);
	assert_filter(test, "sched", "sched_switch",
		      "(prev_pid > 0 && prev_prio < 100) && (prev_pid != 7) && (COMM == \"dd\")");
	assert_filter(test, "sched", "sched_wakeup", "COMM == \"dd\"");
	assert_has(test->wanted->notes, "the others do not have its fields and are recorded");
	assert_ok(test->ctx, dkt__instance_get_cpus(test->in, &cpus));
	assert_string_equal(cpus ? cpus : "0", "0");
	free(cpus);
}

static void a_class_and_names_add_up(void **state)
{
	const struct wanted_words words = {
		.classes = "+iotrace,dlmtrace",
		.sources = "kernel",
		.events = "sched_switch,block:block_rq_issue[sector > 7]"
	};
	struct test *test = *state;
	const struct wanted_event *one;

	assert_ok(test->ctx, dkl_wanted_new(test->ctx, &words, &test->wanted));
	one = find(test, "sched", "sched_switch");
	assert_non_null(one);
	assert_null(one->filter);
	one = find(test, "block", "block_rq_issue");
	assert_non_null(one);
	assert_string_equal(one->filter, "sector > 7");
	assert_null(find(test, "sched", "sched_wakeup"));
	assert_true(test->wanted->n > 10);
}

/* Counts the records of this process's child: stack traces, and of the event. */
static void count(struct test *test, pid_t pid, size_t *stacks, size_t *events)
{
	struct dkt_source *source;
	struct dkt_record record;

	*stacks = *events = 0;
	assert_ok(test->ctx, dkt_source_live(test->in, NULL, &source));
	while (dkt_source_next(source, &record) == DKT_NEXT_RECORD) {
		if (record.pid != pid)
			continue;
		*stacks += !strcmp(dkt_event_name(record.event), "kernel_stack");
		*events += !strcmp(dkt_event_name(record.event), "sys_enter_getppid");
		*events += !strcmp(dkt_event_name(record.event), "sys_enter_umask");
	}
	dkt_source_close(source);
}

/* A child that calls umask(0) to umask(9), and getppid() as often. */
static pid_t run_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (unsigned int i = 0; i < 10; i++) {
			umask(i);
			getppid();
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void only_recorded_events_get_a_stack(void **state)
{
	const struct wanted_words words = { .events = "sys_enter_umask[mask > 5],sys_enter_getppid",
					    .stacks = "syscalls:*umask" };
	struct test *test = *state;
	size_t stacks, events;

	want(test, &words);
	count(test, run_child(), &stacks, &events);
	assert_int_equal(events, 4 + 10);
	assert_int_equal(stacks, 4);
}

static void assert_refused(struct test *test, int err, const char *message,
			   const struct wanted_words words)
{
	assert_fails(test->ctx, err, message, dkl_wanted_new(test->ctx, &words, &test->wanted));
	assert_null(test->wanted);
}

#define REFUSED(test, err, message, ...)                                                           \
	assert_refused(test, err, message, (struct wanted_words){ __VA_ARGS__ })

static void a_word_that_stands_for_nothing_is_refused(void **state)
{
	struct test *test = *state;

	REFUSED(test, -ENOENT, "no event is named", .filter = "prev_pid > 0");
	REFUSED(test, -EINVAL,
		"--class: unknown name 'iotrac'; see 'dktrace list classes';"
		" did you mean iotrace?",
		.classes = "iotrac");
	REFUSED(test, -EINVAL, "--class: '+' ends without a name", .classes = "+");
	REFUSED(test, -ENOENT, NULL, .events = "sched:sched_swich");
	assert_has(dkt_error(test->ctx), "did you mean sched:sched_switch?");
	REFUSED(test, -EINVAL, NULL, .events = "sched:sched_switch", .filter = "bytes > 0");
	assert_has(dkt_error(test->ctx), "--filter: ");
	REFUSED(test, -EINVAL, NULL, .events = "sched:sched_switch", .filter = "prev_pid >");
	REFUSED(test, -ESRCH, NULL, .events = "sched:sched_switch", .pids = "999999999");
	REFUSED(test, -ENOENT, "--stack: no recorded event matches 'block:*'",
		.events = "sched:sched_switch", .stacks = "all,block:*");
	REFUSED(test, -EINVAL, "--stack: sched_switch has a filter; give it to --event",
		.events = "sched:sched_switch", .stacks = "sched_switch[prev_pid > 0]");
	REFUSED(test, -EINVAL, NULL, .probes = "--group x vfs_read", .owner = OWNER);
	assert_has(dkt_error(test->ctx), "--group is not possible here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_instance_gets_exactly_the_events_and_filters,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_class_and_names_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(only_recorded_events_get_a_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(a_word_that_stands_for_nothing_is_refused, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
