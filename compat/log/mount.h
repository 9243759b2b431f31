/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds or mounts tracefs for the debug log, and unmounts it with the last log. */
#pragma once

#include "compat/log/debuglog.h"

/*
 * Finds tracefs. With DEBUGLOG_CHANGE in flags, mounts it if necessary, after a note for
 * dkl_log_unmount() was left in RUN_DIR.
 */
int dkl_log_mount(struct dkt_ctx *ctx, unsigned int flags);

/* Unmounts tracefs if it was mounted for a log and no log is left. */
int dkl_log_unmount(struct dkt_ctx *ctx);
