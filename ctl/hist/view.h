/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints tables of counts: the part of hist that other commands use. */
#pragma once

#include <json.h>

#include "ctl/app/app.h"

struct hist_view {
	const struct dkt_table *table;
	struct json_object *before; /* the sums of an earlier table; may be NULL */
	double seconds; /* since that table, to show rates; 0: show the differences */
	size_t top; /* the maximum of rows; 0: all */
	const char *sort; /* see dkt_table_sort(); may be NULL */
	const struct dkt_source *source; /* whose hosts have names for disks; NULL: this machine */
	const char *ns; /* a field in nanoseconds whose name does not show that; may be NULL */
};

/* Prints the table as text, JSON or CSV. */
int hist_view_print(const struct app *app, const struct hist_view *view);

/* Prints stacks as lines "outer;inner COUNT", the input of flame graphs. */
int hist_view_folded(struct dkt_ctx *ctx, const struct hist_view *view);

/* Gets the stack of a row as such a line has it, which the caller frees, and its count. */
int hist_view_stack(struct dkt_ctx *ctx, const struct hist_view *view, size_t row, char **text,
		    uint64_t *sum);

/*
 * Write a picture, as SVG: a bar for each row, or a flame graph of the stacks. origin: where the records are
 * from, as origin_text() has it; may be NULL.
 */
int hist_view_bars(const struct hist_view *view, const char *origin, FILE *f);
int hist_view_flame(struct dkt_ctx *ctx, const struct hist_view *view, const char *origin, FILE *f);

/*
 * The text of a key for people: the names of disks, and ranges of bytes as "2-4 MiB". The caller frees it.
 * NULL: no memory.
 */
char *hist_words(const struct hist_view *view, size_t row, size_t column);

/* The number of rows that are shown. */
size_t hist_row_count(const struct hist_view *view);

/* The column for the bars: with .graph, otherwise the sum that the rows are sorted by, or the first sum. */
size_t hist_bar_column(const struct hist_view *view, const struct dkt_table_info *info);

/* The text of a cell, escaped or not. The caller frees it. NULL: out of memory. */
char *hist_cell(const struct dkt_table *table, size_t row, size_t column);
char *hist_text(const struct dkt_table *table, size_t row, size_t column);

#define HIST_NAME_SIZE 128

/* The unique name of a column: FIELD_sum if FIELD is both a key and a sum. buf may hold it. */
const char *hist_name(const struct dkt_table_info *info, size_t column, char buf[HIST_NAME_SIZE]);

/* Returns the sums of each row for a view's before. json_object_put() frees them. */
struct json_object *hist_remember(const struct dkt_table *table);

/*
 * Reads such sums from JSON that hist_view_print() has written to the file path. fd: the open file,
 * or -1 to open it. NULL: the context has the error message.
 */
struct json_object *hist_load(struct dkt_ctx *ctx, const char *path, int fd,
			      const struct dkt_table *table);

/* The sum of a row in the view's earlier table. */
uint64_t hist_sum_before(const struct hist_view *view, size_t row, size_t column);
