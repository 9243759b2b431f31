/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads ClickHouse's format RowBinary: the values of a row behind each other, without names or types. */
#pragma once

#include <endian.h>

#include "lib/base/util.h"

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
