/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lets all that is printed go into another stream. */
#pragma once

#include "ctl/app/app.h"

/*
 * Makes the stream standard output, and sets earlier to the one that was it. -EOPNOTSUPP, with words: stdout is a
 * constant of C libraries other than glibc.
 */
static inline int stdout_swap(struct dkt_ctx *ctx, FILE *to, FILE **earlier)
{
#ifdef __GLIBC__
	(void)ctx;
	*earlier = stdout;
	stdout = to;
	return 0;
#else
	(void)to;
	*earlier = NULL;
	return dkt_fail(ctx, -EOPNOTSUPP,
			"with this C library, only standard output can be written to; redirect it");
#endif
}
