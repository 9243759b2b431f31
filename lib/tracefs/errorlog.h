/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the reason for a refused command from tracefs' error_log. */
#pragma once

#include "lib/ctx.h"

struct dkt__kernel_error {
	uint64_t usec; /* of the kernel's local clock */
	char *subsystem; /* the refusing part: "event filter parse error", "trace_kprobe" */
	char *words; /* why: "Field not found" */
	char *command; /* as the kernel stores it: without spaces around it */
	size_t caret; /* the wrong byte of the command, at most its length */
	bool cut; /* the kernel kept only the beginning of the command */
};

/* Gets the log's last entry. -ENOENT: the log has no entries. */
int dkt__errorlog_last(const char *log, struct dkt__kernel_error *error);
void dkt__kernel_error_clear(struct dkt__kernel_error *error);

/*
 * Returns the log's last entry as "WORDS\n  COMMAND\n  CARET", which the caller frees; NULL if it is
 * about another command.
 */
char *dkt__errorlog_reason(const char *log, const char *command);

/*
 * The same for kernels before 5.2, which have no such log: the text of the event's filter file, which has the refused
 * expression, or of its hist file, which has the histogram that was refused last. NULL: it is about another one.
 */
char *dkt__errorlog_in_filter(const char *text, const char *filter);
char *dkt__errorlog_in_hist(const char *text, const char *trigger);
