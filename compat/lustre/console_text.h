/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the copies of Lustre's messages that the console sent to syslog into binary records. */
#pragma once

#include "lustre/record/spill.h"

/* True if the text begins with a line of syslog, and one of its lines is Lustre's. It ends with a NUL. */
bool console_text_is(const char *text);

/*
 * Reads the descriptor and adds the records of Lustre's lines to the spill. Lines of others are left out.
 * written: when the file was last written, in s; tells the year of dates without one.
 */
int console_text_read(struct dkt_ctx *ctx, int fd, int64_t written, struct spill *spill);

/*
 * Builds the record of a line, with a NUL in place of its newline, in rec of RECORD_MAX bytes. Returns its
 * length; 0: the line is not Lustre's.
 */
uint32_t console_text_line(const char *line, int64_t written, uint8_t *rec);
