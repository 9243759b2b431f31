/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts text that dk printed back to Lustre's binary records. */
#pragma once

#include "lustre/record.h"
#include "lustre/record/spill.h"

/*
 * Parses "SUBSYS:MASK:CPU.TYPE:SEC.USEC:STACK:PID:EXT:(" at the beginning of a line. Returns the
 * text after it; NULL: not such a line.
 */
const char *log_text_head(const char *line, struct record_head *head);

/* Says from its first line whether the text of a message is of interest. It ends with a NUL. */
typedef bool log_text_wants(const char *text);

/* Lustre writes a message that begins so when its modules are loaded, which is after each boot. */
#define LOG_TEXT_START "Lustre: Build Version: "

/*
 * Reads all lines of the descriptor and adds their records to the spill. A line that does not begin
 * a record continues the text of the one before; *bad counts those before the first record. wants NULL:
 * all messages; reports of lost records and of Lustre's start are always wanted.
 */
int log_text_read(struct dkt_ctx *ctx, int fd, log_text_wants *wants, struct spill *spill,
		  uint64_t *bad);
