/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The error message for memory that ran out. */
#pragma once

#include "lib/base/error.h"
#include "lib/base/util.h"

/* -ENOMEM with an error message, which itself needs no memory. */
static inline int dkt__no_memory(struct dkt_ctx *ctx)
{
	dkt__error_give(ctx, -ENOMEM, NULL);
	return -ENOMEM;
}

/* Returns err, and sets the error message of -ENOMEM for code that has no context. */
static inline int dkt__with_words(struct dkt_ctx *ctx, int err)
{
	if (dkt__unlikely(err == -ENOMEM))
		dkt__no_memory(ctx);
	return err;
}
