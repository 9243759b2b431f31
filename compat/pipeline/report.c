/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Printing the records of a source: selected, in one of the styles. */
#include "pipeline/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/stop.h"
#include "base/util.h"
#include "log/debuglog.h"

/* Records that are put into the buffer before somebody looks how full it is. */
#define BATCH 1024

/* ---- printing ---- */

/* "two: ", as wide as the longest name, at the line's beginning. */
static void put_stream(struct report *report, const struct dkt_record *record)
{
	const char *name = dkt_source_stream(report->source, record->stream);
	size_t len = name ? strlen(name) : 0;

	dkt_buf_text(report->out.buf, name, len);
	dkt_buf_add(report->out.buf, len ? ":" : " ", 1);
	for (; len <= report->stream_width; len++)
		dkt_buf_add(report->out.buf, " ", 1);
}

/* The report of the record's kernel. */
static inline struct report *part_of(struct report *report, const struct dkt_record *record)
{
	return report->parts ? report->parts[report->part_of[record->stream]] : report;
}

static int print(struct report *report, const struct dkt_record *record)
{
	struct style *style = part_of(report, record)->out.style;
	int err;

	if (report->stream_width)
		put_stream(report, record);
	err = style_record(style ? style : report->out.style, record,
			   record->event ? dkt_source_comm(report->source, record) : "",
			   report->out.buf);
	report->printed += record->event != NULL;
	return err;
}

static bool is_chosen(struct report *report, const struct dkt_record *record)
{
	struct chooser *chooser = part_of(report, record)->chooser;

	return !chooser || (chooser_takes(chooser, record, report->source, NULL) &&
			    chooser_in_rate(chooser, record, NULL));
}

/* Whether every record is shown, as its style makes it and nothing beside. */
static bool is_plain(const struct report *report)
{
	return !report->stream_width && !report->parts && !report->chooser;
}

/* 0: there may be more; 1: end. */
static int run_batch(struct report *report)
{
	bool plain = is_plain(report);
	struct dkt_record record;
	int err = 0;

	for (int i = 0; !err && i < BATCH; i++) {
		err = dkt_source_next(report->source, &record);
		if (err)
			break;
		if (plain && record.event) {
			err = style_record(report->out.style, &record,
					   dkt_source_comm(report->source, &record),
					   report->out.buf);
			report->printed++;
		} else if (is_chosen(report, &record)) {
			err = print(report, &record);
		}
	}
	return err;
}

int report_run(struct report *report, int (*full)(void *data), void *data)
{
	int err = 0;

	while (!err && !dkt__stopped()) {
		err = run_batch(report);
		if (!err && full)
			err = full(data);
	}
	return err < 0 ? err : 0;
}

/* ---- beginning and end ---- */

static void find_width(struct report *report)
{
	const char *name;

	for (uint32_t i = 0; (name = dkt_source_stream(report->source, i)); i++)
		if (strlen(name) > report->stream_width)
			report->stream_width = strlen(name);
}

static int report_init(struct report *report)
{
	const struct report_opts *opts = report->opts;
	struct dkt_source *source = opts->joined ? opts->joined : report->source;
	bool several = opts->joined || (opts->streams && dkt_source_stream(source, 1));
	DKT_OPTS(dkt_style_opts, style, .source = dkt_source_info(source), .dir = opts->dir,
		 .streams = several ? source : NULL, .color = opts->color, .fields = opts->fields,
		 .n_fields = opts->n_fields, .raw_text = opts->raw_text);
	struct dkt_style_info info = { 0 };
	int err = dkt_buf_new(&report->out.buf);

	if (opts->style)
		style_find(opts->style, &info);
	/* Only the legacy style cannot do without what the classes are. */
	if (!err && opts->style && class_map_open(report->ctx, &report->map))
		err = info.name && !strcmp(info.name, "legacy") ? -EINVAL : 0;
	if (!err && opts->streams && !(info.traits & DKT_STYLE_DATA))
		find_width(report);
	if (!err && opts->style)
		err = style_new(report->ctx, report->map, opts->style, &style, &report->out.style);
	if (!err && opts->selection && !selection_is_all(opts->selection))
		err = chooser_open(report->ctx, report->source, opts->selection,
				   report->out.style ? style_legacy(report->out.style) : NULL,
				   &report->chooser);
	return err;
}

int report_new(struct dkt_ctx *ctx, struct dkt_source *source, const struct report_opts *opts,
	       struct report **out)
{
	struct report *report = calloc(1, sizeof(*report));
	int err;

	*out = NULL;
	if (!report)
		return -ENOMEM;
	*report = (struct report){
		.opts = opts, .ctx = ctx, .source = source, .out = { .ctx = ctx, .fd = opts->fd }
	};
	err = report_init(report);
	if (err)
		report_free(report);
	else
		*out = report;
	return err;
}

void report_join(struct report *report, struct report *const *parts, const size_t *part_of_stream,
		 size_t stream_width)
{
	report->parts = parts;
	report->part_of = part_of_stream;
	report->stream_width = stream_width;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	style_free(report->out.style);
	chooser_free(report->chooser);
	class_map_free(report->map);
	dkt_buf_free(report->out.buf);
	free(report);
}
