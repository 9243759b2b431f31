/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a binary log in order of time to a file. */
#pragma once

#include "lustre/record/sort.h"

/*
 * Writes all lines as they are; nothing of the log has been taken by record_sort_next(). Says words
 * of a failure; what was written is the beginning of the text.
 */
int record_print(struct dkt_ctx *ctx, struct record_sort *sort, int fd);

/* The same, for a terminal: control characters are escaped. */
int record_print_escaped(struct dkt_ctx *ctx, struct record_sort *sort, int fd);
