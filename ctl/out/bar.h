/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints bars and numbers for people. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The columns for a bar that follows used columns of a line, on this terminal or in a file. */
size_t bar_room(size_t used);

/* The columns of the longest bar, and the bytes of its text. */
#define BAR_MAX  100
#define BAR_SIZE (3 * BAR_MAX + 1)

/*
 * A bar of width columns for max, shorter in proportion for less, but visible unless value is 0. Its steps
 * are eighths of a column if the locale has UTF-8, otherwise columns.
 */
void bar_text(uint64_t value, uint64_t max, char text[BAR_SIZE], size_t width);

#define UNIT_SIZE 32

/* "83 ns", "1.24 us", "12.3 ms", "1.20 s": three digits. */
void duration_text(uint64_t ns, char text[UNIT_SIZE]);

/* "512 B", "1.21 KB", "3.40 GB": powers of 1024, three digits. */
void size_text(uint64_t bytes, char text[UNIT_SIZE]);

/* "12.345678": seconds, rounded like the times of the trace style. */
void time_text(uint64_t ns, char text[UNIT_SIZE]);

/* "3.1", "1200": a number per second. */
void rate_text(double rate, char text[UNIT_SIZE]);
