/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: shared by its files. */
#pragma once

#include "ctl/app/live.h"
#include "ctl/app/watch.h"
#include "ctl/hist/view.h"
#include "lib/inside.h"

struct hist_options {
	const char *actions, *diff, *keys, *size, *sort, *sql, *vals, *vars;
	bool folded, here, keep;
};
extern const struct opt_values hist_values;

/* One run of the command. */
struct hist {
	struct app *app;
	struct dkt_ctx *ctx; /* of the kernel that records the events */
	const char *selection; /* selects the events */
	const struct dkt__sql *sql; /* NULL: no --sql */
	char **command; /* may be NULL */
	struct live_event *events; /* with a filter if only some records belong to the class */
	size_t n;
	struct dkt_expr *filter;
	struct dkt_hist *hist;
	struct json_object *before; /* the sums of the table before, or of --diff's file */
	double seconds; /* to count; 0: no limit */
	int top;
	int size;
	bool stacks;
	struct watch watch;
	bool picture; /* --style svg */
	bool watched; /* a terminal has shown tables before the last one */
	const struct dkt_source *source; /* of the records; NULL: none yet, or the kernel counts */
	uint64_t first, last; /* the times of the first and last record that was counted */
	struct dkt_instance *in; /* in which the kernel counts; NULL: dktrace does */
	uint64_t begun; /* the time of day since which it does, in ns */
};

struct class_map;

/*
 * If the selection is the name of a ready-made count, takes its events, and its fields and filter where
 * the user has given none. -ENOENT: the kernel, or the file, has no such events.
 */
int hist_take_count(struct hist *hist, const struct class_map *map);

/* Prints a table. last: the last one of this run. */
int hist_show(struct hist *hist, struct dkt_table *table, bool last);

/* With --watch, prints the table when it is due, with rates since the table before. */
int hist_refresh(struct hist *hist);

/* Prints the table at the end. */
int hist_finish(struct hist *hist);

/* Counts a record in user space. data: the struct hist. */
int hist_add(void *data, struct dkt_source *source, const struct dkt_record *record);

/* Lets the kernel count. -EOPNOTSUPP: it cannot, and nothing has changed. */
int hist_run_kernel(struct hist *hist, int *rc);

/* Reads and counts records in user space. */
int hist_run_user(struct hist *hist, int *rc);

/* Prints the histograms that --keep left in the kernel. */
int hist_show_kept(struct hist *hist);
