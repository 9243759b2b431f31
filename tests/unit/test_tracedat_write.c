/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing trace.dat: its tables describe the records that were written, to a full file too, and those lost. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "lib/ctx.h"
#include "tests/helper/check.h"

/* 91 records of CPU 0 and 5 of CPU 1: a page each. */
#define INPUT "tests/fixture/perfdata/plain.data"

/* Writes all of the input to the descriptor's file, no further than to that byte. */
static int write_up_to(const struct dkt_tracedat_opts *opts, int fd, rlim_t most)
{
	struct rlimit old, less;
	struct dkt_tracedat *out;
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_ctx *ctx;
	int err;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, INPUT, NULL, &source));
	assert_ok(ctx, dkt_tracedat_new(ctx, source, fd, opts, &out));
	while (!dkt_source_next(source, &record))
		assert_int_equal(dkt_tracedat_add(out, &record), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	less = (struct rlimit){ .rlim_cur = most, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	err = dkt_tracedat_finish(out);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	dkt_tracedat_free(out);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return err;
}

static int count(int fd, uint32_t *cpus)
{
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL);
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_ctx *ctx;
	char path[32];
	int n = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, path, &all, &source));
	for (*cpus = 0; !dkt_source_next(source, &record); n++)
		*cpus |= 1u << record.cpu;
	assert_null(dkt_source_info(source)->damage);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return n;
}

static void a_full_file_describes_what_was_written(void **state)
{
	static const struct dkt_tracedat_opts kinds[] = {
		{ .sz = sizeof(kinds[0]), .version = 6 },
		{ .sz = sizeof(kinds[0]), .version = 7, .compression = "none" },
		{ .sz = sizeof(kinds[0]), .version = 7, .compression = "zstd" },
		{ .sz = sizeof(kinds[0]), .version = 7, .compression = "zlib" },
	};
	struct stat st;
	uint32_t cpus;
	size_t i;
	int fd;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		fd = memfd_create("trace.dat", MFD_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(write_up_to(&kinds[i], fd, RLIM_INFINITY), 0);
		assert_int_equal(count(fd, &cpus), 96);
		assert_int_equal(cpus, 3);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(ftruncate(fd, 0), 0);
		/* Something of the second CPU's page does not get there. */
		assert_int_equal(write_up_to(&kinds[i], fd, (rlim_t)st.st_size - 20), -EFBIG);
		assert_int_equal(count(fd, &cpus), 91);
		assert_int_equal(cpus, 1);
		close(fd);
	}
}

/* Adds a gap of a CPU that has no records. */
static void write_with_gap(const struct dkt_tracedat_opts *opts, int fd)
{
	const struct dkt_record gap = { .cpu = 1, .lost = 7 };
	struct dkt_tracedat *out;
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, INPUT, NULL, &source));
	assert_ok(ctx, dkt_tracedat_new(ctx, source, fd, opts, &out));
	while (!dkt_source_next(source, &record))
		if (!record.cpu)
			assert_int_equal(dkt_tracedat_add(out, &record), 0);
	assert_int_equal(dkt_tracedat_add(out, &gap), 0);
	assert_int_equal(dkt_tracedat_finish(out), 0);
	dkt_tracedat_free(out);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
}

static void a_cpu_that_lost_all_its_records_is_not_forgotten(void **state)
{
	static const struct dkt_tracedat_opts kinds[] = {
		{ .sz = sizeof(kinds[0]), .version = 6 },
		{ .sz = sizeof(kinds[0]), .version = 7, .compression = "none" },
		{ .sz = sizeof(kinds[0]), .version = 7, .compression = "zstd" },
	};
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	struct dkt_loss loss;
	char path[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int fd = memfd_create("trace.dat", MFD_CLOEXEC);

		write_with_gap(&kinds[i], fd);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
		assert_ok(ctx, dkt_source_open(ctx, path, NULL, &source));
		assert_int_equal(dkt_source_info(source)->cpus, 2);
		assert_ok(ctx, dkt_source_get_loss(source, 0, &loss, sizeof(loss)));
		assert_int_equal(loss.lost, 0);
		assert_ok(ctx, dkt_source_get_loss(source, 1, &loss, sizeof(loss)));
		assert_int_equal(loss.lost, 7);
		assert_int_equal(loss.seen, 0);
		dkt_source_close(source);
		dkt_ctx_free(ctx);
		close(fd);
	}
}

static void a_file_of_the_caller_can_hold_the_records_until_the_end(void **state)
{
	const int spare = memfd_create("spare", MFD_CLOEXEC),
		  fd = memfd_create("trace.dat", MFD_CLOEXEC);
	DKT_OPTS(dkt_tracedat_opts, opts, .dir = "/nonexistent", .spare = spare + 1);
	struct stat st;

	(void)state;
	write_with_gap(&opts, fd);
	assert_int_equal(fstat(spare, &st), 0);
	assert_true(st.st_size > 0);
	assert_int_equal(close(spare) | close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_lost_all_its_records_is_not_forgotten),
		cmocka_unit_test(a_file_of_the_caller_can_hold_the_records_until_the_end),
		cmocka_unit_test(a_full_file_describes_what_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
