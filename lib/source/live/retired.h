/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that the kernel no longer has, and records of them in a spool: these have IDs that the kernel does
 * not give, and a file in the spool has the formats.
 */
#pragma once

#include "lib/ctx.h"

/* Adds the retired events of the spool directory to the context. Returns whether there are any. */
bool dkt__retired_load(struct dkt_ctx *ctx, int dirfd);

/* Removes the file, once no record of them is left. */
void dkt__retired_forget(int dirfd);
