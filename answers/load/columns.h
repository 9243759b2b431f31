/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows in ClickHouse's format Native: the values of a column behind each other, which the server takes
 * as they are. Only a whole block has this form, so that the columns of rows that wait are apart.
 */
#pragma once

#include <endian.h>

#include "answers/load/chunks.h"
#include "answers/load/server.h"
#include "lib/base/buf.h"

struct words;

struct column {
	struct dkt_buf *head; /* what comes before the values */
	struct bytes marks; /* whether a value is NULL, or where a list ends */
	struct bytes values; /* of a column with words: their numbers */
	struct words *words; /* its texts, each once; NULL: they are the values */
	bool nullable; /* by marks */
	uint64_t elements; /* of all lists */
};

struct columns {
	struct chunks *chunks;
	struct column *list;
	size_t n;
	size_t at; /* the column that gets the next value */
	size_t rows;
};

/* A column's name and type, as the server has them. */
struct column_type {
	const char *name, *type;
};

int columns_new(struct chunks *chunks, const struct column_type *types, size_t n,
		struct columns **columns);
void columns_free(struct columns *columns);

/* Returns the number of their bytes, nearly. */
size_t columns_size(const struct columns *columns);

/* Makes a block of the rows. The pieces are valid until the columns change, the list until it is freed. */
int columns_pack(struct columns *columns, const struct column_type *types,
		 struct statement_piece **pieces, size_t *n);

/* Appends the chunks of closed bytes to a list of pieces, which the caller frees. */
int statement_add_bytes(struct statement_piece **list, size_t *n, const struct bytes *bytes);

/* ---- values of a row, in the order of the columns ---- */

static inline struct column *column_next(struct columns *row)
{
	return &row->list[row->at++];
}

static inline void row_u8(struct columns *row, uint8_t value)
{
	bytes_add(&column_next(row)->values, row->chunks, &value, sizeof(value));
}

static inline void row_u32(struct columns *row, uint32_t value)
{
	const uint32_t le = htole32(value);

	bytes_add(&column_next(row)->values, row->chunks, &le, sizeof(le));
}

static inline void row_u64(struct columns *row, uint64_t value)
{
	const uint64_t le = htole64(value);

	bytes_add(&column_next(row)->values, row->chunks, &le, sizeof(le));
}

/* A NULL has a value too, which nobody reads. */
static inline void row_known_u64(struct columns *row, bool known, uint64_t value)
{
	const uint8_t null = !known;

	bytes_add(&row->list[row->at].marks, row->chunks, &null, sizeof(null));
	row_u64(row, known ? value : 0);
}

static inline void row_known_real(struct columns *row, bool known, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	row_known_u64(row, known, bits);
}

void row_text(struct columns *row, const void *text, size_t len);

/* text NULL: the value is NULL. */
void row_known_text(struct columns *row, const char *text);

/* Begins a list of n numbers. */
void row_list(struct columns *row, size_t n);

/* Adds a number to the list that was begun. */
static inline void row_element(struct columns *row, uint64_t value)
{
	const uint64_t le = htole64(value);

	bytes_add(&row->list[row->at - 1].values, row->chunks, &le, sizeof(le));
}
