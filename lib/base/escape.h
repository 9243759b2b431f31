/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Escapes text from records, files and names before it is shown. Only this file decides which
 * characters could drive a terminal, end a line or reverse the reading order.
 */
#pragma once

#include "lib/base/number.h"

/* The first character of a text. */
struct dkt__char {
	uint32_t code; /* the character's, or the byte if it is not UTF-8 */
	uint8_t len; /* bytes, at least 1 */
	bool is_utf8;
	bool shown; /* print unchanged: no control, nothing invisible, no broken UTF-8 */
};

struct dkt__char dkt__char_at(const char *p, size_t len);

/* Returns the length of the UTF-8 character at p, or 0 if the bytes are not UTF-8. */
unsigned int dkt__utf8_len(const char *p, size_t len);

/* Appends text as UTF-8: other bytes become \xHH, and so does a backslash before an x. */
void dkt__add_utf8(struct dkt_buf *buf, const char *text, size_t len);

/*
 * Writes the escape of a character: \xHH, or \uHHHH for UTF-8 beyond ASCII. Writes up to 20 bytes.
 */
char *dkt__put_escape(char *p, struct dkt__char c);

/*
 * Writes a cell of comma-separated values as dkt__buf_cell() does; needs 6 bytes per byte, and 32
 * more.
 */
char *dkt__put_cell(char *p, const char *text, size_t len);

/* The same, but does not escape the bytes. */
char *dkt__put_raw_cell(char *p, const char *text, size_t len);

/*
 * Sets bit 7 of each byte that is below space or above '~'; bytes after such a byte may be set
 * wrongly.
 */
static inline uint64_t dkt__odd_bytes(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return (word | (word - ones * ' ') | (word + ones)) & ones << 7;
}

/* True if all bytes are ASCII and none is a control character. */
static inline bool dkt__is_plain(const char *p, size_t len)
{
	uint64_t word = UINT64_C(0x2020202020202020), odd = 0;
	size_t i = 0;

#ifdef __SSE2__
	if (len >= 16) {
		/* After subtracting space, plain bytes are the smallest unsigned values. */
		const __m128i space = _mm_set1_epi8(' ');
		__m128i most = _mm_setzero_si128(), bytes;

		for (; i < len; i += 16) {
			/* The last block overlaps the one before. */
			size_t at = len - i < 16 ? len - 16 : i;

			bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + at));
			most = _mm_max_epu8(most, _mm_sub_epi8(bytes, space));
		}
		most = _mm_subs_epu8(most, _mm_set1_epi8('~' - ' '));
		return _mm_movemask_epi8(_mm_cmpeq_epi8(most, _mm_setzero_si128())) == 0xffff;
	}
#endif
	for (; len - i >= 8; i += 8) {
		memcpy(&word, p + i, 8);
		odd |= dkt__odd_bytes(word);
	}
	word = UINT64_C(0x2020202020202020);
	dkt__copy_few((char *)&word, p + i, len - i);
	return !(odd | dkt__odd_bytes(word));
}
