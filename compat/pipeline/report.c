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
#include "lustre/class/glob.h"
#include "lustre/select.h"

/* Records that are put into the buffer before somebody looks how full it is. */
#define BATCH 1024

/* Bytes of a glob over the name of a system. */
#define MAX_GLOB 256

enum verdict { UNKNOWN, SHOWN, HIDDEN };

/* ---- selection ---- */

/* Cuts "SYSTEM:NAME"; without a colon the system is "". */
static const char *cut_glob(const char *glob, char *system, size_t size)
{
	const char *colon = strchr(glob, ':');

	snprintf(system, size, "%.*s", colon ? (int)(colon - glob) : 0, glob);
	return colon ? colon + 1 : glob;
}

const char *report_glob_check(const char *glob)
{
	char system[MAX_GLOB];
	const char *name = cut_glob(glob, system, sizeof(system)), *words;
	size_t at;

	words = glob_check(name, &at);
	return words || !*system ? words : glob_check(system, &at);
}

static bool glob_takes_name(const char *glob, const char *its_system, const char *its_name)
{
	char system[MAX_GLOB];
	const char *name = cut_glob(glob, system, sizeof(system));

	return dkt__glob(name, its_name) && (!*system || dkt__glob(system, its_system));
}

static bool glob_takes(const char *glob, const struct dkt_event *event)
{
	return glob_takes_name(glob, dkt_event_system(event), dkt_event_name(event));
}

/* Events of the tracer itself, which no list has (kernel/trace/trace_entries.h). */
static bool takes_own(const char *glob)
{
	static const char *const names[] = {
		"print",           "bprint",         "bputs",        "function",
		"funcgraph_entry", "funcgraph_exit", "kernel_stack", "user_stack",
		"context_switch",  "wakeup",         "branch",       "hwlat",
		"osnoise",         "timerlat",       "func_repeats", "raw_data",
		"mmiotrace_rw",    "mmiotrace_map",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (glob_takes_name(glob, "ftrace", names[i]))
			return true;
	return false;
}

int report_check_events(struct dkt_ctx *ctx, const struct report_opts *opts)
{
	struct dkt_event *const *events;
	struct dkt__guess guess = { 0 };
	size_t i, j, n;
	int err = dkt_events(ctx, &events, &n);

	/* The events of a saved log come with its records; those of ftrace are not among them. */
	if (err || !n || !opts->n_events)
		return err;
	for (j = 0; j < opts->n_events; j++) {
		if (takes_own(opts->events[j]))
			return 0;
		for (i = 0; i < n; i++)
			if (glob_takes(opts->events[j], events[i]))
				return 0;
	}
	/* A system alone would match no event. */
	for (j = 0; j < opts->n_events && !strchr(guess.best, ':'); j++) {
		dkt__guess_start(&guess, opts->events[j], strlen(opts->events[j]));
		select_guess(&guess, ctx);
	}
	return dkt_fail(ctx, -ENOENT, "--event: no event matches '%s'%s%s", opts->events[0],
			opts->n_events > 1 ? " or the others" : "",
			strchr(guess.best, ':') ? dkt__guess_words(&guess) : "");
}

static enum verdict judge(const struct report *report, struct dkt_event *event)
{
	const struct report_opts *opts = report->opts;
	size_t i;

	/* What the filter cannot be put to does not match. */
	if (report->filter && dkt_expr_check_match(report->filter, event))
		return HIDDEN;
	for (i = 0; i < opts->n_events; i++)
		if (glob_takes(opts->events[i], event))
			return SHOWN;
	return opts->n_events ? HIDDEN : SHOWN;
}

static inline bool is_shown(struct report *report, struct dkt_event *event)
{
	size_t i = dkt_event_index(event);

	/* Events that no format is of have no place of their own. */
	if (i >= report->n_verdicts)
		return judge(report, event) == SHOWN;
	if (!report->verdicts[i])
		report->verdicts[i] = (uint8_t)judge(report, event);
	return report->verdicts[i] == SHOWN;
}

static bool wants(void *data, struct dkt_event *event)
{
	return judge(data, event) == SHOWN;
}

static bool has_pid(const struct report_opts *opts, int32_t pid)
{
	size_t i;

	for (i = 0; i < opts->n_pids; i++)
		if (opts->pids[i] == pid)
			return true;
	return false;
}

static inline bool selected(struct report *report, const struct dkt_record *record)
{
	const struct report_opts *opts = report->opts;

	/* A gap is told whatever else is asked for: what was lost could have been it. */
	if (!record->event)
		return true;
	if (report->verdicts && !is_shown(report, record->event))
		return false;
	if (opts->n_pids && !has_pid(opts, record->pid))
		return false;
	return !report->filter ||
	       dkt_expr_match(report->filter, record, dkt_source_comm(report->source, record));
}

bool report_selects(struct report *report, const struct dkt_record *record)
{
	return selected(report, record);
}

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

/* Whether every record is shown, as its style makes it and nothing beside. */
static bool is_plain(const struct report *report)
{
	const struct report_opts *opts = report->opts;

	return !report->stream_width && !report->parts && !report->verdicts && !opts->n_pids &&
	       !report->filter;
}

/* 0: there may be more; 1: end. */
static int run_batch(struct report *report)
{
	bool plain = is_plain(report);
	struct dkt_record record;
	int i, err = 0;

	for (i = 0; !err && i < BATCH; i++) {
		err = dkt_source_next(report->source, &record);
		if (err)
			break;
		if (plain && record.event) {
			err = style_record(report->out.style, &record,
					   dkt_source_comm(report->source, &record),
					   report->out.buf);
			report->printed++;
		} else if (selected(part_of(report, &record), &record)) {
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

/* Every event that has the fields can be judged, or a filter that selects nothing is told. */
static int check_filter(struct report *report)
{
	struct dkt_event *const *events;
	size_t n;
	int err = dkt_events(report->ctx, &events, &n);

	/* The events of a saved log come with its records. */
	if (err || !n)
		return err;
	return dkt_expr_check_any(report->filter, events, n, DKT_EXPR_MATCH);
}

static int open_map(struct report *report)
{
	struct dkt_event *const *events;
	size_t n;
	int err = dkt_events(report->ctx, &events, &n);

	if (!err)
		err = class_map_load(report->ctx, &report->map);
	return err ? err : class_map_resolve(report->map, events, n);
}

static void find_width(struct report *report)
{
	const char *name;
	uint32_t i;

	for (i = 0; (name = dkt_source_stream(report->source, i)); i++)
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
	struct dkt_event *const *events;
	int err = dkt_events(report->ctx, &events, &report->n_verdicts);

	if (!err)
		err = dkt_buf_new(&report->out.buf);
	if (!err && (opts->n_events || opts->filter)) {
		report->verdicts = calloc(report->n_verdicts + 1, 1);
		err = report->verdicts ? 0 : -ENOMEM;
	}
	if (opts->style)
		style_find(opts->style, &info);
	/* Only the legacy style cannot do without what the classes are. */
	if (!err && opts->style && open_map(report)) {
		class_map_free(report->map);
		report->map = NULL;
		err = info.name && !strcmp(info.name, "legacy") ? -EINVAL : 0;
	}
	if (!err && opts->streams && !(info.traits & DKT_STYLE_DATA))
		find_width(report);
	if (!err && opts->style)
		err = style_new(report->ctx, report->map, opts->style, &style, &report->out.style);
	if (!err && opts->filter)
		err = mask_expr(report->ctx, opts->filter, &report->filter);
	if (!err && opts->filter)
		err = check_filter(report);
	/* Where the source cannot leave them out, they are left out here. */
	if (!err && report->verdicts && dkt_source_select(report->source, wants, report) == -ENOMEM)
		err = -ENOMEM;
	if (!err && report->filter && dkt_source_filter(report->source, report->filter) == -ENOMEM)
		err = -ENOMEM;
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
	dkt_expr_free(report->filter);
	class_map_free(report->map);
	dkt_buf_free(report->out.buf);
	free(report->verdicts);
	free(report);
}
