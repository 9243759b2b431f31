/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lock of a spool directory: one process at a time reads the buffers. */
#pragma once

#include "lib/ctx.h"

/*
 * Opens and locks the directory, which it creates, for this process. Waits for another reader as long as it
 * gets on. follows: this process reads until it is ended. -EBUSY: dkt_error() names the other process, which
 * follows, or stands still.
 */
int dkt__spool_lock(struct dkt_ctx *ctx, const char *dir, bool follows, int *dirfd, int *lock);
