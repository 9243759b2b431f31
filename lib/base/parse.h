/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Strict conversion of text to numbers. A number has digits only: no space, and no sign unless the
 * function allows one. -EINVAL: not a number; -ERANGE: too large; the value is then 0. The caller
 * writes the error message.
 */
#pragma once

#include "lib/base/util.h"

/* 0: as in C, with a prefix 0x or 0. 16: the prefix 0x is optional. */
enum dkt__base {
	DKT__AS_C = 0,
	DKT__DEC = 10,
	DKT__HEX = 16,
};

/*
 * Reads a number at *p and moves *p past it. The text ends at end, or at a NUL if end is NULL.
 * After -EINVAL *p is unchanged, after -ERANGE it is past the digits.
 */
int dkt__take_u64(const char **p, const char *end, unsigned int base, uint64_t *value);

/* The same, with an optional sign. */
int dkt__take_s64(const char **p, const char *end, unsigned int base, int64_t *value);

/* Converts a whole text. */
int dkt__parse_u64(const char *text, unsigned int base, uint64_t *value);
int dkt__parse_s64(const char *text, unsigned int base, int64_t *value);

/* Converts a whole text. -ERANGE: the number is not between least and most. */
int dkt__parse_int(const char *text, int64_t least, int64_t most, int64_t *value);

/*
 * Returns the number after the name at the start of one of the text's lines; 0 if no line has the
 * name.
 */
uint64_t dkt__line_u64(const char *text, const char *name);

/* Returns the value of the unit: ns us ms s m h d in ns; k K M G T in bytes. 0: unknown unit. */
uint64_t dkt__time_unit(const char *name, size_t len);
uint64_t dkt__size_unit(const char *name, size_t len);

/* For the end of a message about a text that these two refuse. */
#define DKT__SIZE_UNITS "; units are k, M, G and T"
#define DKT__TIME_UNITS "; units are ns, us, ms, s, m, h and d"

/* Converts "64K" or "1G" to bytes; a number without a unit is in bytes. */
int dkt__parse_size(const char *text, uint64_t *bytes);

/* Converts "10ms", "1.5s" or "2h" to ns; a number without a unit counts units of bare ns. */
int dkt__parse_time(const char *text, uint64_t bare, uint64_t *ns);

/* Reads "3" or "3-5", with numbers up to most. */
int dkt__take_range(const char **p, uint64_t most, uint64_t *first, uint64_t *last);

/* Converts "1,3-5", with numbers up to most, to *list, which the caller frees. -ENOMEM. */
int dkt__parse_list(const char *text, int most, int **list, size_t *n);
