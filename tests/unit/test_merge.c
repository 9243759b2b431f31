/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merged sources: parts that wait, that end, and that learn which records are safe. */
#include <poll.h>
#include <sys/eventfd.h>

#include "lib/inside.h"
#include "tests/helper/check.h"

#define MAX 8

/* A made source: its next() returns the steps one after the other. */
struct script {
	uint64_t steps[MAX]; /* a time; LATER: no more now; FAIL: an error; 0: the end */
	size_t at;
	size_t got; /* records */
	size_t safe; /* of them, those that done() was called for */
	int fd; /* an eventfd */
	uint64_t lost;
};

#define LATER UINT64_MAX
#define FAIL  (UINT64_MAX - 1)

static int script_next(void *data, struct dkt_record *record)
{
	struct script *s = data;
	uint64_t step = s->steps[s->at];

	if (!step)
		return DKT_NEXT_END;
	s->at++;
	if (step == LATER)
		return DKT_NEXT_LATER;
	if (step == FAIL)
		return -EIO;
	s->got++;
	*record = (struct dkt_record){ .ts = step };
	return 0;
}

static int script_fd(const void *data)
{
	return ((const struct script *)data)->fd;
}

static int script_done(void *data)
{
	struct script *s = data;

	s->safe = s->got;
	return 0;
}

static int script_loss(void *data, int cpu, struct dkt_loss *loss)
{
	(void)cpu;
	loss->lost = ((struct script *)data)->lost;
	return 0;
}

/* Merges two sources; the times of the second are 100 lower. */
struct pair {
	struct dkt_ctx *ctx;
	struct script scripts[2];
	struct dkt_source *parts[2];
	struct dkt_source *merged;
};

static void pair_open(struct pair *pair, const struct script *a, const struct script *b)
{
	DKT_OPTS(dkt__source_calls, calls, .next = script_next, .fd = script_fd,
		 .done = script_done, .loss = script_loss);
	DKT_OPTS(dkt_source_info, info, .kind = "script", .cpus = 1);
	struct dkt_merge_part parts[2] = { { .sz = sizeof(*parts), .name = "a" },
					   { .sz = sizeof(*parts), .name = "b", .offset = 100 } };
	*pair = (struct pair){ .scripts = { *a, *b } };
	assert_int_equal(dkt_ctx_new(NULL, &pair->ctx), 0);
	for (size_t i = 0; i < 2; i++) {
		pair->scripts[i].fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		assert_true(pair->scripts[i].fd >= 0);
		assert_int_equal(dkt__source_make(pair->ctx, &calls, &pair->scripts[i], &info, NULL,
						  &pair->parts[i]),
				 0);
		parts[i].source = pair->parts[i];
	}
	assert_int_equal(dkt_source_merge(parts, 2, &pair->merged), 0);
}

static void pair_close(struct pair *pair)
{
	dkt_source_close(pair->merged);
	dkt_source_close(pair->parts[0]);
	dkt_source_close(pair->parts[1]);
	close(pair->scripts[0].fd);
	close(pair->scripts[1].fd);
	dkt_ctx_free(pair->ctx);
}

/* The next record has that time and is of that part. */
#define assert_next(pair, time, part)                                                              \
	do {                                                                                       \
		struct dkt_record record;                                                          \
		assert_int_equal(dkt_source_next((pair)->merged, &record), 0);                     \
		assert_int_equal(record.ts, time);                                                 \
		assert_int_equal(record.stream, part);                                             \
	} while (0)

#define assert_none(pair, value)                                                                   \
	do {                                                                                       \
		struct dkt_record record;                                                          \
		assert_int_equal(dkt_source_next((pair)->merged, &record), value);                 \
	} while (0)

/* The second clock is 100 behind at first, then loses 1 in 10, then is set back by 60. */
static void a_clock_drifts(void **state)
{
	static const struct dkt_merge_point points[] = {
		{ 0, 100 }, { 100, 100 }, { 200, 110 }, { 201, 50 }, { 300, 50 }
	};
	struct dkt_merge_point wrong[] = { { 100, 0 }, { 99, 0 } };
	struct dkt_merge_part parts[2];
	struct dkt_source *merged;
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { 205, 309, 320 } },
		  &(struct script){ .steps = { 100, 150, 200, 205 } });
	dkt_source_close(pair.merged);
	for (size_t i = 0; i < 2; i++)
		parts[i] = (struct dkt_merge_part){ .sz = sizeof(*parts),
						    .name = i ? "b" : "a",
						    .source = pair.parts[i] };
	parts[1].points = wrong;
	parts[1].n_points = sizeof(wrong) / sizeof(*wrong);
	assert_fails(pair.ctx, -EINVAL, "the points of a merge are not in order of time",
		     dkt_source_merge(parts, 2, &merged));
	parts[1].points = points;
	parts[1].n_points = sizeof(points) / sizeof(*points);
	assert_int_equal(dkt_source_merge(parts, 2, &pair.merged), 0);
	assert_next(&pair, 200, 1);
	assert_next(&pair, 205, 0);
	assert_next(&pair, 255, 1);
	assert_next(&pair, 309, 0);
	assert_next(&pair, 310, 1);
	/* After the step back the time goes slower, and not backwards. */
	assert_next(&pair, 313, 1);
	assert_next(&pair, 320, 0);
	assert_none(&pair, DKT_NEXT_END);
	pair_close(&pair);
}

/* The second clock is ahead, so its first point is before the first clock began. */
static void a_clock_began_before_the_first_one(void **state)
{
	static const struct dkt_merge_point points[] = { { 0, -100 },
							 { 120, -100 },
							 { 200, -100 } };
	struct dkt_merge_part parts[2];
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { 15, 25 } },
		  &(struct script){ .steps = { 110, 120, 200 } });
	dkt_source_close(pair.merged);
	for (size_t i = 0; i < 2; i++)
		parts[i] = (struct dkt_merge_part){ .sz = sizeof(*parts),
						    .name = i ? "b" : "a",
						    .source = pair.parts[i] };
	parts[1].points = points;
	parts[1].n_points = sizeof(points) / sizeof(*points);
	assert_int_equal(dkt_source_merge(parts, 2, &pair.merged), 0);
	assert_next(&pair, 10, 1);
	assert_next(&pair, 15, 0);
	assert_next(&pair, 20, 1);
	assert_next(&pair, 25, 0);
	assert_next(&pair, 100, 1);
	assert_none(&pair, DKT_NEXT_END);
	pair_close(&pair);
}

static void parts_come_in_order_of_time(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { 101, 103, 103 } },
		  &(struct script){ .steps = { 2, 3, 9 } });
	assert_next(&pair, 101, 0);
	assert_next(&pair, 102, 1);
	assert_next(&pair, 103, 0);
	assert_next(&pair, 103, 0);
	assert_next(&pair, 103, 1);
	assert_next(&pair, 109, 1);
	assert_none(&pair, DKT_NEXT_END);
	assert_none(&pair, DKT_NEXT_END);
	pair_close(&pair);
}

static void a_part_that_waits_is_asked_again(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { 101, LATER, LATER, 130, LATER, 140 } },
		  &(struct script){ .steps = { 2, 20 } });
	assert_next(&pair, 101, 0);
	/* It does not hold up the other. */
	assert_next(&pair, 102, 1);
	assert_next(&pair, 120, 1);
	assert_none(&pair, DKT_NEXT_LATER);
	assert_none(&pair, DKT_NEXT_LATER);
	assert_next(&pair, 130, 0);
	assert_none(&pair, DKT_NEXT_LATER);
	assert_next(&pair, 140, 0);
	assert_none(&pair, DKT_NEXT_END);
	pair_close(&pair);
}

static void a_part_without_records_yet_is_asked_again(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { LATER, 101 } },
		  &(struct script){ .steps = { LATER, 2 } });
	assert_none(&pair, DKT_NEXT_LATER);
	assert_next(&pair, 101, 0);
	assert_next(&pair, 102, 1);
	assert_none(&pair, DKT_NEXT_END);
	pair_close(&pair);
}

static void a_failure_loses_no_record(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { 101, 105 } },
		  &(struct script){ .steps = { FAIL, 2, 3 } });
	assert_none(&pair, -EIO);
	assert_next(&pair, 101, 0);
	assert_next(&pair, 102, 1);
	assert_next(&pair, 103, 1);
	assert_next(&pair, 105, 0);
	assert_none(&pair, DKT_NEXT_END);
	pair_close(&pair);
}

/* Whether an event loop would look at the source. */
static bool is_readable(struct dkt_source *source)
{
	struct pollfd fd = { .fd = dkt_source_fd(source), .events = POLLIN };

	assert_true(fd.fd >= 0);
	return poll(&fd, 1, 0) == 1;
}

static void a_merged_source_waits_for_a_part_that_waits(void **state)
{
	struct pair pair;
	eventfd_t count;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { 101, LATER, 105, LATER } },
		  &(struct script){ .steps = { 2, LATER } });
	assert_next(&pair, 101, 0);
	/* There are more records, so the call does not wait. */
	assert_int_equal(dkt_source_wait(pair.merged, -1), 0);
	assert_next(&pair, 102, 1);
	assert_none(&pair, DKT_NEXT_LATER);
	assert_false(is_readable(pair.merged));
	assert_int_equal(dkt_source_wait(pair.merged, 0), 0);
	eventfd_write(pair.scripts[1].fd, 1);
	assert_true(is_readable(pair.merged));
	assert_int_equal(dkt_source_wait(pair.merged, -1), 0);
	eventfd_read(pair.scripts[1].fd, &count);
	eventfd_write(pair.scripts[0].fd, 1);
	assert_int_equal(dkt_source_wait(pair.merged, -1), 0);
	assert_next(&pair, 105, 0);
	eventfd_read(pair.scripts[0].fd, &count);
	/* The other one is at its end now, whatever its descriptor says. */
	assert_none(&pair, DKT_NEXT_LATER);
	eventfd_write(pair.scripts[1].fd, 1);
	assert_false(is_readable(pair.merged));
	assert_none(&pair, DKT_NEXT_END);
	pair_close(&pair);
}

/* Parts as programs with another header have them. */
static void parts_may_grow(void **state)
{
	DKT_OPTS(dkt__source_calls, calls, .next = script_next);
	struct script script = { .steps = { 1 } };
	struct {
		struct dkt_merge_part part;
		uint64_t more;
	} parts[2] = { 0 };
	struct dkt_source *merged, *source;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkt__source_make(ctx, &calls, &script, NULL, NULL, &source), 0);
	for (size_t i = 0; i < 2; i++)
		parts[i].part = (struct dkt_merge_part){ .sz = sizeof(parts[i]),
							 .source = source,
							 .name = i ? "b" : "a" };
	assert_int_equal(dkt_source_merge(&parts[0].part, 2, &merged), 0);
	assert_string_equal(dkt_source_stream(merged, 1), "b");
	dkt_source_close(merged);
	parts[1].more = 1;
	assert_int_equal(dkt_source_merge(&parts[0].part, 2, &merged), -E2BIG);
	parts[1].part.sz = sizeof(parts[1].part);
	assert_fails(ctx, -EINVAL, "the parts of a merge differ in sz",
		     dkt_source_merge(&parts[0].part, 2, &merged));
	parts[0].part.sz = 0;
	assert_fails(ctx, -EINVAL, "dkt_merge_part: sz is 0, not the size of the struct",
		     dkt_source_merge(&parts[0].part, 1, &merged));
	parts[0].part.sz = offsetof(struct dkt_merge_part, offset);
	parts[0].part.offset = 5;
	assert_int_equal(dkt_source_merge(&parts[0].part, 1, &merged), 0);
	dkt_source_close(merged);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
}

static void sources_that_do_not_follow_are_not_waited_for(void **state)
{
	DKT_OPTS(dkt__source_calls, calls, .next = script_next);
	struct script script = { .steps = { 1 } };
	struct dkt_merge_part part = { .sz = sizeof(part), .name = "" };
	struct dkt_source *merged;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkt__source_make(ctx, &calls, &script, NULL, NULL, &part.source), 0);
	assert_int_equal(dkt_source_merge(&part, 1, &merged), 0);
	assert_int_equal(dkt_source_wait(merged, 1000), -EOPNOTSUPP);
	assert_int_equal(dkt_source_fd(merged), -EOPNOTSUPP);
	assert_int_equal(dkt__source_wake(merged), -EOPNOTSUPP);
	dkt_source_close(merged);
	dkt_source_close(part.source);
	dkt_ctx_free(ctx);
}

static void only_returned_records_are_done(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .steps = { 101, 103 } },
		  &(struct script){ .steps = { 2, 4 } });
	assert_next(&pair, 101, 0);
	/* The second part's first record is ready, but not returned. */
	assert_int_equal(dkt_source_done(pair.merged), 0);
	assert_int_equal(pair.scripts[0].safe, 1);
	assert_int_equal(pair.scripts[1].got, 1);
	assert_int_equal(pair.scripts[1].safe, 0);
	assert_next(&pair, 102, 1);
	assert_next(&pair, 103, 0);
	assert_next(&pair, 104, 1);
	assert_none(&pair, DKT_NEXT_END);
	assert_int_equal(dkt_source_done(pair.merged), 0);
	assert_int_equal(pair.scripts[0].safe, 2);
	assert_int_equal(pair.scripts[1].safe, 2);
	pair_close(&pair);
}

static void losses_are_the_sum_of_all_parts(void **state)
{
	struct dkt_loss loss;
	struct pair pair;

	(void)state;
	pair_open(&pair, &(struct script){ .lost = 3 }, &(struct script){ .lost = 4 });
	assert_int_equal(dkt_source_get_loss(pair.merged, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.lost, 7);
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_come_in_order_of_time),
		cmocka_unit_test(a_clock_drifts),
		cmocka_unit_test(a_clock_began_before_the_first_one),
		cmocka_unit_test(a_part_that_waits_is_asked_again),
		cmocka_unit_test(a_part_without_records_yet_is_asked_again),
		cmocka_unit_test(a_failure_loses_no_record),
		cmocka_unit_test(a_merged_source_waits_for_a_part_that_waits),
		cmocka_unit_test(parts_may_grow),
		cmocka_unit_test(sources_that_do_not_follow_are_not_waited_for),
		cmocka_unit_test(only_returned_records_are_done),
		cmocka_unit_test(losses_are_the_sum_of_all_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
