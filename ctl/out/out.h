/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of a command: lines for people, members for programs, tables for both. A command adds
 * each of them once, whichever form the user has asked for.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "ctl/out/rows.h"

enum out_form {
	OUT_TEXT,
	OUT_JSON,
	OUT_CSV,
};

struct out {
	enum out_form form;
	bool raw; /* do not escape text; JSON is escaped always */
	int labels; /* width of the labels of out_line() */
	bool any; /* something was printed: an empty line comes before the next table */
	int err;
	struct json_object *root;
	struct rows *members; /* CSV's first table: keys and values */
	FILE *tables; /* CSV's other tables, kept until the members are complete; may be NULL */
	char *text; /* of tables */
	size_t len;
};

void out_begin(struct out *out, enum out_form form, bool raw, int labels);

/* Notes an error of the output, unless there is one. */
void out_keep(struct out *out, int err);

/* Text only: prints a line of a label and a message, folded to the terminal. */
void out_line(struct out *out, const char *label, const char *fmt, ...) DKT_PRINTF(3, 4);

/* JSON: adds a member to the object. CSV: adds a row to the table of keys and values. */
void out_put(struct out *out, const char *key, struct json_object *value);

/* JSON only: adds a member to the object. */
void out_json(struct out *out, const char *key, struct json_object *value);

/* out_line() of a text, unless it is empty or NULL. */
void out_text(struct out *out, const char *label, const char *text);

/* out_put(), and out_text() with the key as label. */
void out_field(struct out *out, const char *key, const char *text);

/* Adds a table. In text, an empty line separates it from the output before it. Frees the rows. */
void out_rows(struct out *out, struct rows *rows);

/* JSON and CSV only: adds a table. Frees the rows. */
void out_data(struct out *out, struct rows *rows);

/* Prints the rest and frees everything. Returns 0, or the first error since out_begin(). */
int out_end(struct out *out);

/* JSON: returns the object instead of printing it, and frees the rest. NULL: err is not 0, or memory is out. */
struct json_object *out_take(struct out *out, int err);
