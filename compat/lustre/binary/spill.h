/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file without a name to which records are appended. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary/stage.h"

struct epochs;

struct spill {
	int fd;
	uint64_t size; /* bytes that were added */
	struct stage *write; /* NULL: not open */
	uint8_t *buf; /* the buffer to fill; NULL: get one from the stage */
	size_t len; /* bytes in buf */
	struct epochs *epochs; /* of the records that are added; NULL: not wanted */
};

/* Opens a new spill; the struct must not move while it is open. */
int dkl_spill_open(struct dkt_ctx *ctx, struct spill *spill);
int dkl_spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len);

/* Waits until all added records can be read. */
int dkl_spill_flush(struct dkt_ctx *ctx, struct spill *spill);
void dkl_spill_close(struct spill *spill);
