/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borrows the top instance for a tracer that other instances do not support. */
#pragma once

#include "ctx.h"

/*
 * Borrows the top instance for another one and opens it. Its state is first saved in the spool
 * directory; then it gets the other one's clock and size. -EBUSY: someone else uses it. If it is
 * borrowed already, only opens it.
 */
int dkt__top_borrow(struct dkt_instance *for_in, const char *spool, struct dkt_instance **top);
