/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables in expressions: values that the caller changes from record to record. */
#include "lib/expr.h"

int dkt__expr_parse_variable(struct expr_reader *r, struct expr_pred *pred)
{
	uint32_t start = r->at++;

	pred->kind = EXPR_VARIABLE;
	while (dkt__in_name(r->text[r->at]) || r->text[r->at] == '.')
		r->at++;
	pred->value = (struct expr_span){ .at = start, .len = r->at - start };
	pred->inner = (struct expr_span){ .at = start + 1, .len = pred->value.len - 1 };
	return 0;
}

int dkt__expr_find_variable(struct dkt_expr *expr, struct expr_pred *pred)
{
	const char *text = expr->text;
	int err;

	if (pred->op == EXPR_LIKE)
		return dkt__expr_fail(expr, -EINVAL, pred->value.at,
				      "~ takes a string in quotes, not a variable");
	if (asprintf(&pred->names, "%.*s%c%.*s", (int)pred->field.len, text + pred->field.at, '\0',
		     (int)pred->inner.len, text + pred->inner.at) < 0) {
		pred->names = NULL;
		return dkt__no_memory(expr->ctx);
	}
	err = expr->opts.variable(expr->opts.data, pred->names + pred->field.len + 1,
				  &pred->variable);
	/* The caller's function knows why; the place is known here. */
	return err ? dkt__expr_fail(expr, err, pred->value.at, "%s", dkt_error(expr->ctx)) : 0;
}

/*
 * True if a record that matches has passed the comparison, as true. All jumps lead forward: none
 * from before it leads past it, and without it the expression is false.
 */
static bool is_needed(const struct dkt_expr *expr, uint32_t nr)
{
	const uint32_t no_match = expr->n_preds + 1;

	for (uint32_t i = 0; i < nr; i++) {
		const struct expr_pred *pred = &expr->preds[i];

		if ((pred->yes > nr && pred->yes != no_match) ||
		    (pred->no > nr && pred->no != no_match))
			return false;
	}
	return expr->preds[nr].no == no_match;
}

int dkt__expr_equality(const struct dkt_expr *expr, size_t i, struct dkt__equality *equality,
		       size_t sz)
{
	dkt__needs(expr ? expr->ctx : NULL, dkt__blank(equality, sz) && expr);

	const struct expr_pred *found = NULL;
	size_t n = 0;

	for (uint32_t nr = 0; nr < expr->n_preds; nr++) {
		const struct expr_pred *pred = &expr->preds[nr];

		if (pred->kind != EXPR_VARIABLE || pred->op != EXPR_EQ || !is_needed(expr, nr))
			continue;
		if (n++ == i)
			found = pred;
	}
	if (!found)
		return 1;
	struct dkt__equality its = { .field = found->names,
				     .variable = found->names + found->field.len + 1,
				     .all = n == expr->n_preds };

	return dkt__fill(equality, sz, &its);
}
