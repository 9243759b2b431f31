/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: shared by its files. */
#pragma once

#include "app/live.h"
#include "app/watch.h"
#include "hist/view.h"

/* One run of the command. */
struct hist {
	struct app *app;
	struct dkt_ctx *ctx; /* of this kernel, or of the one that a file was recorded on */
	const char *words; /* which events */
	const struct dkt_sql *sql; /* NULL: not asked for by --sql */
	char **command; /* NULL: none */
	struct live_event *events; /* with a filter: on which of its records are asked for */
	size_t n;
	struct dkt_expr *filter;
	struct dkt_hist *hist;
	struct json_object *before; /* of the refresh before, or of --diff's file */
	double seconds; /* to watch; 0: no bound */
	int top;
	int size;
	bool stacks;
	struct watch watch;
	bool watched; /* a terminal showed tables before the last one */
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

/* Counts a record here; data is the struct hist. */
int hist_add(void *data, struct dkt_source *source, const struct dkt_record *record);

/* The table that was counted in user space. */
int hist_read_here(struct hist *hist, struct dkt_table **table);

/* Counts by the kernel. -EOPNOTSUPP: it cannot; nothing was done then. */
int hist_run_kernel(struct hist *hist, int *rc);

/* Counts what is read from the buffers. */
int hist_run_here(struct hist *hist, int *rc);

/* Prints what --keep left in the kernel. */
int hist_show_kept(struct app *app);
