/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of merged sources: they are kept in trace.dat files, which may be damaged, and merged again. */
#include <sys/mman.h>

#include "check.h"
#include "ctx.h"

/* Added to all times of a file, which has them as a time of day. */
#define WALL 5000

#define MOST (INT64_MAX / 2)

static const struct dkt_clock_point lines[] = {
	{ .time = 1000, .offset = -5, .error = 70, .own_error = 50 },
	{ .time = 1000, .offset = 10, .error = 80, .own_error = 60, .begins = true },
	{ .time = 3000, .offset = 20, .error = MOST, .own_error = 0 },
};

static const struct dkt_source_clock exact = { .sz = sizeof(exact), .exact = true };
static const struct dkt_source_clock measured = {
	.sz = sizeof(measured), .host = 1, .points = lines, .n_points = ARRAY_SIZE(lines)
};
static const struct dkt_source_clock unknown = { .sz = sizeof(unknown), .host = 1 };

/* A source, and its context. */
struct one {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
};

static int no_next(void *data, struct dkt_record *record)
{
	(void)data;
	(void)record;
	return DKT_NEXT_END;
}

static void make(struct one *one)
{
	DKT_OPTS(dkt_source_calls, calls, .next = no_next);
	DKT_OPTS(dkt_source_info, info, .kind = "made", .clock = "mono", .cpus = 1,
		 .has_wall = true, .wall = WALL);

	assert_int_equal(dkt_ctx_new(NULL, &one->ctx), 0);
	assert_ok(one->ctx, dkt_source_make(one->ctx, &calls, NULL, &info, NULL, &one->source));
}

static void one_close(struct one *one)
{
	dkt_source_close(one->source);
	dkt_ctx_free(one->ctx);
}

static int merge(const struct one *a, const struct dkt_source_clock *clock_a, const struct one *b,
		 const struct dkt_source_clock *clock_b, struct dkt_source **merged)
{
	const struct dkt_merge_part parts[] = {
		{ .sz = sizeof(*parts), .source = a->source, .name = "a", .clock = clock_a },
		{ .sz = sizeof(*parts), .source = b->source, .name = "b", .clock = clock_b },
	};

	return dkt_source_merge(parts, 2, merged);
}

/* Writes a file with two streams. Returns its descriptor. */
static int write_file(struct dkt_ctx *ctx, struct dkt_source *source, unsigned int version)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .version = version);
	const struct dkt_record gap = { .ts = 1000, .stream = 1, .lost = 1 };
	const int fd = memfd_create("clocks", MFD_CLOEXEC);
	struct dkt_tracedat *out;

	assert_true(fd >= 0);
	assert_ok(ctx, dkt_tracedat_new(ctx, source, fd, &opts, &out));
	assert_ok(ctx, dkt_tracedat_add(out, &gap));
	assert_ok(ctx, dkt_tracedat_finish(out));
	dkt_tracedat_free(out);
	return fd;
}

static int write_merged(const struct dkt_source_clock *first, const struct dkt_source_clock *second,
			unsigned int version)
{
	struct dkt_source *merged;
	struct one a, b;
	int fd;

	make(&a);
	make(&b);
	assert_int_equal(merge(&a, first, &b, second, &merged), 0);
	fd = write_file(a.ctx, merged, version);
	dkt_source_close(merged);
	one_close(&a);
	one_close(&b);
	return fd;
}

static void read_file(int fd, struct one *one)
{
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL, .name = "merged", .fd = fd + 1);

	assert_int_equal(dkt_ctx_new(NULL, &one->ctx), 0);
	assert_ok(one->ctx, dkt_source_open(one->ctx, "merged", &all, &one->source));
}

/* Its points are the lines, later by so much; own_error UINT64_MAX: as they were. */
static void assert_clock(const struct dkt_source *source, uint32_t stream,
			 const struct dkt_source_clock *wanted, uint64_t later, uint64_t own_error)
{
	struct dkt_source_clock clock;

	assert_int_equal(dkt_source_clock(source, stream, &clock, sizeof(clock)), 0);
	assert_int_equal(clock.sz, sizeof(clock));
	assert_int_equal(clock.host, wanted->host);
	assert_int_equal(clock.exact, wanted->exact);
	assert_int_equal(clock.n_points, wanted->n_points);
	for (size_t i = 0; i < clock.n_points; i++) {
		assert_int_equal(clock.points[i].time, lines[i].time + later);
		assert_int_equal(clock.points[i].offset, lines[i].offset);
		assert_int_equal(clock.points[i].error, lines[i].error);
		assert_int_equal(clock.points[i].own_error,
				 own_error == UINT64_MAX ? lines[i].own_error : own_error);
		assert_int_equal(clock.points[i].begins, lines[i].begins);
	}
}

static void a_merged_file_keeps_the_clocks(void **state)
{
	struct dkt_source_clock clock;
	struct one file;

	(void)state;
	for (unsigned int version = 6; version <= 7; version++) {
		const int fd = write_merged(&exact, &measured, version);

		read_file(fd, &file);
		assert_null(dkt_source_info(file.source)->damage);
		assert_clock(file.source, 0, &exact, 0, 0);
		assert_clock(file.source, 1, &measured, WALL, UINT64_MAX);
		/* The top instance, which the merged source did not have. */
		assert_string_equal(dkt_source_stream(file.source, 2), "");
		assert_clock(file.source, 2, &(struct dkt_source_clock){ .host = 2, .exact = true },
			     0, 0);
		assert_int_equal(dkt_source_clock(file.source, 3, &clock, sizeof(clock)), 1);
		one_close(&file);
		close(fd);
	}
}

static void a_file_of_one_clock_has_none(void **state)
{
	struct dkt_source_clock clock;
	struct one file;
	int fd;

	(void)state;
	fd = write_merged(NULL, NULL, 7);
	read_file(fd, &file);
	assert_int_equal(dkt_source_clock(file.source, 0, &clock, sizeof(clock)), 1);
	one_close(&file);
	close(fd);
}

static void merged_files_are_merged_again(void **state)
{
	const struct dkt_source_clock same = { .sz = sizeof(same), .exact = true };
	struct dkt_source_clock wanted = measured;
	struct dkt_source *merged;
	struct one file, other;
	int fd;

	(void)state;
	fd = write_merged(&exact, &measured, 7);
	read_file(fd, &file);
	make(&other);
	/* a:a, a:b, a, b: the clock of the file is that of all. */
	assert_int_equal(merge(&file, &exact, &other, &unknown, &merged), 0);
	assert_clock(merged, 0, &exact, 0, 0);
	assert_clock(merged, 1, &measured, WALL, UINT64_MAX);
	wanted = unknown;
	wanted.host = 3;
	assert_clock(merged, 3, &wanted, 0, 0);
	dkt_source_close(merged);
	/* a, b:a, b:b, b: it is the same clock, but another host may have measured. */
	assert_int_equal(merge(&other, &exact, &file, &same, &merged), 0);
	assert_clock(merged, 1, &exact, 0, 0);
	wanted = measured;
	wanted.host = 2;
	assert_clock(merged, 2, &wanted, WALL, MOST);
	dkt_source_close(merged);
	/* The errors of two measurements do not add up. */
	assert_int_equal(merge(&other, &exact, &file, &measured, &merged), 0);
	wanted = unknown;
	assert_clock(merged, 1, &wanted, 0, 0);
	wanted.host = 2;
	assert_clock(merged, 2, &wanted, 0, 0);
	dkt_source_close(merged);
	/* Nobody has said how they are related. */
	assert_int_equal(merge(&other, &exact, &file, NULL, &merged), 0);
	assert_clock(merged, 2, &wanted, 0, 0);
	dkt_source_close(merged);
	one_close(&other);
	one_close(&file);
	close(fd);
}

static void invalid_clocks_are_refused(void **state)
{
	struct dkt_clock_point points[2] = { { .time = 5 }, { .time = 5 } };
	struct dkt_source_clock clock = { .sz = sizeof(clock), .points = points, .n_points = 2 };
	struct dkt_source *merged;
	struct one a, b;

	(void)state;
	make(&a);
	make(&b);
	assert_int_equal(merge(&a, &exact, &b, &clock, &merged), 0);
	dkt_source_close(merged);
#define assert_refused(change, back)                                                               \
	do {                                                                                       \
		change;                                                                            \
		assert_fails(a.ctx, -EINVAL, "the clock of a part of a merge is invalid",          \
			     merge(&a, &exact, &b, &clock, &merged));                              \
		back;                                                                              \
	} while (0)
	assert_refused(points[1].time = 4, points[1].time = 5);
	assert_refused(points[0].error = MOST + UINT64_C(1), points[0].error = 0);
	assert_refused(points[0].own_error = UINT64_MAX, points[0].own_error = 0);
	assert_refused(points[1].offset = MOST + INT64_C(1), points[1].offset = 0);
	assert_refused(points[1].offset = INT64_MIN, points[1].offset = 0);
	assert_refused(clock.host = 2, clock.host = 0);
	clock.sz = 1;
	assert_fails(a.ctx, -EINVAL, "dkt_source_clock: sz is 1, not the size of the struct",
		     merge(&a, &exact, &b, &clock, &merged));
	one_close(&a);
	one_close(&b);
}

/* The option: id, size, count; "a", "a", flags, count; "b", "b", flags, count, points of 36 bytes; "". */
static const struct {
	size_t at;
	uint64_t value;
	unsigned int size;
} changes[] = {
	{ 6, UINT32_MAX, 4 }, /* more buffers than a file can have */
	{ 6, 4, 4 }, /* more than follow */
	{ 10, 'x', 1 }, /* an unknown buffer */
	{ 12, 'x', 1 }, /* an unknown host */
	{ 18, UINT32_MAX, 4 }, /* more points than the option has bytes */
	{ 34, 1000000, 8 }, /* points in no order */
	{ 42, INT64_MAX, 8 }, /* an offset that a sum would exceed */
	{ 50, UINT64_MAX, 8 }, { 58, UINT64_MAX, 8 },
};

static void damaged_clocks_are_unknown(void **state)
{
	struct dkt_source_clock clock;
	struct one file;
	uint8_t *bytes, *option;
	size_t size;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const int fd = write_merged(&exact, &measured, 7);

		size = (size_t)lseek(fd, 0, SEEK_END);
		bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		assert_true(bytes != MAP_FAILED);
		option = memmem(bytes, size, "\x02\x44", 2);
		assert_non_null(option);
		memcpy(option + changes[i].at, &changes[i].value, changes[i].size);
		munmap(bytes, size);
		read_file(fd, &file);
		assert_string_equal(dkt_source_info(file.source)->damage,
				    "the errors of its clocks are invalid");
		assert_int_equal(dkt_source_clock(file.source, 1, &clock, sizeof(clock)), 1);
		one_close(&file);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_merged_file_keeps_the_clocks),
		cmocka_unit_test(a_file_of_one_clock_has_none),
		cmocka_unit_test(merged_files_are_merged_again),
		cmocka_unit_test(invalid_clocks_are_refused),
		cmocka_unit_test(damaged_clocks_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
