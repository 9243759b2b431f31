/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells of comma-separated values. */
#ifndef CTL_CSV_H
#define CTL_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* As dkt_buf_cell() has it; raw: without escapes, only quoted. -ENOMEM. */
int csv_text(const char *text, bool raw, FILE *out);

#endif
