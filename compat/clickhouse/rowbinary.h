/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ClickHouse's format RowBinary: the values of a row behind each other, without names or types. */
#pragma once

#include <endian.h>

#include "base/buf.h"

static inline void row_bytes(struct dkt_buf *row, const void *bytes, size_t n)
{
	char *to = dkt__buf_room(row, n);

	if (dkt__unlikely(!to || !n))
		return;
	memcpy(to, bytes, n);
	row->len += n;
}

static inline void row_u8(struct dkt_buf *row, uint8_t value)
{
	row_bytes(row, &value, sizeof(value));
}

static inline void row_u32(struct dkt_buf *row, uint32_t value)
{
	const uint32_t le = htole32(value);

	row_bytes(row, &le, sizeof(le));
}

static inline void row_u64(struct dkt_buf *row, uint64_t value)
{
	const uint64_t le = htole64(value);

	row_bytes(row, &le, sizeof(le));
}

static inline void row_real(struct dkt_buf *row, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	row_u64(row, bits);
}

/* Seven bits in each byte, the lowest first; the high bit says that more follow. */
static inline void row_length(struct dkt_buf *row, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		row_u8(row, (uint8_t)(n | 0x80));
	row_u8(row, (uint8_t)n);
}

static inline void row_text(struct dkt_buf *row, const void *text, size_t len)
{
	row_length(row, len);
	row_bytes(row, text, len);
}

/* Before a value of a Nullable type; no value follows if it is NULL. */
static inline void row_known(struct dkt_buf *row, bool known)
{
	row_u8(row, !known);
}

/* ---- reading ---- */

/* The rest of an answer. */
struct row_reader {
	const char *at;
	size_t left;
	bool bad; /* the answer was cut off */
};

static inline const char *row_take(struct row_reader *in, size_t n)
{
	const char *at = in->at;

	if (in->bad || n > in->left) {
		in->bad = true;
		return NULL;
	}
	in->at += n;
	in->left -= n;
	return at;
}

static inline uint64_t row_take_u64(struct row_reader *in)
{
	const char *at = row_take(in, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

/* Returns the bytes of a text and their number; NULL: the answer was cut off. */
static inline const char *row_take_text(struct row_reader *in, size_t *len)
{
	uint64_t n = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		const char *byte = row_take(in, 1);

		if (!byte)
			return NULL;
		n |= (uint64_t)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80)) {
			*len = (size_t)n;
			return row_take(in, *len);
		}
	}
	in->bad = true;
	return NULL;
}
