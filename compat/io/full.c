/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages about files that cannot grow. */
#include "compat/io/full.h"

#include "lib/base/full.h"
#include "lib/base/util.h"

int dkl_full_advise(struct dkt_ctx *ctx, int err)
{
	const char *advice = dkt__full_advice(err);
	char *words __cleanup(free) = *advice ? dkt_error_take(ctx) : NULL;

	return words ? dkt_fail(ctx, err, "%s%s", words, advice) : err;
}

int dkl_full_fail(struct dkt_ctx *ctx, int err, const char *path)
{
	return dkt_fail(ctx, err, "write %s: %s%s", path, strerror(-err), dkt__full_advice(err));
}
