/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter of a flight recorder, and the conditions whose events lack its fields. */
#include "recording/flight/measure.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define FIELD(name) "\tfield:u64 " name ";\toffset:8;\tsize:8;\tsigned:0;\n"

static void a_condition_takes_a_filter_that_fits_one_of_its_events(void **state)
{
	static const struct {
		const char *events, *filter;
		bool takes;
	} cases[] = {
		{ "one:has", "fd == 1", true },     { "one:lacks", "fd == 1", false },
		{ "one:*", "fd == 1", true },       { "one:*,-one:has", "fd == 1", false },
		{ "lacks,has", "fd == 1", true },   { "one:has", "fd == 1 && mode == 2", false },
		{ "one:nosuch", "fd == 1", false }, { "one:has", NULL, false },
	};
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	bool takes;

	(void)state;
	assert_int_equal(tree_make(root), 0);
	assert_int_equal(tree_text(root, "available_events", "one:has\none:lacks\n"), 0);
	assert_int_equal(tree_event(root, "one", "has", 7, FIELD("fd"), "\"%llu\", REC->fd"), 0);
	assert_int_equal(tree_event(root, "one", "lacks", 8, FIELD("v"), "\"%llu\", REC->v"), 0);
	ctx = tree_ctx(root);
	assert_non_null(ctx);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_ok(ctx, flight_takes_filter(ctx, cases[i].events, cases[i].filter, &takes));
		assert_int_equal(takes, cases[i].takes);
	}
	/* Words that are invalid are no reason to leave the filter out. */
	assert_fails(ctx, -EINVAL, NULL, flight_takes_filter(ctx, "one:[", "fd == 1", &takes));
	assert_fails(ctx, -EINVAL, NULL, flight_takes_filter(ctx, "one:has", "fd ==", &takes));
	dkt_ctx_free(ctx);
	assert_int_equal(tree_remove(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_condition_takes_a_filter_that_fits_one_of_its_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
