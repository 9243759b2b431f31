/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Printing the records of a source: selected, in one of the styles. */
#ifndef COMPAT_REPORT_H
#define COMPAT_REPORT_H

#include "pipeline/chooser.h"
#include "pipeline/dk/out.h"

struct report_opts {
	const char *style; /* as style_find() takes it; NULL: only the chooser is asked */
	const char *dir; /* where a style with files of its own writes them */
	struct selection *selection; /* NULL: all records */
	const char *const *fields; /* as of struct dkt_style_opts */
	size_t n_fields;
	struct dkt_source *joined; /* the merged source that the records come by; NULL: none */
	bool streams; /* lines for people begin with the name of the record's stream,
		      as trace-cmd has it */
	bool raw_text; /* as in struct dkt_style_opts */
	bool color; /* the output is a terminal */
	int fd; /* -1: the style writes files of its own */
};

struct report {
	const struct report_opts *opts;
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct dk_out out;
	struct class_map *map; /* NULL: the style does without */
	struct chooser *chooser; /* NULL: all records */
	size_t stream_width; /* of the longest stream's name */
	struct report *const *parts; /* report_join(); NULL: none */
	const size_t *part_of;
	uint64_t printed; /* records */
};

/* The context is that of the source. What opts points at outlives the report. */
int report_new(struct dkt_ctx *ctx, struct dkt_source *source, const struct report_opts *opts,
	       struct report **report);
void report_free(struct report *report);

/*
 * The report's source is a merged one: records of stream i are chosen by parts[part_of[i]], each of
 * which is a report of its kernel, and printed in that one's style if it has one. stream_width:
 * columns for the streams' names before each line; 0: they are not printed.
 */
void report_join(struct report *report, struct report *const *parts, const size_t *part_of,
		 size_t stream_width);

/*
 * Puts the source's records, up to its end, into the buffer; if full is not NULL it is called when
 * there is much in it.
 */
int report_run(struct report *report, int (*full)(void *data), void *data);

#endif
