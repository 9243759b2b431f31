/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rescue of a recording: cut anywhere, it gets what the instances hold, and exact counts. */
#include <sys/mman.h>

#include "lib/base/io.h"
#include "tests/helper/check.h"
#include "tests/helper/journal.h"

/* No process has this number: it is larger than the kernel allows. */
#define DEAD 4194305

#define READ 20 /* records that the kernel has handed out, of each CPU */
#define OVER 4 /* records that it has overwritten */

#define END  16 /* bytes of the section that ends a recording */
#define HEAD 256 /* bytes of the sections before the first pages, or more */

struct room {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct made_journal j;
	int fd;
	char boot[DKT__BOOT_SIZE];
};

static void make_instance(const struct room *room, const char *name, uint64_t from)
{
	char path[80];

	for (int cpu = 0; cpu < 2; cpu++) {
		struct made_page page;

		page_begin(&page, from + (uint64_t)cpu);
		page_record(&page, 0, JOURNAL_ID, from + (uint64_t)cpu);
		snprintf(path, sizeof(path), "instances/%s/per_cpu/cpu%d/trace_pipe_raw", name,
			 cpu);
		assert_int_equal(tree_write(room->root, path, page.bytes, PAGE_BYTES), 0);
		snprintf(path, sizeof(path), "instances/%s/per_cpu/cpu%d/stats", name, cpu);
		assert_int_equal(tree_text(room->root, path,
					   "entries: 0\noverrun: 4\ncommit overrun: 0\nbytes: 0\n"
					   "dropped events: 0\nread events: 20\n"),
				 0);
	}
	snprintf(path, sizeof(path), "instances/%s/trace", name);
	assert_int_equal(tree_text(room->root, path, ""), 0);
	snprintf(path, sizeof(path), "instances/%s/tracing_on", name);
	assert_int_equal(tree_text(room->root, path, "1\n"), 0);
}

static int setup(void **state)
{
	struct room *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	assert_int_equal(tree_make(room->root), 0);
	assert_int_equal(tree_text(room->root, "trace", ""), 0);
	assert_int_equal(tree_text(room->root, "saved_cmdlines", "44 late\n"), 0);
	dkt__boot_id(room->boot);
	room->ctx = tree_ctx(room->root);
	room->fd = memfd_create("journal", MFD_CLOEXEC);
	assert_true(room->ctx && room->fd >= 0);
	*state = room;
	return 0;
}

static int teardown(void **state)
{
	struct room *room = *state;

	close(room->fd);
	dkt_ctx_free(room->ctx);
	assert_int_equal(tree_remove(room->root), 0);
	free(room);
	return 0;
}

/* Stores a recording of those two instances, without its last bytes. Returns its size. */
static size_t store(struct room *room, const char *a, const char *b, const char *boot, size_t less)
{
	size_t n;

	journal_make_of(&room->j, PAGE_BYTES,
			(struct made_instances){ .names = { a, b }, .boot = boot });
	assert_int_equal(ftruncate(room->fd, 0), 0);
	n = room->j.n - less;
	assert_int_equal(pwrite(room->fd, room->j.data, n, 0), (ssize_t)n);
	return n;
}

/* Reads the file, which is complete. Returns the records; lost: of each CPU. */
static size_t read_all(const struct room *room, uint64_t lost[2])
{
	DKT_OPTS(dkt_source_opts, opts, .fd = room->fd + 1, .flags = DKT_SOURCE_ALL);
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_loss loss;
	struct dkt_ctx *ctx;
	size_t n = 0;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, "journal", &opts, &source));
	assert_null(dkt_source_info(source)->damage);
	assert_false(dkt_source_info(source)->growing);
	while (!dkt_source_next(source, &record))
		n++;
	for (int cpu = 0; cpu < 2; cpu++) {
		assert_ok(ctx, dkt_source_get_loss(source, cpu, &loss, sizeof(loss)));
		lost[cpu] = loss.lost;
	}
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return n;
}

static void each_cut_is_mended_and_counted(void **state)
{
	struct room *room = *state;
	char a[32], b[32];

	snprintf(a, sizeof(a), "made-%d-1", DEAD);
	snprintf(b, sizeof(b), "made-%d-2", DEAD);
	make_instance(room, a, 90000);
	make_instance(room, b, 90010);
	for (size_t less = END; store(room, a, b, room->boot, less) > room->j.head + HEAD;
	     less += 1013) {
		uint64_t lost[2], records;
		size_t seen;

		/* The directory of the tree is not one of the kernel's: it is not empty. */
		assert_int_equal(dkt__recorder_rescue(room->ctx, room->fd, &records), -ENOTEMPTY);
		seen = read_all(room, lost);
		/* Each of the four buffers had one page in the kernel. */
		assert_int_equal(seen + lost[0] + lost[1], 4 * (READ + OVER + 1));
		assert_int_equal(dkt__recorder_rescue(room->ctx, room->fd, &records), 1);
	}
}

/* Tries to rescue a recording of an instance, and returns the error. */
static int try_it(struct room *room, const char *instance, const char *boot)
{
	uint64_t records;

	store(room, instance, instance, boot, END);
	return dkt__recorder_rescue(room->ctx, room->fd, &records);
}

static void other_recordings_are_left_alone(void **state)
{
	struct room *room = *state;
	char *mine;

	assert_int_equal(try_it(room, NULL, NULL), 1);
	assert_int_equal(try_it(room, "", room->boot), 1);
	assert_int_equal(try_it(room, "made", room->boot), 1);
	assert_int_equal(try_it(room, "made-4194305-7", "another boot"), 1);
	assert_int_equal(try_it(room, "made-4194305-7", room->boot), -ENOENT);
	/* The group of an instance has other marks in its name. */
	assert_ok(room->ctx, dkt_instance_own_group(room->ctx, "made", &mine));
	for (char *p = mine; *p; p++)
		*p = *p == '_' ? '-' : *p;
	assert_int_equal(try_it(room, mine, room->boot), -EBUSY);
	free(mine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_cut_is_mended_and_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(other_recordings_are_left_alone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
