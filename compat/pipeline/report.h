/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Printing the records of a source: selected, in one of the styles. */
#ifndef COMPAT_REPORT_H
#define COMPAT_REPORT_H

#include "pipeline/dk/out.h"

struct report_opts {
	const char *style; /* as style_find() takes it; NULL: only report_selects() is called */
	const char *dir; /* where a style with files of its own writes them */
	const char *filter; /* expression, NULL: none */
	const char *const *events; /* globs over NAME or SYSTEM:NAME */
	size_t n_events; /* 0: all */
	const int *pids; /* of these only */
	size_t n_pids; /* 0: all */
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
	struct dkt_expr *filter;
	uint8_t *verdicts; /* by event index: whether its records are looked at */
	size_t n_verdicts;
	size_t stream_width; /* of the longest stream's name */
	struct report *const *parts; /* report_join(); NULL: none */
	const size_t *part_of;
	uint64_t printed; /* records */
};

/* NULL if it can be one of events, else words that say what is wrong. */
const char *report_glob_check(const char *glob);

/*
 * -ENOENT: none of the globs is that of an event which records of the source can be of. 0 also if that
 * is not known before they are read.
 */
int report_check_events(struct dkt_ctx *ctx, const struct report_opts *opts);

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

/* Whether the record is one of those that are asked for. */
bool report_selects(struct report *report, const struct dkt_record *record);

/*
 * Puts the source's records, up to its end, into the buffer; if full is not NULL it is called when
 * there is much in it.
 */
int report_run(struct report *report, int (*full)(void *data), void *data);

#endif
