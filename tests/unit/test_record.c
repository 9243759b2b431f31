/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binary records: acceptance, resynchronisation, the line, sorting in little memory. */
#include <sched.h>
#include <sys/mman.h>

#include "compat/lustre/binary/line.h"
#include "compat/lustre/binary/merge.h"
#include "compat/lustre/binary/runs.h"
#include "compat/lustre/binary/sort.h"
#include "tests/helper/check.h"

#define BASE 1495061000u

struct file {
	int fd;
	struct dkt_ctx *ctx;
};

static void setup_file(struct file *file)
{
	file->fd = memfd_create("records", MFD_CLOEXEC);
	assert_true(file->fd >= 0);
	assert_int_equal(dkt_ctx_new(NULL, &file->ctx), 0);
}

static void clear_file(struct file *file)
{
	close(file->fd);
	dkt_ctx_free(file->ctx);
}

static struct record_head good(void)
{
	return (struct record_head){
		.subsystem = 4, .mask = 2, .cpu = 3, .sec = BASE, .usec = 5, .pid = 77, .line = 12
	};
}

/* A record with that text; len 0 in the header means the real length. */
static size_t add(struct file *file, struct record_head head, const char *text, size_t n)
{
	static uint8_t rec[RECORD_MAX * 2];
	size_t len = sizeof(head);

	memcpy(rec + len, "file.c\0func", 12);
	len += 12;
	memcpy(rec + len, text, n);
	len += n;
	if (!head.len)
		head.len = (uint32_t)len;
	memcpy(rec, &head, sizeof(head));
	assert_int_equal(write(file->fd, rec, len), len);
	return len;
}

static void add_text(struct file *file, const char *text)
{
	assert_int_equal(write(file->fd, text, strlen(text)), strlen(text));
}

/* The same as threads print it. */
static void check_print(struct file *file, const struct record_sort_opts *opts, const char *wanted)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	char *text = calloc(1, strlen(wanted) + 2);
	struct record_sort *sort;

	assert_true(fd >= 0);
	assert_non_null(text);
	assert_ok(file->ctx, dkl_record_sort_new(file->ctx, opts, &sort));
	assert_ok(file->ctx, dkl_record_print(file->ctx, sort, fd));
	assert_int_equal(pread(fd, text, strlen(wanted) + 1, 0), strlen(wanted));
	assert_string_equal(text, wanted);
	dkl_record_sort_free(sort);
	free(text);
	close(fd);
}

/* Returns the printed file. */
static char *show(struct file *file, size_t memory, struct record_counts *counts)
{
	struct record_sort_opts opts = {
		.fd = file->fd, .name = "test", .show = { UINT32_MAX, UINT32_MAX }, .memory = memory
	};
	struct record_line kept = { 0 };
	struct record_sort *sort;
	const uint8_t *rec;
	char *text = NULL;
	uint32_t len;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	char *line = malloc(RECORD_MAX + RECORD_LINE_EXTRA);

	assert_non_null(f);
	assert_non_null(line);
	assert_ok(file->ctx, dkl_record_sort_new(file->ctx, &opts, &sort));
	while (!dkl_record_sort_next(sort, &rec, &len))
		fwrite(line, 1, (size_t)(dkl_record_line(&kept, rec, len, line) - line), f);
	*counts = *dkl_record_sort_counts(sort);
	dkl_record_sort_free(sort);
	fclose(f);
	free(line);
	check_print(file, &opts, text);
	return text;
}

static void check(struct file *file, const char *wanted, uint64_t bad)
{
	struct record_counts counts;
	char *text = show(file, 0, &counts);

	assert_string_equal(text, wanted);
	assert_int_equal(counts.bad, bad);
	free(text);
}

#define LINE "00000004:00000002:3.0:1495061000.000005:0:77:0:(file.c:12:func()) "

static void records_become_lines(void **state)
{
	struct record_head head = good();
	struct file file;

	(void)state;
	setup_file(&file);
	add(&file, head, "text\n", 5);
	add(&file, head, "no newline", 10);
	add(&file, head, "two\nlines\n", 10);
	add(&file, head, "nul\0hidden\n", 11);
	add(&file, head, "", 0);
	head = (struct record_head){ .subsystem = UINT32_MAX,
				     .mask = 0x89abcdef,
				     .cpu = 65535,
				     .type = 65535,
				     .flags = 3,
				     .sec = UINT32_MAX,
				     .usec = 1000000000,
				     .stack = 65536,
				     .pid = UINT32_MAX,
				     .extern_pid = UINT32_MAX,
				     .line = 65536 };
	add(&file, head, "\n", 1);
	check(&file,
	      LINE "text\n" LINE "no newline" LINE "two\nlines\n" LINE "nul" LINE
		   "ffffffff:89abcdef:65535.65535F:4294967295.1000000000:65536:4294967295:"
		   "4294967295:(file.c:65536:func()) \n",
	      0);
	clear_file(&file);
}

/* One field at and beyond what Lustre's lctl takes. */
static void the_limits_of_fields_are_those_of_lctl(void **state)
{
	static const struct {
		size_t at, size;
		uint64_t value;
		bool good;
	} cases[] = {
		{ offsetof(struct record_head, stack), 4, 65536, true },
		{ offsetof(struct record_head, stack), 4, 65537, false },
		{ offsetof(struct record_head, sec), 4, 1u << 30, true },
		{ offsetof(struct record_head, sec), 4, (1u << 30) - 1, false },
		{ offsetof(struct record_head, usec), 8, 1000000000, true },
		{ offsetof(struct record_head, usec), 8, 1000000001, false },
		{ offsetof(struct record_head, line), 4, 65536, true },
		{ offsetof(struct record_head, line), 4, 65537, false },
		{ offsetof(struct record_head, len), 4, 65537, false },
		{ offsetof(struct record_head, len), 4, UINT32_MAX, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_head head = good();
		struct record_counts counts;
		struct file file;

		setup_file(&file);
		dkt__put_number((char *)&head + cases[i].at, cases[i].value, cases[i].size);
		add(&file, head, "x\n", 2);
		free(show(&file, 0, &counts));
		assert_int_equal(counts.kept, cases[i].good);
		assert_int_equal(counts.bad, cases[i].good ? 0 : 1);
		clear_file(&file);
	}
}

static void reading_finds_the_next_record_after_junk(void **state)
{
	struct record_head old = good();
	struct record_counts counts;
	char junk[102] = "";
	struct file file;

	(void)state;
	memset(junk, 'j', 100);
	junk[100] = '\n';
	setup_file(&file);
	add_text(&file, junk);
	add(&file, good(), "after junk\n", 11);
	/* Two reads without a newline, and one that finds it. */
	check(&file, LINE "after junk\n", 3);
	old.sec = 5;
	add(&file, old, "too old\n", 8);
	add(&file, good(), "after old\n", 10);
	check(&file, LINE "after junk\n" LINE "after old\n", 5);
	add_text(&file, "torn");
	free(show(&file, 0, &counts));
	assert_int_equal(counts.end, RECORD_END_TORN);
	assert_int_equal(counts.end_len, 4);
	clear_file(&file);
}

static void wrong_lengths_are_reported(void **state)
{
	struct record_head head = good();
	struct record_counts counts;
	struct file file;
	uint64_t at;
	char *text;

	(void)state;
	setup_file(&file);
	add(&file, head, "one\n", 4);
	/* A header alone. */
	assert_int_equal(write(file.fd, &head, sizeof(head)), sizeof(head));
	add(&file, head, "two\n", 4);
	at = (uint64_t)lseek(file.fd, 0, SEEK_CUR);
	head.len = 48;
	add(&file, head, "short\n", 6);
	add(&file, good(), "not seen\n", 9);
	text = show(&file, 0, &counts);
	assert_string_equal(text, LINE "one\n" LINE "two\n");
	assert_int_equal(counts.empty, 1);
	assert_int_equal(counts.empty_at, 64);
	assert_int_equal(counts.end, RECORD_END_SHORT);
	assert_int_equal(counts.end_at, at);
	free(text);
	clear_file(&file);
}

static void lines_are_cut_as_lctl_cuts_them_up_to_the_largest_record(void **state)
{
	static char big[RECORD_MAX];
	struct record_head head = good();
	struct record_counts counts;
	struct file file;
	char *text;

	(void)state;
	memset(big, 'b', sizeof(big));
	setup_file(&file);
	add(&file, head, big, 4094 - 60);
	text = show(&file, 0, &counts);
	/* The limit of Lustre's lctl, for records that it accepts. */
	assert_int_equal(strlen(text), RECORD_LINE_CUT);
	assert_int_equal(counts.big, 0);
	free(text);
	add(&file, head, big, 4095 - 60);
	add(&file, head, big, RECORD_MAX - 60);
	text = show(&file, 0, &counts);
	assert_int_equal(counts.kept, 3);
	assert_int_equal(counts.big, 2);
	assert_int_equal(strlen(text), 4096 + 2 * strlen(LINE) + 4035 + RECORD_MAX - 60);
	free(text);
	/* A long length that does not lead to another header is damage. */
	head.len = 5000;
	add(&file, head, "x\n", 2);
	add(&file, good(), big, 4990);
	add(&file, good(), "end\n", 4);
	free(show(&file, 0, &counts));
	assert_int_equal(counts.big, 3);
	assert_true(counts.bad > 0);
	clear_file(&file);
}

/* Sorted in little memory and in much, with equal stamps in the order of the file. */
static void check_sort(bool in_order, uint32_t times)
{
	enum { N = 20000 };
	struct record_counts counts;
	uint32_t seed = 1, i;
	char *few, *much, text[16];
	struct file file;
	const char *p;
	uint64_t before = 0;

	setup_file(&file);
	for (i = 0; i < N; i++) {
		struct record_head head = good();

		seed = seed * 1103515245 + 12345;
		head.usec = in_order ? i % times : (seed >> 16) % times;
		head.subsystem = i;
		add(&file, head, text, (size_t)snprintf(text, sizeof(text), "%u\n", i));
	}
	few = show(&file, 50000, &counts);
	much = show(&file, 0, &counts);
	assert_int_equal(counts.kept, N);
	assert_string_equal(few, much);
	for (p = few, i = 0; *p; p = strchr(p, '\n') + 1, i++) {
		uint64_t key = strtoull(strchr(p, '.') + 14, NULL, 10) << 32 | strtoul(p, NULL, 16);

		assert_true(key >= before);
		before = key;
	}
	assert_int_equal(i, N);
	free(few);
	free(much);
	clear_file(&file);
}

static void records_are_sorted_by_time(void **state)
{
	(void)state;
	/* In no order: this is seen after some thousand records. */
	check_sort(false, 1024);
	/* All equal, all in order, more runs than memory has windows for, short ones. */
	check_sort(true, 1);
	check_sort(true, 20000);
	check_sort(true, 500);
	check_sort(true, 3);
}

/* Parts that threads read ahead, from places that they guess, change nothing. */
static void check_ahead(struct file *file)
{
	struct record_counts alone_counts, counts;
	cpu_set_t all, one;
	char *alone, *text;

	text = show(file, 1, &counts);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	alone = show(file, 0, &alone_counts);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_string_equal(text, alone);
	assert_memory_equal(&counts, &alone_counts, sizeof(counts));
	free(text);
	free(alone);
}

static void reading_ahead_finds_the_same_records(void **state)
{
	struct record_head filler = RECORD_FILLER, empty = good();
	static char inner[4000];
	struct file file;
	size_t i, at = 0;

	(void)state;
	/* Texts that are records: where a thread begins, more often than not. */
	while (at + 52 <= sizeof(inner)) {
		struct record_head head = good();

		head.len = 52;
		memcpy(inner + at, &head, sizeof(head));
		memcpy(inner + at + sizeof(head), "f\0g", 4);
		at += head.len;
	}
	setup_file(&file);
	for (i = 0; i < 3000; i++) {
		struct record_head head = good();

		head.usec = i / 7;
		head.subsystem = 1u << i % 8;
		add(&file, head, inner, i % 3 ? 20 : at);
		if (!(i % 50))
			assert_int_equal(write(file.fd, &filler, sizeof(filler)), sizeof(filler));
		if (!(i % 777))
			check_ahead(&file);
	}
	check_ahead(&file);
	/* Damage, and an invalid end. */
	assert_int_equal(pwrite(file.fd, inner, 3000, 900000), 3000);
	check_ahead(&file);
	assert_int_equal(pwrite(file.fd, "\xff\xff\xff\xff", 4, 2000000), 4);
	check_ahead(&file);
	assert_int_equal(write(file.fd, &empty, sizeof(empty)), sizeof(empty));
	add_text(&file, "torn");
	check_ahead(&file);
	clear_file(&file);
}

/* Runs that are cut, of more records than runs are kept for; and of more than that. */
static void runs_are_joined_beyond_their_number(void **state)
{
	struct runs runs = { 0 }, more = { 0 };
	uint64_t i, offset = 0;
	size_t overlap;

	(void)state;
	for (i = 0; i < 2 * RUNS_MAX + 10; i++, offset += RUNS_CUT)
		assert_int_equal(dkl_runs_add(&runs, offset, RUNS_CUT, i), 0);
	assert_false(runs.no_order);
	assert_true(runs.n <= RUNS_MAX);
	assert_int_equal(runs.breaks, 1);
	assert_int_equal(runs.run[0].start, 0);
	for (i = 1; i < runs.n; i++) {
		assert_int_equal(runs.run[i].start, runs.run[i - 1].end);
		assert_true(runs.run[i].first > runs.run[i - 1].last);
		assert_int_equal(runs.run[i].order, i);
	}
	assert_int_equal(runs.run[i - 1].end, offset);
	assert_int_equal(dkl_runs_overlap(&runs, &overlap), 0);
	assert_int_equal(overlap, 1);
	/* Runs that were cut between equal keys do not overlap. */
	for (i = 0; i < 10; i++, offset += RUNS_CUT)
		assert_int_equal(dkl_runs_add(&more, offset, RUNS_CUT, 5), 0);
	assert_int_equal(more.n, 10);
	assert_int_equal(dkl_runs_append(&runs, &more), 0);
	assert_int_equal(runs.breaks, 2);
	assert_int_equal(dkl_runs_overlap(&runs, &overlap), 0);
	assert_int_equal(overlap, 2);
	for (i = 0; i < RUNS_MAX; i++, offset += 100)
		assert_int_equal(dkl_runs_add(&runs, offset, 100, RUNS_MAX - i), 0);
	assert_true(runs.no_order);
	dkl_runs_clear(&runs);
	dkl_runs_clear(&more);
}

/* A slice continues each run where the slice before ended. */
static void slices_continue_runs(void **state)
{
	struct merge_log log = { 0 };
	struct runs *runs = &log.runs;
	struct merge merge = { .log = &log };
	struct slices slices = { 0 };

	(void)state;
	/* A long one, and two that begin alike within it. */
	dkl_runs_add(runs, 0, 100, 10);
	dkl_runs_add(runs, 100, 100, 50);
	dkl_runs_add(runs, 200, 100, 20);
	dkl_runs_add(runs, 400, 100, 20);
	dkl_runs_add(runs, 600, 100, 60);
	dkl_runs_order(runs);
	assert_int_equal(dkl_merge_slice(&merge, &slices, 0), 0);
	assert_int_equal(merge.from, 0);
	assert_int_equal(merge.to, 20);
	assert_int_equal(merge.n_due, 1);
	assert_int_equal(dkl_merge_slice(&merge, &slices, 1), 0);
	assert_int_equal(merge.from, 20);
	assert_int_equal(merge.to, 60);
	assert_int_equal(merge.n_due, 3);
	assert_int_equal(merge.due[0], 0);
	assert_int_equal(dkl_merge_slice(&merge, &slices, 1), 0);
	assert_int_equal(merge.from, 60);
	assert_true(merge.to == UINT64_MAX);
	assert_int_equal(merge.n_due, 1);
	assert_int_equal(merge.due[0], 3);
	assert_int_equal(dkl_merge_slice(&merge, &slices, 1), 1);
	free(slices.open);
	dkl_merge_clear(&merge);
	dkl_runs_clear(runs);
}

/* Another process writes to the file between the first and the second reading. */
static void a_file_that_changes_is_reported(void **state)
{
	struct file file;
	struct record_sort_opts opts = { .name = "test", .show = { UINT32_MAX, UINT32_MAX } };
	struct record_sort *sort;
	const uint8_t *rec;
	uint32_t len;

	(void)state;
	setup_file(&file);
	add(&file, good(), "one\n", 4);
	add(&file, good(), "two\n", 4);
	opts.fd = file.fd;
	assert_ok(file.ctx, dkl_record_sort_new(file.ctx, &opts, &sort));
	assert_int_equal(ftruncate(file.fd, 70), 0);
	assert_true(dkl_record_sort_next(sort, &rec, &len) < 0 ||
		    dkl_record_sort_next(sort, &rec, &len) < 0);
	assert_has(dkt_error(file.ctx), "changed");
	dkl_record_sort_free(sort);
	clear_file(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_become_lines),
		cmocka_unit_test(the_limits_of_fields_are_those_of_lctl),
		cmocka_unit_test(reading_finds_the_next_record_after_junk),
		cmocka_unit_test(wrong_lengths_are_reported),
		cmocka_unit_test(lines_are_cut_as_lctl_cuts_them_up_to_the_largest_record),
		cmocka_unit_test(records_are_sorted_by_time),
		cmocka_unit_test(reading_ahead_finds_the_same_records),
		cmocka_unit_test(runs_are_joined_beyond_their_number),
		cmocka_unit_test(slices_continue_runs),
		cmocka_unit_test(a_file_that_changes_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
