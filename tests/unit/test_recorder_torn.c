/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recorders of a kernel before 6.1, which splices nothing while the first page is one of which a read has taken a part,
 * and whose poll reports a buffer for any record. The file of a made-up tree acts as the buffer: each read of the page
 * that is being filled is a page of its own.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/base/io.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define EVENT_ID 7
#define BUFFER   "per_cpu/cpu0/trace_pipe_raw"

static struct {
	ino_t inode; /* of the file that acts as the buffer */
	off_t complete; /* bytes of its complete pages; a page that is being filled follows */
	bool torn; /* a read has taken a part of the first page */
	int reported; /* buffers that the last epoll_wait() reported */
} kernel;

static bool is_buffer(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == kernel.inode;
}

ssize_t read(int fd, void *buf, size_t len)
{
	if (is_buffer(fd))
		kernel.torn = lseek(fd, 0, SEEK_CUR) >= kernel.complete;
	return syscall(SYS_read, fd, buf, len);
}

ssize_t splice(int in, loff_t *off_in, int out, loff_t *off_out, size_t len, unsigned int flags)
{
	if (is_buffer(in)) {
		const off_t at = lseek(in, 0, SEEK_CUR);

		if (kernel.torn || at < 0 || at >= kernel.complete) {
			errno = EAGAIN;
			return -1;
		}
		len = DKT__MIN(len, (size_t)(kernel.complete - at));
	}
	return syscall(SYS_splice, in, off_in, out, off_out, len, flags);
}

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
	kernel.reported = (int)syscall(SYS_epoll_pwait, fd, events, most, timeout, NULL, 0);
	return kernel.reported;
}

struct room {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct dkt_recorder *recorder;
	uint8_t pages[16 * PAGE_BYTES];
	size_t n; /* pages */
	int fd; /* of the recording */
};

static ino_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* The kernel records on: the first page of these completes the last one, and the last one is being filled. */
static void more_pages(struct room *room, size_t n)
{
	struct made_page page;
	char path[TREE_NAME + sizeof(BUFFER) + 1];

	for (size_t i = 0; i < n; i++, room->n++) {
		assert_true(room->n < sizeof(room->pages) / PAGE_BYTES);
		page_begin(&page, 1000 + 10 * room->n);
		page_record(&page, 0, EVENT_ID, room->n);
		memcpy(room->pages + room->n * PAGE_BYTES, page.bytes, PAGE_BYTES);
	}
	/* The file keeps its inode. */
	assert_int_equal(tree_write(room->root, BUFFER, room->pages, room->n * PAGE_BYTES), 0);
	snprintf(path, sizeof(path), "%s/" BUFFER, room->root);
	assert_true(!kernel.inode || kernel.inode == inode_of(path));
	kernel.inode = inode_of(path);
	kernel.complete = (off_t)(room->n - 1) * PAGE_BYTES;
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
	assert_int_equal(tree_text(room->root, "set_event", "made:up\n"), 0);
	assert_int_equal(tree_text(room->root, "trace", ""), 0);
	assert_int_equal(tree_text(room->root, "trace_clock", "local [mono]\n"), 0);
	assert_int_equal(tree_text(room->root, "saved_cmdlines", "42 worker\n"), 0);
	assert_int_equal(tree_text(room->root, "per_cpu/cpu0/stats",
				   "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\n"
				   "dropped events: 0\nread events: 0\n"),
			 0);
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

	dkt_recorder_free(room->recorder);
	close(room->fd);
	dkt_instance_close(room->in);
	dkt_ctx_free(room->ctx);
	assert_int_equal(tree_remove(room->root), 0);
	free(room);
	return 0;
}

/* Begins a recording, whose first mark takes a part of the first page. */
static void begin(struct room *room, const char *compression)
{
	DKT_OPTS(dkt_recorder_opts, opts, .compression = compression);

	room->fd = dkt__unnamed_file("/tmp");
	assert_true(room->fd >= 0);
	assert_ok(room->ctx, dkt_recorder_new(room->ctx, &opts, &room->recorder));
	assert_ok(room->ctx, dkt_recorder_add(room->recorder, room->in, ""));
	assert_ok(room->ctx, dkt_recorder_begin(room->recorder, room->fd));
	assert_ok(room->ctx, dkt_recorder_read(room->recorder));
}

/* The number of pages in the file. */
static uint64_t recorded(struct room *room)
{
	struct dkt_recorder_counts counts;

	assert_ok(room->ctx, dkt_recorder_get_counts(room->recorder, &counts, sizeof(counts)));
	return counts.uncompressed / PAGE_BYTES;
}

static void the_end_takes_all_that_follows_a_torn_page(void **state)
{
	struct room *room = *state;

	begin(room, NULL);
	assert_int_equal(recorded(room), 1);
	more_pages(room, 6);
	assert_ok(room->ctx, dkt_recorder_end(room->recorder));
	assert_int_equal(recorded(room), 7);
}

static void compressed_pages_are_taken_too(void **state)
{
	struct room *room = *state;

	begin(room, "zlib");
	more_pages(room, 6);
	assert_ok(room->ctx, dkt_recorder_end(room->recorder));
	assert_int_equal(recorded(room), 7);
}

static void waiting_takes_the_complete_pages(void **state)
{
	struct room *room = *state;

	begin(room, NULL);
	more_pages(room, 6);
	assert_ok(room->ctx, dkt_recorder_wait(room->recorder, 0));
	assert_int_equal(recorded(room), 6);
	assert_ok(room->ctx, dkt_recorder_wait(room->recorder, 0));
	assert_int_equal(recorded(room), 6);
	assert_ok(room->ctx, dkt_recorder_end(room->recorder));
	assert_int_equal(recorded(room), 7);
}

static void each_mark_has_all_before_it(void **state)
{
	struct room *room = *state;

	begin(room, NULL);
	for (uint64_t pages = 3; pages <= 15; pages += 2) {
		more_pages(room, 2);
		assert_ok(room->ctx, dkt_recorder_read(room->recorder));
		assert_int_equal(recorded(room), pages);
	}
}

static void a_buffer_without_a_complete_page_is_not_reported_again(void **state)
{
	struct room *room = *state;
	char path[TREE_NAME + sizeof(BUFFER) + 1];
	int fd;

	/* A pipe can be waited for; a byte in it is the record. */
	snprintf(path, sizeof(path), "%s/" BUFFER, room->root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	begin(room, NULL);
	kernel.inode = inode_of(path);
	assert_int_equal(write(fd, "", 1), 1);
	assert_ok(room->ctx, dkt_recorder_wait(room->recorder, 60000));
	assert_int_equal(kernel.reported, 1);
	for (int i = 0; i < 3; i++) {
		assert_ok(room->ctx, dkt_recorder_wait(room->recorder, 60000));
		assert_int_equal(kernel.reported, 0);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_end_takes_all_that_follows_a_torn_page, setup,
						teardown),
		cmocka_unit_test_setup_teardown(compressed_pages_are_taken_too, setup, teardown),
		cmocka_unit_test_setup_teardown(waiting_takes_the_complete_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(each_mark_has_all_before_it, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_buffer_without_a_complete_page_is_not_reported_again, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
