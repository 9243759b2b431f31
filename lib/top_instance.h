/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borrows the top instance for a tracer that other instances do not support. */
#pragma once

#include "lib/ctx.h"

/*
 * Borrows the top instance for another one and opens it with the same spool. Saves its state in the
 * spool, then gives it the clock, size and tracing_on of the other instance. If it is already
 * borrowed, only opens it. -EBUSY: another program uses it.
 */
int dkt__top_borrow(struct dkt_instance *for_in, struct dkt_instance **top);

/* Restores the top instance if an instance with that spool borrows it. */
int dkt__top_return(struct dkt_ctx *ctx, const char *spool);
