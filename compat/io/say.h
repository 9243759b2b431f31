/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints messages for people. Text from arguments, files and the kernel is escaped as
 * dkt_buf_text() does, so that it can neither end a line nor drive a terminal. The text of
 * dkt_error() is escaped already.
 */
#pragma once

#include <getopt.h>

#include <dktrace/dktrace.h>

#include "base/util.h"

/* The text escaped, "" for NULL; the caller frees it. NULL when memory is out. */
char *shown(const char *text);

/* Prints one line; fmt is without its newline. */
void say_line(FILE *to, const char *fmt, ...) DKT_PRINTF(2, 3);

/*
 * Prints text of the kernel as it is, for Lustre's scripts; on a terminal escaped, but for ends of lines
 * and tabs.
 */
void say_text(FILE *to, const char *text, size_t len);

/* getopt_long(), which says on stderr itself what is wrong with an option. */
int say_getopt(int argc, char **argv, const char *letters, const struct option *longs);

/* Whether colours are for whoever reads standard output: a terminal, and NO_COLOR is not set. */
bool say_in_color(void);

/* Whether a style puts colours: it has some, and writes to such a terminal. file: where else it goes. */
bool say_style_in_color(const struct dkt_style_info *style, const char *file);
