/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The masks of libdktrace-lustre. */

#include "compat/liblustre/kind.h"
#include "lib/base/util.h"

int dkt_lustre_mask_parse(struct dkt_ctx *ctx, enum dkt_lustre_mask mask, const char *text,
			  uint32_t current, uint32_t *value)
{
	struct mask_value parsed;
	int err = dkl_mask_parse(kind_of(mask), text, current, &parsed);

	*value = err ? current : parsed.value;
	if (err == -EINVAL && parsed.bad)
		return dkt_fail(ctx, err, "unknown mask '%.*s'", (int)parsed.bad_len, parsed.bad);
	if (err == -EINVAL)
		return dkt_fail(ctx, err, "mask '%s': nothing follows the operator", text);
	if (err)
		return dkt_fail(ctx, err, "a mask has at most %d bytes", MASK_INPUT_MAX);
	return 0;
}

void dkt_lustre_mask_put(enum dkt_lustre_mask mask, uint32_t value, struct dkt_buf *buf)
{
	char text[MASK_TEXT_SIZE];

	dkl_mask_format(kind_of(mask), value, text);
	dkt_buf_str(buf, text);
}

const char *dkt_lustre_mask_name(enum dkt_lustre_mask mask, unsigned int bit)
{
	const char *name = bit < MASK_BITS ? dkl_mask_name(kind_of(mask), bit) : "";

	return *name ? name : NULL;
}

int dkt_lustre_mask_bit(enum dkt_lustre_mask mask, const char *name)
{
	return dkl_mask_bit(kind_of(mask), name, strlen(name));
}

int dkt_lustre_expr_new(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr)
{
	return dkl_mask_expr(ctx, text, expr);
}
