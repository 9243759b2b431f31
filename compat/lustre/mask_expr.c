/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces names of classes and subsystems in expressions by numbers: msg_mask & rpctrace. */
#include <string.h>

#include "compat/lustre/mask.h"

static int mask_constant(void *data, const char *field, const char *word, uint64_t *value)
{
	enum mask_kind kind = strstr(field, "subsys") ? MASK_SUBSYSTEM : MASK_DEBUG;
	int bit = dkl_mask_bit(kind, word, strlen(word));

	(void)data;
	if (bit < 0)
		return bit;
	*value = UINT64_C(1) << bit;
	return 0;
}

int dkl_mask_expr_with(struct dkt_ctx *ctx, const char *text, dkt_variable_fn variable, void *data,
		       struct dkt_expr **expr)
{
	DKT_OPTS(dkt_expr_opts, opts, .constant = mask_constant, .data = data,
		 .variable = variable);

	return dkt_expr_new(ctx, text, &opts, expr);
}

int dkl_mask_expr(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr)
{
	return dkl_mask_expr_with(ctx, text, NULL, NULL, expr);
}
