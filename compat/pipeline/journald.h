/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends lines of the legacy style to systemd's journal: an entry of fields each. */
#pragma once

#include <dktrace/dktrace.h>

/* Sends an entry for each line of the text, whose last line can lack its newline, to dkl_journal_open()'s fd. */
int dkl_journald_send(struct dkt_ctx *ctx, int fd, const char *text, size_t len);

/*
 * Appends the fields of a line, without its newline: "MESSAGE=text\n", "PRIORITY=7\n" and so on. A line of
 * another form becomes the message as a whole.
 */
void dkl_journald_fields(const char *line, size_t len, struct dkt_buf *buf);
