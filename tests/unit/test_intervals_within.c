/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intervals that count only within others: what begins and ends where, two deep, requests, gaps. */
#include "lib/inside.h"
#include "lib/intervals.h"
#include "tests/helper/intervals.h"
#include "tests/helper/pages.h"

#define FIELD_ID "\tfield:u32 id;\toffset:8;\tsize:4;\tsigned:0;\n"

enum { JOB_BEGIN, JOB_END, CALL_BEGIN, CALL_END, WAIT_BEGIN, WAIT_END, N_EVENTS };

static const char *const names[N_EVENTS] = { "job_begin", "job_end",    "call_begin",
					     "call_end",  "wait_begin", "wait_end" };

/* A job has an ID; a call is of a thread and tells the ID of its job; a wait is of a thread. */
static const char definitions[] =
	"intervals:\n"
	"  job: { about: a, entries: [ { begin: 'none:a', end: 'none:b', match: id },\n"
	"    { begin: 'made:job_begin', end: 'made:job_end', match: id } ] }\n"
	"  call: { about: a, entries: [ { begin: 'made:call_begin', end: 'made:call_end',\n"
	"    match: common_pid, within: { interval: job, match: id } } ] }\n"
	"  wait: { about: a, entries: [ { begin: 'made:wait_begin', end: 'made:wait_end',\n"
	"    match: id, keys: id, within: { interval: call, match: common_pid } } ] }\n"
	"  alone: { about: a, entries: [ { begin: 'made:wait_begin', end: 'made:wait_end', match: id } ] }\n"
	"  lost: { about: a, entries: [ { begin: 'made:wait_begin', end: 'made:wait_end', match: id,\n"
	"    within: { interval: none, match: id } } ] }\n"
	"  none: { about: a, entries: [ { begin: 'none:a', end: 'none:b', match: id } ] }\n"
	"  other: { about: a, entries: [ { begin: 'made:job_begin', end: 'made:job_end', match: id,\n"
	"    calls: reed }, { begin: 'made:job_begin', end: 'made:job_end', match: id } ] }\n"
	"  most: { about: a, entries: [ { begin: 'made:call_begin', end: 'made:call_end',\n"
	"    match: common_pid, within: { interval: other, match: id } } ] }\n";

struct tree {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *events[N_EVENTS];
	struct dkt_intervals *pairs;
	uint64_t ts;
};

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	for (int i = 0; i < N_EVENTS; i++)
		tree_event(t->root, "made", names[i], 7 + i, FIELD_ID, "\"%u\", REC->id");
	tree_text(t->root, "available_events",
		  "made:job_begin\nmade:job_end\nmade:call_begin\nmade:call_end\nmade:wait_begin\n"
		  "made:wait_end\n");
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	for (int i = 0; i < N_EVENTS; i++) {
		t->events[i] = dkt_event_find(t->ctx, "made", names[i]);
		assert_non_null(t->events[i]);
	}
	assert_ok(t->ctx,
		  dkt__interval_load_text(t->ctx, "made.yaml", definitions, strlen(definitions)));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	dkt_intervals_free(t->pairs);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

static int open_interval(struct tree *t, const char *name, size_t n)
{
	const struct dkt_interval *interval = dkt_interval_find(t->ctx, name);
	DKT_OPTS(dkt_intervals_opts, opts);

	assert_non_null(interval);
	opts.key = interval->match;
	opts.by = interval->keys;
	dkt_intervals_free(t->pairs);
	assert_ok(t->ctx, dkt_intervals_new(t->ctx, &opts, &t->pairs));
	return dkt_intervals_bind(t->pairs, interval, t->events, n);
}

static void start(struct tree *t, const char *name)
{
	assert_ok(t->ctx, open_interval(t, name, N_EVENTS));
	t->ts = 1000;
}

/* Each record is 10 ns after the one before it. */
static void add(struct tree *t, int event, int32_t pid, uint32_t id)
{
	uint8_t bytes[12] = { 0 };
	struct dkt_record record = { .ts = t->ts += 10,
				     .event = t->events[event],
				     .data = bytes,
				     .size = sizeof(bytes),
				     .pid = pid };

	memcpy(bytes + 4, &pid, sizeof(pid));
	memcpy(bytes + 8, &id, sizeof(id));
	assert_int_equal(dkt_intervals_add(t->pairs, NULL, &record), 0);
}

static void lose(struct tree *t)
{
	struct dkt_record record = { .ts = t->ts += 10, .lost = 3 };

	assert_int_equal(dkt_intervals_add(t->pairs, NULL, &record), 0);
}

static void counts_what_lies_within(void **state)
{
	struct tree *t = *state;

	start(t, "call");
	add(t, CALL_BEGIN, 1, 5); /* no job yet */
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_END, 1, 5);
	add(t, CALL_BEGIN, 1, 5);
	add(t, CALL_BEGIN, 2, 6); /* of another job */
	add(t, CALL_END, 1, 5); /* 20 */
	add(t, CALL_END, 2, 6);
	add(t, JOB_END, 9, 5);
	add(t, CALL_BEGIN, 1, 5);
	add(t, CALL_END, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 1);
	assert_int_equal(all_of(t->pairs).sum, 20);
	assert_int_equal(info_of(t->pairs).begins, 1);
	assert_int_equal(info_of(t->pairs).ends, 1);
	assert_int_equal(info_of(t->pairs).unmatched_begins, 0);
	assert_int_equal(info_of(t->pairs).unmatched_ends, 0);
}

static void an_end_of_the_outer_one_cuts_off(void **state)
{
	struct tree *t = *state;

	start(t, "call");
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_BEGIN, 1, 5);
	add(t, JOB_END, 9, 5);
	/* Another job of the same ID is not the one in which it began. */
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_END, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 0);
	assert_int_equal(info_of(t->pairs).unmatched_begins, 1);
	add(t, CALL_BEGIN, 1, 5);
	add(t, JOB_BEGIN, 9, 5); /* begins again */
	add(t, CALL_END, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 0);
	assert_int_equal(info_of(t->pairs).unmatched_begins, 2);
}

static void outer_ones_are_within_others(void **state)
{
	struct tree *t = *state;

	start(t, "wait");
	add(t, CALL_BEGIN, 1, 5); /* counts for nothing */
	add(t, WAIT_BEGIN, 1, 70);
	add(t, WAIT_END, 1, 70);
	add(t, CALL_END, 1, 5);
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_BEGIN, 1, 5);
	add(t, WAIT_BEGIN, 1, 71);
	add(t, WAIT_BEGIN, 2, 72); /* a thread without a call */
	add(t, WAIT_END, 3, 71); /* 20, by whatever thread */
	add(t, WAIT_END, 3, 72);
	add(t, WAIT_BEGIN, 1, 73);
	add(t, JOB_END, 9, 5);
	add(t, WAIT_END, 3, 73); /* its call has no job any more */
	add(t, WAIT_BEGIN, 1, 74);
	add(t, WAIT_END, 3, 74);
	assert_int_equal(all_of(t->pairs).count, 1);
	assert_int_equal(all_of(t->pairs).sum, 20);
	assert_int_equal(info_of(t->pairs).unmatched_begins, 1);
	assert_int_equal(info_of(t->pairs).unmatched_ends, 0);
}

static void a_gap_ends_all(void **state)
{
	struct tree *t = *state;

	start(t, "call");
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_BEGIN, 1, 5);
	lose(t);
	add(t, CALL_END, 1, 5);
	add(t, CALL_BEGIN, 1, 5); /* the job may have ended */
	add(t, CALL_END, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 0);
	assert_int_equal(info_of(t->pairs).spanned, 1);
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_BEGIN, 1, 5);
	add(t, CALL_END, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 1);
}

static void several_outer_ones_share_a_key(void **state)
{
	struct tree *t = *state;

	start(t, "wait");
	add(t, JOB_BEGIN, 9, 5);
	add(t, JOB_BEGIN, 9, 6);
	add(t, CALL_BEGIN, 1, 5);
	add(t, CALL_BEGIN, 1, 6); /* in place of the first */
	add(t, JOB_END, 9, 5);
	add(t, WAIT_BEGIN, 1, 71);
	add(t, WAIT_END, 1, 71); /* 10 */
	add(t, CALL_END, 1, 6);
	add(t, WAIT_BEGIN, 1, 72);
	add(t, WAIT_END, 1, 72);
	assert_int_equal(all_of(t->pairs).count, 1);
	assert_int_equal(all_of(t->pairs).sum, 10);
}

static void what_is_not_within_counts_anywhere(void **state)
{
	struct tree *t = *state;

	start(t, "alone");
	add(t, WAIT_BEGIN, 1, 71);
	add(t, WAIT_END, 1, 71);
	assert_int_equal(all_of(t->pairs).count, 1);
}

static void a_way_for_unknown_calls_is_left_out(void **state)
{
	struct tree *t = *state;

	start(t, "most");
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_BEGIN, 1, 5);
	add(t, CALL_END, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 1);
}

/* The sanitizers tell of what is not freed. */
static void events_can_be_bound_again(void **state)
{
	struct tree *t = *state;

	start(t, "call");
	assert_ok(t->ctx, dkt_intervals_bind(t->pairs, dkt_interval_find(t->ctx, "call"), t->events,
					     N_EVENTS));
	add(t, JOB_BEGIN, 9, 5);
	add(t, CALL_BEGIN, 1, 5);
	add(t, CALL_END, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 1);
}

static void the_outer_one_must_have_events(void **state)
{
	struct tree *t = *state;
	const struct dkt_interval *wait = dkt_interval_find(t->ctx, "wait");

	assert_int_equal(open_interval(t, "lost", N_EVENTS), -ENOENT);
	assert_string_equal(dkt_error(t->ctx), "no event of 'none', within which 'lost' counts");
	assert_int_equal(open_interval(t, "call", 2), -ENOENT);
	assert_true(dkt__interval_is_whole(wait, t->events, N_EVENTS));
	assert_false(dkt__interval_is_whole(wait, t->events + 1, N_EVENTS - 1));
	assert_string_equal(dkt__interval_outer(wait, t->events, N_EVENTS)->name, "call");
	assert_null(dkt__interval_outer(wait, t->events + 1, N_EVENTS - 1));
	/* The first way has no events. */
	assert_string_equal(wait->outer->outer->begin, "none:a");
	assert_string_equal(wait->outer->outer->next->begin, "made:job_begin");
	assert_null(wait->outer->outer->next->next);
	assert_null(wait->next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_what_lies_within, setup, teardown),
		cmocka_unit_test_setup_teardown(an_end_of_the_outer_one_cuts_off, setup, teardown),
		cmocka_unit_test_setup_teardown(outer_ones_are_within_others, setup, teardown),
		cmocka_unit_test_setup_teardown(a_gap_ends_all, setup, teardown),
		cmocka_unit_test_setup_teardown(several_outer_ones_share_a_key, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_within_counts_anywhere, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_way_for_unknown_calls_is_left_out, setup,
						teardown),
		cmocka_unit_test_setup_teardown(events_can_be_bound_again, setup, teardown),
		cmocka_unit_test_setup_teardown(the_outer_one_must_have_events, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
