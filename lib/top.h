/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borrows the top instance for a tracer that other instances do not support. */
#pragma once

#include "ctx.h"

/*
 * Opens the top instance for the buffers of another one; what it was like is kept in the spool
 * directory before it is touched. Its clock and size are those of the other one then. -EBUSY:
 * somebody else uses it. If it is borrowed already it is only opened.
 */
int dkt__top_borrow(struct dkt_instance *for_in, const char *spool, struct dkt_instance **top);
