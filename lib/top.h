/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borrows the top instance for a tracer that other instances do not support. */
#pragma once

#include "ctx.h"

/*
 * Borrows the top instance for another one and opens it with the same spool. Its state is first
 * saved there; then it gets the other one's clock and size. -EBUSY: someone else uses it. If it is
 * borrowed already, only opens it.
 */
int dkt__top_borrow(struct dkt_instance *for_in, struct dkt_instance **top);

/* Restores the top instance if an instance with that spool borrows it. */
int dkt__top_return(struct dkt_ctx *ctx, const char *spool);
