/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view: shared by its files. */
#pragma once

#include "answers/view/stacks.h"
#include "answers/view/tasks.h"
#include "compat/lustre_log/line.h"
#include "compat/lustre_log/paths.h"
#include "compat/lustre_log/waterfall.h"
#include "ctl/input/inputs.h"
#include "ctl/latency/latency.h"

/* A ready-made pair whose events a file has. */
struct view_pair {
	const struct dkt_interval *row;
	size_t part; /* of the pipeline */
	struct latency_set set;
	struct heat heat;
	struct axis *axis;
};

/* Everything that the page shows. */
struct view {
	struct app *app;
	struct inputs *in;
	bool selects; /* an option selects records */
	struct axis axis;
	struct rates rates;
	struct tasks tasks;
	struct stacks stacks;
	struct view_pair **pairs;
	size_t n_pairs;
	struct paths paths;
	struct waterfall fall;
	struct line_readers readers;
	bool messages; /* a file can have messages of Lustre */
	struct exchange *exchange; /* NULL: one file */
	struct exchange_way *ways; /* the longest exchanges between files */
	size_t n_ways, all_ways;
};

/* selects: an option selects records. Clear the view in either case. */
int view_init(struct view *view, struct app *app, struct inputs *in, bool selects);
void view_clear(struct view *view);

/* Takes a record or a gap: a pipeline_fn, whose data is the view. */
int view_add(void *data, struct dkt_source *source, const struct dkt_record *record);

/* After the last record. */
int view_finish(struct view *view);

/* ---- pairs ---- */

/* Finds the ready-made pairs whose events the files have. */
int view_pairs_init(struct view *view);
int view_pairs_add(struct view *view, struct dkt_source *source, const struct dkt_record *record);
int view_pairs_finish(struct view *view);
void view_pairs_clear(struct view *view);

/* Returns an array: for each pair its numbers, as latency prints them, and its heat map. */
struct json_object *view_pairs_json(struct view *view);

/* ---- Lustre ---- */

int view_lustre_init(struct view *view);
void view_lustre_clear(struct view *view);
int view_lustre_add(struct view *view, size_t part, struct dkt_source *source,
		    const struct dkt_record *record);
int view_lustre_finish(struct view *view);

/* Returns an array of the requests and locks with their spans. */
struct json_object *view_lustre_json(const struct view *view);

/* Returns an array of the slowest calls with their spans. */
struct json_object *view_paths_json(const struct view *view);

/* ---- exchanges between hosts ---- */

int view_hosts_init(struct view *view);
void view_hosts_clear(struct view *view);
int view_hosts_add(struct view *view, size_t part, const struct dkt_record *record);
int view_hosts_add_line(struct view *view, const struct log_line *line);
int view_hosts_finish(struct view *view);

/* Returns the exchanges with their steps, the longest first. */
struct json_object *view_hosts_json(const struct view *view);

/* ---- the page ---- */

/* Returns the data of the page. NULL: out of memory. */
struct json_object *view_json(struct view *view);
struct json_object *view_stacks_json(struct view *view);
struct json_object *view_tasks_json(const struct view *view);

/* Returns the name of a file: that of its host if it is of a collection. NULL: there is only one. */
struct json_object *view_file_json(const struct view *view, size_t part);

/* Returns the counts that are not 0: an array of bin, count, bin, count ... */
struct json_object *view_series_json(const uint64_t *counts, uint32_t n);

/* The same for a few wider bins. */
#define VIEW_WIDE_SHIFT 2
struct json_object *view_wide_json(const struct series *series);

/* Returns a time as the page has it: ns since the origin of the axis. */
struct json_object *view_time_json(const struct view *view, uint64_t ts);

/* Writes the page. */
int view_write(struct view *view, FILE *f);
