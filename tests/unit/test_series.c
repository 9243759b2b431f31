/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files in succession: options, what they say together, what is missing. */
#include <sys/mman.h>

#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/journal.h"

#define V6   "tests/fixture/tracedat/v6.dat"
#define ZSTD "tests/fixture/tracedat/v7-zstd.dat"
#define ZLIB "tests/fixture/tracedat/v7-zlib.dat"

static struct dkt__series_item file(const char *path)
{
	return (struct dkt__series_item){ .sz = sizeof(struct dkt__series_item), .path = path };
}

/* Returns the number of records, and sets *gaps to that of gaps. */
static int count(struct dkt_source *source, int *gaps)
{
	struct dkt_record record;
	uint64_t last = 0;
	int n = 0, err;

	*gaps = 0;
	while (!(err = dkt_source_next(source, &record))) {
		assert_true(record.ts >= last);
		last = record.ts;
		*gaps += !record.event;
		n += record.event != NULL;
		/* Names outlive the file that has them. */
		assert_non_null(dkt_source_comm(source, &record));
	}
	assert_int_equal(err, DKT_NEXT_END);
	return n;
}

static int setup(void **state)
{
	return dkt_ctx_new(NULL, (struct dkt_ctx **)state);
}

static int teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

static void wrong_options_are_refused(void **state)
{
	struct dkt__series_item files[2] = { file(ZSTD), file(ZSTD) };
	struct dkt_source *source;
	size_t taken;

	assert_int_equal(dkt__source_series(NULL, files, 2, NULL, &taken, &source), -EINVAL);
	assert_int_equal(dkt__source_series(*state, NULL, 2, NULL, &taken, &source), -EINVAL);
	assert_int_equal(dkt__source_series(*state, files, 2, NULL, NULL, &source), -EINVAL);
	assert_int_equal(dkt__source_series(*state, files, 2, NULL, &taken, NULL), -EINVAL);
	assert_fails(*state, -EINVAL, "a series needs a file",
		     dkt__source_series(*state, files, 0, NULL, &taken, &source));
	files[1].path = NULL;
	assert_fails(*state, -EINVAL, "a file of a series has no path",
		     dkt__source_series(*state, files, 2, NULL, &taken, &source));
	files[1].sz = 1;
	assert_fails(*state, -EINVAL, "the files of a series differ in sz",
		     dkt__source_series(*state, files, 2, NULL, &taken, &source));
	files[0].path = "README.md";
	assert_fails(*state, -EINVAL, "open README.md: not a trace.dat file",
		     dkt__source_series(*state, files, 1, NULL, &taken, &source));
	files[0].path = "/dkt-no-such-file";
	assert_fails(*state, -ENOENT, "open /dkt-no-such-file: No such file or directory",
		     dkt__source_series(*state, files, 1, NULL, &taken, &source));
	files[0].path = ZSTD;
	assert_ok(*state, dkt__source_series(*state, files, 1, NULL, &taken, &source));
	dkt_source_close(source);
	assert_int_equal(dkt__source_series(*state, files, 1, NULL, &taken, &source), -EBUSY);
}

/* The same records twice, at the same times. */
static void files_of_a_kernel_are_one_source(void **state)
{
	const struct dkt__series_item files[] = { file(ZSTD), file("/dkt-no-such-file"),
						  file(ZSTD) };
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	size_t taken;
	int one, gaps;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, ZSTD, NULL, &source));
	one = count(source, &gaps);
	assert_true(one > 0);
	dkt_source_close(source);
	dkt_ctx_free(ctx);

	assert_ok(*state, dkt__source_series(*state, files, 3, NULL, &taken, &source));
	assert_int_equal(taken, 3);
	assert_string_equal(dkt_source_info(source)->damage,
			    "open /dkt-no-such-file: No such file or directory");
	assert_int_equal(count(source, &gaps), 2 * one);
	assert_int_equal(gaps, dkt_source_info(source)->cpus);
	/* Again from the beginning, and after the end. */
	assert_ok(*state, dkt_source_seek(source, 0, 0));
	assert_int_equal(count(source, &gaps), 2 * one);
	assert_int_equal(gaps, dkt_source_info(source)->cpus);
	assert_ok(*state, dkt_source_seek(source, UINT64_MAX - 1, 0));
	assert_int_equal(count(source, &gaps), 0);
	assert_int_equal(gaps, 0);
	dkt_source_close(source);
}

static void slices_have_each_record_and_gap_once(void **state)
{
	struct dkt__series_item files[] = { file(ZSTD), file(ZSTD), file(ZSTD) };
	struct dkt_source *source;
	int all, gaps, n = 0, n_gaps = 0, some;
	uint64_t from = 0, to;
	size_t taken;

	/* Also one before the first file, whose first slice has no record. */
	files[0].after_pause = files[1].after_gap = true;
	assert_ok(*state, dkt__source_series(*state, files, 3, NULL, &taken, &source));
	all = count(source, &gaps);
	do {
		assert_ok(*state, dkt__source_slice(source, from, 1, &to));
		assert_true(to > from);
		assert_ok(*state, dkt_source_seek(source, from, to == UINT64_MAX ? 0 : to));
		n += count(source, &some);
		n_gaps += some;
		from = to;
	} while (to != UINT64_MAX);
	assert_int_equal(n, all);
	assert_int_equal(n_gaps, gaps);
	assert_true(gaps >= dkt_source_info(source)->cpus);
	dkt_source_close(source);
}

static void a_gap_after_a_pause_says_so(void **state)
{
	struct dkt__series_item files[] = { file(V6), file(V6) };
	struct dkt_source *source;
	struct dkt_record record;
	size_t taken;
	int gaps = 0;

	files[1].after_pause = true;
	assert_ok(*state, dkt__source_series(*state, files, 2, NULL, &taken, &source));
	while (!dkt_source_next(source, &record)) {
		assert_int_equal(record.paused, !record.event);
		gaps += !record.event;
	}
	assert_int_equal(gaps, dkt_source_info(source)->cpus);
	dkt_source_close(source);
}

static void another_kernel_ends_the_series(void **state)
{
	const struct dkt__series_item files[] = { file(ZSTD), file("tests/fuzz/corpus/tracedat/v7"),
						  file(ZLIB) };
	struct dkt_source *source;
	size_t taken;

	assert_ok(*state, dkt__source_series(*state, files, 3, NULL, &taken, &source));
	assert_int_equal(taken, 1);
	assert_null(dkt_source_info(source)->damage);
	dkt_source_close(source);
}

/* A recording whose kernel begins at that address. Returns its descriptor. */
static int made_at(uint64_t base, const char *compression, uint64_t first, char path[32])
{
	DKT_OPTS(dkt_tracedat_opts, opts, .compression = compression);
	int fd = memfd_create("journal", MFD_CLOEXEC), sealed = memfd_create("sealed", MFD_CLOEXEC);
	uint8_t symbols[128];
	struct made_journal j;
	struct dkt_ctx *ctx;
	uint32_t n;

	journal_begin(&j, 512, 512, (struct made_instances){ 0 });
	n = (uint32_t)sprintf((char *)symbols + 4, "%016llx t _text\n%016llx t f\n",
			      (unsigned long long)base, (unsigned long long)base + first);
	memcpy(symbols, &n, 4);
	journal_section(&j, DAT_KALLSYMS, 0, symbols, n + 4);
	j.next = first;
	journal_pages(&j, 0, 0, 1, false);
	journal_mark(&j, 0, 0);
	journal_section(&j, DKT__JOURNAL_END, 0, "", 0);
	assert_int_equal(write(fd, j.data, j.n), j.n);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt__tracedat_seal(ctx, fd, sealed, &opts));
	dkt_ctx_free(ctx);
	close(fd);
	snprintf(path, 32, "/proc/self/fd/%d", sealed);
	return sealed;
}

/* The same kernel is at another address in each boot, and so are the names of its functions. */
static void another_boot_ends_the_series(void **state)
{
	static const char *const compressions[] = { "none", "zstd" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compressions); i++) {
		char paths[3][32];
		const int fds[] = { made_at(0x81000000, compressions[i], 1000, paths[0]),
				    made_at(0x81000000, compressions[i], 2000, paths[1]),
				    made_at(0x9a000000, compressions[i], 3000, paths[2]) };
		const struct dkt__series_item files[] = { file(paths[0]), file(paths[1]),
							  file(paths[2]) };
		struct dkt_source *source;
		struct dkt_ctx *ctx;
		size_t taken;
		int gaps;

		assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
		assert_ok(ctx, dkt__source_series(ctx, files, 3, NULL, &taken, &source));
		assert_int_equal(taken, 2);
		assert_int_equal(count(source, &gaps), 2 * JOURNAL_RECORDS);
		dkt_source_close(source);
		dkt_ctx_free(ctx);
		for (size_t j = 0; j < ARRAY_SIZE(fds); j++)
			close(fds[j]);
	}
}

static void a_missing_file_is_a_gap(void **state)
{
	struct dkt__series_item files[] = { file(V6), file(V6) };
	struct dkt_source *source;
	size_t taken;
	int gaps;

	files[1].after_gap = true;
	assert_ok(*state, dkt__source_series(*state, files, 2, NULL, &taken, &source));
	assert_int_equal(taken, 2);
	count(source, &gaps);
	assert_int_equal(gaps, dkt_source_info(source)->cpus);
	assert_null(dkt_source_info(source)->damage);
	dkt_source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wrong_options_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(files_of_a_kernel_are_one_source, setup, teardown),
		cmocka_unit_test_setup_teardown(slices_have_each_record_and_gap_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_gap_after_a_pause_says_so, setup, teardown),
		cmocka_unit_test_setup_teardown(another_kernel_ends_the_series, setup, teardown),
		cmocka_unit_test(another_boot_ends_the_series),
		cmocka_unit_test_setup_teardown(a_missing_file_is_a_gap, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
