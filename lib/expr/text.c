/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints an expression as the kernel accepts it: the user's text with names and units as numbers.
 */
#include "lib/event.h"
#include "lib/expr.h"
#include "lib/symbol.h"

/* True if the kernel accepts the value as written. */
static bool is_plain(const struct dkt_expr *expr, const struct expr_test *test)
{
	uint32_t at = test->pred->value.at;
	struct expr_item item;

	if (!dkt__expr_next_item(expr, test->pred->value, &at, &item))
		return false;
	return item.span.len == test->pred->value.len && item.is_number &&
	       !dkt__expr_read_number(expr, &item) && !item.has_unit;
}

static void put_number(const struct dkt_expr *expr, const struct expr_test *test,
		       struct dkt_buf *buf)
{
	struct expr_span value = test->pred->value;

	if (is_plain(expr, test))
		dkt__buf_add(buf, expr->text + value.at, value.len);
	else if (test->op == EXPR_BITS && test->field.flags & DKT_FIELD_SIGNED && test->value < 0)
		dkt_buf_printf(buf, "%lld", (long long)test->value);
	else if (test->op == EXPR_BITS)
		dkt_buf_printf(buf, "0x%llx", (unsigned long long)test->value);
	else if (test->field.flags & DKT_FIELD_SIGNED)
		dkt_buf_printf(buf, "%lld", (long long)test->value);
	else
		dkt_buf_printf(buf, "%llu", (unsigned long long)test->value);
}

/*
 * The kernel mishandles two kinds of patterns: it compares one that begins with a digit literally,
 * stars included, and it looks for one that begins with a star at the end of an array, not at the end
 * of the string in the array. A backslash before any character makes the kernel use its full glob,
 * which is right.
 */
static bool needs_quoting(const struct expr_test *test)
{
	const struct expr_pattern *pattern = &test->pred->pattern;
	bool is_array = !(test->field.flags & DKT_FIELD_DYNAMIC);

	switch (pattern->kind) {
	case PATTERN_MIDDLE:
	case PATTERN_END:
		return is_array && pattern->len;
	case PATTERN_FRONT:
	case PATTERN_GLOB:
		return dkt__expr_is_digit(pattern->text[0]);
	default:
		return false;
	}
}

static void put_string(const struct dkt_expr *expr, const struct expr_test *test,
		       struct dkt_buf *buf)
{
	const struct expr_pred *pred = test->pred;
	const char *inner = expr->text + pred->inner.at;
	size_t head = pred->inner.len;
	char quote = '"';

	if (pred->kind == EXPR_STRING)
		quote = expr->text[pred->value.at];
	if (needs_quoting(test))
		head = (size_t)(pred->pattern.text - inner);
	dkt__buf_add(buf, &quote, 1);
	dkt__buf_add(buf, inner, head);
	if (head < pred->inner.len) {
		dkt_buf_str(buf, "\\");
		dkt__buf_add(buf, inner + head, pred->inner.len - head);
	}
	dkt__buf_add(buf, &quote, 1);
}

static void put_value(const struct dkt_expr *expr, const struct expr_test *test,
		      struct dkt_buf *buf)
{
	struct expr_span value = test->pred->value;

	switch (test->kind) {
	case TEST_NUMBER:
	case TEST_CPU:
		put_number(expr, test, buf);
		break;
	case TEST_CHARS:
	case TEST_COMM:
	case TEST_KERNEL_ONLY:
		put_string(expr, test, buf);
		break;
	case TEST_FUNCTION:
		/* The kernel reads the name up to a space, even past a ')'. */
		dkt__buf_add(buf, expr->text + value.at, value.len);
		if (expr->text[value.at + value.len] && expr->text[value.at + value.len] != ' ')
			dkt_buf_str(buf, " ");
		break;
	default:
		dkt__buf_add(buf, expr->text + value.at, value.len);
		break;
	}
}

/* Writes the text between values. Newlines become spaces, because a filter is one line. */
static void put_between(const struct dkt_expr *expr, uint32_t from, uint32_t to,
			struct dkt_buf *buf)
{
	for (; from < to; from++)
		dkt__buf_add(buf, dkt__expr_is_space(expr->text[from]) ? " " : expr->text + from,
			     1);
}

/* Writes the part before a comparison's value: the kernel's name of the field, and the operator. */
static void put_field(const struct dkt_expr *expr, const struct expr_test *test, uint32_t from,
		      struct dkt_buf *buf)
{
	const struct expr_pred *pred = test->pred;

	if (!dkt__expr_span_is(expr, pred->field, test->field.name)) {
		put_between(expr, from, pred->field.at, buf);
		dkt_buf_str(buf, test->field.name);
		from = pred->field.at + pred->field.len;
	}
	put_between(expr, from, pred->value.at, buf);
}

/* ---- functions ---- */

struct search {
	const struct dkt_expr *expr;
	struct expr_span name;
	struct dkt__guess guess;
};

/* Returns 1, which ends the walk, if the symbol has the name. */
static int compare_name(void *data, const struct dkt__symbol *symbol)
{
	struct search *search = data;

	return dkt__expr_span_is(search->expr, search->name, symbol->name);
}

static int guess_name(void *data, const struct dkt__symbol *symbol)
{
	struct search *search = data;

	dkt__guess_try(&search->guess, symbol->name);
	return 0;
}

/* Checks that the running kernel has the function. */
static int check_function(struct dkt_expr *expr, struct expr_pred *pred)
{
	struct search search = { .expr = expr, .name = pred->inner };
	int found;

	/* The functions of records from another machine are unknown. */
	if (pred->known || expr->ctx->dirfd < 0 || expr->ctx->root ||
	    dkt__expr_is_digit(expr->text[pred->inner.at]))
		return 0;
	found = dkt__symbols_each(expr->ctx, compare_name, &search);
	/* If the names cannot be read (found < 0), the kernel decides. */
	if (found) {
		pred->known = true;
		return 0;
	}
	dkt__guess_start(&search.guess, expr->text + pred->inner.at, pred->inner.len);
	dkt__symbols_each(expr->ctx, guess_name, &search);
	return dkt__expr_fail(expr, -EINVAL, pred->inner.at, "this kernel has no function '%.*s'%s",
			      (int)pred->inner.len, expr->text + pred->inner.at,
			      dkt__guess_words(&search.guess));
}

/* ---- all of it ---- */

int dkt_expr_text(struct dkt_expr *expr, struct dkt_event *event, char **text)
{
	dkt__needs(expr ? expr->ctx : NULL, dkt__clear(text) && expr && event);

	const struct expr_bound *bound;
	struct dkt_buf buf = { 0 };
	uint32_t at = 0;
	int err;

	err = dkt_expr_check(expr, event);
	if (err)
		return err;
	for (uint32_t i = 0; !err && i < expr->n_preds; i++) {
		if (expr->preds[i].kind == EXPR_FUNCTION)
			err = check_function(expr, &expr->preds[i]);
		if (expr->preds[i].kind == EXPR_VARIABLE)
			err = dkt__expr_fail(expr, -EOPNOTSUPP, expr->preds[i].value.at,
					     "the kernel has no variables");
	}
	bound = err ? NULL : dkt__expr_bind(expr, event);
	if (!bound)
		return err ? err : dkt__no_memory(expr->ctx);
	for (uint32_t i = 0; i < expr->n_preds; i++) {
		struct expr_span value = expr->preds[i].value;

		put_field(expr, &bound->tests[i], at, &buf);
		put_value(expr, &bound->tests[i], &buf);
		at = value.at + value.len;
	}
	put_between(expr, at, (uint32_t)strlen(expr->text), &buf);
	dkt__buf_add(&buf, "", 1);
	err = dkt__with_words(expr->ctx, buf.err);
	if (!err && buf.len - 1 > EXPR_MAX_FILTER)
		err = dkt_fail(expr->ctx, -E2BIG,
			       "filter: %zu bytes for %s:%s; the kernel's limit is %d", buf.len - 1,
			       event->system, event->name, EXPR_MAX_FILTER);
	if (err) {
		free(buf.data);
		return err;
	}
	*text = buf.data;
	return 0;
}
