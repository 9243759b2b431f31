/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file without a name to which records are appended. */
#pragma once

#include <dktrace/dktrace.h>

struct epochs;

struct spill {
	int fd;
	uint64_t size; /* bytes that were added */
	uint8_t *buf; /* bytes that are not written yet */
	size_t len; /* of them */
	struct epochs *epochs; /* of the records that are added; NULL: not wanted */
};

int dkl_spill_open(struct dkt_ctx *ctx, struct spill *spill);
int dkl_spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len);

/* All added records can be read then. */
int dkl_spill_flush(struct dkt_ctx *ctx, struct spill *spill);
void dkl_spill_close(struct spill *spill);
