/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events by name: words, filters in brackets, error messages. */
#include "compat/lustre/named.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define PID  "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
#define PRIO "\tfield:int prio;\toffset:12;\tsize:4;\tsigned:1;\n"
#define COMM "\tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;\n"

struct test {
	char dir[TREE_NAME];
	struct dkt_ctx *ctx;
	struct named named;
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));

	*state = test;
	assert_int_equal(tree_make(test->dir), 0);
	assert_int_equal(tree_text(test->dir, "available_events",
				   "block:rq_issue\nblock:rq_insert\nsched:switch\nsched:wakeup\n"
				   "task:switch\n"),
			 0);
	assert_int_equal(tree_event(test->dir, "sched", "switch", 1, PID PRIO COMM, "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "sched", "wakeup", 2, PID, "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "task", "switch", 3, PID, "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "block", "rq_issue", 4, COMM, "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "block", "rq_insert", 5, COMM, "\"\""), 0);
	test->ctx = tree_ctx(test->dir);
	return test->ctx ? 0 : -1;
}

static int teardown(void **state)
{
	struct test *test = *state;

	dkl_named_clear(&test->named);
	dkt_ctx_free(test->ctx);
	tree_remove(test->dir);
	free(test);
	return 0;
}

static struct named *take(struct test *test, const char *text)
{
	dkl_named_clear(&test->named);
	assert_ok(test->ctx, dkl_named_read(test->ctx, text, &test->named));
	return &test->named;
}

static void assert_word(const struct named *named, size_t i, const char *glob, const char *filter)
{
	assert_true(i < named->n);
	assert_string_equal(named->list[i].glob, glob);
	if (filter)
		assert_string_equal(named->list[i].filter, filter);
	else
		assert_null(named->list[i].filter);
}

static void a_word_ends_at_a_comma_outside_its_filter(void **state)
{
	const struct named *named = take(
		*state, "sched:switch[pid == 1 && comm ~ \"a],[b*\"],block:*  wakeup,\n*[pid > 0]");

	assert_int_equal(named->n, 4);
	assert_word(named, 0, "sched:switch", "pid == 1 && comm ~ \"a],[b*\"");
	assert_word(named, 1, "block:*", NULL);
	assert_word(named, 2, "wakeup", NULL);
	assert_word(named, 3, "*", "pid > 0");
}

static void brackets_without_a_comparison_are_part_of_the_glob(void **state)
{
	const struct named *named =
		take(*state, "block:rq_i[ns]*,block:rq_i[n]*[comm == \"x\"],[bs]*:[a-z]*");

	assert_int_equal(named->n, 3);
	assert_word(named, 0, "block:rq_i[ns]*", NULL);
	assert_word(named, 1, "block:rq_i[n]*", "comm == \"x\"");
	assert_word(named, 2, "[bs]*:[a-z]*", NULL);
	assert_true(dkl_named_word_has(&named->list[1], "block", "rq_insert"));
	assert_false(dkl_named_word_has(&named->list[1], "block", "rq_issue"));
}

static void a_minus_excludes_events(void **state)
{
	struct test *test = *state;
	const struct named *named =
		take(test, "+sched:*[pid > 0],-*:wakeup,-block:*,block:rq_issue");
	struct dkt_event *wakeup = dkt_event_find(test->ctx, "sched", "wakeup");
	struct dkt_event *other = dkt_event_find(test->ctx, "task", "switch");

	assert_int_equal(named->n, 4);
	assert_word(named, 0, "sched:*", "pid > 0");
	assert_false(named->list[0].without);
	assert_word(named, 1, "*:wakeup", NULL);
	assert_true(named->list[1].without);
	assert_false(dkl_named_has(named, wakeup, true));
	assert_true(dkl_named_has(named, other, true));
	assert_false(dkl_named_has(named, other, false));
	assert_true(dkl_named_chooses(named, dkt_event_find(test->ctx, "sched", "switch")));
	assert_true(dkl_named_chooses(named, dkt_event_find(test->ctx, "block", "rq_issue")));
	assert_false(dkl_named_has(named, dkt_event_find(test->ctx, "block", "rq_insert"), true));
	assert_ok(test->ctx, dkl_named_check(test->ctx, named));
}

static void a_word_is_spelled_as_it_was_written(void **state)
{
	const struct named *named = take(*state, "sched:switch[pid > 0],-block:*");
	char *one = dkl_named_word_text(&named->list[0]),
	     *two = dkl_named_word_text(&named->list[1]);

	assert_string_equal(one, "sched:switch[pid > 0]");
	assert_string_equal(two, "-block:*");
	free(one);
	free(two);
}

static void assert_refused(struct test *test, int err, const char *text, const char *words)
{
	dkl_named_clear(&test->named);
	assert_fails(test->ctx, err, words, dkl_named_read(test->ctx, text, &test->named));
}

static void an_invalid_word_is_refused(void **state)
{
	struct test *test = *state;

	assert_refused(test, -EINVAL, "", "'' is not an event: write SYSTEM:NAME");
	assert_refused(test, -EINVAL, " ,, ", "' ,, ' is not an event: write SYSTEM:NAME");
	assert_refused(test, -EINVAL, "sched:switch[pid > 0",
		       "sched:switch: the filter has no ']' at its end: [pid > 0");
	assert_refused(test, -EINVAL, "sched:switch[comm == \"a]",
		       "sched:switch: the filter has no ']' at its end: [comm == \"a]");
	assert_refused(test, -EINVAL, "sched:switch[pid > 0]x,block:*",
		       "sched:switch: expected a comma after the filter, not 'x'");
	assert_refused(test, -EINVAL, "sched:switch [pid > 0]",
		       "a filter follows its event without a space: [pid > 0]");
	assert_refused(test, -EINVAL, "-sched:switch[pid > 0]",
		       "-sched:switch: an event that is excluded has no filter");
	assert_refused(test, -EINVAL, "-", "an event follows its sign: -");
	assert_refused(test, -EINVAL, "+-x", "an event follows its sign: +-x");
	assert_refused(test, -EINVAL, "sched:switch[pid >]", NULL);
	assert_has(dkt_error(test->ctx), "sched:switch: ");
	assert_refused(test, -EINVAL, "sched:switch[pid > 0\n]", NULL);
	assert_refused(test, -EINVAL, "sched:", NULL);
	assert_refused(test, -EINVAL, "sched:a[b", NULL);
}

static void assert_unfit(struct test *test, int err, const char *text, const char *words)
{
	take(test, text);
	assert_fails(test->ctx, err, words, dkl_named_check(test->ctx, &test->named));
}

static void a_word_without_events_is_an_error(void **state)
{
	struct test *test = *state;

	take(test, "sched:*,wakeup,block:rq_i?????,*:switch");
	assert_ok(test->ctx, dkl_named_check(test->ctx, &test->named));
	assert_unfit(test, -ENOENT, "sched:*,sched:swich",
		     "no event matches 'sched:swich'; did you mean sched:switch?");
	assert_unfit(test, -ENOENT, "nothing:*", "no event matches 'nothing:*'");
	assert_unfit(test, -ENOENT, "sched",
		     "'sched' is a system of events; all of them are 'sched:*'");
	assert_unfit(test, -ENOENT, "sched:switch[pid]",
		     "no event matches 'sched:switch[pid]'; a filter in brackets compares:"
		     " [prev_pid > 0]");
	assert_unfit(test, -ENOTUNIQ, "switch",
		     "several systems have an event 'switch'; write sched:switch or task:switch");
}

static void a_filter_must_fit_one_of_its_events(void **state)
{
	struct test *test = *state;

	take(test, "sched:*[prio > 0]");
	assert_ok(test->ctx, dkl_named_check(test->ctx, &test->named));
	assert_unfit(test, -ENOENT, "block:*[prio > 0]", NULL);
	assert_has(dkt_error(test->ctx), "block:*: ");
	assert_unfit(test, -EINVAL, "sched:*[prio ~ \"a\"]", NULL);
}

static void assert_filter(struct test *test, const char *system, const char *name,
			  const char *filter, const char *lacking)
{
	struct dkt_event *event = dkt_event_find(test->ctx, system, name);
	const struct named_word *lacks;
	char *text;

	assert_ok(test->ctx, dkl_named_filter(&test->named, event, &text, &lacks));
	assert_string_equal(text, filter);
	free(text);
	assert_string_equal(lacks ? lacks->glob : "", lacking);
}

static void an_event_has_any_of_the_filters_of_its_words(void **state)
{
	struct test *test = *state;

	take(test, "*:*,sched:switch[pid == 1],sched:*[prio > 2],sched:switch[pid == 3]");
	assert_filter(test, "sched", "switch", "((pid == 1) || (prio > 2)) || (pid == 3)", "");
	assert_filter(test, "sched", "wakeup", "", "sched:*");
	assert_filter(test, "block", "rq_issue", "", "");
}

static void events_without_the_fields_are_named(void **state)
{
	struct test *test = *state;
	char *lines;

	take(test, "*:*[prio > 0],sched:*[pid > 0],task:*");
	assert_ok(test->ctx, dkl_named_lacking(test->ctx, &test->named, &lines));
	assert_string_equal(lines, "*:*[prio > 0]: 3 of 5 events do not have its fields and are"
				   " recorded without it: block (2), task:switch");
	free(lines);
	take(test, "sched:*[pid > 0]");
	assert_ok(test->ctx, dkl_named_lacking(test->ctx, &test->named, &lines));
	assert_null(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_word_ends_at_a_comma_outside_its_filter, setup,
						teardown),
		cmocka_unit_test_setup_teardown(brackets_without_a_comparison_are_part_of_the_glob,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_minus_excludes_events, setup, teardown),
		cmocka_unit_test_setup_teardown(a_word_is_spelled_as_it_was_written, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_invalid_word_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_word_without_events_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(a_filter_must_fit_one_of_its_events, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_event_has_any_of_the_filters_of_its_words, setup,
						teardown),
		cmocka_unit_test_setup_teardown(events_without_the_fields_are_named, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
