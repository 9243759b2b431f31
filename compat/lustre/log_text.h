/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts text that dk printed back to Lustre's binary records. */
#pragma once

#include "compat/lustre/binary.h"
#include "compat/lustre/binary/spill.h"
#include "compat/lustre/log_hosts.h"

/*
 * Parses "SUBSYS:MASK:CPU.TYPE:SEC.USEC:STACK:PID:EXT:(" at the beginning of a line, after the
 * prefixes of other programs. Returns the text after it; NULL: not such a line.
 */
const char *dkl_log_text_head(const char *line, struct record_head *head);

/* Says from its first line whether the text of a message is of interest. It ends with a NUL. */
typedef bool log_text_wants(const char *text);

/* Lustre writes a message that begins so when its modules are loaded, which is after each boot. */
#define LOG_TEXT_START "Lustre: Build Version: "

struct log_text;

/*
 * Opens the text in the descriptor, which stays the caller's and open. A line that does not begin a record
 * continues the text of the one before. wants NULL: all messages; reports of lost records and of Lustre's
 * start are always wanted. Close it in either case.
 */
int dkl_log_text_open(struct dkt_ctx *ctx, int fd, log_text_wants *wants, struct log_text **text);
void dkl_log_text_close(struct log_text *text);

/* Gets the next record, which is valid until the next call. Returns 0, 1 at the end, or -errno. */
int dkl_log_text_next(struct log_text *text, const uint8_t **rec, uint32_t *len);

/* Returns the number of lines before the first record, and of records that are invalid, up to here. */
uint64_t dkl_log_text_bad(const struct log_text *text);

/*
 * Reads the whole text and adds its records to the spill. The names of hosts before its lines are added to
 * hosts; if there are several, the CPU of a record is the number of its host.
 */
int dkl_log_text_read(struct dkt_ctx *ctx, int fd, log_text_wants *wants, struct log_hosts *hosts,
		      struct spill *spill, uint64_t *bad);
