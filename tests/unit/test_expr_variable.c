/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables in filter expressions: their grammar, their values, the equalities that must be true. */
#include "lib/event.h"
#include "lib/expr.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/made_up.h"

struct fixture {
	struct dkt_ctx *ctx;
	struct dkt_event event;
	struct made_up data;
	struct dkt_record record;
	struct dkt_variable number, text, unknown;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	assert_non_null(f);
	assert_int_equal(dkt_ctx_new(NULL, &f->ctx), 0);
	f->event = (struct dkt_event){ .ctx = f->ctx, .system = "test", .name = "made_up" };
	made_up_event(&f->event);
	f->data.s32 = -2;
	f->data.u32 = 40;
	f->data.u8 = 40;
	memcpy(f->data.name, "worker\0junk", 11);
	f->record = (struct dkt_record){
		.event = &f->event, .data = &f->data, .size = sizeof(f->data), .cpu = 3
	};
	f->number = (struct dkt_variable){ .known = true, .number = 40 };
	f->text = (struct dkt_variable){ .known = true, .text = "worker\0x", .len = 8 };
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dkt_ctx_free(f->ctx);
	free(f);
	return 0;
}

static int variable(void *data, const char *name, const struct dkt_variable **variable)
{
	struct fixture *f = data;

	*variable = !strcmp(name, "begin.n")   ? &f->number :
		    !strcmp(name, "text")      ? &f->text :
		    !strcmp(name, "unknown_1") ? &f->unknown :
						 NULL;
	return *variable ? 0 : dkt_fail(f->ctx, -ENOENT, "no variable '%s'", name);
}

static int parse(struct fixture *f, const char *text, struct dkt_expr **expr)
{
	DKT_OPTS(dkt_expr_opts, opts, .variable = variable, .data = f);

	return dkt_expr_new(f->ctx, text, &opts, expr);
}

static bool match(struct fixture *f, const char *text)
{
	struct dkt_expr *expr;
	bool hit;

	assert_ok(f->ctx, parse(f, text, &expr));
	assert_ok(f->ctx, dkt__expr_check_match(expr, &f->event));
	hit = dkt_expr_match(expr, &f->record, "worker");
	dkt_expr_free(expr);
	return hit;
}

static void a_field_compares_with_a_variable(void **state)
{
	struct fixture *f = *state;

	assert_true(match(f, "u32 == $begin.n && $begin.n==u8"));
	assert_false(match(f, "u32 != $begin.n"));
	assert_true(match(f, "u32 & $begin.n"));
	assert_true(match(f, "name == $text && COMM == $text && ($text == name)"));
	assert_false(match(f, "name != $text || COMM != $text"));
	assert_false(match(f, "CPU == $begin.n"));
	f->number.number = 39;
	assert_true(match(f, "u32 > $begin.n && $begin.n < u32 && !($begin.n >= u32)"));
	f->number.number = -2;
	assert_true(match(f, "s32 == $begin.n"));
	f->number.number = 3;
	assert_true(match(f, "CPU == $begin.n"));
	f->text.len = 3;
	assert_false(match(f, "name == $text"));
}

static void values_of_another_kind_match_nothing(void **state)
{
	struct fixture *f = *state;

	assert_false(match(f, "u32 == $text"));
	assert_false(match(f, "name == $begin.n || name != $begin.n"));
	assert_false(match(f, "u32 == $unknown_1 || u32 != $unknown_1 || name != $unknown_1"));
	f->record.size = AT(u32);
	assert_false(match(f, "u32 == $begin.n"));
}

static void errors_show_their_place(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "u32 == $begin.x",
		  "filter: no variable 'begin.x'\n  u32 == $begin.x\n         ^" },
		{ "u32 == $", "filter: no variable ''\n  u32 == $\n         ^" },
		{ "$text 5", "filter: no operator after '$text'\n  $text 5\n        ^" },
		{ "$text == 'x'",
		  "filter: write the name of a field without quotes\n  $text == 'x'\n"
		  "           ^" },
		{ "name ~ $text", "filter: ~ takes a string in quotes, not a variable\n"
				  "  name ~ $text\n         ^" },
		{ "u64.function == $begin.n",
		  "filter: compare .function with the name or address of a function\n"
		  "  u64.function == $begin.n\n                  ^" },
		{ "name < $text",
		  "filter: name is a string: compare it with == or !=\n  name < $text\n"
		  "         ^" },
		{ "mask == $begin.n", "filter: mask cannot be compared with a variable\n"
				      "  mask == $begin.n\n          ^" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dkt_expr *expr;
		int err = parse(f, rows[i].text, &expr);

		if (!err)
			err = dkt_expr_check(expr, &f->event);
		assert_true(err == -EINVAL || err == -ENOENT);
		assert_string_equal(dkt_error(f->ctx), rows[i].words);
		dkt_expr_free(expr);
	}
}

static void the_kernel_has_no_variables(void **state)
{
	struct fixture *f = *state;
	struct dkt_expr *expr;
	char *text;

	assert_ok(f->ctx, parse(f, "u32 == $begin.n", &expr));
	assert_fails(f->ctx, -EOPNOTSUPP,
		     "filter: the kernel has no variables\n  u32 == $begin.n\n         ^",
		     dkt_expr_text(expr, &f->event, &text));
	dkt_expr_free(expr);
	/* Without variables, this is a word, and so a string. */
	assert_ok(f->ctx, dkt_expr_new(f->ctx, "name == $text", NULL, &expr));
	assert_ok(f->ctx, dkt_expr_text(expr, &f->event, &text));
	assert_string_equal(text, "name == \"$text\"");
	free(text);
	dkt_expr_free(expr);
}

/* Writes the equalities of an expression as "field=variable ...", and a '.' if they are all. */
static const char *equalities(struct fixture *f, const char *text)
{
	static char words[256];
	struct dkt__equality equality = { 0 };
	struct dkt_expr *expr;

	*words = '\0';
	assert_ok(f->ctx, parse(f, text, &expr));
	for (size_t i = 0; !dkt__expr_equality(expr, i, &equality, sizeof(equality)); i++)
		sprintf(words + strlen(words), "%s%s=%s%s", i ? " " : "", equality.field,
			equality.variable, equality.all ? "." : "");
	dkt_expr_free(expr);
	return words;
}

static void needed_equalities_are_found(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(equalities(f, "u32 == $begin.n"), "u32=begin.n.");
	assert_string_equal(equalities(f, "$begin.n == u32 && name == $text"),
			    "u32=begin.n. name=text.");
	assert_string_equal(equalities(f, "u8 > 3 && u32 == $begin.n"), "u32=begin.n");
	assert_string_equal(equalities(f, "(u8 > 3 || u8 == 1) && u32 == $begin.n"), "u32=begin.n");
	assert_string_equal(equalities(f, "u8 > 3 || u32 == $begin.n"), "");
	assert_string_equal(equalities(f, "u32 == $begin.n || u8 > 3"), "");
	assert_string_equal(equalities(f, "!(u32 == $begin.n)"), "");
	assert_string_equal(equalities(f, "u32 != $begin.n && u8 >= $begin.n"), "");
	assert_string_equal(equalities(f, "u32 == $begin.n && (u8 == $begin.n || u16 == $begin.n)"),
			    "u32=begin.n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_field_compares_with_a_variable, setup, teardown),
		cmocka_unit_test_setup_teardown(values_of_another_kind_match_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(errors_show_their_place, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernel_has_no_variables, setup, teardown),
		cmocka_unit_test_setup_teardown(needed_equalities_are_found, setup, teardown),
	};

	return cmocka_run_group_tests_name("expr_variable", tests, NULL, NULL);
}
