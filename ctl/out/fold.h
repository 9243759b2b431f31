/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wraps text at words to the width of a terminal. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* The columns of the terminal; 0 if standard output is not a terminal. */
size_t fold_width(void);

/* The columns of the text in one line. */
size_t fold_columns(const char *text);

/*
 * Returns a copy with newlines in place of spaces, so that no line is wider than width, except a single
 * word. width 0 folds nothing. The caller frees the copy. NULL: out of memory.
 */
char *fold_text(const char *text, size_t width);

/* Prints the text from column at on; lines after the first are indented to that column. Returns 0 or -ENOMEM. */
int fold_print(FILE *out, const char *text, size_t at, size_t width);
