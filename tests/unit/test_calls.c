/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joined system calls: states, both families of events, losses, thread IDs used again, strings. */
#include "answers/strace/calls.h"

#include <sched.h>

#include "answers/strace/followed.h"
#include "answers/strace/stack.h"
#include "tests/helper/call_events.h"
#include "tests/helper/check.h"

#define NR_READ   0
#define NR_OPENAT 257
#define NR_EXIT   231
#define NR_CLONE  56

struct room {
	struct dkt_ctx *ctx;
	struct dkt_event *events[CALL_EVENTS];
	struct calls *calls;
	struct call list[16];
	char text[16][32];
	uint64_t kernel[16], user[16], waited[16]; /* the innermost addresses */
	size_t n;
	struct call_task task;
	uint64_t ts;
};

static int take(void *data, const struct call *call)
{
	struct room *r = data;

	assert_true(r->n < ARRAY_SIZE(r->list));
	r->list[r->n] = *call;
	snprintf(r->text[r->n], sizeof(r->text[0]), "%s",
		 call->n_args > 1 && call->texts[1] ? call->texts[1] : "");
	if (call->stacks) {
		const struct call_stacks *stacks = call->stacks;

		r->kernel[r->n] = stacks->kernel.n ? stacks->kernel.frames[0] : 0;
		r->user[r->n] = stacks->user.n ? stacks->user.frames[0] : 0;
		r->waited[r->n] = stacks->waited;
	}
	r->n++;
	return 0;
}

static int take_task(void *data, const struct call_task *task)
{
	((struct room *)data)->task = *task;
	return 0;
}

static int setup(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .machine = "x86_64");
	struct room *r = calloc(1, sizeof(*r));
	const struct calls_opts calls = {
		.call = take, .task = take_task, .data = r, .texts = true, .stacks = true
	};

	assert_non_null(r);
	assert_int_equal(dkt_ctx_new(&opts, &r->ctx), 0);
	assert_ok(r->ctx, call_events_define(r->ctx, r->events));
	assert_int_equal(calls_new(r->ctx, &calls, &r->calls), 0);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct room *r = *state;

	calls_free(r->calls);
	dkt_ctx_free(r->ctx);
	free(r);
	return 0;
}

static void add(struct room *r, enum call_made event, int32_t tid, union call_bytes *bytes,
		uint32_t size)
{
	struct dkt_record record = { .ts = r->ts += 10,
				     .event = r->events[event],
				     .data = bytes,
				     .size = size,
				     .pid = tid };

	assert_int_equal(calls_add(r->calls, &record), 0);
}

static void enter(struct room *r, int32_t tid, int64_t number)
{
	union call_bytes bytes = { .it.raw_enter = { .id = number, .args = { 3, 4, 5 } } };

	add(r, RAW_ENTER, tid, &bytes, 64);
}

static void leave(struct room *r, int32_t tid, int64_t number, int64_t ret)
{
	union call_bytes bytes = { .it.raw_exit = { .id = number, .ret = ret } };

	add(r, RAW_EXIT, tid, &bytes, 24);
}

static void enter_openat(struct room *r, int32_t tid, const char *path)
{
	union call_bytes bytes = { .it.enter = { .nr = NR_OPENAT,
						 .args = { 100, 200, 300, 400 } } };

	bytes.it.enter.text = 52 | (uint32_t)(strlen(path) + 1) << 16;
	strcpy(bytes.it.enter.bytes, path);
	add(r, ENTER_OPENAT, tid, &bytes, 92);
}

static void leave_openat(struct room *r, int32_t tid, int64_t ret)
{
	union call_bytes bytes = { .it.exit = { .nr = NR_OPENAT, .ret = ret } };

	add(r, EXIT_OPENAT, tid, &bytes, 24);
}

static void text_openat(struct room *r, int32_t tid, const char *path)
{
	union call_bytes bytes = { .it.text = { .nr = NR_OPENAT } };

	bytes.it.text.text = 16 | (uint32_t)(strlen(path) + 1) << 16;
	strcpy(bytes.it.text.bytes, path);
	add(r, TEXT_OPENAT, tid, &bytes, 56);
}

/* Thread 0: idle. */
static void switch_to(struct room *r, int32_t from, int64_t state, int32_t to)
{
	union call_bytes bytes = { .it.switched = { .state = state, .next = to } };

	add(r, SWITCHED, from, &bytes, 20);
}

/* The stack ends before its second address, as that of some kernels does. */
static void stack(struct room *r, enum call_made event, int32_t tid, uint64_t address)
{
	union call_bytes bytes = { .it.stack = { .size = 3,
						 .caller = { address, UINT64_MAX, 1 } } };

	add(r, event, tid, &bytes, 40);
}

static void lose(struct room *r)
{
	struct dkt_record record = { .ts = r->ts += 10, .lost = 3 };

	assert_int_equal(calls_add(r->calls, &record), 0);
}

static void a_begin_and_its_end_are_a_call(void **state)
{
	struct room *r = *state;

	enter(r, 7, NR_READ);
	enter(r, 8, NR_OPENAT);
	leave(r, 8, NR_OPENAT, -2);
	leave(r, 7, NR_READ, 5);
	assert_int_equal(r->n, 2);
	assert_int_equal(r->list[0].state, CALL_ENDED);
	assert_int_equal(r->list[0].tid, 8);
	assert_true(call_failed(&r->list[0]));
	assert_string_equal(r->list[1].kind->name, "read");
	assert_int_equal(r->list[1].begin, 10);
	assert_int_equal(r->list[1].end, 40);
	assert_int_equal(r->list[1].ret, 5);
	assert_int_equal(r->list[1].n_args, 6);
	assert_int_equal(r->list[1].args[2], 5);
	assert_false(call_failed(&r->list[1]));
}

static void a_call_that_both_families_record_counts_once(void **state)
{
	struct room *r = *state;
	struct calls_info info;

	for (int i = 0; i < 2; i++) {
		enter(r, 7, NR_OPENAT);
		enter_openat(r, 7, "/etc/passwd");
		leave(r, 7, NR_OPENAT, 3);
		leave_openat(r, 7, 3);
	}
	enter_openat(r, 7, "/b");
	enter(r, 7, NR_OPENAT);
	leave_openat(r, 7, 4);
	leave(r, 7, NR_OPENAT, 4);
	calls_info(r->calls, &info);
	assert_int_equal(r->n, 3);
	assert_int_equal(info.ended, 3);
	assert_int_equal(info.begins, 3);
	assert_int_equal(info.ends, 3);
	assert_string_equal(r->text[1], "/etc/passwd");
	assert_string_equal(r->text[2], "/b");
	assert_int_equal(r->list[2].state, CALL_ENDED);
}

static void a_record_that_a_file_has_twice_counts_once(void **state)
{
	struct room *r = *state;

	enter(r, 7, NR_READ);
	r->ts -= 10;
	enter(r, 7, NR_READ);
	leave(r, 7, NR_READ, 5);
	r->ts -= 10;
	leave(r, 7, NR_READ, 5);
	assert_int_equal(r->n, 1);
	assert_int_equal(r->list[0].state, CALL_ENDED);
}

static void a_call_across_a_loss_is_lost(void **state)
{
	struct room *r = *state;

	enter(r, 7, NR_READ);
	lose(r);
	leave(r, 7, NR_READ, 5);
	assert_int_equal(r->list[0].state, CALL_LOST);
	assert_true(r->list[0].lost);
	enter(r, 7, NR_READ);
	leave(r, 7, NR_READ, 5);
	assert_int_equal(r->list[1].state, CALL_ENDED);
	/* The end of the first and the begin of the second are lost. */
	enter(r, 7, NR_READ);
	lose(r);
	leave(r, 7, NR_OPENAT, 5);
	assert_int_equal(r->n, 4);
	assert_int_equal(r->list[2].state, CALL_NO_END);
	assert_true(r->list[2].lost);
	assert_int_equal(r->list[3].state, CALL_NO_BEGIN);
	assert_true(r->list[3].lost);
}

static void a_call_of_before_or_after_the_trace_lacks_a_record(void **state)
{
	struct room *r = *state;

	leave(r, 7, NR_READ, 5);
	enter(r, 9, NR_READ);
	enter(r, 7, NR_OPENAT);
	assert_int_equal(r->n, 1);
	assert_int_equal(r->list[0].state, CALL_NO_BEGIN);
	assert_false(r->list[0].lost);
	assert_int_equal(r->list[0].n_args, 0);
	assert_int_equal(calls_finish(r->calls), 0);
	assert_int_equal(r->n, 3);
	assert_int_equal(r->list[1].state, CALL_UNFINISHED);
	assert_int_equal(r->list[1].tid, 9);
	assert_int_equal(r->list[2].tid, 7);
}

static void exit_is_reported_when_it_begins(void **state)
{
	struct room *r = *state;

	enter(r, 7, NR_EXIT);
	assert_int_equal(r->n, 1);
	assert_int_equal(r->list[0].state, CALL_NO_END);
	assert_string_equal(r->list[0].kind->name, "exit_group");
	assert_int_equal(calls_finish(r->calls), 0);
	assert_int_equal(r->n, 1);
}

static void a_signal_handler_returns_with_the_number_minus_1(void **state)
{
	struct room *r = *state;

	enter(r, 7, 15);
	leave(r, 7, -1, 0);
	assert_int_equal(r->n, 1);
	assert_int_equal(r->list[0].state, CALL_ENDED);
	assert_string_equal(r->list[0].kind->name, "rt_sigreturn");
}

static void a_thread_id_that_is_used_again_ends_no_call_of_before(void **state)
{
	struct room *r = *state;
	union call_bytes dead = { .it.exited = { .tid = 7 } };
	union call_bytes born = { .it.newtask = { .tid = 7, .flags = 0x400 } };

	enter(r, 7, NR_READ);
	add(r, EXITED, 7, &dead, 28);
	assert_int_equal(r->n, 1);
	assert_int_equal(r->list[0].state, CALL_NO_END);
	assert_false(r->task.began);
	add(r, NEWTASK, 5, &born, 42);
	assert_true(r->task.began);
	assert_int_equal(r->task.tid, 7);
	assert_int_equal(r->task.parent, 5);
	assert_int_equal(r->task.flags, 0x400);
	leave(r, 7, NR_READ, 1);
	assert_int_equal(r->n, 2);
	assert_int_equal(r->list[1].state, CALL_NO_BEGIN);
}

static void the_return_of_a_new_thread_is_no_call(void **state)
{
	struct room *r = *state;

	enter(r, 7, NR_CLONE);
	leave(r, 8, NR_CLONE, 0);
	leave(r, 7, NR_CLONE, 8);
	assert_int_equal(r->n, 1);
	assert_int_equal(r->list[0].state, CALL_ENDED);
	assert_int_equal(r->list[0].ret, 8);
}

static void strings_of_a_probe_belong_to_the_call_beside_them(void **state)
{
	struct room *r = *state;

	text_openat(r, 7, "/before");
	enter(r, 7, NR_OPENAT);
	leave(r, 7, NR_OPENAT, 3);
	enter(r, 7, NR_OPENAT);
	text_openat(r, 7, "/after");
	leave(r, 7, NR_OPENAT, 3);
	enter(r, 7, NR_OPENAT);
	leave(r, 7, NR_OPENAT, 3);
	assert_string_equal(r->text[0], "/before");
	assert_string_equal(r->text[1], "/after");
	assert_string_equal(r->text[2], "");
}

static void a_call_has_the_stack_of_its_longest_wait(void **state)
{
	struct room *r = *state;

	enter(r, 7, NR_READ);
	stack(r, USER_STACK, 7, 100);
	stack(r, KERNEL_STACK, 7, 1);
	switch_to(r, 7, 1, 0);
	stack(r, KERNEL_STACK, 7, 2);
	switch_to(r, 0, 0, 7);
	/* It runs on, but for another thread: that is not a wait. */
	switch_to(r, 7, 0x100, 8);
	stack(r, KERNEL_STACK, 7, 3);
	r->ts += 1000;
	switch_to(r, 8, 1, 7);
	switch_to(r, 7, 2, 0);
	stack(r, KERNEL_STACK, 7, 4);
	r->ts += 100;
	switch_to(r, 0, 0, 7);
	switch_to(r, 7, 1, 0);
	stack(r, KERNEL_STACK, 7, 5);
	leave(r, 7, NR_READ, 5);
	/* A stack after the end is not of the next call. */
	stack(r, KERNEL_STACK, 7, 6);
	enter(r, 7, NR_READ);
	leave(r, 7, NR_READ, 5);
	assert_int_equal(r->kernel[0], 4);
	assert_int_equal(r->waited[0], 120);
	assert_int_equal(r->user[0], 100);
	assert_int_equal(r->kernel[1], 0);
	assert_int_equal(r->user[1], 0);
}

static void a_call_that_never_waits_has_its_last_stack(void **state)
{
	struct room *r = *state;
	struct calls_info info;

	enter(r, 7, NR_READ);
	stack(r, KERNEL_STACK, 7, 1);
	stack(r, KERNEL_STACK, 7, 2);
	leave(r, 7, NR_READ, 5);
	enter(r, 7, NR_READ);
	switch_to(r, 7, 1, 0);
	stack(r, KERNEL_STACK, 7, 3);
	assert_int_equal(calls_finish(r->calls), 0);
	calls_info(r->calls, &info);
	assert_int_equal(r->kernel[0], 2);
	assert_int_equal(r->waited[0], 0);
	/* This one still waits. */
	assert_int_equal(r->list[1].state, CALL_UNFINISHED);
	assert_int_equal(r->kernel[1], 3);
	assert_int_equal(r->waited[1], 10);
	assert_int_equal(info.stacks, 3);
}

static void short_records_and_odd_numbers_are_harmless(void **state)
{
	struct room *r = *state;
	union call_bytes bytes = { .it.raw_enter = { .id = NR_READ } };

	add(r, RAW_ENTER, 7, &bytes, 12);
	add(r, RAW_EXIT, 7, &bytes, 20);
	add(r, NEWTASK, 7, &bytes, 8);
	assert_int_equal(r->n, 0);
	add(r, RAW_ENTER, 7, &bytes, 40);
	leave(r, 7, NR_READ, 1);
	assert_int_equal(r->list[0].n_args, 3);
	enter(r, 7, INT32_MAX);
	leave(r, 7, INT32_MAX, 1);
	assert_int_equal(r->list[1].state, CALL_ENDED);
	assert_null(r->list[1].kind->name);
	assert_int_equal(r->list[1].number, INT32_MAX);
}

static void the_signatures_are_sorted(void **state)
{
	(void)state;
	for (size_t i = 0; call_signature_at(i); i++)
		assert_ptr_equal(call_signature(call_signature_at(i)->name), call_signature_at(i));
	assert_null(call_signature("no_such_call"));
	assert_int_equal(call_signature("openat")->args[1], ARG_PATH);
	assert_int_equal(call_signature("openat")->returns, RETURN_FD);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* The ID of no process: the kernel's are below 4194304. */
#define NO_PROCESS 5000000

static void threads_that_begin_later_are_followed(void **state)
{
	const int self = getpid();
	struct followed *followed = followed_new(&self, 1);
	const struct call_task tasks[] = {
		{ .tid = 901, .parent = self, .flags = CLONE_THREAD, .began = true },
		{ .tid = 902, .parent = self, .began = true }, /* another process */
		{ .tid = 903, .parent = 902, .flags = CLONE_THREAD, .began = true },
		{ .tid = 904, .parent = 901, .flags = CLONE_THREAD, .began = true },
	};
	static const bool has[] = { true, false, false, true };

	(void)state;
	assert_non_null(followed);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		assert_int_equal(followed_task(followed, &tasks[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		assert_int_equal(followed_has(followed, tasks[i].tid), has[i]);
	assert_true(followed_has(followed, self));
	assert_false(followed_has(followed, getppid()));
	/* The ID is used again, for a thread this time. */
	assert_int_equal(followed_task(followed, &(struct call_task){ .tid = 902 }), 0);
	assert_int_equal(followed_task(followed, &(struct call_task){ .tid = 902,
								      .parent = self,
								      .flags = CLONE_THREAD,
								      .began = true }),
			 0);
	assert_true(followed_has(followed, 902));
	followed_free(followed);
}

static void after_a_loss_threads_are_looked_up(void **state)
{
	const int self = getpid(), unknown = NO_PROCESS;
	struct followed *followed = followed_new(&self, 1);
	const struct call_task child = { .tid = unknown, .parent = self, .began = true };

	(void)state;
	assert_non_null(followed);
	assert_int_equal(followed_task(followed, &child), 0);
	assert_false(followed_has(followed, unknown));
	followed_forget(followed);
	assert_true(followed_has(followed, self));
	assert_false(followed_has(followed, getppid()));
	/* A thread of which nothing is known is not hidden. */
	assert_true(followed_has(followed, unknown));
	followed_free(followed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_begin_and_its_end_are_a_call),
		TEST(a_call_that_both_families_record_counts_once),
		TEST(a_record_that_a_file_has_twice_counts_once),
		TEST(a_call_across_a_loss_is_lost),
		TEST(a_call_of_before_or_after_the_trace_lacks_a_record),
		TEST(exit_is_reported_when_it_begins),
		TEST(a_signal_handler_returns_with_the_number_minus_1),
		TEST(a_thread_id_that_is_used_again_ends_no_call_of_before),
		TEST(the_return_of_a_new_thread_is_no_call),
		TEST(strings_of_a_probe_belong_to_the_call_beside_them),
		TEST(a_call_has_the_stack_of_its_longest_wait),
		TEST(a_call_that_never_waits_has_its_last_stack),
		TEST(short_records_and_odd_numbers_are_harmless),
		cmocka_unit_test(the_signatures_are_sorted),
		cmocka_unit_test(threads_that_begin_later_are_followed),
		cmocka_unit_test(after_a_loss_threads_are_looked_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
