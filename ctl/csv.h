/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells of comma-separated values. */
#ifndef CTL_CSV_H
#define CTL_CSV_H

#include <stdio.h>

/* RFC 4180: quotes around what holds a comma, a quote or a line end, and quotes doubled. */
void csv_text(const char *text, FILE *out);

#endif
