/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts a log whose records are out of order: threads write its pieces as sorted runs to a file. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary/runs.h"

/* Gets the next record; called by one thread at a time. Returns 0, 1 at the end, or -errno. */
typedef int (*pieces_next)(void *data, const uint8_t **rec, uint32_t *len);

/*
 * Writes all records to an empty file as sorted runs, and keeps the order of equal records. Uses
 * about `memory` bytes. Returns the error of next(), or a write error with an error message.
 */
int dkl_pieces_sort(struct dkt_ctx *ctx, size_t memory, int fd, pieces_next next, void *data,
		    struct runs *runs);
