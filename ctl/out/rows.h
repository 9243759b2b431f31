/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of values under columns: built once, printed as aligned text, JSON or CSV. */
#pragma once

#include <json.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/json_number.h"
#include "lib/base/util.h"
#include "lib/base/when.h"

/* How text shows the values of a column. JSON and CSV show plain numbers, in the unit named here. */
enum column_type {
	COL_TEXT,
	COL_NUMBER,
	COL_BOOL, /* yes, no */
	COL_HEX, /* 0x1f */
	COL_MASK, /* 0000001f */
	COL_RATE, /* per second: 3.1, 1200 */
	COL_TIME, /* ns: 12.345678, with (s) in the heading */
	COL_DURATION, /* ns: 1.21 ms */
	COL_BOUND, /* ns: <= 1.21 ms */
	COL_BYTES, /* 1.21 KB */
	COL_PERCENT, /* of the column's total */
	COL_SHARE, /* a part of 1: 12.34, with (%) in the heading */
	COL_BAR, /* a bar; the largest value has the longest; text only */
	COL_LIST, /* an array or object; JSON and CSV only */
};

enum column_flags {
	COL_FOLD = 1, /* folded to fit a narrow terminal; at most one column */
	COL_PEOPLE = 2, /* text only */
	COL_DATA = 4, /* JSON and CSV only */
	COL_SPARE = 8, /* left out of text if the terminal is too narrow for all columns */
};

struct column {
	const char *key; /* in JSON and CSV */
	enum column_type type;
	unsigned int flags;
	const char *heading; /* in text; NULL: the key in capitals */
	const char *none; /* what text shows if there is no value; NULL: nothing */
	uint64_t total; /* of COL_PERCENT */
};

/* For a clock that does not count ns: its times are shown as numbers, and no rates. */
void columns_in_ticks(struct column *columns, size_t n);

/* Values. NULL: no value, an empty cell in text and CSV, null in JSON. */

static inline struct json_object *val_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

/* The same, but no value for an empty text. */
static inline struct json_object *val_words(const char *text)
{
	return text && *text ? json_object_new_string(text) : NULL;
}

/* A time of day, in s. */
static inline struct json_object *val_when(int64_t seconds)
{
	char text[DKT__WHEN_SIZE];

	return dkt__format_when(seconds, text) ? val_text(text) : NULL;
}

static inline struct json_object *val_number(uint64_t number)
{
	return dkt__json_u64(number);
}

static inline struct json_object *val_bool(bool value)
{
	return json_object_new_boolean(value);
}

/* Returns the text of a value. That of a string can have NULs. */
static inline const char *val_bytes(struct json_object *value, size_t *len)
{
	const char *text = json_object_get_string(value);

	*len = json_object_is_type(value, json_type_string) ?
		       (size_t)json_object_get_string_len(value) :
		       strlen(text);
	return text;
}

struct row {
	size_t nr; /* rows are numbered as they are added */
	struct json_object *values[];
};

struct rows {
	const char *name; /* of the array in JSON */
	const struct column *columns;
	size_t n; /* columns */
	struct row **list;
	size_t n_rows;
	int err; /* -ENOMEM: a row could not be added */
};

/*
 * Borrows the name and the columns. Returns NULL if out of memory. The functions below accept NULL, and
 * out_rows() reports it.
 */
struct rows *rows_new(const char *name, const struct column *columns, size_t n);
void rows_free(struct rows *rows);

/* Adds a row: a value for each column. Takes ownership of the values. */
void rows_add_values(struct rows *rows, struct json_object *const *values);
#define rows_add(rows, ...) rows_add_values(rows, (struct json_object *const[]){ __VA_ARGS__ })

size_t rows_count(const struct rows *rows);

/* Sorts by a column of numbers or text; numbers within text count as numbers. The sort is stable. */
void rows_sort(struct rows *rows, size_t column, bool descending);

/* Removes all rows after the first n. */
void rows_cut(struct rows *rows, size_t n);

/*
 * Prints headings and rows on f; nothing if there are no rows. raw: do not escape control characters.
 * Returns 0, -ENOMEM or -EIO.
 */
int rows_table(const struct rows *rows, bool raw, FILE *f);

/*
 * Prints rows that come bit by bit, with headings if first is set, in columns as wide as their type
 * usually needs.
 */
int rows_lines(const struct rows *rows, bool first, bool raw, FILE *f);

/* Prints CSV on f: a line of keys, and the rows. Returns 0 or -ENOMEM. */
int rows_csv(const struct rows *rows, bool raw, FILE *f);

/* The same without the line of keys. */
int rows_csv_lines(const struct rows *rows, bool raw, FILE *f);

/* Returns an array of objects. */
struct json_object *rows_json(const struct rows *rows);
