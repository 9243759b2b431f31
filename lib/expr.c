/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filter expressions: the public calls, on top of parsing, binding and matching. */
#include "lib/expr.h"
#include "lib/event.h"

int dkt_expr_new(struct dkt_ctx *ctx, const char *text, const struct dkt_expr_opts *opts,
		 struct dkt_expr **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && text);

	struct dkt_expr *expr;
	int err;

	if (strlen(text) > EXPR_MAX_TEXT)
		return dkt_fail(ctx, -EINVAL, "filter: the expression is longer than %d bytes",
				EXPR_MAX_TEXT);
	expr = calloc(1, sizeof(*expr));
	if (!expr)
		return dkt__no_memory(ctx);
	expr->ctx = ctx;
	expr->text = strdup(text);
	err = expr->text ? dkt__opts_take(ctx, dkt_expr_opts, &expr->opts, opts) :
			   dkt__no_memory(ctx);
	if (!err)
		err = dkt__expr_parse(expr);
	if (err) {
		dkt_expr_free(expr);
		return err;
	}
	*out = expr;
	return 0;
}

void dkt_expr_free(struct dkt_expr *expr)
{
	if (!expr)
		return;
	for (uint32_t i = 0; i < expr->n_preds; i++) {
		free(expr->preds[i].cpus);
		free(expr->preds[i].names);
	}
	for (size_t j = 0; j < expr->n_bound; j++)
		dkt__expr_unbind(expr->bound[j]);
	free(expr->bound);
	free(expr->preds);
	free(expr->text);
	free(expr);
}

int dkt_expr_check(struct dkt_expr *expr, struct dkt_event *event)
{
	dkt__needs(expr ? expr->ctx : NULL, expr && event);

	const struct expr_bound *bound = dkt__expr_bind(expr, event);

	/* Who only asks which events fit would leave out the records of this one. */
	if (!bound)
		return dkt_fail(expr->ctx, dkt__starve(expr->ctx, -ENOMEM), "filter: %s",
				strerror(ENOMEM));
	if (!bound->err)
		return 0;
	return dkt_fail(expr->ctx, bound->err, "%s", bound->words ? bound->words : "filter");
}

int dkt__expr_check_match(struct dkt_expr *expr, struct dkt_event *event)
{
	dkt__needs(expr ? expr->ctx : NULL, expr && event);

	const struct expr_pred *pred;
	int err = dkt_expr_check(expr, event);
	const struct expr_bound *bound = err ? NULL : dkt__expr_bind(expr, event);

	if (!bound || bound->kernel_only == expr->n_preds)
		return err;
	pred = &expr->preds[bound->kernel_only];
	return dkt__expr_fail(
		expr, -EOPNOTSUPP, pred->field.at,
		"%s:%s records only the address of '%.*s', so only the kernel can test it",
		event->system, event->name, (int)pred->field.len, expr->text + pred->field.at);
}

/* ---- a set of events ---- */

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

int dkt__expr_check_any(struct dkt_expr *expr, struct dkt_event *const *events, size_t n,
			unsigned int flags)
{
	dkt__needs(expr ? expr->ctx : NULL, expr && (events || !n));

	char *words __cleanup(free) = NULL;
	int first = 0;
	int err = dkt__flags_check(expr->ctx, "dkt__expr_check_any", flags, DKT__EXPR_MATCH);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		err = flags & DKT__EXPR_MATCH ? dkt__expr_check_match(expr, events[i]) :
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
