/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The analyses as tables of a database: each interval that they find is a row of a log, and what they
 * count is a table of its own. A ready-made interval is a log, too, unless an analysis tells more of it.
 * Knows no database.
 */
#pragma once

#include "answers/analyze/analyze.h"
#include "answers/analyze/period_kind.h"
#include "answers/analyze/spans.h"
#include "lib/base/arena.h"
#include "lib/base/strings.h"

/* A table that an analysis fills. */
struct answer {
	char *name; /* that of the analysis, or with _KEY if it has several tables */
	size_t job; /* index of the analysis that fills it */
	size_t nr; /* its number there */
	bool log; /* it has a row for each interval */
	const struct span_set *set; /* of a log, after answers_begin() */
	bool wanted;
	void *writer; /* for the writer */
};

/* An analysis, which runs for each host. */
struct answer_job {
	struct analysis analysis;
	const char *
		interval; /* the ready-made interval that it finds; NULL: the analysis has its own kind */
	struct period_run **kinds; /* of the interval, by host, as each kernel has other events */
	struct analyze **of_host; /* NULL: not wanted */
	size_t first; /* index of its first table; the others follow it */
	bool wanted;
};

/* The analyses that take the records of an event. */
struct answer_takers {
	uint32_t *jobs;
	uint32_t n;
};

struct answers {
	struct dkt_ctx *ctx;
	struct answer *list;
	size_t n;
	struct dkt__strings names; /* of the tables and the views */
	struct answer_job *jobs;
	size_t n_jobs;
	size_t n_hosts;
	struct answer_run *runs; /* of each analysis, for each host */
	bool *begun; /* by host: a record came */
	struct dkt__keymap keys; /* from the address of an event to its index in takers */
	struct answer_takers *takers;
	uint32_t n_takers;
	struct answer_takers all; /* of gaps: all that are wanted */
	struct dkt__arena arena; /* of lists of takers */
	/* Takes a row. An error ends the analysis. */
	int (*row)(void *data, struct answer *answer, size_t host, const struct result_cell *cells);
	void *data;
};

/* Lists the tables of all analyses and intervals. Set ctx, row and data first. */
int answers_new(struct answers *answers);

/* Calls fn with the name of each view on a log, which is valid during the call. */
int answers_each_view(const struct answers *answers, const struct answer *log,
		      int (*fn)(void *data, const struct analysis *analysis, const char *name),
		      void *data);

/* True if a table or a view has the name, in any letter case, or if the database keeps it for itself. */
bool answers_have(const struct answers *answers, const char *name);

/* Rows of a view of the longest intervals. */
#define ANSWER_TOP "10"

/* The quantiles of views: X(number, column, part). */
#define ANSWER_QUANTILES(X)                                                                        \
	X("1", "p50", "0.5") X("2", "p90", "0.9") X("3", "p99", "0.99") X("4", "p99.9", "0.999")

/* A column by which a view groups the intervals of a log. */
struct answer_group {
	/* The column that tells a group from others: of a process its number, since PIDs are used again. */
	char key[48]; /* empty: the column before does */
	const char *shown; /* the column that the view shows, of the last interval */
};

#define ANSWER_GROUPS (2 * SPAN_GROUPS)

/* Sets the columns by which a view on the log groups. Returns their number. */
size_t answer_groups(const struct answer *log, struct answer_group groups[ANSWER_GROUPS]);

enum answer_type {
	ANSWER_INTEGER,
	ANSWER_REAL,
	ANSWER_TEXT,
	ANSWER_ANY, /* text or an integer */
};

enum answer_type answer_type(const struct result_column *column);

/*
 * Calls fn for each column that a row has in a database, until it returns another value than 0: a process
 * is its name, its PID and its number.
 */
int answer_each_column(const struct result_table *table,
		       int (*fn)(void *data, const char *name, enum answer_type type), void *data);

/* Starts the wanted analyses: wanted is set in the list. ctxs: the kernel of each host. */
int answers_begin(struct answers *answers, struct dkt_ctx *const *ctxs, size_t n_hosts);

/* Returns the columns of a wanted table, after answers_begin(). */
const struct result_table *answer_table(const struct answers *answers, const struct answer *answer);

/* True if one of the wanted analyses takes the event. */
bool answers_want(const struct answers *answers, struct dkt_event *event);

/* Takes a record or a gap of a host. */
int answers_record(struct answers *answers, size_t host, struct dkt_source *source,
		   const struct dkt_record *record);

/* After the last record: adds the remaining rows. */
int answers_end(struct answers *answers);

/* True if the records had the events that the analysis of the table needs. */
bool answer_suffices(const struct answers *answers, const struct answer *answer);

/* Returns the name of an event that the analysis of the table takes. */
const char *answer_event(const struct answers *answers, const struct answer *answer);

void answers_clear(struct answers *answers);
