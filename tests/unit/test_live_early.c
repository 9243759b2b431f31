/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sources that follow the buffers of a kernel before 6.1, whose poll reports a buffer for any record, whatever
 * buffer_percent is: a reader whose own actions are recorded must rest between two looks.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define EVENT_ID 7

/* The marks of descriptors are those of lib/source/live/watch.c. */
static struct {
	bool reports; /* poll reports a buffer */
	int rests; /* waits for no buffer */
} kernel;

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
	(void)timeout;
	if (kernel.reports && most) {
		events[0] = (struct epoll_event){ .events = EPOLLIN, .data.u32 = 1 };
		return 1;
	}
	return (int)syscall(SYS_epoll_pwait, fd, events, most, 0, NULL, 0);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)fds;
	(void)n;
	assert_true(timeout > 0);
	kernel.rests++;
	return 0;
}

struct room {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct dkt_source *source;
	uint8_t pages[16 * PAGE_BYTES];
	size_t n; /* pages */
};

static void more_pages(struct room *room, size_t n)
{
	struct made_page page;

	for (size_t i = 0; i < n; i++, room->n++) {
		page_begin(&page, 1000 + 10 * room->n);
		page_record(&page, 0, EVENT_ID, room->n);
		memcpy(room->pages + room->n * PAGE_BYTES, page.bytes, PAGE_BYTES);
	}
	assert_int_equal(tree_write(room->root, "per_cpu/cpu0/trace_pipe_raw", room->pages,
				    room->n * PAGE_BYTES),
			 0);
}

static int setup(void **state)
{
	struct room *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	memset(&kernel, 0, sizeof(kernel));
	assert_int_equal(tree_make(room->root), 0);
	assert_int_equal(tree_event(room->root, "made", "up", EVENT_ID,
				    "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n",
				    "\"%llu\", REC->value"),
			 0);
	assert_int_equal(tree_text(room->root, "available_events", "made:up\n"), 0);
	assert_int_equal(tree_text(room->root, "trace", ""), 0);
	assert_int_equal(tree_text(room->root, "trace_clock", "local [mono]\n"), 0);
	assert_int_equal(tree_text(room->root, "saved_cmdlines", "42 worker\n"), 0);
	more_pages(room, 1);
	room->ctx = tree_ctx(room->root);
	assert_non_null(room->ctx);
	assert_ok(room->ctx, dkt_instance_open(room->ctx, NULL, NULL, &room->in));
	*state = room;
	return 0;
}

static int teardown(void **state)
{
	struct room *room = *state;

	dkt_source_close(room->source);
	dkt_instance_close(room->in);
	dkt_ctx_free(room->ctx);
	assert_int_equal(tree_remove(room->root), 0);
	free(room);
	return 0;
}

static void follow(struct room *room, unsigned int percent)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = percent);

	assert_ok(room->ctx, dkt_source_live(room->in, &opts, &room->source));
}

/* Reads what there is, and waits for more. */
static void look(struct room *room)
{
	struct dkt_record record;
	int err;

	while (!(err = dkt_source_next(room->source, &record)))
		;
	assert_int_equal(err, DKT_NEXT_LATER);
	assert_ok(room->ctx, dkt_source_wait(room->source, 1000));
}

static void a_reader_that_is_woken_for_any_record_rests(void **state)
{
	struct room *room = *state;

	follow(room, 50);
	kernel.reports = true;
	look(room);
	assert_int_equal(kernel.rests, 0);
	for (int i = 1; i <= 3; i++) {
		more_pages(room, 1);
		look(room);
		assert_int_equal(kernel.rests, i);
	}
}

static void a_reader_that_is_woken_for_a_full_part_goes_on(void **state)
{
	struct room *room = *state;

	follow(room, 50);
	kernel.reports = true;
	look(room);
	for (int i = 0; i < 3; i++) {
		more_pages(room, 3);
		look(room);
	}
	assert_int_equal(kernel.rests, 0);
}

static void a_reader_that_wants_each_record_goes_on(void **state)
{
	struct room *room = *state;

	follow(room, 0);
	kernel.reports = true;
	for (int i = 0; i < 3; i++) {
		more_pages(room, 1);
		look(room);
	}
	assert_int_equal(kernel.rests, 0);
}

static void a_wait_that_no_buffer_ended_is_long_enough(void **state)
{
	struct room *room = *state;

	follow(room, 50);
	for (int i = 0; i < 3; i++) {
		more_pages(room, 1);
		look(room);
	}
	assert_int_equal(kernel.rests, 0);
}

static void a_tree_without_buffers_ends_at_once(void **state)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = 50);
	struct room room = { 0 };
	struct dkt_record record;

	(void)state;
	assert_int_equal(tree_make(room.root), 0);
	assert_int_equal(tree_text(room.root, "trace", ""), 0);
	assert_int_equal(tree_text(room.root, "trace_clock", "local [mono]\n"), 0);
	assert_int_equal(tree_text(room.root, "per_cpu/none", ""), 0);
	room.ctx = tree_ctx(room.root);
	assert_non_null(room.ctx);
	assert_ok(room.ctx, dkt_instance_open(room.ctx, NULL, NULL, &room.in));
	assert_int_equal(dkt_instance_n_cpus(room.in), 0);
	assert_ok(room.ctx, dkt_source_live(room.in, &opts, &room.source));
	assert_int_equal(dkt_source_next(room.source, &record), DKT_NEXT_LATER);
	dkt_source_close(room.source);
	dkt_instance_close(room.in);
	dkt_ctx_free(room.ctx);
	assert_int_equal(tree_remove(room.root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_reader_that_is_woken_for_any_record_rests, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_reader_that_is_woken_for_a_full_part_goes_on,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_that_wants_each_record_goes_on, setup,
						teardown),
		cmocka_unit_test(a_tree_without_buffers_ends_at_once),
		cmocka_unit_test_setup_teardown(a_wait_that_no_buffer_ended_is_long_enough, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
