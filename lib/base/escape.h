/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Escapes text from records, files and names before it is shown. Only this file decides which
 * characters could drive a terminal, end a line or reverse the reading order.
 */
#pragma once

#include "base/number.h"

/* The beginning of some text. */
struct dkt__char {
	uint32_t code; /* of the character, else the byte */
	uint8_t len; /* bytes, at least 1 */
	bool is_utf8;
	bool shown; /* as it is: no control, nothing invisible that moves others, no broken UTF-8 */
};

struct dkt__char dkt__char_at(const char *p, size_t len);

/* Bytes of the UTF-8 character there, 0: it is none. */
unsigned int dkt__utf8_len(const char *p, size_t len);

/* Appends text as UTF-8: what is not becomes \xHH, and a backslash before an x too. */
void dkt__add_utf8(struct dkt_buf *buf, const char *text, size_t len);

/* Puts a character that is not shown: \xHH, or \uHHHH if it is of UTF-8 beyond ASCII; 20 bytes. */
char *dkt__put_escape(char *p, struct dkt__char c);

/* Puts a cell of comma-separated values as dkt_buf_cell() does; 6 bytes for each, and 32 more. */
char *dkt__put_cell(char *p, const char *text, size_t len);

/* The same with the bytes as they are. */
char *dkt__put_raw_cell(char *p, const char *text, size_t len);

/* Bit 7 of a byte is set by what is below space or above '~'; behind such a byte also by others. */
static inline uint64_t dkt__odd_bytes(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return (word | (word - ones * ' ') | (word + ones)) & ones << 7;
}

/* Whether all is ASCII and none of it a control character. */
static inline bool dkt__is_plain(const char *p, size_t len)
{
	uint64_t word = UINT64_C(0x2020202020202020), odd = 0;
	size_t i = 0;

#ifdef __SSE2__
	if (len >= 16) {
		/* Less space, plain bytes are the least ones without a sign. */
		const __m128i space = _mm_set1_epi8(' ');
		__m128i most = _mm_setzero_si128(), bytes;

		for (; i < len; i += 16) {
			/* The last ones are looked at twice. */
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
