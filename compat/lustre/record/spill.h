/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file without a name to which records are appended. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/record/stage.h"

struct spill {
	int fd;
	uint64_t size; /* bytes that were added */
	struct stage *write; /* NULL: it is not open */
	uint8_t *buf; /* what is written next; NULL: none is at hand */
	size_t len;
};

/* Makes a file without a name below $TMPDIR or /tmp. */
int spill_make_file(struct dkt_ctx *ctx, int *fd);

/* Opens a new one, which stays where it is in memory. */
int spill_open(struct dkt_ctx *ctx, struct spill *spill);
int spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len);

/* Returns when all that was added can be read. */
int spill_flush(struct dkt_ctx *ctx, struct spill *spill);
void spill_close(struct spill *spill);
