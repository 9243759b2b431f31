/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast conversion of numbers to text. */
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "lib/base/buf.h"

/* Two decimal digits for each of 0..99. */
extern const char dkt__digit_pairs[201];
extern const uint64_t dkt__powers_of_ten[20];

/* The hexadecimal digits of 32 bits in one word, the first digit in its first byte. */
static inline uint64_t dkt__hex8(uint32_t v)
{
	uint64_t x = v, letters;

	/* One nibble to a byte, the highest in the lowest byte. */
	x = ((x & 0xffff) << 32) | (x >> 16);
	x = ((x & 0x000000ff000000ff) << 16) | ((x >> 8) & 0x000000ff000000ff);
	x = ((x & 0x000f000f000f000f) << 8) | ((x >> 4) & 0x000f000f000f000f);
	/* Adding 6 carries into bit 4 if the byte is 10 or more, a letter. */
	letters = ((x + 0x0606060606060606) >> 4) & 0x0101010101010101;
	x += 0x3030303030303030 + letters * ('a' - '0' - 10);
#if DKT__BIG_ENDIAN
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* Stores a word of digits without the first ones. */
static inline void dkt__put_hex8(char *p, uint64_t word, unsigned int without)
{
#if DKT__BIG_ENDIAN
	word <<= 8 * without;
#else
	word >>= 8 * without;
#endif
	memcpy(p, &word, sizeof(word));
}

#ifdef __SSE2__
/* Writes exactly that many digits, 1 to 16; touches 16 bytes. */
static inline char *dkt__put_hex_digits(char *p, uint64_t v, unsigned int digits)
{
	const __m128i low = _mm_set1_epi8(15);
	/* The first digit in the first byte's upper half. */
	__m128i x = _mm_cvtsi64_si128((int64_t)__builtin_bswap64(v << (64 - 4 * digits)));
	__m128i letters;

	x = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(x, 4), low), _mm_and_si128(x, low));
	letters = _mm_cmpgt_epi8(x, _mm_set1_epi8(9));
	x = _mm_add_epi8(x, _mm_set1_epi8('0'));
	x = _mm_add_epi8(x, _mm_and_si128(letters, _mm_set1_epi8('a' - '0' - 10)));
	_mm_storeu_si128((__m128i *)(void *)p, x);
	return p + digits;
}
#else
/* Writes exactly that many digits, 1 to 16; may touch 16 bytes. */
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
#endif

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

static inline unsigned int dkt__dec_len(uint64_t v)
{
	/* Approximates the number of digits as log2 times log10(2): right or one too high. */
	unsigned int n = (64 - (unsigned int)__builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= dkt__powers_of_ten[n]);
}

/* May write 20 bytes. */
static inline char *dkt__put_dec(char *p, uint64_t v)
{
	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	p += dkt__dec_len(v);
	dkt__put_dec_back(p, v);
	return p;
}

/* May write 20 bytes. */
static inline char *dkt__put_int(char *p, int64_t v)
{
	if (v >= 0)
		return dkt__put_dec(p, (uint64_t)v);
	*p = '-';
	return dkt__put_dec(p + 1, 0 - (uint64_t)v);
}

/* Writes a number below a million as %06u. */
static inline char *dkt__put_six(char *p, uint32_t v)
{
	memcpy(p, dkt__digit_pairs + v / 10000 * 2, 2);
	memcpy(p + 2, dkt__digit_pairs + v / 100 % 100 * 2, 2);
	memcpy(p + 4, dkt__digit_pairs + v % 100 * 2, 2);
	return p + 6;
}

/* memcpy() for mostly a few bytes, without a call. */
static inline void dkt__copy_few(char *to, const void *from, size_t n)
{
	const char *p = from;
	uint64_t a, b;
	uint32_t c, d;

	if (n > 16) {
		memcpy(to, from, n);
	} else if (n >= 8) {
		memcpy(&a, p, 8);
		memcpy(&b, p + n - 8, 8);
		memcpy(to, &a, 8);
		memcpy(to + n - 8, &b, 8);
	} else if (n >= 4) {
		memcpy(&c, p, 4);
		memcpy(&d, p + n - 4, 4);
		memcpy(to, &c, 4);
		memcpy(to + n - 4, &d, 4);
	} else if (n) {
		to[0] = p[0];
		to[n / 2] = p[n / 2];
		to[n - 1] = p[n - 1];
	}
}
