/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts text that dk printed back to Lustre's binary records. */
#pragma once

#include "lustre/record.h"
#include "lustre/record/spill.h"

/* Where a line's own text begins, behind "SUBSYS:MASK:CPU.TYPE:SEC.USEC:STACK:PID:EXT:(". */
const char *log_text_head(const char *line, struct record_head *head);

/*
 * Reads all lines of the descriptor and adds their records to the spill; those that begin no record
 * go on with the text of the one before. What stands before the first record is counted in bad.
 */
int log_text_read(struct dkt_ctx *ctx, int fd, struct spill *spill, uint64_t *bad);
