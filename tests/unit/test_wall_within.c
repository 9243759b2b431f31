/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wall-clock time within intervals: which intervals there are, and what of a thread's time they have. */
#include "answers/wall/walls.h"
#include "tests/helper/check.h"

/* The formats of the events. */
#define FORMATS "tests/fixture/analyze"

#define MS UINT64_C(1000000)

struct room {
	struct dkt_ctx *ctx; /* of the second reading */
	struct dkt_source *source;
	struct wall_within *within;
	struct wall *wall;
	char path[32];
};

static void open_source(struct room *room)
{
	const DKT_OPTS(dkt_source_opts, how, .formats = FORMATS);

	assert_int_equal(dkt_ctx_new(NULL, &room->ctx), 0);
	assert_ok(room->ctx, dkt_source_open(room->ctx, room->path, &how, &room->source));
}

/* Reads the text for the intervals that take least ms or more, and again for the time within them. */
static void begin(struct room *room, const char *text, uint64_t least)
{
	const struct wall_window all = { 0, UINT64_MAX };
	const struct wall_opts opts = { .by = PROFILE_BY_COMM, .idle = true };
	struct dkt_record record;
	int fd;

	strcpy(room->path, "/tmp/dkt-within-XXXXXX");
	fd = mkstemp(room->path);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	open_source(room);
	assert_int_equal(wall_within_new(&(struct wall_within_opts){ .ctx = room->ctx,
								     .name = "syscall",
								     .least = least * MS,
								     .most = UINT64_MAX },
					 &room->within),
			 0);
	while (!dkt_source_next(room->source, &record))
		assert_ok(room->ctx,
			  wall_within_add(room->within, room->ctx, 0, room->source, &record));
	wall_within_end(room->within);
	dkt_source_close(room->source);
	dkt_ctx_free(room->ctx);
	assert_int_equal(wall_new(&opts, &room->wall), 0);
	wall_begin(room->wall, PROFILE_NOW, &all, room->within);
	open_source(room);
	while (!dkt_source_next(room->source, &record))
		assert_int_equal(wall_add(room->wall, room->ctx, 0, room->source, &record), 0);
	assert_int_equal(wall_end(room->wall), 0);
	wall_finish(room->wall);
}

static void clear(struct room *room)
{
	wall_free(room->wall);
	wall_within_free(room->within);
	dkt_source_close(room->source);
	dkt_ctx_free(room->ctx);
	unlink(room->path);
}

/* Returns the ms of the only group in a state. */
static uint64_t time_of(const struct room *room, enum wall_state state)
{
	size_t n;
	const struct wall_group *group = wall_groups(room->wall, &n);

	assert_int_equal(n, 1);
	return group->ns[state] / MS;
}

#define SWITCH(time, prev, nr, state, next, next_nr)                                               \
	prev "-" nr " [000] d..2. " time ": sched_switch: prev_comm=" prev " prev_pid=" nr         \
	     " prev_prio=120 prev_state=" state " ==> next_comm=" next " next_pid=" next_nr        \
	     " next_prio=120\n"
#define ENTER(time, thread) thread " [000] ..... " time ": sys_enter: NR 0 (0, 0, 0, 0, 0, 0)\n"
#define EXIT(time, thread)  thread " [000] ..... " time ": sys_exit: NR 0 = 0\n"
#define WAKE(time)                                                                                 \
	"b-98 [001] d..2. " time ": sched_waking: comm=a pid=97 prio=120 target_cpu=000\n"

/* One call waits, and another one does not. */
#define CALLS                                                                                      \
	SWITCH("1.010000", "<idle>", "0", "R", "a", "97")                                          \
	ENTER("1.020000", "a-97")                                                                  \
	SWITCH("1.030000", "a", "97", "S", "<idle>", "0")                                          \
	WAKE("1.045000")                                                                           \
	SWITCH("1.050000", "<idle>", "0", "R", "a", "97")                                          \
	EXIT("1.060000", "a-97")                                                                   \
	ENTER("1.070000", "a-97")                                                                  \
	EXIT("1.071000", "a-97")                                                                   \
	SWITCH("1.100000", "a", "97", "S", "<idle>", "0")

static void time_within_intervals_counts_alone(void **state)
{
	struct room room;

	(void)state;
	begin(&room, CALLS, 0);
	assert_int_equal(wall_within_facts(room.within)->intervals, 2);
	assert_int_equal(wall_within_facts(room.within)->threads, 1);
	assert_int_equal(time_of(&room, WALL_RUNNING), 21);
	assert_int_equal(time_of(&room, WALL_SLEEPING), 15);
	assert_int_equal(time_of(&room, WALL_RUNNABLE), 5);
	assert_int_equal(wall_facts(room.wall, PROFILE_NOW)->ns, 41 * MS);
	clear(&room);
}

static void short_intervals_can_be_left_out(void **state)
{
	struct room room;

	(void)state;
	begin(&room, CALLS, 2);
	assert_int_equal(wall_within_facts(room.within)->intervals, 1);
	assert_int_equal(time_of(&room, WALL_RUNNING), 20);
	clear(&room);
}

static void lost_records_make_intervals_doubtful(void **state)
{
	struct room room;

	(void)state;
	begin(&room,
	      ENTER("1.020000", "a-97") "CPU:0 [LOST 5 EVENTS]\n" EXIT("1.060000", "a-97")
		      ENTER("1.070000", "a-97") EXIT("1.080000", "a-97"),
	      0);
	assert_int_equal(wall_within_facts(room.within)->intervals, 1);
	assert_int_equal(wall_within_ns(room.within, 0, 97, 0, UINT64_MAX), 10 * MS);
	clear(&room);
}

static void a_loss_that_is_told_later_cancels_intervals(void **state)
{
	struct room room;

	(void)state;
	begin(&room,
	      WAKE("1.001000") ENTER("1.005000", "b-98") ENTER("1.010000", "a-97")
		      EXIT("1.020000", "a-97") ENTER("1.030000", "a-97") EXIT("1.040000", "a-97")
			      EXIT("1.060000", "b-98") "CPU:1 [LOST 5 EVENTS]\n",
	      0);
	assert_int_equal(wall_within_facts(room.within)->intervals, 0);
	clear(&room);
}

static void times_are_those_of_the_thread(void **state)
{
	struct room room;

	(void)state;
	begin(&room,
	      ENTER("1.010000", "a-97") ENTER("1.020000", "b-98") EXIT("1.030000", "a-97")
		      EXIT("1.040000", "b-98") ENTER("1.050000", "a-97") EXIT("1.060000", "a-97"),
	      0);
	assert_int_equal(wall_within_facts(room.within)->threads, 2);
	assert_int_equal(wall_within_ns(room.within, 0, 97, 0, UINT64_MAX), 30 * MS);
	assert_int_equal(wall_within_ns(room.within, 0, 97, 1025 * MS, 1055 * MS), 10 * MS);
	assert_int_equal(wall_within_ns(room.within, 0, 98, 1025 * MS, 1035 * MS), 10 * MS);
	assert_int_equal(wall_within_ns(room.within, 0, 97, 1030 * MS, 1050 * MS), 0);
	assert_int_equal(wall_within_ns(room.within, 1, 97, 0, UINT64_MAX), 0);
	assert_int_equal(wall_within_ns(room.within, 0, 99, 0, UINT64_MAX), 0);
	clear(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_within_intervals_counts_alone),
		cmocka_unit_test(short_intervals_can_be_left_out),
		cmocka_unit_test(lost_records_make_intervals_doubtful),
		cmocka_unit_test(a_loss_that_is_told_later_cancels_intervals),
		cmocka_unit_test(times_are_those_of_the_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
