/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints bars and numbers for people. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Columns for a bar behind used columns of a line, on this terminal or in a file. */
size_t bar_room(size_t used);

/* A bar of at most width columns, as long as value is of max; any value above 0 has a column. */
void bar_text(uint64_t value, uint64_t max, char *text, size_t width);

#define UNIT_SIZE 32

/* "83 ns", "1.24 us", "12.3 ms", "1.20 s": three digits. */
void duration_text(uint64_t ns, char text[UNIT_SIZE]);

/* "512 B", "1.21 KB", "3.40 GB": powers of 1024, three digits. */
void size_text(uint64_t bytes, char text[UNIT_SIZE]);

/* "12.345678": seconds, rounded as the trace style of report rounds them. */
void time_text(uint64_t ns, char text[UNIT_SIZE]);

/* "3.1", "1200": so many in a second. */
void rate_text(double rate, char text[UNIT_SIZE]);
