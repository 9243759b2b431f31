/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts records of a machine with the other byte order. */
#pragma once

#include "lib/ctx.h"

/* A reusable buffer for a converted record. */
struct dkt__swapped {
	uint8_t *bytes;
	size_t size;
};

/*
 * Copies the record into the buffer, swaps the bytes of its numbers, and returns it; NULL if memory is
 * out. If the event's format is unknown, swaps only the common fields.
 */
const void *dkt__swapped(struct dkt__swapped *room, struct dkt_ctx *ctx, const void *data,
			 uint32_t size);
