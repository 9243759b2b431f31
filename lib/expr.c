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

	if (!bound)
		return dkt_fail(expr->ctx, -ENOMEM, "filter: %s", strerror(ENOMEM));
	if (!bound->err)
		return 0;
	return dkt_fail(expr->ctx, bound->err, "%s", bound->words ? bound->words : "filter");
}

int dkt_expr_check_match(struct dkt_expr *expr, struct dkt_event *event)
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
