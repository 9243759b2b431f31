/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Analyses: each takes records from the pipeline, and answers a question with tables. Reads, counts
 * and compares; never prints.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/analyze/result.h"
#include "compat/pipeline/selection.h"
#include "lib/base/util.h"

struct analyze;
struct span;

#define ANALYSIS_FIELDS 8

/* A record of an event that the analysis needs. */
struct analysis_record {
	const struct dkt_record *record; /* not a gap */
	struct dkt_source *source;
	const struct dkt_field *const *fields; /* as in the event's row; NULL: the event lacks it */
	uint32_t event; /* number of the event, from 0, in the order in which events come */
};

static inline int64_t record_int(const struct analysis_record *r, size_t i)
{
	return r->fields[i] ? dkt_record_int(r->record, r->fields[i]) : 0;
}

typedef int (*analysis_record_fn)(struct analyze *a, void *state, const struct analysis_record *r);

enum analysis_need {
	NEED_ALL, /* the analysis needs each of these events */
	NEED_ONE, /* it needs at least one of these events */
	NEED_NONE, /* its tables are complete without the event but for some columns */
};

struct analysis_event {
	const char *name; /* "system:name", globs */
	enum analysis_need need;
	analysis_record_fn record;
	const char *fields[ANALYSIS_FIELDS]; /* "a|b": the first one that the event has */
};

/* Joins records to something. Several analyses may show that in different ways. */
struct analysis_kind {
	const struct analysis_event *events;
	size_t n_events;
	size_t size; /* of the state, which begins as zeroes */
	int (*begin)(struct analyze *a,
		     void *state); /* before the first record; NULL: nothing to do */
	/* Records of the CPU are lost from before ts: its state since last is unknown. May be NULL. */
	int (*gap)(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts);
	int (*end)(struct analyze *a,
		   void *state); /* after the last record, adds rows; may be NULL */
	/* Takes an interval that the rows have: no loss makes it doubtful. May be NULL. */
	int (*span)(struct analyze *a, void *state, const struct span *span);
	int (*last)(struct analyze *a, void *state); /* after the last interval; may be NULL */
	void (*clear)(void *state); /* may be NULL */
	/* The tables that end() fills for the views VIEW_TABLES and VIEW_STATS; NULL: none. */
	const struct result_table *tables;
	size_t n_tables;
	const struct span_set *sets; /* the sets of intervals */
	size_t n_sets;
	bool live_globs; /* live, record all events that a row for several names */
	const void *data; /* of the kind */
};

/* The ways to show intervals. */
enum analysis_view {
	VIEW_TABLES, /* the tables of the kind */
	VIEW_LOG, /* each interval */
	VIEW_TOP, /* the longest */
	VIEW_STATS, /* minimum, mean, percentiles, maximum by group */
	VIEW_FREQ, /* how many are how long */
};

struct analysis {
	const char *name;
	const struct analysis_kind *kind;
	enum analysis_view view;
	const char *help;
};

/* Returns the next analysis, in the order of lists, or NULL after the last one. NULL: the first. */
const struct analysis *analysis_next(const struct analysis *analysis);

/* NULL: there is none of that name. */
const struct analysis *analysis_find(const char *name);

struct analyze_opts {
	size_t top; /* the longest intervals to show; 0: 10 */
	const char *group_by; /* keys of columns, at most two; "none"; NULL: as the analysis says */
	/* Its PIDs and names choose the processes whose rows are shown; NULL: all. */
	const struct selection *who;
	uint64_t least, most; /* the durations in ns of the intervals to take; most 0: no limit */
	/* Takes a row: a cell for each column. An error ends the analysis. */
	int (*row)(void *data, const struct result_table *table, const struct result_cell *cells);
	void *data;
};

/*
 * -EINVAL: group_by names no column, or no row can be of the processes of who; the context has the
 * message.
 */
int analyze_new(struct dkt_ctx *ctx, const struct analysis *analysis,
		const struct analyze_opts *opts, struct analyze **a);
void analyze_free(struct analyze *a);

/* A dkt_event_fn: true for the events of the analysis. data is the struct analyze. */
bool analyze_wants(void *data, struct dkt_event *event);

/* Takes a record or a gap: a pipeline_fn whose data is the struct analyze. */
int analyze_record(void *data, struct dkt_source *source, const struct dkt_record *record);

/* After the last record: adds the remaining rows. */
int analyze_end(struct analyze *a);

/* Returns the i-th table, counted from 0, or NULL after the last. */
const struct result_table *analyze_table(const struct analyze *a, size_t i);

/* The times of the first and the last record. */
void analyze_range(const struct analyze *a, uint64_t *from, uint64_t *to);

/* True if records of the i-th event of the analysis came. */
bool analyze_has(const struct analyze *a, size_t i);

/* The number of intervals and records that the rows leave out. */
struct analyze_missed {
	uint64_t lost; /* intervals that a loss of records makes doubtful */
	uint64_t open; /* their end is after the last record */
	uint64_t endless; /* another beginning came before their end */
	uint64_t unbegun; /* their beginning is missing */
	uint64_t cut; /* the period that they are in ended before them */
	uint64_t backwards; /* records whose time is before that of the record before them */
	uint64_t restarts; /* times that a second or more before show another boot */
};

const struct analyze_missed *analyze_missed(const struct analyze *a);

/* True if the row is for the event. */
bool analysis_event_is(const struct analysis_event *row, const struct dkt_event *event);

/* True if the events that came suffice. */
bool analysis_suffices(const struct analysis_kind *kind, const bool *has);
