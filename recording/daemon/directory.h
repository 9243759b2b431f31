/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory of a daemon's segments: one daemon at a time records into it. Its lock is a file of its
 * own, so that it holds also while no segment can be created.
 */
#pragma once

#include <dktrace/dktrace.h>

/*
 * Locks the directory for this process until it ends; *lock is -1 or from an earlier call, which is
 * enough as long as the directory still has that file. -EBUSY: another daemon has it.
 */
int archive_dir_lock(struct dkt_ctx *ctx, const char *dir, int *lock);

/* The same, if a daemon has ever recorded there: creates nothing. */
int archive_dir_check(struct dkt_ctx *ctx, const char *dir, int *lock);
