/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints messages for people. Text from arguments, files and the kernel is escaped as
 * dkt_buf_text() does, so that it can neither end a line nor drive a terminal. The text of
 * dkt_error() is escaped already.
 */
#pragma once

#include <getopt.h>

#include <dktrace/dktrace.h>

#include "lib/base/util.h"

/* Returns the text escaped, "" for NULL; the caller frees it. NULL: memory is out. */
char *dkl_shown(const char *text);

/* The same, of bytes, among which may be NULs. */
char *dkl_shown_bytes(const char *text, size_t len);

/* Prints one line; fmt has no newline at the end. */
void dkl_say_line(FILE *to, const char *fmt, ...) DKT_PRINTF(2, 3);

/*
 * Prints text of the kernel: unchanged for Lustre's scripts; on a terminal escaped, except for
 * newlines and tabs.
 */
void dkl_say_text(FILE *to, const char *text, size_t len);

/* Calls getopt_long(), with its error messages escaped. */
int dkl_say_getopt(int argc, char **argv, const char *letters, const struct option *longs);

/* True if standard output is a terminal, and NO_COLOR is not set. */
bool dkl_say_in_color(void);

/* True if the style has colours and writes to such a terminal; file: it writes there instead. */
bool dkl_say_style_in_color(const struct dkt_style_info *style, const char *file);
