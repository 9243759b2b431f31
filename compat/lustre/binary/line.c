/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints Lustre's binary records as lines of text, without printf because there are millions of
 * them.
 */
#include "compat/lustre/binary/line.h"

/* Returns the eight decimal digits of a value below 100 million, the first in the lowest byte. */
static inline uint64_t digits8(uint32_t value)
{
	uint64_t x = value / 10000 | (uint64_t)(value % 10000) << 32, high;

	high = (x * 10486) >> 20 & 0x7f0000007f;
	x = high | (x - 100 * high) << 16;
	high = (x * 103) >> 10 & 0x000f000f000f000f;
	return high | (x - 10 * high) << 8;
}

/* Stores a word with its lowest byte first. */
static inline void put_word(char *out, uint64_t word)
{
#if DKT__BIG_ENDIAN
	word = __builtin_bswap64(word);
#endif
	memcpy(out, &word, sizeof(word));
}

#define ZEROS 0x3030303030303030u

/* Writes eight hexadecimal digits. */
static inline void put_hex8(char *out, uint32_t value)
{
	uint64_t x = value, over9;

	/* Spread the nibbles to bytes, the highest nibble in the lowest byte. */
	x = x >> 16 | (x & 0xffff) << 32;
	x = (x >> 8 & 0x000000ff000000ff) | (x & 0x000000ff000000ff) << 16;
	x = (x >> 4 & 0x000f000f000f000f) | (x & 0x000f000f000f000f) << 8;
	over9 = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	put_word(out, x + ZEROS + over9 * ('a' - '9' - 1));
}

static char *put_long_decimal(char *out, uint64_t value)
{
	char text[20], *p = text + sizeof(text);

	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	memcpy(out, p, (size_t)(text + sizeof(text) - p));
	return out + (text + sizeof(text) - p);
}

/* Can write up to 20 bytes. */
static inline char *put_decimal(char *out, uint64_t value)
{
	unsigned int zeros;
	uint64_t word;

	if (value < 10) {
		*out = (char)('0' + value);
		return out + 1;
	}
	if (value > 99999999)
		return put_long_decimal(out, value);
	word = digits8((uint32_t)value);
	zeros = (unsigned int)__builtin_ctzll(word) / 8;
	put_word(out, (word | ZEROS) >> 8 * zeros);
	return out + 8 - zeros;
}

/* Writes at least six digits. */
static char *put_usec(char *out, uint64_t usec)
{
	if (usec > 999999)
		return put_decimal(out, usec);
	put_word(out, (digits8((uint32_t)usec) | ZEROS) >> 16);
	return out + 6;
}

static void keep_sec(struct record_line *kept, uint32_t sec)
{
	char *p = kept->sec_text;

	*p++ = ':';
	p = put_decimal(p, sec);
	*p++ = '.';
	kept->sec_len = (uint32_t)(p - kept->sec_text);
	kept->sec = sec;
}

/* A field of a record's header. */
#define FIELD(rec, name)                                                                           \
	({                                                                                         \
		__typeof__(((struct record_head *)0)->name) value_;                                \
		memcpy(&value_, (rec) + offsetof(struct record_head, name), sizeof(value_));       \
		value_;                                                                            \
	})

static inline char *put_head(struct record_line *kept, const uint8_t *rec, char *out)
{
	uint32_t sec = FIELD(rec, sec);

	if (!kept->sec_len || kept->sec != sec)
		keep_sec(kept, sec);
	put_hex8(out, FIELD(rec, subsystem));
	out[8] = ':';
	put_hex8(out + 9, FIELD(rec, mask));
	out[17] = ':';
	out = put_decimal(out + 18, FIELD(rec, cpu));
	*out++ = '.';
	out = put_decimal(out, FIELD(rec, type));
	*out = 'F';
	out += FIELD(rec, flags) & RECORD_FIRST;
	/*
	 * Copies the whole array, because a fixed size is faster; the next text overwrites the
	 * rest.
	 */
	memcpy(out, kept->sec_text, sizeof(kept->sec_text));
	out = put_usec(out + kept->sec_len, FIELD(rec, usec));
	*out++ = ':';
	out = put_decimal(out, FIELD(rec, stack));
	*out++ = ':';
	out = put_decimal(out, FIELD(rec, pid));
	*out++ = ':';
	out = put_decimal(out, FIELD(rec, extern_pid));
	*out++ = ':';
	return out;
}

/*
 * Returns a word with the highest bit set in each zero byte of x. Bits above the first can be
 * wrong.
 */
static inline uint64_t zero_bytes(uint64_t x)
{
	return (x - 0x0101010101010101) & ~x & 0x8080808080808080;
}

static inline uint64_t get_word(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
#if DKT__BIG_ENDIAN
	word = __builtin_bswap64(word);
#endif
	return word;
}

#define STEP 32 /* bytes: four words */

/*
 * Copies up to a NUL or the end, and moves *from after the NUL. Can write STEP bytes too many.
 * Names are too short for calls of memchr() and memcpy(), and no branch depends on their length.
 */
static inline char *put_name(char *out, const char **from, const char *end)
{
	const char *p = *from;

	for (; end - p >= STEP; p += STEP, out += STEP) {
		uint64_t a = zero_bytes(get_word(p)), b = zero_bytes(get_word(p + 8));
		uint64_t c = zero_bytes(get_word(p + 16)), d = zero_bytes(get_word(p + 24));
		uint64_t low = a ? a : b, high = c ? c : d;
		unsigned int n = (a ? 0 : 8) + (a | b ? 0 : c ? 8 : 16);

		memcpy(out, p, STEP);
		low = a | b ? low : high;
		if (low) {
			n += (unsigned int)__builtin_ctzll(low) / 8;
			*from = p + n + 1;
			return out + n;
		}
	}
	while (p < end && *p)
		*out++ = *p++;
	*from = p < end ? p + 1 : end;
	return out;
}

/* Copies up to a NUL, which is rare, or the end. Can write STEP bytes too many. */
static inline char *put_text(char *out, const char *from, const char *end)
{
	size_t len = (size_t)(end - from), i;
	uint64_t nul = 0;

	for (i = 0; i + STEP <= len; i += STEP) {
		nul |= zero_bytes(get_word(from + i)) | zero_bytes(get_word(from + i + 8));
		nul |= zero_bytes(get_word(from + i + 16)) | zero_bytes(get_word(from + i + 24));
		memcpy(out + i, from + i, STEP);
	}
	if (!nul && i && i < len) {
		/* The last step overlaps the one before. */
		i = len - STEP;
		nul |= zero_bytes(get_word(from + i)) | zero_bytes(get_word(from + i + 8));
		nul |= zero_bytes(get_word(from + i + 16)) | zero_bytes(get_word(from + i + 24));
		memcpy(out + i, from + i, STEP);
	}
	if (!nul && len >= STEP)
		return out + len;
	len = strnlen(from, len);
	memcpy(out, from, len);
	return out + len;
}

char *dkl_record_line(struct record_line *kept, const uint8_t *rec, size_t len, char *out)
{
	const char *from = (const char *)rec + sizeof(struct record_head);
	const char *end = (const char *)rec + len;
	char *p = put_head(kept, rec, out);

	*p++ = '(';
	p = put_name(p, &from, end);
	*p++ = ':';
	p = put_decimal(p, FIELD(rec, line));
	*p++ = ':';
	p = put_name(p, &from, end);
	memcpy(p, "()) ", 4);
	p = put_text(p + 4, from, end);
	if (p - out > RECORD_LINE_CUT && len <= RECORD_LUSTRE_MAX)
		p = out + RECORD_LINE_CUT;
	return p;
}
