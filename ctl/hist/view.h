/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints tables of counts: the part of hist that other commands use. */
#pragma once

#include <json.h>

#include "app/app.h"

struct hist_view {
	const struct dkt_table *table;
	struct json_object *before; /* an earlier one by texts of keys, NULL: none */
	double seconds; /* since then; 0: show what changed, else rates beside the sums */
	size_t top; /* rows at most; 0: all */
	const char *sort; /* as of dkt_table_sort(); NULL: not asked for */
	const char *ns; /* the field that holds nanoseconds, NULL: its name tells */
};

/* Prints it in the form that is asked for, or stacks as flame graphs want them: "outer;inner COUNT". */
int hist_view_print(const struct app *app, const struct hist_view *view);
int hist_view_folded(struct dkt_ctx *ctx, const struct hist_view *view);

/* Text of a cell, escaped or as it is; the caller frees it. NULL: memory is out. */
char *hist_cell(const struct dkt_table *table, size_t row, size_t column);
char *hist_text(const struct dkt_table *table, size_t row, size_t column);

#define HIST_NAME_SIZE 128

/* The unique name of a column: a key and a sum can be of the same field. */
const char *hist_name(const struct dkt_table_info *info, size_t column, char room[HIST_NAME_SIZE]);

/* Sums by texts of keys, to be a view's before; json_object_put() frees it. */
struct json_object *hist_remember(const struct dkt_table *table);

/*
 * The same of JSON that hist_view_print() wrote into a file, which is open as fd; -1: it is opened.
 * NULL: the words are in the context.
 */
struct json_object *hist_load(struct dkt_ctx *ctx, const char *path, int fd,
			      const struct dkt_table *table);

/* The sum of a row in the view's earlier table. */
uint64_t hist_sum_before(const struct hist_view *view, size_t row, size_t column);
