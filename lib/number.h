/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers to text at speed. */
#ifndef DKT_NUMBER_H
#define DKT_NUMBER_H

#include "internal.h"

/* Two decimal digits for each of 0..99. */
extern const char dkt__digit_pairs[201];

/* Hexadecimal digits of 32 bits in one word, which holds the first digit in its first byte. */
static inline uint64_t dkt__hex8(uint32_t v)
{
	uint64_t x = v, letters;

	/* One nibble to a byte, the highest in the lowest byte. */
	x = ((x & 0xffff) << 32) | (x >> 16);
	x = ((x & 0x000000ff000000ff) << 16) | ((x >> 8) & 0x000000ff000000ff);
	x = ((x & 0x000f000f000f000f) << 8) | ((x >> 4) & 0x000f000f000f000f);
	/* A byte of 10 and more carries into bit 4 when 6 is added: it becomes a letter. */
	letters = ((x + 0x0606060606060606) >> 4) & 0x0101010101010101;
	x += 0x3030303030303030 + letters * ('a' - '0' - 10);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* Stores a word of digits without its first ones. */
static inline void dkt__put_hex8(char *p, uint64_t word, unsigned int without)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word <<= 8 * without;
#else
	word >>= 8 * without;
#endif
	memcpy(p, &word, sizeof(word));
}

/* Puts exactly that many digits, 1 to 16; may write 16 bytes. */
static inline char *dkt__put_hex_digits(char *p, uint64_t v, unsigned int digits)
{
	if (digits <= 8) {
		dkt__put_hex8(p, dkt__hex8((uint32_t)v), 8 - digits);
	} else {
		dkt__put_hex8(p, dkt__hex8((uint32_t)(v >> 32)), 16 - digits);
		dkt__put_hex8(p + digits - 8, dkt__hex8((uint32_t)v), 0);
	}
	return p + digits;
}

static inline unsigned int dkt__hex_len(uint64_t v)
{
	return (67 - (unsigned int)__builtin_clzll(v | 1)) / 4;
}

/* May write 16 bytes. */
static inline char *dkt__put_hex(char *p, uint64_t v)
{
	return dkt__put_hex_digits(p, v, dkt__hex_len(v));
}

/* Writes the digits so that they end before tail; returns where they begin. */
static inline char *dkt__put_dec_back(char *tail, uint64_t v)
{
	while (v >= 100) {
		tail -= 2;
		memcpy(tail, dkt__digit_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		tail -= 2;
		memcpy(tail, dkt__digit_pairs + v * 2, 2);
	} else {
		*--tail = (char)('0' + v);
	}
	return tail;
}

/* May write 20 bytes. */
static inline char *dkt__put_dec(char *p, uint64_t v)
{
	char text[20], *q;
	size_t n;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	q = dkt__put_dec_back(text + sizeof(text), v);
	n = (size_t)(text + sizeof(text) - q);
	memcpy(p, q, n);
	return p + n;
}

/* May write 20 bytes. */
static inline char *dkt__put_int(char *p, int64_t v)
{
	if (v >= 0)
		return dkt__put_dec(p, (uint64_t)v);
	*p = '-';
	return dkt__put_dec(p + 1, 0 - (uint64_t)v);
}

#endif
