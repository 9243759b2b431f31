/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes that a test writes as a little-endian machine does, for tests that run on any. */
#ifndef DKT_ORDER_H
#define DKT_ORDER_H

#include "lib/base/util.h"

/* Brings numbers into this machine's byte order; sizes: a digit for each number, as "2114". */
static inline void *own_order(void *bytes, const char *sizes)
{
	for (uint8_t *p = bytes; *sizes; p += *sizes++ - '0')
		if (DKT__BIG_ENDIAN)
			dkt__turn(p, (uint32_t)(*sizes - '0'));
	return bytes;
}

/* Returns a number that a little-endian machine stored. */
static inline uint64_t get_little(const void *from, size_t size)
{
	const uint8_t *p = from;
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/* Stores a number as a little-endian machine does. */
static inline void put_little(void *to, uint64_t value, size_t size)
{
	uint8_t *p = to;

	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

#endif
