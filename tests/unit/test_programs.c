/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs by name: the same ones in the kernel's filter and among the records of a file. */
#include "compat/lustre/mask.h"
#include "compat/lustre/programs.h"
#include "compat/pipeline/selection.h"
#include "compat/set/filters.h"
#include "lib/base/util.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

struct fixture {
	char dir[TREE_NAME];
	struct dkt_ctx *ctx;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	assert_int_equal(tree_make(f->dir), 0);
	assert_int_equal(tree_text(f->dir, "available_events", "sys:call\n"), 0);
	assert_int_equal(tree_event(f->dir, "sys", "call", 1, "", "\"\""), 0);
	f->ctx = tree_ctx(f->dir);
	return f->ctx ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dkt_ctx_free(f->ctx);
	tree_remove(f->dir);
	free(f);
	return 0;
}

static bool is_recorded(struct fixture *f, const char *list, const char *comm)
{
	const struct filter_wish wish = { .comm = list };
	const char data[8] = { 1 };
	const struct dkt_record record = { .event = dkt_event_find(f->ctx, "sys", "call"),
					   .data = data,
					   .size = sizeof(data) };
	char *text = NULL;
	struct dkt_expr *expr;
	bool match;

	assert_ok(f->ctx, dkl_filters_text(f->ctx, &wish, &text));
	assert_ok(f->ctx, dkl_mask_expr(f->ctx, text, &expr));
	match = dkt_expr_match(expr, &record, comm);
	dkt_expr_free(expr);
	free(text);
	return match;
}

static bool is_selected(struct fixture *f, const char *list, const char *comm)
{
	const struct selection_words words = { .comms = list };
	struct selection selection;
	bool match;

	assert_ok(f->ctx, dkl_selection_read(f->ctx, &words, &selection));
	match = dkl_programs_have(&selection.comms, comm);
	dkl_selection_clear(&selection);
	return match;
}

static void the_kernel_and_a_reader_take_the_same_programs(void **state)
{
	static const struct {
		const char *list, *comm;
		bool match;
	} cases[] = {
		{ "dd", "dd", true },
		{ "dd", "ddd", false },
		{ "cp,dd", "dd", true },
		{ "cp, dd", "dd", true },
		{ "tmux: server", "tmux: server", true },
		{ "tmux: server", "tmux:", false },
		{ "tmux: server", "server", false },
		{ "cp,tmux: server", "tmux: server", true },
		{ "tmux: *", "tmux: client", true },
		{ "ptlrpcd_01_0123", "ptlrpcd_01_0123", true },
		{ "systemd-journald", "systemd-journal", true },
		{ "systemd-journald", "systemd-journa", false },
		{ "ll_ost*", "ll_ost00_003", true },
		{ "*_00?", "ll_ost00_003", true },
		{ "*ost*", "ll_ost00_003", true },
		{ "[cd]d", "dd", true },
		{ "[!cd]d", "dd", false },
		{ "!dd", "!dd", true },
		{ "!dd", "cp", false },
		{ "!d*", "!dd", true },
		{ "!d*", "cp", false },
		{ "a\\b", "a\\b", true },
		{ "a\\b", "ab", false },
		{ "a\\**", "a*b", true },
		{ "a\\**", "axb", false },
		{ "say \"hi\"", "say \"hi\"", true },
		{ "it's", "it's", true },
		{ "<...>", "<...>", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (is_recorded(*state, cases[i].list, cases[i].comm) != cases[i].match ||
		    is_selected(*state, cases[i].list, cases[i].comm) != cases[i].match)
			fail_msg("'%s' and the program '%s'", cases[i].list, cases[i].comm);
	}
}

static void the_kernel_and_a_reader_refuse_the_same_lists(void **state)
{
	static const char *const cases[][2] = {
		{ "", "--comm: '' cannot be the name of a program" },
		{ "dd,", "--comm: '' cannot be the name of a program" },
		{ "dd,,cp", "--comm: '' cannot be the name of a program" },
		{ "a\nb", "--comm: 'a\\nb' cannot be the name of a program" },
		{ "'\"", "--comm: ''\"' cannot be the name of a program" },
		{ "dd,[x", "--comm: '[x' has a '[' without its ']'" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct filter_wish wish = { .comm = cases[i][0] };
		const struct selection_words words = { .comms = cases[i][0] };
		struct selection selection;
		char *text;

		assert_fails(f->ctx, -EINVAL, cases[i][1], dkl_filters_text(f->ctx, &wish, &text));
		assert_fails(f->ctx, -EINVAL, cases[i][1],
			     dkl_selection_read(f->ctx, &words, &selection));
		dkl_selection_clear(&selection);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_kernel_and_a_reader_take_the_same_programs,
						setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernel_and_a_reader_refuse_the_same_lists,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
