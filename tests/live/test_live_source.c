/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live sources: when their descriptor becomes readable, what ends a wait, and which records stay. */
#include <poll.h>
#include <pthread.h>

#include "lib/inside.h"
#include "tests/helper/check.h"

/* A wait that nothing ends must end the test, however slow the machine is. */
#define TOO_LONG 600

struct room {
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct dkt_source *source;
};

static int setup(void **state)
{
	struct room *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	assert_int_equal(dkt_ctx_new(NULL, &room->ctx), 0);
	assert_ok(room->ctx, dkt_instance_own(room->ctx, "dkt-test-loop", &room->in));
	assert_ok(room->ctx, dkt_instance_set_clock(room->in, "mono"));
	*state = room;
	return 0;
}

static int teardown(void **state)
{
	struct room *room = *state;

	dkt_source_close(room->source);
	assert_ok(room->ctx, dkt_instance_remove(room->ctx, dkt_instance_name(room->in)));
	dkt_instance_close(room->in);
	dkt_ctx_free(room->ctx);
	free(room);
	return 0;
}

static unsigned int percent(const struct room *room)
{
	char path[256];
	unsigned int value = 1000;
	FILE *f;

	snprintf(path, sizeof(path), "%s/instances/%s/buffer_percent", dkt_tracefs_dir(room->ctx),
		 dkt_instance_name(room->in));
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &value), 1);
	fclose(f);
	return value;
}

/* A source that follows, with all records up to now taken. */
static void follow(struct room *room, unsigned int wake_percent)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = wake_percent);
	struct dkt_record record;

	assert_ok(room->ctx, dkt_source_live(room->in, &opts, &room->source));
	assert_int_equal(dkt_source_next(room->source, &record), DKT_NEXT_LATER);
}

static bool is_readable(struct room *room, int timeout_ms)
{
	struct pollfd fd = { .fd = dkt_source_fd(room->source), .events = POLLIN };

	assert_true(fd.fd >= 0);
	return poll(&fd, 1, timeout_ms) == 1;
}

static void *mark(void *data)
{
	struct room *room = data;
	struct dkt_ctx *ctx = NULL;
	struct dkt_instance *in = NULL;
	int err = dkt_ctx_new(NULL, &ctx);

	if (!err)
		err = dkt_instance_open(ctx, dkt_instance_name(room->in), NULL, &in);
	if (!err)
		err = dkt_instance_mark(in, "one");
	dkt_instance_close(in);
	dkt_ctx_free(ctx);
	return err ? data : NULL;
}

static void *wake(void *data)
{
	struct room *room = data;

	return dkt__source_wake(room->source) ? data : NULL;
}

static void begin(pthread_t *thread, void *(*fn)(void *data), struct room *room)
{
	assert_int_equal(pthread_create(thread, NULL, fn, room), 0);
}

static void end(pthread_t thread)
{
	void *failed = NULL;

	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
}

/* Waits without end until the one record is there: a wait may return before. */
static void one_record_comes(struct room *room, int (*wait)(struct room *room))
{
	struct dkt_record record;
	int next;

	while ((next = dkt_source_next(room->source, &record)) == DKT_NEXT_LATER)
		assert_int_equal(wait(room), 0);
	assert_int_equal(next, DKT_NEXT_RECORD);
	assert_string_equal(dkt_event_name(record.event), "print");
	assert_int_equal(dkt_source_next(room->source, &record), DKT_NEXT_LATER);
}

static int wait_for_ever(struct room *room)
{
	return dkt_source_wait(room->source, -1);
}

static int poll_for_ever(struct room *room)
{
	return is_readable(room, -1) ? dkt_source_wait(room->source, 0) : -EIO;
}

static void one_record_ends_a_wait(void **state)
{
	struct room *room = *state;
	pthread_t thread;

	follow(room, 0);
	begin(&thread, mark, room);
	one_record_comes(room, wait_for_ever);
	end(thread);
	begin(&thread, mark, room);
	one_record_comes(room, poll_for_ever);
	end(thread);
}

static void a_wait_can_ask_for_a_fuller_buffer(void **state)
{
	struct room *room = *state;
	unsigned int before = percent(room);

	follow(room, 90);
	assert_int_equal(percent(room), 90);
	assert_false(is_readable(room, 0));
	assert_null(mark(room));
	assert_false(is_readable(room, 0));
	dkt_source_close(room->source);
	room->source = NULL;
	assert_int_equal(percent(room), before);
}

/* Whether the source is readable after all records up to now were taken, and none came but of that. */
static bool wakes_itself(struct room *room, unsigned int wake_percent)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = wake_percent);
	struct dkt_record record;
	bool readable;
	int err;

	assert_ok(room->ctx, dkt_source_live(room->in, &opts, &room->source));
	while (!(err = dkt_source_next(room->source, &record)))
		;
	assert_int_equal(err, DKT_NEXT_LATER);
	readable = is_readable(room, 0);
	dkt_source_close(room->source);
	room->source = NULL;
	return readable;
}

static void records_of_reading_do_not_wake_a_patient_reader(void **state)
{
	struct room *room = *state;
	char path[256];
	FILE *f;

	/* Other processes may read as much as the buffers hold. */
	snprintf(path, sizeof(path), "%s/instances/%s/set_event_pid", dkt_tracefs_dir(room->ctx),
		 dkt_instance_name(room->in));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fprintf(f, "%d", (int)getpid()) > 0);
	assert_int_equal(fclose(f), 0);
	snprintf(path, sizeof(path), "%s/instances/%s/events/syscalls/sys_enter_read/enable",
		 dkt_tracefs_dir(room->ctx), dkt_instance_name(room->in));
	f = fopen(path, "w");
	if (!f)
		skip();
	assert_true(fputs("1", f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_true(wakes_itself(room, 0));
	assert_false(wakes_itself(room, 100));
}

static void another_thread_ends_a_wait(void **state)
{
	struct room *room = *state;
	pthread_t thread;

	follow(room, 0);
	begin(&thread, wake, room);
	assert_int_equal(dkt_source_wait(room->source, -1), 0);
	end(thread);
	begin(&thread, wake, room);
	assert_true(is_readable(room, -1));
	end(thread);
	assert_int_equal(dkt_source_wait(room->source, 0), 0);
	assert_false(is_readable(room, 0));
}

static void a_wake_up_is_not_forgotten(void **state)
{
	struct room *room = *state;
	struct dkt_record record;

	follow(room, 0);
	assert_int_equal(dkt__source_wake(room->source), 0);
	assert_int_equal(dkt__source_wake(room->source), 0);
	assert_int_equal(dkt_source_next(room->source, &record), DKT_NEXT_LATER);
	assert_int_equal(dkt_source_wait(room->source, -1), 0);
	assert_false(is_readable(room, 0));
}

/* Records that exist already need no wait. */
static void a_new_source_is_read_without_a_wait(void **state)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = 90);
	struct room *room = *state;

	assert_null(mark(room));
	assert_ok(room->ctx, dkt_source_live(room->in, &opts, &room->source));
	assert_int_equal(poll_for_ever(room), 0);
	one_record_comes(room, poll_for_ever);
}

static void sources_that_do_not_follow_do_not_wait(void **state)
{
	static const char words[] = "this source does not follow";
	struct room *room = *state;
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = 101);

	assert_fails(room->ctx, -EINVAL, "wake_percent is 101, and 100 is the most",
		     dkt_source_live(room->in, &opts, &room->source));
	assert_ok(room->ctx, dkt_source_live(room->in, NULL, &room->source));
	assert_fails(room->ctx, -EOPNOTSUPP, words, dkt_source_fd(room->source));
	assert_fails(room->ctx, -EOPNOTSUPP, words, dkt_source_wait(room->source, -1));
	assert_int_equal(dkt__source_wake(room->source), -EOPNOTSUPP);
}

static uint64_t entries(struct room *room)
{
	struct dkt_cpu_stats stats;
	uint64_t n = 0;

	for (int cpu = 0; cpu < dkt_instance_n_cpus(room->in); cpu++) {
		assert_ok(room->ctx, dkt_instance_get_stats(room->in, cpu, &stats, sizeof(stats)));
		n += stats.entries;
	}
	return n;
}

static void keeping_records_needs_a_spool(void **state)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP);
	struct room *room = *state;

	assert_null(mark(room));
	assert_fails(room->ctx, -EINVAL, "DKT_LIVE_KEEP needs a spool that keeps them",
		     dkt_source_live(room->in, &opts, &room->source));
	assert_null(room->source);
	assert_int_equal(entries(room), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_record_ends_a_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(a_wait_can_ask_for_a_fuller_buffer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(records_of_reading_do_not_wake_a_patient_reader,
						setup, teardown),
		cmocka_unit_test_setup_teardown(another_thread_ends_a_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(a_wake_up_is_not_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(a_new_source_is_read_without_a_wait, setup,
						teardown),
		cmocka_unit_test_setup_teardown(sources_that_do_not_follow_do_not_wait, setup,
						teardown),
		cmocka_unit_test_setup_teardown(keeping_records_needs_a_spool, setup, teardown),
	};

	alarm(TOO_LONG);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
