/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An expression for a set of events, which is valid if it fits at least one of them. */
#include "lib/event.h"
#include "lib/expr.h"

static bool any_has(struct dkt_expr *expr, struct expr_span name, struct dkt_event *const *events,
		    size_t n)
{
	const struct dkt_field *const *fields;
	size_t n_fields;

	for (size_t i = 0; i < n; i++)
		if (!dkt_event_fields(events[i], &fields, &n_fields) &&
		    dkt__expr_find_field(expr, name, fields, n_fields))
			return true;
	return false;
}

/* Prefers to report a field that no event has: it explains more than one that some events lack. */
static int none_fits(struct dkt_expr *expr, struct dkt_event *const *events, size_t n)
{
	struct dkt__guess guess;

	for (uint32_t i = 0; i < expr->n_preds; i++) {
		struct expr_span name = expr->preds[i].field;

		if (any_has(expr, name, events, n))
			continue;
		dkt__guess_start(&guess, expr->text + name.at, name.len);
		dkt__guess_fields(&guess, events, n);
		if (!guess.best[0])
			dkt__expr_guess_common(&guess, NULL, 0);
		return dkt__expr_fail(expr, -ENOENT, name.at,
				      "none of %zu events has a field '%.*s'%s", n, (int)name.len,
				      expr->text + name.at, dkt__guess_words(&guess));
	}
	return dkt__expr_fail(expr, -ENOENT, 0, "none of %zu events has all of the fields", n);
}

int dkt_expr_check_any(struct dkt_expr *expr, struct dkt_event *const *events, size_t n,
		       unsigned int flags)
{
	dkt__needs(expr ? expr->ctx : NULL, expr && (events || !n));

	char *words __cleanup(free) = NULL;
	int first = 0;
	int err = dkt__flags_check(expr->ctx, "dkt_expr_check_any", flags, DKT_EXPR_MATCH);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		err = flags & DKT_EXPR_MATCH ? dkt_expr_check_match(expr, events[i]) :
					       dkt_expr_check(expr, events[i]);
		if (!err || err == -ENOMEM)
			return err;
		if (err == -ENOENT || words)
			continue;
		words = strdup(dkt_error(expr->ctx));
		first = err;
	}
	if (words)
		return dkt_fail(expr->ctx, first, "%s", words);
	return n == 1 ? dkt_expr_check(expr, events[0]) : none_fits(expr, events, n);
}
