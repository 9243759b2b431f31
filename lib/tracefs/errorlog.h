/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the reason for a refused command from tracefs' error_log. */
#pragma once

#include "ctx.h"

struct dkt__kernel_error {
	uint64_t usec; /* of the kernel's local clock */
	char *subsystem; /* who refused: "event filter parse error", "trace_kprobe" */
	char *words; /* why: "Field not found" */
	char *command; /* as the kernel keeps it: without blanks around it */
	size_t caret; /* byte of the command that it points at, at most its length */
	bool cut; /* the kernel kept only the beginning of the command */
};

/* The log's last entry. -ENOENT: there is none. */
int dkt__errorlog_last(const char *log, struct dkt__kernel_error *error);
void dkt__kernel_error_clear(struct dkt__kernel_error *error);

/*
 * The words of the log's last entry, if that is about this command, as
 * "WORDS\n  COMMAND\n  CARET"; NULL if it is about something else. The caller frees it.
 */
char *dkt__errorlog_words(const char *log, const char *command);
