/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes that a test writes as a little-endian machine does, for tests that run on any. */
#ifndef DKT_ORDER_H
#define DKT_ORDER_H

#include "lib/source/file.h"
#include "lib/tracedat/pack.h"

/* Brings numbers into this machine's byte order; sizes: a digit for each number, as "2114". */
static inline void *own_order(void *bytes, const char *sizes)
{
	for (uint8_t *p = bytes; *sizes; p += *sizes++ - '0')
		if (DKT__BIG_ENDIAN)
			dkt__turn(p, (uint32_t)(*sizes - '0'));
	return bytes;
}

/* Returns a number of 1, 2, 4 or 8 bytes that a little-endian machine stored; dkt__put_bytes() stores one. */
static inline uint64_t get_little(const void *from, unsigned int size)
{
	const uint8_t *p = from;
	struct dkt__cursor cur = { .p = p, .end = p + size, .swap = DKT__BIG_ENDIAN };

	return dkt__cursor_number(&cur, size);
}

#endif
