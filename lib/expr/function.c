/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that the running kernel has the functions that an expression names. */
#include "lib/expr.h"
#include "lib/symbol.h"

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

int dkt__expr_check_function(struct dkt_expr *expr, struct expr_pred *pred)
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
