/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts a log whose records are out of order: threads write its pieces as sorted runs to a file. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/record/runs.h"

/* Gets the next record; called by one thread at a time. 0: there is one; 1: end; -errno. */
typedef int (*pieces_next)(void *data, const uint8_t **rec, uint32_t *len);

/*
 * Writes all records to a file, which is empty, as runs in order; equal ones stay in their order.
 * Takes about `memory` bytes. What next() fails with, or a failure to write, with words.
 */
int pieces_sort(struct dkt_ctx *ctx, size_t memory, int fd, pieces_next next, void *data,
		struct runs *runs);
