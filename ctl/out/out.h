/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of a command: lines for people, keyed values for programs, rows for both. Each is
 * added once and appears in those of text, JSON and CSV that have a place for it.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "out/rows.h"

enum out_form {
	OUT_TEXT,
	OUT_JSON,
	OUT_CSV,
};

struct out {
	enum out_form form;
	bool raw; /* text is not escaped, other than in JSON */
	int labels; /* width of those of out_line() */
	bool any; /* something is before the next table */
	int err;
	struct json_object *root;
	struct rows *members; /* of CSV */
	FILE *tables; /* of CSV, behind the members; NULL: none is */
	char *text; /* of these */
	size_t len;
};

void out_begin(struct out *out, enum out_form form, bool raw, int labels);

/* Text: a line of a label and words, folded to the terminal. */
void out_line(struct out *out, const char *label, const char *fmt, ...) DKT_PRINTF(3, 4);

/* JSON: a member of the object; CSV: a row of a table of keys and values, which is the first. */
void out_put(struct out *out, const char *key, struct json_object *value);

/* JSON alone. */
void out_json(struct out *out, const char *key, struct json_object *value);

/* out_put(), and out_line() with the key as label if there is a text that is not empty. */
void out_field(struct out *out, const char *key, const char *text);

/* A table; in text a blank line is between it and what was before it. Frees the rows. */
void out_rows(struct out *out, struct rows *rows);

/* The same, but not in text. */
void out_data(struct out *out, struct rows *rows);

/* Prints what is not printed yet and frees it. Returns 0, or the first error since out_begin(). */
int out_end(struct out *out);
