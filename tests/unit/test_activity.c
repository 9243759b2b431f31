/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The activity of threads, calls and disks: reused threads, gaps, the clock, ends without a record. */
#include "answers/top/activity.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define S UINT64_C(1000000000)

enum { ID_SWITCH = 11, ID_WAKEUP, ID_NEW, ID_NAME, ID_ENTER, ID_EXIT, ID_ISSUE, ID_COMPLETE };

/* Numbers of system calls on x86-64. */
enum { READ_CALL = 0, WRITE_CALL = 1, POLL_CALL = 7 };

#define FIELD(type, at, size, sign)                                                                \
	"\tfield:" type ";\toffset:" #at ";\tsize:" #size ";\tsigned:" #sign ";\n"

struct tree {
	char root[TREE_NAME];
	char proc[TREE_NAME + 8], sys[TREE_NAME + 8];
	struct dkt_ctx *ctx;
	struct activity *activity;
	struct activity_frame frame;
};

/* struct trace_entry, then the fields. */
struct entry {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	union {
		struct {
			char prev_comm[16];
			int32_t prev_pid, next_pid;
			int64_t prev_state;
			char next_comm[16];
		} change;
		struct {
			int32_t pid, unused;
			uint64_t flags;
			char comm[16];
		} task;
		struct {
			char from[16], to[16];
		} name;
		struct {
			int64_t id;
			uint64_t args[6];
		} call;
		struct {
			uint32_t dev, nr_sector;
			uint64_t sector;
			char rwbs[8];
		} request;
	};
};

static void write_events(const char *root)
{
	tree_event(root, "sched", "sched_switch", ID_SWITCH,
		   FIELD("char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4, 1)
			   FIELD("pid_t next_pid", 28, 4, 1) FIELD("long prev_state", 32, 8, 1)
				   FIELD("char next_comm[16]", 40, 16, 0),
		   "\"\"");
	tree_event(root, "sched", "sched_wakeup", ID_WAKEUP, FIELD("pid_t pid", 8, 4, 1), "\"\"");
	tree_event(root, "task", "task_newtask", ID_NEW,
		   FIELD("pid_t pid", 8, 4, 1) FIELD("u64 clone_flags", 16, 8, 0)
			   FIELD("char comm[16]", 24, 16, 0),
		   "\"\"");
	tree_event(root, "task", "task_rename", ID_NAME,
		   FIELD("char oldcomm[16]", 8, 16, 0) FIELD("char newcomm[16]", 24, 16, 0),
		   "\"\"");
	tree_event(root, "raw_syscalls", "sys_enter", ID_ENTER,
		   FIELD("long id", 8, 8, 1) FIELD("unsigned long args[6]", 16, 48, 0), "\"\"");
	tree_event(root, "raw_syscalls", "sys_exit", ID_EXIT,
		   FIELD("long id", 8, 8, 1) FIELD("long ret", 16, 8, 1), "\"\"");
	tree_event(root, "block", "block_rq_issue", ID_ISSUE,
		   FIELD("dev_t dev", 8, 4, 0) FIELD("unsigned int nr_sector", 12, 4, 0)
			   FIELD("sector_t sector", 16, 8, 0) FIELD("char rwbs[8]", 24, 8, 0),
		   "\"\"");
	tree_event(root, "block", "block_rq_complete", ID_COMPLETE,
		   FIELD("dev_t dev", 8, 4, 0) FIELD("unsigned int nr_sector", 12, 4, 0)
			   FIELD("sector_t sector", 16, 8, 0) FIELD("char rwbs[8]", 24, 8, 0),
		   "\"\"");
	tree_text(root, "available_events",
		  "sched:sched_switch\nsched:sched_wakeup\n"
		  "task:task_newtask\ntask:task_rename\n"
		  "raw_syscalls:sys_enter\nraw_syscalls:sys_exit\n"
		  "block:block_rq_issue\nblock:block_rq_complete\n");
}

static void write_disk(const struct tree *t, unsigned int reads, unsigned int sectors)
{
	char text[160];

	snprintf(
		text, sizeof(text),
		"   8       0 sda %u 0 %u 0 0 0 0 0 0 0 0\n   8       1 sda1 9 0 9 0 0 0 0 0 0 0 0\n",
		reads, sectors);
	tree_text(t->root, "proc/diskstats", text);
}

static int setup(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .machine = "x86_64");
	static const char *const intervals[] = { "syscall", "block" };
	struct tree *t = calloc(1, sizeof(*t));
	struct activity_opts places;

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	snprintf(t->proc, sizeof(t->proc), "%s/proc", t->root);
	snprintf(t->sys, sizeof(t->sys), "%s/sys", t->root);
	places = (struct activity_opts){
		.proc = t->proc, .sys = t->sys, .intervals = intervals, .n_intervals = 2
	};
	write_events(t->root);
	write_disk(t, 10, 80);
	tree_text(t->root, "sys/block/sda/size", "1\n");
	/* Process 100 has a second thread, which is in a system call; the first looks like the kernel's. */
	tree_text(t->root, "proc/100/syscall", "0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n");
	tree_text(t->root, "proc/100/task/100/comm", "old\n");
	tree_text(t->root, "proc/100/task/101/comm", "old\n");
	tree_text(t->root, "proc/100/comm", "old\n");
	tree_text(t->root, "proc/101/comm", "old/2\n");
	tree_text(t->root, "proc/101/syscall", "7 0x7f00 0x1 0xffff 0x0 0x0 0x0 0x1 0x2\n");
	opts.root = t->root;
	assert_int_equal(dkt_ctx_new(&opts, &t->ctx), 0);
	assert_ok(t->ctx, dkt_tracefs_open(t->ctx, 0));
	assert_ok(t->ctx, activity_new(t->ctx, &places, &t->activity));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	activity_frame_clear(&t->frame);
	activity_free(t->activity);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

/* ---- records ---- */

static void add(struct tree *t, uint64_t ts, uint32_t cpu, struct entry *entry)
{
	struct dkt_record record = { .ts = ts,
				     .event = dkt__event_by_id(t->ctx, entry->type),
				     .data = entry,
				     .size = sizeof(*entry),
				     .cpu = cpu,
				     .pid = entry->pid };

	assert_non_null(record.event);
	assert_int_equal(activity_add(t->activity, &record), 0);
}

static void change(struct tree *t, uint64_t ts, uint32_t cpu, int32_t from, int64_t state,
		   int32_t to)
{
	struct entry entry = { .type = ID_SWITCH, .pid = from };

	entry.change.prev_pid = from;
	entry.change.prev_state = state;
	entry.change.next_pid = to;
	snprintf(entry.change.prev_comm, 16, "t%d", from);
	snprintf(entry.change.next_comm, 16, "t%d", to);
	add(t, ts, cpu, &entry);
}

static void wakeup(struct tree *t, uint64_t ts, int32_t pid)
{
	struct entry entry = { .type = ID_WAKEUP, .task.pid = pid };

	add(t, ts, 0, &entry);
}

static void begin(struct tree *t, uint64_t ts, int32_t parent, int32_t pid, uint64_t flags)
{
	struct entry entry = { .type = ID_NEW, .pid = parent };

	entry.task.pid = pid;
	entry.task.flags = flags;
	snprintf(entry.task.comm, 16, "n%d", pid);
	add(t, ts, 0, &entry);
}

static void rename_to(struct tree *t, uint64_t ts, int32_t pid, const char *name)
{
	struct entry entry = { .type = ID_NAME, .pid = pid };

	snprintf(entry.name.to, sizeof(entry.name.to), "%s", name);
	add(t, ts, 0, &entry);
}

static void enter(struct tree *t, uint64_t ts, int32_t pid, int64_t id, uint64_t arg)
{
	struct entry entry = { .type = ID_ENTER, .pid = pid };

	entry.call.id = id;
	entry.call.args[0] = arg;
	add(t, ts, 0, &entry);
}

static void leave(struct tree *t, uint64_t ts, int32_t pid, int64_t id, int64_t result)
{
	struct entry entry = { .type = ID_EXIT, .pid = pid };

	entry.call.id = id;
	entry.call.args[0] = (uint64_t)result;
	add(t, ts, 0, &entry);
}

static void request_of(struct tree *t, uint64_t ts, uint16_t type, const char *rwbs,
		       uint64_t sector, uint32_t n)
{
	struct entry entry = { .type = type };

	entry.request.dev = 8 << 20;
	entry.request.sector = sector;
	entry.request.nr_sector = n;
	snprintf(entry.request.rwbs, sizeof(entry.request.rwbs), "%s", rwbs);
	add(t, ts, 0, &entry);
}

static void request(struct tree *t, uint64_t ts, uint16_t type, uint64_t sector, uint32_t n)
{
	request_of(t, ts, type, "R", sector, n);
}

static void lose(struct tree *t, uint64_t ts, uint32_t cpu, uint64_t n)
{
	struct dkt_record gap = { .ts = ts, .cpu = cpu, .lost = n };

	assert_int_equal(activity_add(t->activity, &gap), 0);
}

static void take(struct tree *t, uint64_t now)
{
	activity_frame_clear(&t->frame);
	assert_int_equal(activity_take(t->activity, now, &t->frame), 0);
}

/* ---- what the frame has ---- */

static const struct activity_task *find(const struct activity_task *tasks, size_t n, int32_t pid)
{
	static const struct activity_task none;

	for (size_t i = 0; i < n; i++)
		if (tasks[i].pid == pid)
			return &tasks[i];
	return &none;
}

static const struct activity_task *thread(const struct tree *t, int32_t pid)
{
	return find(t->frame.threads, t->frame.n_threads, pid);
}

static const struct activity_task *process(const struct tree *t, int32_t pid)
{
	return find(t->frame.processes, t->frame.n_processes, pid);
}

static const struct activity_call *call(const struct tree *t, int32_t pid)
{
	for (size_t i = 0; i < t->frame.n_calls; i++)
		if (t->frame.calls[i].pid == pid)
			return &t->frame.calls[i];
	return NULL;
}

/* ---- tests ---- */

static void time_on_a_cpu_is_from_switch_to_switch(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 0, 0, 0, 5);
	change(t, 3 * S, 0, 5, 1, 0);
	change(t, 4 * S, 0, 0, 0, 5);
	take(t, 5 * S);
	assert_int_equal(thread(t, 5)->cpu, 3 * S);
	assert_int_equal(t->frame.busy, 3 * S);
	assert_string_equal(thread(t, 5)->comm, "t5");
	/* It still runs. */
	take(t, 7 * S);
	assert_int_equal(thread(t, 5)->cpu, 2 * S);
}

static void a_thread_has_the_name_of_the_program_that_it_executes(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 0, 0, 0, 5);
	rename_to(t, 2 * S, 5, "dd");
	take(t, 3 * S);
	assert_string_equal(thread(t, 5)->comm, "dd");
}

static void a_thread_that_ran_before_the_first_switch_counts_from_the_first_record(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 1, 0, 0, 7);
	change(t, 3 * S, 0, 5, 1, 0);
	take(t, 4 * S);
	assert_int_equal(thread(t, 5)->cpu, 2 * S);
}

static void a_record_tells_which_thread_runs(void **state)
{
	struct tree *t = *state;

	enter(t, 1 * S, 5, READ_CALL, 0);
	take(t, 2 * S);
	assert_int_equal(thread(t, 5)->cpu, 1 * S);
}

static void a_record_from_before_the_end_of_an_interval_may_come_late(void **state)
{
	struct tree *t = *state;
	int64_t sum;

	change(t, 1 * S, 0, 0, 0, 5);
	take(t, 4 * S);
	sum = thread(t, 5)->cpu;
	change(t, 3 * S, 0, 5, 1, 6);
	take(t, 5 * S);
	assert_int_equal(sum + thread(t, 5)->cpu, 2 * S);
	assert_int_equal(thread(t, 6)->cpu, 2 * S);
}

static void a_wait_is_from_wakeup_or_preemption_until_the_thread_runs(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 0, 0, 0, 5);
	wakeup(t, 2 * S, 6);
	/* 5 is preempted, 6 has waited for 1 s. */
	change(t, 3 * S, 0, 5, 0x100, 6);
	change(t, 5 * S, 0, 6, 1, 5);
	wakeup(t, 6 * S, 6);
	take(t, 7 * S);
	assert_int_equal(thread(t, 5)->wait, 2 * S);
	/* A wait that goes on counts up to now. */
	assert_int_equal(thread(t, 6)->wait, 2 * S);
}

static void a_thread_that_is_woken_while_it_runs_does_not_wait(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 0, 0, 0, 5);
	wakeup(t, 2 * S, 5);
	take(t, 4 * S);
	assert_int_equal(thread(t, 5)->wait, 0);
}

static void calls_count_when_they_begin_and_bytes_when_they_end(void **state)
{
	struct tree *t = *state;

	enter(t, 1 * S, 5, READ_CALL, 3);
	leave(t, 2 * S, 5, READ_CALL, 100);
	enter(t, 3 * S, 5, WRITE_CALL, 3);
	leave(t, 4 * S, 5, WRITE_CALL, -11);
	enter(t, 5 * S, 5, WRITE_CALL, 3);
	take(t, 6 * S);
	assert_int_equal(thread(t, 5)->calls, 3);
	assert_int_equal(thread(t, 5)->read, 100);
	assert_int_equal(thread(t, 5)->written, 0);
	leave(t, 7 * S, 5, WRITE_CALL, 50);
	take(t, 8 * S);
	assert_int_equal(thread(t, 5)->calls, 0);
	assert_int_equal(thread(t, 5)->written, 50);
}

static void a_call_that_has_not_returned_is_listed_with_its_arguments(void **state)
{
	struct tree *t = *state;

	enter(t, 1 * S, 5, READ_CALL, 3);
	enter(t, 1 * S, 6, READ_CALL, 3);
	leave(t, 2 * S, 6, READ_CALL, 0);
	take(t, 4 * S);
	assert_int_equal(t->frame.n_calls, 1);
	assert_int_equal(call(t, 5)->since, 1 * S);
	assert_int_equal(call(t, 5)->args[0], 3);
	assert_int_equal(call(t, 5)->flags, ACTIVITY_CALL_READS | ACTIVITY_CALL_FD);
}

static void calls_from_before_the_recording_are_found_in_proc(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 0, 0, 0, 5);
	assert_ok(t->ctx, activity_start(t->activity, 2 * S));
	take(t, 4 * S);
	assert_non_null(call(t, 101));
	assert_int_equal(call(t, 101)->number, POLL_CALL);
	assert_int_equal(call(t, 101)->flags, ACTIVITY_CALL_WAITS | ACTIVITY_CALL_OLDER);
	assert_int_equal(call(t, 101)->args[0], 0x7f00);
	assert_string_equal(call(t, 101)->comm, "old/2");
	assert_null(call(t, 100));
	leave(t, 5 * S, 101, POLL_CALL, 1);
	take(t, 6 * S);
	assert_null(call(t, 101));
}

static void a_process_is_the_sum_of_its_threads(void **state)
{
	struct tree *t = *state;

	assert_ok(t->ctx, activity_start(t->activity, 1 * S));
	enter(t, 2 * S, 100, READ_CALL, 3);
	enter(t, 2 * S, 101, READ_CALL, 3);
	begin(t, 3 * S, 101, 102, 0x10000);
	enter(t, 3 * S, 102, READ_CALL, 3);
	begin(t, 3 * S, 101, 200, 0);
	enter(t, 3 * S, 200, READ_CALL, 3);
	take(t, 4 * S);
	assert_int_equal(process(t, 100)->calls, 3);
	assert_int_equal(process(t, 100)->threads, 3);
	assert_string_equal(process(t, 100)->comm, "old");
	assert_int_equal(process(t, 200)->calls, 1);
}

static void a_thread_that_has_ended_is_shown_once_more(void **state)
{
	struct tree *t = *state;

	begin(t, 1 * S, 1, 5, 0);
	change(t, 1 * S, 0, 0, 0, 5);
	change(t, 3 * S, 0, 5, 0x20, 0);
	take(t, 4 * S);
	assert_int_equal(process(t, 5)->cpu, 2 * S);
	assert_int_equal(process(t, 5)->threads, 0);
	take(t, 5 * S);
	assert_int_equal(process(t, 5)->pid, 0);
}

static void two_processes_with_the_same_number_are_two_rows(void **state)
{
	struct tree *t = *state;
	size_t n = 0;

	begin(t, 1 * S, 1, 5, 0);
	change(t, 1 * S, 0, 0, 0, 5);
	enter(t, 2 * S, 5, READ_CALL, 3);
	change(t, 3 * S, 0, 5, 0x20, 0);
	begin(t, 4 * S, 1, 5, 0);
	change(t, 4 * S, 0, 0, 0, 5);
	take(t, 5 * S);
	for (size_t i = 0; i < t->frame.n_processes; i++)
		n += t->frame.processes[i].pid == 5;
	assert_int_equal(n, 2);
	assert_null(call(t, 5));
}

/* The end of the first thread was lost. */
static void a_number_used_again_is_a_new_thread(void **state)
{
	struct tree *t = *state;

	begin(t, 1 * S, 1, 5, 0);
	enter(t, 2 * S, 5, READ_CALL, 3);
	begin(t, 4 * S, 1, 5, 0);
	take(t, 5 * S);
	assert_null(call(t, 5));
	assert_int_equal(t->frame.n_calls, 0);
}

static void a_thread_that_ended_without_a_record_leaves(void **state)
{
	struct tree *t = *state;

	wakeup(t, 1 * S, 5);
	wakeup(t, 1 * S, 100);
	take(t, 2 * S);
	assert_int_equal(thread(t, 5)->pid, 5);
	take(t, 20 * S);
	take(t, 40 * S);
	take(t, 41 * S);
	assert_int_equal(thread(t, 5)->pid, 0);
	assert_int_equal(thread(t, 100)->pid, 100);
}

static void nothing_is_counted_across_a_loss(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 0, 0, 0, 5);
	enter(t, 2 * S, 5, READ_CALL, 3);
	wakeup(t, 2 * S, 6);
	lose(t, 4 * S, 0, 7);
	change(t, 6 * S, 0, 6, 1, 7);
	take(t, 8 * S);
	assert_int_equal(thread(t, 6)->wait, 0);
	/* 6 ran from some time before the end of the gap: only what is sure counts. */
	assert_int_equal(thread(t, 6)->cpu, 2 * S);
	assert_int_equal(thread(t, 7)->cpu, 2 * S);
	assert_true(call(t, 5)->flags & ACTIVITY_CALL_UNSURE);
}

static void a_switch_from_an_unexpected_thread_counts_no_time(void **state)
{
	struct tree *t = *state;

	change(t, 1 * S, 0, 0, 0, 5);
	change(t, 3 * S, 0, 6, 1, 7);
	take(t, 4 * S);
	assert_int_equal(thread(t, 5)->cpu, 0);
	assert_int_equal(thread(t, 6)->cpu, 0);
	assert_int_equal(thread(t, 7)->cpu, 1 * S);
	/* Nobody knows where 5 is now: it may have ended. */
	take(t, 20 * S);
	take(t, 40 * S);
	take(t, 41 * S);
	assert_int_equal(thread(t, 5)->pid, 0);
}

static void a_disk_has_the_statistics_of_the_interval(void **state)
{
	struct tree *t = *state;

	assert_ok(t->ctx, activity_start(t->activity, 1 * S));
	request(t, 1 * S, ID_ISSUE, 8, 8);
	request(t, 1 * S, ID_ISSUE, 16, 8);
	request(t, 2 * S, ID_COMPLETE, 8, 8);
	request(t, 4 * S, ID_COMPLETE, 16, 8);
	/* A flush has no sectors; the begin of another request has no record. */
	request(t, 4 * S, ID_ISSUE, 0, 0);
	request(t, 4 * S, ID_COMPLETE, 0, 0);
	request(t, 4 * S, ID_COMPLETE, 99, 8);
	write_disk(t, 15, 100);
	take(t, 5 * S);
	assert_int_equal(t->frame.n_disks, 1);
	assert_string_equal(t->frame.disks[0].name, "sda");
	assert_int_equal(t->frame.disks[0].reads, 5);
	assert_int_equal(t->frame.disks[0].read_bytes, 20 * 512);
	assert_int_equal(t->frame.disks[0].timed, 2);
	assert_int_equal(t->frame.disks[0].latency_sum, 4 * S);
	assert_int_equal(t->frame.disks[0].latency_max, 3 * S);
	take(t, 6 * S);
	assert_int_equal(t->frame.disks[0].reads, 0);
	assert_int_equal(t->frame.disks[0].timed, 0);
}

static void a_read_and_a_write_of_one_sector_are_two_requests(void **state)
{
	struct tree *t = *state;

	assert_ok(t->ctx, activity_start(t->activity, 1 * S));
	request_of(t, 1 * S, ID_ISSUE, "WS", 8, 8);
	request_of(t, 2 * S, ID_ISSUE, "R", 8, 8);
	request_of(t, 3 * S, ID_COMPLETE, "R", 8, 8);
	request_of(t, 5 * S, ID_COMPLETE, "FWS", 8, 8);
	write_disk(t, 15, 100);
	take(t, 6 * S);
	assert_int_equal(t->frame.disks[0].timed, 2);
	assert_int_equal(t->frame.disks[0].latency_sum, 5 * S);
	assert_int_equal(t->frame.disks[0].latency_max, 4 * S);
}

static void a_request_ends_with_its_last_part(void **state)
{
	struct tree *t = *state;

	assert_ok(t->ctx, activity_start(t->activity, 1 * S));
	request(t, 1 * S, ID_ISSUE, 1000, 256);
	request(t, 2 * S, ID_COMPLETE, 1000, 128);
	request(t, 5 * S, ID_COMPLETE, 1128, 128);
	write_disk(t, 15, 100);
	take(t, 6 * S);
	assert_int_equal(t->frame.disks[0].timed, 1);
	assert_int_equal(t->frame.disks[0].latency_sum, 4 * S);
}

static void events_are_counted_in_each_interval(void **state)
{
	struct tree *t = *state;

	enter(t, 1 * S, 5, READ_CALL, 3);
	take(t, 2 * S);
	enter(t, 3 * S, 5, READ_CALL, 3);
	enter(t, 4 * S, 5, READ_CALL, 3);
	take(t, 5 * S);
	assert_int_equal(t->frame.records, 2);
	for (size_t i = 0; i < t->frame.n_events; i++)
		if (!strcmp(dkt_event_name(t->frame.events[i].event), "sys_enter"))
			assert_int_equal(t->frame.events[i].records, 2);
}

static void a_ready_made_interval_counts_when_it_ends(void **state)
{
	struct tree *t = *state;

	enter(t, 1 * S, 5, READ_CALL, 3);
	leave(t, 1 * S + 100, 5, READ_CALL, 3);
	enter(t, 1 * S + 200, 5, READ_CALL, 3);
	request(t, 1 * S + 300, ID_ISSUE, 1000, 8);
	request(t, 1 * S + 1300, ID_COMPLETE, 1000, 8);
	take(t, 2 * S);
	assert_int_equal(t->frame.n_intervals, 2);
	assert_string_equal(t->frame.intervals[0].name, "syscall");
	assert_int_equal(t->frame.intervals[0].count, 1);
	assert_int_equal(t->frame.intervals[0].total, 100);
	assert_int_equal(t->frame.intervals[0].p99, 100);
	assert_int_equal(t->frame.intervals[1].count, 1);
	assert_int_equal(t->frame.intervals[1].max, 1000);
	leave(t, 3 * S + 200, 5, READ_CALL, 3);
	take(t, 4 * S);
	assert_int_equal(t->frame.intervals[0].count, 1);
	assert_int_equal(t->frame.intervals[0].max, 2 * S);
	assert_int_equal(t->frame.intervals[1].count, 0);
	assert_int_equal(t->frame.intervals[1].max, 0);
}

static void a_loss_cancels_ready_made_intervals_of_its_time(void **state)
{
	struct tree *t = *state;

	enter(t, 1 * S, 5, READ_CALL, 3);
	leave(t, 1 * S + 100, 5, READ_CALL, 3);
	take(t, 2 * S);
	assert_int_equal(t->frame.intervals[0].count, 1);
	enter(t, 3 * S, 5, READ_CALL, 3);
	leave(t, 3 * S + 100, 5, READ_CALL, 3);
	enter(t, 3 * S + 200, 5, READ_CALL, 3);
	/* CPU 1 had no record, so that its loss may be in each of them, also in the one that was shown. */
	lose(t, 3 * S + 300, 1, 1);
	leave(t, 3 * S + 400, 5, READ_CALL, 3);
	take(t, 4 * S);
	assert_int_equal(t->frame.intervals[0].count, 0);
	assert_int_equal(t->frame.intervals[0].total, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_on_a_cpu_is_from_switch_to_switch),
		TEST(a_thread_has_the_name_of_the_program_that_it_executes),
		TEST(a_thread_that_ran_before_the_first_switch_counts_from_the_first_record),
		TEST(a_record_tells_which_thread_runs),
		TEST(a_record_from_before_the_end_of_an_interval_may_come_late),
		TEST(a_wait_is_from_wakeup_or_preemption_until_the_thread_runs),
		TEST(a_thread_that_is_woken_while_it_runs_does_not_wait),
		TEST(calls_count_when_they_begin_and_bytes_when_they_end),
		TEST(a_call_that_has_not_returned_is_listed_with_its_arguments),
		TEST(calls_from_before_the_recording_are_found_in_proc),
		TEST(a_process_is_the_sum_of_its_threads),
		TEST(a_thread_that_has_ended_is_shown_once_more),
		TEST(two_processes_with_the_same_number_are_two_rows),
		TEST(a_number_used_again_is_a_new_thread),
		TEST(a_thread_that_ended_without_a_record_leaves),
		TEST(nothing_is_counted_across_a_loss),
		TEST(a_switch_from_an_unexpected_thread_counts_no_time),
		TEST(a_disk_has_the_statistics_of_the_interval),
		TEST(a_read_and_a_write_of_one_sector_are_two_requests),
		TEST(a_request_ends_with_its_last_part),
		TEST(events_are_counted_in_each_interval),
		TEST(a_ready_made_interval_counts_when_it_ends),
		TEST(a_loss_cancels_ready_made_intervals_of_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
