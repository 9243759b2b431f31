/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts records of a machine with the other byte order. */
#pragma once

#include "ctx.h"

/*
 * Copies a record and turns the bytes of its numbers round as its event's fields say. A record of
 * no known format has only the fields that all records begin with turned.
 */
void dkt__record_swap(struct dkt_ctx *ctx, const void *data, uint32_t size, uint8_t *copy);

/* Room for such a copy, which is used again and again. */
struct dkt__swapped {
	uint8_t *bytes;
	size_t size;
};

/* The copy, made there. NULL: memory is out. */
const void *dkt__swapped(struct dkt__swapped *room, struct dkt_ctx *ctx, const void *data,
			 uint32_t size);
