/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wall-clock time: what the records of the scheduler tell about each thread, and the states of stacks. */
#include "answers/wall/walls.h"
#include "lib/base/buf.h"
#include "tests/helper/check.h"

/* The formats of the events. */
#define FORMATS "tests/fixture/analyze"

#define MS UINT64_C(1000000)

/* ---- states ---- */

/* Returns the state of a stack "u:main k:do_syscall_64", from the outermost function on. */
static const char *state_of(const char *stack, uint64_t sched)
{
	char *copy = strdup(stack), *rest = copy, *word;
	struct wall_states states = { 0 };
	struct profile profile;
	enum wall_state state;
	uint32_t at = 0;

	assert_int_equal(profile_init(&profile, &(struct profile_opts){ 0 }), 0);
	while ((word = strsep(&rest, " "))) {
		const enum profile_kind kind = *word == 'k' ? PROFILE_KERNEL : PROFILE_USER;
		const uint32_t name =
			profile_names_add(&profile.names, kind, word + 2, strlen(word + 2), "");

		assert_int_equal(profile_tree_down(&profile.tree, &at, name), 0);
	}
	assert_int_equal(wall_state_find(&states, &profile, at, sched, &state), 0);
	wall_states_clear(&states);
	profile_clear(&profile);
	free(copy);
	return wall_state_name(state);
}

static void the_innermost_function_tells_the_state(void **state)
{
	static const struct {
		const char *stack, *state;
		uint64_t sched;
	} rows[] = {
		{ "u:main k:vfs_read k:folio_wait_bit_common k:io_schedule k:schedule", "disk", 2 },
		{ "u:main k:ext4_sync_file k:jbd2_log_wait_commit k:schedule", "disk", 2 },
		{ "u:main k:nfs_file_read k:folio_wait_bit_common k:io_schedule", "network", 2 },
		{ "u:main k:nfs_file_write k:down_write k:rwsem_down_write_slowpath", "lock", 2 },
		{ "u:main k:try_to_free_pages k:shrink_node k:io_schedule k:schedule", "memory",
		  2 },
		{ "u:main k:do_futex k:futex_wait k:futex_wait_queue k:schedule", "lock", 1 },
		{ "u:main u:pthread_mutex_lock k:futex_wait k:schedule", "lock", 1 },
		{ "u:worker u:pthread_cond_wait@@GLIBC_2.3.2 k:futex_wait k:schedule", "sleeping",
		  1 },
		{ "u:f u:pthread_rwlock_rdlock u:__futex_abstimed_wait_common k:futex_wait", "lock",
		  1 },
		{ "u:pthread_mutex_lock u:main k:ksys_read k:mutex_lock.constprop.0", "lock", 2 },
		{ "u:main k:tcp_recvmsg k:sk_wait_data k:schedule_timeout k:schedule", "network",
		  1 },
		{ "u:main k:unix_stream_read_generic k:schedule", "sleeping", 1 },
		{ "k:kthread k:worker_thread k:schedule", "sleeping", WALL_SCHED_IDLE },
		{ "k:kthread k:io_schedule", "sleeping", WALL_SCHED_IDLE },
		{ "u:main k:unknown_function k:schedule", "other", 2 },
		{ "u:main k:unknown_function k:schedule", "sleeping", 1 },
		{ "u:main k:io_schedule", "runnable", 0 },
		{ "u:main k:io_schedule", "runnable", 0x100 },
		{ "u:main k:do_signal_stop k:schedule", "sleeping", 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(state_of(rows[i].stack, rows[i].sched), rows[i].state);
	assert_int_equal(wall_state_named("memory"), WALL_MEMORY);
	assert_int_equal(wall_state_named("main"), WALL_STATES);
}

/* ---- threads ---- */

struct room {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct wall *wall;
	char path[32];
};

/* A thread "a" has the ID 'a', and the idle task is "-". */
static int32_t tid_of(char name)
{
	return name == '-' ? 0 : name;
}

static void add(struct room *room, const char *event, uint64_t ms, uint32_t cpu, char thread,
		const void *data, uint32_t size)
{
	struct dkt_record record = {
		.ts = ms * MS, .cpu = cpu, .pid = tid_of(thread), .data = data, .size = size
	};

	if (event)
		record.event = dkt_event_find(room->ctx, "sched", event);
	assert_true(!event || record.event);
	assert_int_equal(wall_add(room->wall, room->ctx, 0, room->source, &record), 0);
}

/* A thread in a state leaves the CPU to another one. */
static void turn(struct room *room, uint64_t ms, uint32_t cpu, char prev, uint64_t state, char next)
{
	const struct {
		uint64_t head;
		char prev_comm[16];
		int32_t prev_pid, prev_prio;
		uint64_t prev_state;
		char next_comm[16];
		int32_t next_pid, next_prio;
	} data = { .prev_comm = { prev },
		   .prev_pid = tid_of(prev),
		   .prev_state = state,
		   .next_comm = { next },
		   .next_pid = tid_of(next) };

	add(room, "sched_switch", ms, cpu, prev, &data, sizeof(data));
}

static void wake(struct room *room, uint64_t ms, uint32_t cpu, char waker, char woken)
{
	const struct {
		uint64_t head;
		char comm[16];
		int32_t pid, prio, cpu;
	} data = { .comm = { woken }, .pid = tid_of(woken) };

	add(room, "sched_waking", ms, cpu, waker, &data, sizeof(data));
}

static void begin(struct room *room, const struct wall_opts *opts, const struct wall_window *window)
{
	/* A text has the events whose names are in it. */
	static const char text[] =
		"p1-1 [000] d..2. 1.000000: sched_waking: comm=p2 pid=2 prio=120 target_cpu=000\n"
		"p1-1 [000] d..2. 1.000000: sched_switch: prev_comm=p1 prev_pid=1 prev_prio=120"
		" prev_state=S ==> next_comm=p2 next_pid=2 next_prio=120\n";
	const DKT_OPTS(dkt_source_opts, how, .formats = FORMATS);
	const struct wall_window all = { 0, UINT64_MAX };
	int fd;

	strcpy(room->path, "/tmp/dkt-wall-XXXXXX");
	fd = mkstemp(room->path);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(dkt_ctx_new(NULL, &room->ctx), 0);
	assert_ok(room->ctx, dkt_source_open(room->ctx, room->path, &how, &room->source));
	assert_int_equal(wall_new(opts, &room->wall), 0);
	wall_begin(room->wall, PROFILE_NOW, window ?: &all, NULL);
}

static void end(struct room *room)
{
	assert_int_equal(wall_end(room->wall), 0);
	wall_finish(room->wall);
}

static void clear(struct room *room)
{
	wall_free(room->wall);
	dkt_source_close(room->source);
	dkt_ctx_free(room->ctx);
	unlink(room->path);
}

/* Returns "a running 1 sleeping 2, b ...", in ms, in order of names. */
static const char *times_of(const struct room *room)
{
	static char text[1024];
	size_t n, len = 0;
	const struct wall_group *group = wall_groups(room->wall, &n);

	text[0] = '\0';
	for (char name = 'a'; name <= 'z'; name++)
		for (size_t i = 0; i < n; i++) {
			if (group[i].name[0] != name)
				continue;
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%c",
						len ? ", " : "", name);
			for (int state = 0; state < WALL_STATES; state++)
				if (group[i].ns[state])
					len += (size_t)snprintf(
						text + len, sizeof(text) - len, " %s %d",
						wall_state_name((enum wall_state)state),
						(int)(group[i].ns[state] / MS));
		}
	return text;
}

#define BY_COMM (&(struct wall_opts){ .by = PROFILE_BY_COMM, .idle = true, .hops = 3 })

static void a_wait_is_divided_at_the_wakeup(void **state)
{
	struct room room;

	(void)state;
	begin(&room, BY_COMM, NULL);
	turn(&room, 10, 0, 'a', 1, 'b');
	wake(&room, 15, 0, 'b', 'a');
	turn(&room, 17, 0, 'b', 0, 'a');
	turn(&room, 30, 0, 'a', 2, 'b');
	turn(&room, 31, 0, 'b', 1, '-');
	turn(&room, 41, 0, '-', 0, 'a');
	end(&room);
	/* b ran at the begin no more than a did; at the end it sleeps, and a has just begun to run. */
	assert_string_equal(times_of(&room), "a running 13 runnable 2 sleeping 5 other 11, "
					     "b running 8 runnable 13 sleeping 10");
	assert_int_equal(wall_facts(room.wall, PROFILE_NOW)->missed, 0);
	clear(&room);
}

static void what_runs_at_the_begin_or_waits_at_the_end_counts(void **state)
{
	struct room room;

	(void)state;
	begin(&room, BY_COMM, NULL);
	wake(&room, 5, 1, 'x', 'y');
	turn(&room, 10, 0, 'a', 1, '-');
	turn(&room, 20, 1, 'b', 0, 'c');
	wake(&room, 25, 1, 'c', 'a');
	end(&room);
	assert_string_equal(times_of(&room),
			    "a running 5 sleeping 15, b running 15 runnable 5, c running 5");
	clear(&room);
}

static void times_outside_of_the_window_do_not_count(void **state)
{
	const struct wall_window window = { 12 * MS, 20 * MS };
	struct room room;

	(void)state;
	begin(&room, BY_COMM, &window);
	turn(&room, 10, 0, 'a', 1, 'b');
	wake(&room, 15, 0, 'b', 'a');
	turn(&room, 17, 0, 'b', 0, 'a');
	turn(&room, 30, 0, 'a', 2, 'b');
	end(&room);
	assert_string_equal(times_of(&room),
			    "a running 3 runnable 2 sleeping 3, b running 5 runnable 3");
	clear(&room);
}

static void missing_switches_leave_times_out(void **state)
{
	struct room room;

	(void)state;
	begin(&room, BY_COMM, NULL);
	turn(&room, 10, 0, 'a', 1, 'b');
	/* Records of the CPU are lost: who runs then is not known. */
	add(&room, NULL, 20, 0, '-', NULL, 0);
	turn(&room, 30, 0, 'a', 1, 'c');
	turn(&room, 40, 0, 'c', 1, 'a');
	end(&room);
	assert_string_equal(times_of(&room), "a sleeping 10, c running 10");
	assert_int_equal(wall_facts(room.wall, PROFILE_NOW)->missed, 1);
	clear(&room);
}

static void a_wait_whose_end_was_not_recorded_ends_with_the_wakeup(void **state)
{
	struct room room;

	(void)state;
	begin(&room, BY_COMM, NULL);
	turn(&room, 10, 0, 'a', 1, '-');
	/* The kernel records more of it before it has left the CPU. */
	wake(&room, 10, 0, 'a', 'x');
	wake(&room, 15, 1, 'b', 'a');
	wake(&room, 18, 0, 'a', 'x');
	turn(&room, 20, 0, 'a', 1, '-');
	wake(&room, 23, 1, 'b', 'a');
	turn(&room, 30, 0, 'a', 0x30, '-');
	end(&room);
	assert_string_equal(times_of(&room), "a running 2 sleeping 8");
	assert_int_equal(wall_facts(room.wall, PROFILE_NOW)->missed, 0);
	clear(&room);
}

static void an_ended_thread_takes_no_more_time(void **state)
{
	struct room room;

	(void)state;
	begin(&room, BY_COMM, NULL);
	turn(&room, 10, 0, '-', 0, 'a');
	turn(&room, 20, 0, 'a', 0x10, 'b');
	turn(&room, 30, 0, 'b', 1, 'a');
	turn(&room, 40, 0, 'a', 1, '-');
	end(&room);
	assert_string_equal(times_of(&room), "a running 20, b running 10 sleeping 10");
	clear(&room);
}

static void threads_that_take_turns_with_chosen_ones_are_left_out(void **state)
{
	struct room room;

	(void)state;
	begin(&room, BY_COMM, NULL);
	turn(&room, 10, 0, '-', 0, 'a');
	turn(&room, 20, 0, 'a', 1, 'b');
	turn(&room, 30, 0, 'c', 1, 'a');
	turn(&room, 40, 0, 'a', 1, '-');
	end(&room);
	assert_string_equal(times_of(&room), "a running 20 sleeping 10");
	assert_int_equal(wall_facts(room.wall, PROFILE_NOW)->partial, 1);
	clear(&room);
}

static void idle_threads_are_left_out_unless_all_are(void **state)
{
	const struct wall_opts opts = { .by = PROFILE_BY_COMM };
	struct room room;

	(void)state;
	begin(&room, &opts, NULL);
	turn(&room, 1000, 0, '-', 0, 'a');
	turn(&room, 1001, 0, 'a', 1, 'b');
	turn(&room, 2000, 0, 'b', 1, '-');
	end(&room);
	assert_string_equal(times_of(&room), "b running 999");
	assert_int_equal(wall_facts(room.wall, PROFILE_NOW)->idle, 1);
	clear(&room);

	begin(&room, &opts, NULL);
	turn(&room, 1000, 0, '-', 0, 'a');
	turn(&room, 1001, 0, 'a', 1, '-');
	wake(&room, 2000, 0, '-', 'a');
	end(&room);
	assert_string_equal(times_of(&room), "a running 1 sleeping 999");
	clear(&room);
}

/* Returns the wakers of the largest stack: "b c". */
static const char *wakers_of(const struct room *room)
{
	static char text[64];
	size_t n, len = 0;
	const struct wall_stack *stack = wall_stacks(room->wall, &n);
	struct wall_waker waker;

	text[0] = '\0';
	for (size_t i = 0; n && !wall_waker(room->wall, stack->chain, i, &waker); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len ? " " : "",
					profile_names_text(&wall_profile(room->wall)->names,
							   waker.name));
	return text;
}

static void wakers_are_known_over_several_hops(void **state)
{
	struct room room;

	(void)state;
	for (uint32_t hops = 0; hops <= 3; hops++) {
		static const char *const expected[] = { "", "b", "b c", "b c [interrupt]" };
		const struct wall_opts opts = { .by = PROFILE_BY_COMM, .idle = true, .hops = hops };

		begin(&room, &opts, NULL);
		turn(&room, 10, 0, 'c', 1, 'b');
		turn(&room, 11, 0, 'b', 1, 'a');
		turn(&room, 12, 0, 'a', 1, '-');
		wake(&room, 20, 0, '-', 'c');
		turn(&room, 21, 0, '-', 0, 'c');
		wake(&room, 22, 0, 'c', 'b');
		turn(&room, 23, 0, 'c', 0x10, 'b');
		wake(&room, 200, 0, 'b', 'a');
		turn(&room, 201, 0, 'b', 1, 'a');
		turn(&room, 202, 0, 'a', 1, '-');
		end(&room);
		assert_string_equal(wakers_of(&room), expected[hops]);
		clear(&room);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_function_tells_the_state),
		cmocka_unit_test(a_wait_is_divided_at_the_wakeup),
		cmocka_unit_test(what_runs_at_the_begin_or_waits_at_the_end_counts),
		cmocka_unit_test(times_outside_of_the_window_do_not_count),
		cmocka_unit_test(missing_switches_leave_times_out),
		cmocka_unit_test(a_wait_whose_end_was_not_recorded_ends_with_the_wakeup),
		cmocka_unit_test(an_ended_thread_takes_no_more_time),
		cmocka_unit_test(threads_that_take_turns_with_chosen_ones_are_left_out),
		cmocka_unit_test(idle_threads_are_left_out_unless_all_are),
		cmocka_unit_test(wakers_are_known_over_several_hops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
