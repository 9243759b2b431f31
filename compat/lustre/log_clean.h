/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Undoes what programs did to a log that they copied, so that its lines are those that were written. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * Looks at the beginning of the file. If it is a log in UTF-16, or has byte order marks, colours, no-break
 * spaces, the entities of HTML (but no "<" and ">"), tabs in place of spaces, or lines that were wrapped at a
 * width, replaces the descriptor by that of a temporary file with plain lines, and closes the one before.
 * The file's time of change stays. Returns 0 or -errno; then the descriptor is as before.
 */
int dkl_log_clean(struct dkt_ctx *ctx, int *fd);
