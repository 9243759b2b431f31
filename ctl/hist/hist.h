/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: what its rooms share. */
#ifndef CTL_HIST_H
#define CTL_HIST_H

#include <json-c/json.h>
#include <stdio.h>

#include "app/app.h"
#include "app/live.h"
#include "app/spawn.h"
#include "out/screen.h"

/* One run of the command. */
struct hist {
	struct app *app;
	struct dkt_ctx *ctx; /* of this kernel, or of the one that a file was recorded on */
	const char *words; /* which events */
	char **command; /* NULL: none */
	struct live_event *events; /* with a filter: on which of its records are asked for */
	size_t n;
	struct dkt_expr *filter;
	struct dkt_hist *hist;
	struct json_object *before; /* of the refresh before, or of --diff's file */
	double seconds; /* to watch; 0: no bound */
	double every; /* between refreshes; 0: none */
	double last; /* when the last one was */
	int top;
	int size;
	bool stacks;
	struct screen screen; /* of --watch */
	bool watched; /* it was there */
	struct dkt_instance *in; /* in which the kernel counts; NULL: it does not */
};

/* Gives the table so far. */
typedef int (*hist_read_fn)(struct hist *hist, struct dkt_table **table);

/* Prints a table; last: it is the last one of this run. */
int hist_show(struct hist *hist, struct dkt_table *table, bool last);

/* Now and then, with --watch: prints the table so far, and rates since the refresh before. */
int hist_refresh(struct hist *hist, hist_read_fn read);

/* Prints the table at the end. */
int hist_finish(struct hist *hist, hist_read_fn read);

/* What has been counted here. */
int hist_read_here(struct hist *hist, struct dkt_table **table);

/* Counts by the kernel. -EOPNOTSUPP: it cannot; nothing was done then. */
int hist_run_kernel(struct hist *hist, int *rc);

/* Counts what is read from the buffers. */
int hist_run_here(struct hist *hist, int *rc);

/* Prints what --keep left in the kernel. */
int hist_show_kept(struct app *app);

/* A table as it is printed. */
struct hist_view {
	const struct dkt_table *table;
	struct json_object *before; /* an earlier one by texts of keys, NULL: none */
	double seconds; /* since then; 0: show what changed, else rates beside the sums */
	size_t top; /* rows at most; 0: all */
	const char *sort; /* as of dkt_table_sort(); NULL: not asked for */
	bool raw_text; /* keys are shown as they are */
};

/* Text of a cell, escaped or as it is; the caller frees it. NULL: memory is out. */
char *hist_cell(const struct dkt_table *table, size_t row, size_t column);
char *hist_text(const struct dkt_table *table, size_t row, size_t column);

/* The one of them that the view shows. */
char *hist_shown(const struct hist_view *view, size_t row, size_t column);

#define HIST_NAME_SIZE 80

/* What a column is called where names must differ: a key and a sum can be of one field. */
const char *hist_name(const struct dkt_table_info *info, size_t column, char room[HIST_NAME_SIZE]);

/* A sum in a row, or what it grew by. */
uint64_t hist_sum(const struct hist_view *view, size_t row, size_t column);

/* What it was in the earlier table. */
uint64_t hist_sum_before(const struct hist_view *view, size_t row, size_t column);

size_t hist_rows(const struct hist_view *view);

/* Sums by texts of keys, to be a view's before; json_object_put() frees it. */
struct json_object *hist_remember(const struct dkt_table *table);

/*
 * The same of what hist_print_json() wrote into a file, which is open as fd; -1: it is opened. NULL:
 * the words are in the context.
 */
struct json_object *hist_load(struct dkt_ctx *ctx, const char *path, int fd,
			      const struct dkt_table *table);

int hist_print(const struct hist_view *view, FILE *out);
int hist_print_json(const struct hist_view *view, FILE *out);
int hist_print_csv(const struct hist_view *view, FILE *out);

/* Stacks as flame graphs want them: "outer;inner COUNT". -EINVAL: there is no stack. */
int hist_print_folded(struct dkt_ctx *ctx, const struct hist_view *view, FILE *out);

#endif
