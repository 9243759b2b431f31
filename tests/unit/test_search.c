/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the text of a message can be, and what the kernel must compare. */
#include "compat/lustre/message/search.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define STRING(name, at) "\tfield:__data_loc char[] " name ";\toffset:" at ";\tsize:4;\tsigned:0;\n"

struct tree {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *cdebug, *strings, *nested, *text;
	struct dkt__strings texts;
	struct search search;
};

/* As Lustre has them: formats end a line or take arguments, the others are what formats print. */
static const char constants[] =
	"\0\1\2\0"
	"Request sent has %s: [sent %lld/real %lld]\0"
	"timed out for sent delay\0"
	"timed out for slow reply\0"
	"failed due to network error\0"
	"### lock callback timer expired after %llds: evicting client at %s \0"
	"ptlrpc_expire_one_request\0"
	"%s: rc = %d\n\0"
	"no words\0"
	"%s after %d s\n\0"
	"import timed out\n\0"
	"say \"%s\" and '?'\n\0"
	"torn";

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	tree_event(t->root, "made", "cdebug", 1,
		   STRING("msg_fn", "8") STRING("fmt", "12") "\tfield:u64 a0;\toffset:16;\tsize:8;"
							     "\tsigned:0;\n",
		   "\"%llx\", REC->a0");
	tree_event(t->root, "made", "strings", 2,
		   STRING("s0", "8") STRING("s1", "12") "\tfield:u64 q0;\toffset:16;\tsize:8;"
							"\tsigned:0;\n",
		   "\"%llx\", REC->q0");
	tree_event(t->root, "made", "nested", 3,
		   STRING("fmt", "8") STRING("s1", "12") STRING("v_fmt", "16") STRING("t2", "20"),
		   "\"%s\", __get_str(fmt)");
	tree_event(t->root, "made", "text", 4, STRING("msg_file", "8") STRING("msg", "12"),
		   "\"%s\", __get_str(msg)");
	tree_text(t->root, "available_events",
		  "made:cdebug\nmade:strings\nmade:nested\nmade:text\n");
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	t->cdebug = dkt_event_find(t->ctx, "made", "cdebug");
	t->strings = dkt_event_find(t->ctx, "made", "strings");
	t->nested = dkt_event_find(t->ctx, "made", "nested");
	t->text = dkt_event_find(t->ctx, "made", "text");
	assert_int_equal(dkl_texts_in(constants, sizeof(constants) - 1, &t->texts), 0);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	dkl_search_clear(&t->search);
	dkt__strings_clear(&t->texts);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

static void look(struct tree *t, const char *words)
{
	dkl_search_clear(&t->search);
	assert_ok(t->ctx, dkl_search_new(t->ctx, words, &t->texts, &t->search));
}

/* NULL: the event cannot have the text. Our parser stands for the kernel's. */
static void expect(struct tree *t, struct dkt_event *event, const char *want)
{
	char *condition = NULL;
	int err = dkl_search_condition(&t->search, event, &condition);
	struct dkt_expr *expr = NULL;

	if (!want) {
		assert_int_equal(err, -ENOENT);
		return;
	}
	assert_int_equal(err, 0);
	assert_string_equal(condition, want);
	assert_ok(t->ctx, dkt_expr_new(t->ctx, condition, NULL, &expr));
	assert_int_equal(dkt_expr_check(expr, event), 0);
	dkt_expr_free(expr);
	free(condition);
}

static void constants_end_in_nul(void **state)
{
	struct tree *t = *state;

	assert_int_equal(t->texts.n, 11);
	assert_string_equal(t->texts.list[0], "Request sent has %s: [sent %lld/real %lld]");
	assert_string_equal(t->texts.list[10], "say \"%s\" and '?'\n");
}

static void a_text_is_found_in_a_format(void **state)
{
	struct tree *t = *state;

	look(t, "evicting client");
	assert_int_equal(t->search.formats.n, 1);
	assert_int_equal(t->search.arguments.n, 0);
	expect(t, t->cdebug, "fmt ~ \"*evicting client*\"");
	expect(t, t->nested, "fmt ~ \"*evicting client*\" || v_fmt ~ \"*evicting client*\"");
	expect(t, t->strings, NULL);
	expect(t, t->text, "msg ~ \"*evicting client*\"");
}

static void a_text_is_found_in_an_argument(void **state)
{
	struct tree *t = *state;

	look(t, "*slow reply*");
	assert_int_equal(t->search.formats.n, 0);
	assert_int_equal(t->search.arguments.n, 1);
	expect(t, t->cdebug, "fmt ~ \"*slow reply*\"");
	expect(t, t->strings, "s0 ~ \"*slow reply*\" || s1 ~ \"*slow reply*\"");
	expect(t, t->nested,
	       "fmt ~ \"*slow reply*\" || v_fmt ~ \"*slow reply*\" || s1 ~ \"*slow reply*\""
	       " || t2 ~ \"*slow reply*\"");
	/* All parts of the text must occur in the message. */
	expect(t, t->text, "msg ~ \"*slow reply*\"");
}

static void a_text_is_found_in_formats_and_arguments(void **state)
{
	struct tree *t = *state;

	look(t, "*timed out*");
	assert_int_equal(t->search.formats.n, 1);
	assert_int_equal(t->search.arguments.n, 2);
	expect(t, t->strings, "s0 ~ \"*timed out*\" || s1 ~ \"*timed out*\"");
}

static void a_text_is_found_across_a_format_and_its_argument(void **state)
{
	struct tree *t = *state;

	look(t, "sent has timed out");
	assert_int_equal(t->search.formats.n + t->search.arguments.n, 0);
	assert_int_equal(t->search.split.n, 1);
	assert_int_equal(t->search.n_parts, 1);
	expect(t, t->cdebug, NULL);
	expect(t, t->strings, "((s0 ~ \"timed out*\" || s1 ~ \"timed out*\"))");
	expect(t, t->nested,
	       "((fmt ~ \"*sent has %*\" || v_fmt ~ \"*sent has %*\") &&"
	       " (s1 ~ \"timed out*\" || t2 ~ \"timed out*\"))");
	look(t, "slow reply after");
	expect(t, t->nested,
	       "((fmt ~ \"*%s after*\" || v_fmt ~ \"*%s after*\") &&"
	       " (s1 ~ \"*slow reply\" || t2 ~ \"*slow reply\"))");
	look(t, "has failed due to network error: [sent");
	expect(t, t->strings,
	       "((s0 ~ \"failed due to network error\" || s1 ~ \"failed due to network error\"))");
}

static void an_unknown_text_is_tested_everywhere(void **state)
{
	struct tree *t = *state;

	look(t, "lustre-OST0003");
	expect(t, t->cdebug, "fmt ~ \"*lustre-OST0003*\"");
	expect(t, t->strings, "s0 ~ \"*lustre-OST0003*\" || s1 ~ \"*lustre-OST0003*\"");
	/* So it is where the constants are not known. */
	dkl_search_clear(&t->search);
	assert_ok(t->ctx, dkl_search_new(t->ctx, "no words", NULL, &t->search));
	assert_true(t->search.blind);
	expect(t, t->strings, "s0 ~ \"*no words*\" || s1 ~ \"*no words*\"");
}

static void line_ends_and_wildcards_are_kept(void **state)
{
	struct tree *t = *state;

	look(t, "import*out");
	assert_int_equal(t->search.formats.n, 1);
	expect(t, t->cdebug, "fmt ~ \"import*out\" || fmt ~ \"import*out?\"");
	look(t, "*say ?*");
	assert_int_equal(t->search.formats.n, 1);
	/* Plain text has no wildcards, and a byte that a filter cannot contain matches any byte. */
	look(t, ": [sent");
	expect(t, t->cdebug, "fmt ~ \"*: ?sent*\"");
	look(t, "\" and ");
	assert_int_equal(t->search.formats.n, 1);
	expect(t, t->cdebug, "fmt ~ \"*? and *\"");
}

static void texts_that_no_message_has_are_refused(void **state)
{
	struct tree *t = *state;
	char longer[300];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(dkl_search_new(t->ctx, "", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, "**", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, "a \"b\"*", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, "a\nb*", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, longer, &t->texts, &t->search), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(constants_end_in_nul, setup, teardown),
		cmocka_unit_test_setup_teardown(a_text_is_found_in_a_format, setup, teardown),
		cmocka_unit_test_setup_teardown(a_text_is_found_in_an_argument, setup, teardown),
		cmocka_unit_test_setup_teardown(a_text_is_found_in_formats_and_arguments, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_text_is_found_across_a_format_and_its_argument,
						setup, teardown),
		cmocka_unit_test_setup_teardown(an_unknown_text_is_tested_everywhere, setup,
						teardown),
		cmocka_unit_test_setup_teardown(line_ends_and_wildcards_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_that_no_message_has_are_refused, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
