/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the copies of Lustre's messages that the console sent to syslog into binary records. */
#pragma once

#include "compat/lustre/binary/spill.h"
#include "compat/lustre/log_hosts.h"
#include "compat/lustre/log_time.h"

/* True if the text begins with a time, as each line of syslog does. It ends with a NUL. */
bool dkl_console_text_has_time(const char *text);

/* True if that is a date, which can be compared with the times of other files. */
bool dkl_console_text_has_date(const char *text);

/* True if one of the text's lines is Lustre's. It ends with a NUL. */
bool dkl_console_text_is(const char *text);

/* A file of syslog, dmesg, journalctl or conman. */
struct console {
	struct log_calendar calendar;
	int64_t boot; /* on the clock of conman, in us, from lines that have the time since then, too */
	bool uptime; /* times are those since the boot; known from the first line of Lustre */
	uint64_t lines; /* of Lustre */
	struct log_hosts *hosts; /* that the lines name */
	struct log_host host; /* of the line that was read last */
};

/*
 * Reads the descriptor and adds the records of Lustre's lines to the spill. Lines of others are left out, but
 * for a call trace of the kernel directly after one, which belongs to its text. The CPU of a record is the
 * number of its host.
 */
int dkl_console_text_read(struct dkt_ctx *ctx, int fd, struct console *console,
			  struct spill *spill);

/*
 * Builds the record of a line, with a NUL in place of its newline, in rec of RECORD_MAX bytes. Returns its
 * length; 0: the line is not Lustre's; -ENOMEM.
 */
int dkl_console_text_line(struct console *console, const char *line, uint8_t *rec);
