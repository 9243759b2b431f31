/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a binary log in order of time to a file. */
#pragma once

#include "compat/lustre/binary/sort.h"

/*
 * Writes all lines unchanged. dkl_record_sort_next() must not have been called. After a failure, with
 * an error message, the output has the beginning of the text.
 */
int dkl_record_print(struct dkt_ctx *ctx, struct record_sort *sort, int fd);

/* Writes all lines to a terminal, with control characters escaped. */
int dkl_record_print_escaped(struct dkt_ctx *ctx, struct record_sort *sort, int fd);
