/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spools: files of a killed reader, damaged files. */
#include <fcntl.h>
#include <seccomp.h>
#include <sys/wait.h>

#include "lib/inside.h"
#include "lib/instance.h"
#include "lib/source/live/spool.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

struct place {
	char dir[32];
	int fd;
	struct dkt_ctx *ctx;
	char said[200];
};

static void log_fn(void *data, enum dkt_log_level level, const char *text)
{
	struct place *place = data;

	if (level == DKT_LOG_WARN)
		snprintf(place->said, sizeof(place->said), "%s", text);
}

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	DKT_OPTS(dkt_ctx_opts, opts, .log = log_fn, .log_data = place);

	assert_non_null(place);
	snprintf(place->dir, sizeof(place->dir), "/tmp/dkt-spool-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	place->fd = open(place->dir, O_RDONLY | O_DIRECTORY);
	assert_true(place->fd >= 0);
	assert_int_equal(dkt_ctx_new(&opts, &place->ctx), 0);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	close(place->fd);
	dkt_ctx_free(place->ctx);
	assert_int_equal(tree_remove(place->dir), 0);
	free(place);
	return 0;
}

static void open_spool(struct place *place, struct dkt__spool *spool, uint64_t source)
{
	assert_ok(place->ctx, dkt__spool_open(place->ctx, spool, place->fd, 3, PAGE_BYTES, source));
}

/* As a read() does: a page whose stamp is that number. */
static void fill(struct dkt__spool *spool, uint64_t stamp)
{
	int err;
	void *room = dkt__spool_room(spool, &err);

	assert_non_null(room);
	assert_int_equal(err, 0);
	memset(room, 0xaa, PAGE_BYTES);
	memcpy(room, &stamp, sizeof(stamp));
}

static uint64_t stamp(const struct dkt__spool *spool, uint32_t page)
{
	uint64_t value;

	memcpy(&value, dkt__spool_page(spool, page), sizeof(value));
	return value;
}

static void pages_are_kept_in_order(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;
	uint32_t i;

	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 0);
	assert_true(dkt__spool_get_base(&spool).emptied);
	for (i = 0; i < 300; i++) {
		fill(&spool, i + 1);
		dkt__spool_commit(&spool);
	}
	assert_false(dkt__spool_release(&spool, (struct dkt__spool_pos){ 17, 100 }));
	dkt__spool_set_base(&spool, (struct dkt__spool_base){ .lost = 5, .read = 6 });
	dkt__spool_close(&spool);
	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 300);
	assert_int_equal(dkt__spool_start(&spool).page, 17);
	assert_int_equal(dkt__spool_start(&spool).offset, 100);
	assert_int_equal(dkt__spool_get_base(&spool).lost, 5);
	assert_int_equal(dkt__spool_get_base(&spool).read, 6);
	assert_false(dkt__spool_get_base(&spool).emptied);
	for (i = 0; i < 300; i++)
		assert_int_equal(stamp(&spool, i), i + 1);
	assert_true(dkt__spool_release(&spool, (struct dkt__spool_pos){ 300, 0 }));
	assert_int_equal(dkt__spool_pages(&spool), 0);
	dkt__spool_close(&spool);
	assert_string_equal(place->said, "");
}

/* Killed between the kernel's copy and the count. */
static void a_page_that_was_not_counted_is_found(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;

	open_spool(place, &spool, 1);
	fill(&spool, 11);
	dkt__spool_commit(&spool);
	fill(&spool, 12);
	dkt__spool_close(&spool);
	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 2);
	assert_int_equal(stamp(&spool, 1), 12);
	/* Everything is released; old data after it must not count as a new page. */
	assert_true(dkt__spool_release(&spool, (struct dkt__spool_pos){ 2, 0 }));
	dkt__spool_close(&spool);
	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 0);
	dkt__spool_close(&spool);
	/* Nor is room that was asked for and not filled. */
	open_spool(place, &spool, 1);
	fill(&spool, 0);
	dkt__spool_close(&spool);
	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 0);
	dkt__spool_close(&spool);
}

/* At every number of pages, also where the file has to grow. */
static void an_uncounted_page_is_found_at_every_number(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;
	uint32_t i;

	for (i = 1; i < 200; i++) {
		open_spool(place, &spool, 1);
		assert_int_equal(dkt__spool_pages(&spool), i - 1);
		fill(&spool, i);
		dkt__spool_close(&spool);
	}
	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 199);
	for (i = 0; i < 199; i++)
		assert_int_equal(stamp(&spool, i), i + 1);
	dkt__spool_close(&spool);
}

static void another_buffer_keeps_the_pages_and_resets_the_counts(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;

	open_spool(place, &spool, 1);
	fill(&spool, 11);
	dkt__spool_commit(&spool);
	dkt__spool_set_base(&spool, (struct dkt__spool_base){ .lost = 5, .read = 6 });
	dkt__spool_close(&spool);
	/* Its records are as good as before, the kernel's counts are not. */
	open_spool(place, &spool, 2);
	assert_int_equal(dkt__spool_pages(&spool), 1);
	assert_int_equal(dkt__spool_get_base(&spool).lost, 0);
	assert_int_equal(dkt__spool_get_base(&spool).read, 0);
	assert_true(dkt__spool_get_base(&spool).emptied);
	dkt__spool_close(&spool);
}

static void a_reset_spool_is_empty(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;

	open_spool(place, &spool, 1);
	fill(&spool, 11);
	dkt__spool_commit(&spool);
	dkt__spool_set_base(&spool, (struct dkt__spool_base){ .lost = 5, .read = 6 });
	dkt__spool_reset(&spool);
	dkt__spool_close(&spool);
	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 0);
	assert_int_equal(dkt__spool_get_base(&spool).lost, 0);
	assert_true(dkt__spool_get_base(&spool).emptied);
	dkt__spool_close(&spool);
}

/* A file of three pages with that 64-bit word of its head changed. */
static void damage(struct place *place, off_t word, uint64_t value)
{
	struct dkt__spool spool;
	int fd;

	open_spool(place, &spool, 1);
	dkt__spool_reset(&spool);
	for (uint64_t i = 1; i <= 3; i++) {
		fill(&spool, i);
		dkt__spool_commit(&spool);
	}
	dkt__spool_close(&spool);
	fd = openat(place->fd, "cpu3", O_WRONLY);
	assert_true(fd >= 0);
	if (word >= 0)
		assert_int_equal(pwrite(fd, &value, 8, word * 8), 8);
	else
		assert_int_equal(ftruncate(fd, (off_t)value), 0);
	close(fd);
	place->said[0] = '\0';
}

static void a_damaged_spool_is_emptied(void **state)
{
	static const struct {
		off_t word; /* -1: the file's length */
		uint64_t value;
	} damages[] = {
		{ 0, 1 }, /* magic */
		{ 1, 65536 }, /* page size */
		{ 2, 0xffffff }, /* pages */
		{ 2, UINT64_MAX },
		{ 2, UINT64_C(4) << 40 | 3 }, /* start after the last page */
		{ 2, UINT64_C(5000) << 24 | 3 }, /* start after the end of a page */
		{ -1, 8 },
		{ -1, 4096 },
		{ -1, 9000 },
		{ -1, UINT64_C(1) << 40 },
	};
	struct place *place = *state;
	struct dkt__spool spool;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(damages); i++) {
		damage(place, damages[i].word, damages[i].value);
		open_spool(place, &spool, 1);
		assert_int_equal(dkt__spool_pages(&spool), 0);
		assert_string_equal(place->said,
				    "the saved records of cpu 3 are damaged and were removed");
		fill(&spool, 9);
		dkt__spool_commit(&spool);
		dkt__spool_close(&spool);
		open_spool(place, &spool, 1);
		assert_int_equal(dkt__spool_pages(&spool), 1);
		dkt__spool_close(&spool);
	}
}

static void a_spool_whose_reader_was_killed_before_it_had_a_head_is_empty(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;

	/* The magic is written last. */
	damage(place, 0, 0);
	open_spool(place, &spool, 1);
	assert_string_equal(place->said, "");
	assert_int_equal(dkt__spool_pages(&spool), 0);
	dkt__spool_close(&spool);
}

static void a_link_is_refused_and_no_directory_means_memory(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;

	assert_int_equal(symlinkat("/nowhere", place->fd, "cpu3"), 0);
	assert_fails(place->ctx, -ELOOP, "open spool cpu3: Too many levels of symbolic links",
		     dkt__spool_open(place->ctx, &spool, place->fd, 3, PAGE_BYTES, 1));
	assert_ok(place->ctx, dkt__spool_open(place->ctx, &spool, -1, 3, PAGE_BYTES, 1));
	fill(&spool, 1);
	dkt__spool_commit(&spool);
	assert_int_equal(dkt__spool_pages(&spool), 1);
	dkt__spool_close(&spool);
	assert_int_equal(spool.fd, -1);
	dkt__spool_close(&spool);
}

static void bytes_of_all_cpus_are_added(void **state)
{
	struct place *place = *state;
	char nowhere[] = "/nowhere/at/all";
	struct dkt_instance in = { .ctx = place->ctx };
	struct dkt__spool spool;
	uint64_t bytes;

	assert_ok(place->ctx, dkt__spool_bytes(&in, &bytes));
	assert_int_equal(bytes, 0);
	in.spool = nowhere;
	assert_ok(place->ctx, dkt__spool_bytes(&in, &bytes));
	assert_int_equal(bytes, 0);
	assert_ok(place->ctx, dkt__spool_open(place->ctx, &spool, place->fd, 0, PAGE_BYTES, 1));
	fill(&spool, 1);
	dkt__spool_commit(&spool);
	dkt__spool_close(&spool);
	in.spool = place->dir;
	assert_ok(place->ctx, dkt__spool_bytes(&in, &bytes));
	assert_int_equal(bytes, PAGE_BYTES);
}

/* The kernel's answer to reads of files is an error from now on. */
static bool reads_fail(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	return filter && !seccomp_rule_add(filter, SCMP_ACT_ERRNO(EIO), SCMP_SYS(pread64), 0) &&
	       !seccomp_load(filter);
}

static void records_that_cannot_be_read_stay(void **state)
{
	struct place *place = *state;
	struct dkt__spool spool;
	int status;
	pid_t pid;

	open_spool(place, &spool, 1);
	fill(&spool, 7);
	dkt__spool_commit(&spool);
	dkt__spool_close(&spool);
	pid = fork();
	if (!pid) {
		if (!reads_fail())
			_exit(77);
		_exit(dkt__spool_open(place->ctx, &spool, place->fd, 3, PAGE_BYTES, 1) != -EIO ||
		      strcmp(dkt_error(place->ctx),
			     "read the saved records of cpu 3: Input/output error") != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
	open_spool(place, &spool, 1);
	assert_int_equal(dkt__spool_pages(&spool), 1);
	assert_int_equal(stamp(&spool, 0), 7);
	dkt__spool_close(&spool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages_are_kept_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_page_that_was_not_counted_is_found, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_uncounted_page_is_found_at_every_number, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			another_buffer_keeps_the_pages_and_resets_the_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reset_spool_is_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(a_damaged_spool_is_emptied, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_spool_whose_reader_was_killed_before_it_had_a_head_is_empty, setup,
			teardown),
		cmocka_unit_test_setup_teardown(a_link_is_refused_and_no_directory_means_memory,
						setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_of_all_cpus_are_added, setup, teardown),
		cmocka_unit_test_setup_teardown(records_that_cannot_be_read_stay, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
