/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of values under columns: built once, printed as aligned text, JSON or CSV. */
#pragma once

#include <json.h>
#include <stddef.h>

#include "base/util.h"

/* How text shows the values of a column. JSON and CSV have plain numbers, in the unit named here. */
enum column_type {
	COL_TEXT,
	COL_NUMBER,
	COL_BOOL, /* yes, no */
	COL_HEX, /* 0x1f */
	COL_MASK, /* 0000001f */
	COL_RATE, /* per second: 3.1, 1200 */
	COL_TIME, /* ns: 12.345678, and (s) in the heading */
	COL_DURATION, /* ns: 1.21 ms */
	COL_BOUND, /* ns: <= 1.21 ms */
	COL_BYTES, /* 1.21 KB */
	COL_PERCENT, /* of the column's total */
	COL_BAR, /* as long as the value is of the largest; in text only */
	COL_LIST, /* an array or object; in JSON and CSV only */
};

enum column_flags {
	COL_FOLD = 1, /* the one column that gives way on a narrow terminal */
	COL_PEOPLE = 2, /* in text only */
	COL_DATA = 4, /* in JSON and CSV only */
};

struct column {
	const char *key; /* in JSON and CSV */
	enum column_type type;
	unsigned int flags;
	const char *heading; /* in text; NULL: the key in capitals */
	const char *none; /* in text, where there is no value; NULL: nothing */
	uint64_t total; /* of COL_PERCENT */
};

/* Values. NULL is none: an empty cell, null in JSON. */

static inline struct json_object *val_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

/* The same, but an empty text is none. */
static inline struct json_object *val_words(const char *text)
{
	return text && *text ? json_object_new_string(text) : NULL;
}

static inline struct json_object *val_number(uint64_t number)
{
	return json_object_new_uint64(number);
}

static inline struct json_object *val_bool(bool value)
{
	return json_object_new_boolean(value);
}

struct row {
	size_t nr; /* in the order in which they were added */
	struct json_object *values[];
};

struct rows {
	const char *name; /* of the array in JSON */
	const struct column *columns;
	size_t n; /* columns */
	struct row **list;
	size_t n_rows;
	int err; /* a row could not be added */
};

/*
 * The name and the columns are borrowed. NULL when memory is out, which the functions below take; out.h
 * reports it.
 */
struct rows *rows_new(const char *name, const struct column *columns, size_t n);
void rows_free(struct rows *rows);

/* Adds a row of as many values as there are columns, which belong to the rows from then on. */
void rows_add_values(struct rows *rows, struct json_object *const *values);
#define rows_add(rows, ...) rows_add_values(rows, (struct json_object *const[]){ __VA_ARGS__ })

size_t rows_count(const struct rows *rows);

/* Puts them in order of a column, numbers or text with numbers in it; equal ones stay as they are. */
void rows_sort(struct rows *rows, size_t column, bool descending);

/* Leaves out all but the first n. */
void rows_cut(struct rows *rows, size_t n);

/*
 * Prints them on f, if there are any, under headings. raw: text as it is, with no control character
 * escaped. 0, or -ENOMEM.
 */
int rows_table(const struct rows *rows, bool raw, FILE *f);

/* The same as comma-separated values; the keys even without a row. */
int rows_csv(const struct rows *rows, bool raw, FILE *f);

/* As an array of objects. */
struct json_object *rows_json(const struct rows *rows);
