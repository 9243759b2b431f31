/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts records of a machine with the other byte order. */
#pragma once

#include "ctx.h"

/*
 * Copies a record and swaps the bytes of its numbers, by the fields of its event. If the format is
 * unknown, swaps only the common fields.
 */
void dkt__record_swap(struct dkt_ctx *ctx, const void *data, uint32_t size, uint8_t *copy);

/* A reusable buffer for such a copy. */
struct dkt__swapped {
	uint8_t *bytes;
	size_t size;
};

/* Makes the copy in the buffer and returns it, or NULL if memory is out. */
const void *dkt__swapped(struct dkt__swapped *room, struct dkt_ctx *ctx, const void *data,
			 uint32_t size);
