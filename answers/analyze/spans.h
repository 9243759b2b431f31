/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Intervals with a beginning, an end and a few values. A kind of analysis finds them; they are shown
 * as a log, as the longest, as statistics by group, or by their frequency.
 */
#pragma once

#include "answers/analyze/analyze.h"
#include "lib/base/dist.h"
#include "lib/base/open.h"

#define SPAN_CELLS  8
#define SPAN_GROUPS 2

/* Intervals of one sort, which have the same columns. */
struct span_set {
	const char *key; /* of the table */
	const char *title;
	const struct result_column *columns;
	size_t n; /* columns, at most SPAN_CELLS */
	int by[SPAN_GROUPS]; /* indices of columns that make the groups, if the user names none; -1: none */
	/* Begin and end are on one CPU, so that lost records of another CPU do not matter. */
	bool one_cpu;
	/* For span_begin() and span_end(): */
	uint32_t n_keys; /* words of a key; 0: one. The first one is the CPU if one_cpu */
	bool first; /* of two begins the first one counts, see lib/base/open.h */
	bool beginless; /* ends without a begin are no loss */
};

struct span {
	uint64_t begin, end;
	uint32_t set; /* index of the set */
	bool lost; /* records that were lost make it doubtful */
	void *more; /* of the kind, from malloc(3); span_add() takes it. NULL: nothing */
	struct result_cell cells[SPAN_CELLS];
};

/* The intervals of a group. */
struct span_group {
	struct result_cell cells[SPAN_GROUPS];
	struct dkt__dist dist;
};

/* Groups found last, for one look without a search. */
#define SPAN_NEAR 256

/* A set and what is known of its intervals. */
struct span_shown {
	const struct span_set *set;
	int by[SPAN_GROUPS];
	size_t n_by;
	struct dkt__keymap keys; /* from the cells of a group to its index */
	struct span_group *groups;
	uint32_t n_groups;
	struct {
		uint64_t key[2 * SPAN_GROUPS];
		uint32_t next; /* the index of the group plus 1; 0: none */
	} near[SPAN_NEAR];
	struct span *top; /* the longest first */
	size_t n_top;
	struct result_column *columns; /* of its table */
	size_t n_columns;
};

/* So many intervals wait until no loss can make them doubtful any more. */
#define SPANS_RING (1u << 14)

struct spans {
	struct analyze *a;
	struct dkt__open *open; /* by set: what span_begin() began */
	struct span *ring; /* the last ones, which a loss may still make doubtful */
	size_t head, n; /* the next place in the ring, and the spans in it */
	struct span_shown *shown; /* for each set */
	size_t n_sets;
	struct result_table *tables; /* of the sets; of statistics also that of all intervals */
	size_t n_tables;
};

/* Prepares the table of what has begun of a set. */
void spans_open(struct dkt__open *open, const struct span_set *set);

/* Prepares the tables. -EINVAL: an error of --keys; the context has the message. */
int spans_begin(struct spans *spans, struct analyze *a);

/* Shows the intervals that wait: no loss can make them doubtful any more. */
int spans_flush(struct spans *spans);

/* Takes an interval. Times that run backwards make it 0 long. */
int span_add(struct analyze *a, struct span *span);

/*
 * Begins an interval of a set. *span: where the caller writes the cells that are known; NULL: an earlier begin counts.
 * Returns -ENOMEM, or 0.
 */
int span_begin(struct analyze *a, uint32_t set, const uint64_t *key, uint64_t ts,
	       struct span **span);

/* Returns what has begun, or NULL. */
struct span *span_find(struct analyze *a, uint32_t set, const uint64_t *key);

/*
 * Ends it, and returns it for span_add(), with its end and the cells of span_begin(); valid until the next begin.
 * NULL: it has not begun.
 */
struct span *span_end(struct analyze *a, uint32_t set, const uint64_t *key, uint64_t ts);

/* Records of a CPU are lost since last: what has begun, and intervals that ended after it, are doubtful. */
void spans_gap(struct spans *spans, uint32_t cpu, uint64_t last);

/* Counts what is open after the last record, and the begins and ends that have no other side. */
void spans_count(struct spans *spans);

/* Shows the rest. */
int spans_end(struct spans *spans);
void spans_clear(struct spans *spans);
