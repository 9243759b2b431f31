/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wraps text at words to the width of a terminal. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Columns of the terminal that standard output is; 0 if it is none. */
size_t fold_width(void);

/* Columns that the text takes when it is printed in one line. */
size_t fold_columns(const char *text);

/*
 * A copy in which line ends stand in place of blanks, so that no line but one of a single word is
 * wider than width; 0 folds nothing. NULL when memory is out; the caller frees it.
 */
char *fold_text(const char *text, size_t width);

/* Prints the text, whose first line starts at column at, with its other lines below the first. */
void fold_print(FILE *out, const char *text, size_t at, size_t width);
