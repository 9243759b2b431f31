/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of merged sources: they are kept in trace.dat files, which may be damaged, and merged again. */
#include <sys/mman.h>

#include "lib/base/clock_at.h"
#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

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
	DKT_OPTS(dkt__source_calls, calls, .next = no_next);
	DKT_OPTS(dkt_source_info, info, .kind = "made", .clock = "mono", .cpus = 1,
		 .has_wall = true, .wall = WALL);

	assert_int_equal(dkt_ctx_new(NULL, &one->ctx), 0);
	assert_ok(one->ctx, dkt__source_make(one->ctx, &calls, NULL, &info, NULL, &one->source));
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

	assert_int_equal(dkt__source_clock(source, stream, &clock, sizeof(clock)), 0);
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
		assert_int_equal(dkt__source_clock(file.source, 3, &clock, sizeof(clock)), 1);
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
	assert_int_equal(dkt__source_clock(file.source, 0, &clock, sizeof(clock)), 1);
	one_close(&file);
	close(fd);
}

static void merged_files_are_merged_again(void **state)
{
	const struct dkt_source_clock same = { .sz = sizeof(same), .exact = true };
	struct dkt_source_clock wanted = measured, clock;
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
	/* The first clock of the file has the errors that are given; those of the second are sums. */
	assert_int_equal(merge(&other, &exact, &file, &measured, &merged), 0);
	wanted = measured;
	assert_clock(merged, 1, &wanted, 0, UINT64_MAX);
	assert_int_equal(dkt__source_clock(merged, 2, &clock, sizeof(clock)), 0);
	assert_int_equal(clock.host, 2);
	assert_int_equal(clock.n_points, 6);
	dkt_source_close(merged);
	wanted = unknown;
	wanted.host = 2;
	/* Nobody has said how they are related. */
	assert_int_equal(merge(&other, &exact, &file, NULL, &merged), 0);
	assert_clock(merged, 2, &wanted, 0, 0);
	dkt_source_close(merged);
	one_close(&other);
	one_close(&file);
	close(fd);
}

/* ---- sums ---- */

#define LAST 1000000

/* Merges a clock with another one that is shifted by the lines, and gets the clock of the stream. */
static void add_clocks(const struct dkt_source_clock *its, const struct dkt_source_clock *given,
		       const struct dkt_merge_point *bends, size_t n,
		       void (*check)(const struct dkt_source_clock *sum, const void *data),
		       const void *data)
{
	struct dkt_source *inner, *outer;
	struct dkt_source_clock sum;
	struct one a, b, first;

	make(&a);
	make(&b);
	make(&first);
	assert_int_equal(merge(&a, &exact, &b, its, &inner), 0);
	const struct dkt_merge_part parts[] = {
		{ .sz = sizeof(*parts), .source = first.source, .name = "first", .clock = &exact },
		{ .sz = sizeof(*parts),
		  .source = inner,
		  .name = "inner",
		  .points = bends,
		  .n_points = n,
		  .clock = given },
	};
	assert_int_equal(dkt_source_merge(parts, 2, &outer), 0);
	assert_int_equal(dkt__source_clock(outer, 2, &sum, sizeof(sum)), 0);
	assert_int_equal(sum.host, 2);
	assert_false(sum.exact);
	check(&sum, data);
	dkt_source_close(outer);
	dkt_source_close(inner);
	one_close(&a);
	one_close(&b);
	one_close(&first);
}

static void check_points(const struct dkt_source_clock *sum, const void *data)
{
	const struct dkt_clock_point *wanted = data;

	for (size_t i = 0; i < sum->n_points; i++) {
		assert_int_equal(sum->points[i].time, wanted[i].time);
		assert_int_equal(sum->points[i].offset, wanted[i].offset);
		assert_int_equal(sum->points[i].error, wanted[i].error);
		assert_int_equal(sum->points[i].own_error, wanted[i].own_error);
		assert_int_equal(sum->points[i].begins, wanted[i].begins);
	}
	assert_int_equal(wanted[sum->n_points].time, 0);
}

static void errors_of_two_clocks_add_up(void **state)
{
	const struct dkt_clock_point inner[] = {
		{ .time = 1000, .offset = 10, .error = 100, .own_error = 40 },
		{ .time = 3000, .offset = 30, .error = 300, .own_error = 60 },
	};
	const struct dkt_clock_point outer[] = {
		{ .time = 2050, .offset = 50, .error = 1000, .own_error = 700 },
		{ .time = 5050, .offset = 50, .error = 4000, .own_error = 900 },
	};
	const struct dkt_clock_point wanted[] = {
		{ .time = 1050, .offset = 60, .error = 1101, .own_error = 801 },
		{ .time = 2050, .offset = 70, .error = 1200, .own_error = 900 },
		{ .time = 3050, .offset = 80, .error = 2300, .own_error = 1067 },
		{ .time = 3550, .offset = 80, .error = 2801, .own_error = 1101 },
		{ .time = 5050, .offset = 80, .error = 4301, .own_error = 1201 },
		{ 0 },
	};
	/* Those at the ends say nothing. */
	const struct dkt_merge_point bends[] = {
		{ .time = 0, .offset = 50 },
		{ .time = 3500, .offset = 50 },
		{ .time = LAST, .offset = 50 },
	};
	const struct dkt_source_clock its = {
		.sz = sizeof(its), .host = 1, .points = inner, .n_points = ARRAY_SIZE(inner)
	};
	const struct dkt_source_clock given = {
		.sz = sizeof(given), .host = 1, .points = outer, .n_points = ARRAY_SIZE(outer)
	};

	(void)state;
	add_clocks(&its, &given, bends, ARRAY_SIZE(bends), check_points, wanted);
}

/* Two clocks, and the lines between them. */
struct pair {
	struct dkt_source_clock its, given;
	const struct dkt_merge_point *bends;
};

#define N_POINTS 5

/* Returns the time in the merged source, for a line from the first point to the last. */
static uint64_t merged_time(const struct dkt_merge_point *bends, uint64_t time)
{
	const int64_t more = (bends[1].offset - bends[0].offset) * (int64_t)time / LAST;

	return time + (uint64_t)(bends[0].offset + more);
}

static bool is_near(const struct dkt_source_clock *clock, uint64_t time)
{
	for (size_t i = 0; i < clock->n_points; i++)
		if (clock->points[i].time + 2 >= time && clock->points[i].time <= time + 2)
			return true;
	return false;
}

/* Times are rounded to a nanosecond, in which an error changes by 5 ns at most. */
static void check_bound(const struct dkt_source_clock *sum, const void *data)
{
	const struct pair *pair = data;

	for (size_t i = 1; i < sum->n_points; i++)
		assert_true(sum->points[i].time >= sum->points[i - 1].time);
	for (uint64_t time = 1; time < LAST; time += 997) {
		const uint64_t merged = merged_time(pair->bends, time);
		struct dkt_clock_point its, given, both;

		/* Beyond the points two clocks drift apart as fast as one of them from the third. */
		if (merged < sum->points[0].time || merged > sum->points[sum->n_points - 1].time ||
		    is_near(&pair->its, time) || is_near(&pair->given, merged))
			continue;
		dkt__clock_at(pair->its.points, N_POINTS, time, &its);
		dkt__clock_at(pair->given.points, N_POINTS, merged, &given);
		dkt__clock_at(sum->points, sum->n_points, merged, &both);
		assert_true(both.error + 12 >= its.error + given.error);
		assert_true(both.own_error + 12 >= its.error + given.own_error);
	}
}

static void make_up(unsigned int *seed, struct dkt_clock_point *points)
{
	uint64_t time = 0;

	for (size_t i = 0; i < N_POINTS; i++) {
		/* A clock that was set has two points at one time. */
		time += rand_r(seed) % 4 ? (uint64_t)(20000 + rand_r(seed) % 150000) : 0;
		points[i] = (struct dkt_clock_point){
			.time = time,
			.offset = rand_r(seed) % 10000 - 5000,
			.error = (uint64_t)(rand_r(seed) % 100000),
			.own_error = (uint64_t)(rand_r(seed) % 100000),
			.begins = i && rand_r(seed) % 2,
		};
	}
}

static void a_sum_is_never_below_the_errors(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct dkt_clock_point inner[N_POINTS], outer[N_POINTS];
		const struct dkt_merge_point bends[] = {
			{ .time = 0, .offset = rand_r(&seed) % 100000 },
			{ .time = LAST, .offset = rand_r(&seed) % 100000 },
		};
		struct pair pair = {
			{ .sz = sizeof(pair.its), .host = 1, .points = inner, .n_points = N_POINTS },
			{ .sz = sizeof(pair.given),
			  .host = 1,
			  .points = outer,
			  .n_points = N_POINTS },
			bends,
		};

		make_up(&seed, inner);
		make_up(&seed, outer);
		add_clocks(&pair.its, &pair.given, bends, 2, check_bound, &pair);
	}
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
		option = memmem(bytes, size, &(uint16_t){ 0x4402 }, 2);
		assert_non_null(option);
		dkt__put_number(option + changes[i].at, changes[i].value, changes[i].size);
		munmap(bytes, size);
		read_file(fd, &file);
		assert_string_equal(dkt_source_info(file.source)->damage,
				    "the errors of its clocks are invalid");
		assert_int_equal(dkt__source_clock(file.source, 1, &clock, sizeof(clock)), 1);
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
		cmocka_unit_test(errors_of_two_clocks_add_up),
		cmocka_unit_test(a_sum_is_never_below_the_errors),
		cmocka_unit_test(invalid_clocks_are_refused),
		cmocka_unit_test(damaged_clocks_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
