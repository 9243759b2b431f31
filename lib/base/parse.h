/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Strict conversion of text to numbers. A number has digits only: no space, and no sign unless the
 * function allows one. -EINVAL: not a number; -ERANGE: too large; the value is then 0. The caller
 * writes the error message.
 */
#pragma once

#include "base/util.h"

/* 0: as C writes it, with 0x or 0 before it. 16: 0x may stand before it. */
enum dkt__base {
	DKT__AS_C = 0,
	DKT__DEC = 10,
	DKT__HEX = 16,
};

/*
 * Takes a number from *p on, which moves behind it. end bounds the text; NULL: a NUL does. After -EINVAL *p is
 * where it was, after -ERANGE behind the digits.
 */
int dkt__take_u64(const char **p, const char *end, unsigned int base, uint64_t *value);

/* The same with a sign before it that may be there. */
int dkt__take_s64(const char **p, const char *end, unsigned int base, int64_t *value);

/* A whole text. */
int dkt__parse_u64(const char *text, unsigned int base, uint64_t *value);
int dkt__parse_s64(const char *text, unsigned int base, int64_t *value);

/* A whole text that is a number from least to most. -ERANGE: it is not between them. */
int dkt__parse_int(const char *text, int64_t least, int64_t most, int64_t *value);

/* The number behind the name at the beginning of one of the text's lines; 0: there is none. */
uint64_t dkt__line_u64(const char *text, const char *name);

/* How much a unit of that name is: ns us ms s m h d in ns; k K M G T in bytes. 0: there is none. */
uint64_t dkt__time_unit(const char *name, size_t len);
uint64_t dkt__size_unit(const char *name, size_t len);

/* "64K", "1G": bytes; without a unit they are as many. */
int dkt__parse_size(const char *text, uint64_t *bytes);

/* "10ms", "1.5s", "2h": ns; a number without a unit counts units of bare ns. */
int dkt__parse_time(const char *text, uint64_t bare, uint64_t *ns);

/* Takes "3" or "3-5" of numbers to most. */
int dkt__take_range(const char **p, uint64_t most, uint64_t *first, uint64_t *last);

/* "1,3-5" of numbers to most; *list is the caller's to free. -ENOMEM. */
int dkt__parse_list(const char *text, int most, int **list, size_t *n);
