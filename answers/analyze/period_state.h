/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Periods while records are read: which records begin and end them, and those that are open. */
#pragma once

#include "answers/analyze/period_def.h"
#include "answers/analyze/period_field.h"
#include "answers/analyze/period_index.h"
#include "answers/analyze/requests.h"

/* The children of one definition within a period. */
struct period_sum {
	uint64_t count;
	uint64_t total; /* of their durations */
};

/* The fields of a record that a key consists of, by their indices in the fields of a definition. */
struct period_key {
	uint32_t fields[PERIOD_KEYS];
	uint32_t n;
};

/* A period that has begun. */
struct period_open {
	struct period *period;
	uint64_t begin;
	uint64_t left; /* sectors of a request that have not been completed */
	struct period_open *parent;
	struct period_open *children; /* that are open */
	struct period_open *next, *prev; /* of the same parent */
	struct period_sum *sums; /* by number of the definition; NULL: it can have no children */
	struct period_link *links; /* in its own index, then in that of each child's definition */
	struct dkt_variable values[]; /* of the fields of its definition */
};

#define PERIOD_NO_FIELD UINT32_MAX

/* A definition, and its periods. */
struct period {
	const struct period_def *def;
	uint32_t nr;
	struct period *parent; /* NULL: none */
	uint32_t thread; /* the field that is the ID of its thread, which the end must have, too */
	struct period_key key; /* that the end must have */
	struct period_index index; /* by the key */
	struct period_key parent_key; /* fields of the parent that the beginning must have */
	struct period_index parents; /* its open periods by that key */
	uint32_t link; /* the number of a parent's link in that index */
	uint32_t n_links;
	struct period_open *roots; /* those that are open, if there is no parent */
	struct period_open *spare; /* memory for others, linked by next */
	size_t n_open;
	struct dkt_variable *now; /* the fields of the record that begins periods */
	uint64_t request[DKT__REQUEST_WORDS], sectors; /* of that record */
};

/* Where a definition names an event: the record begins or ends its periods. */
struct period_role {
	struct period *period;
	bool ends; /* otherwise they begin */
	struct dkt_expr *filter; /* NULL: all records */
	bool exact; /* all that the filter asks is in the key */
	struct period_reader key[PERIOD_KEYS];
	const struct dkt_field *request[REQUEST_FIELDS]; /* if the periods are requests */
	struct period_reader *fields; /* of the definition, or those to show of the end */
};

struct period_event {
	struct period_role *roles;
	size_t n;
	bool bound;
};

/* The sums over all periods of one definition, of their children of another. */
struct period_children {
	uint64_t parents; /* with at least one child */
	uint64_t count, total;
	uint64_t most; /* children of one */
	double least_share, most_share; /* of the time of one */
};

struct period_whole {
	uint64_t count, total;
};

struct periods {
	struct period *list;
	size_t n;
	struct period_event *events; /* by the number of the event */
	uint32_t n_events;
	struct period_whole *wholes; /* by definition: those that the rows have */
	struct period_children *children; /* by definition of the parent, then of the child */
	struct dkt__keyed births; /* from the ID of a thread to a uint64_t: when it began, ns */
};

/* Prepares the state for definitions, which outlive it. */
int periods_begin(struct analyze *a, struct periods *all, const struct period_defs *defs);
void periods_clear(struct periods *all);

/* Returns what the records of an event do; NULL: memory is out. */
const struct period_event *periods_event(struct analyze *a, struct periods *all,
					 const struct analysis_record *r);

/* Makes the words of a key from the values of a definition's fields. False: one is unknown. */
bool period_key_words(const struct period_key *key, const struct dkt_variable *values,
		      uint64_t words[PERIOD_KEYS]);

/*
 * Begins a period, in place of one that no end can tell from it. The fields of the record are in
 * period->now.
 */
int period_begin(struct analyze *a, struct periods *all, struct period *period,
		 struct period_open *parent, uint64_t ts);

/*
 * Notes that the first sectors of a request have been completed, not all: it ends with the last ones. words:
 * its key up to now.
 */
int period_go_on(struct analyze *a, struct period_open *open,
		 const uint64_t words[DKT__REQUEST_WORDS], uint64_t sectors);

/* Removes a period without an end, which *n counts, and its children, which *inside counts. */
void period_drop(struct period_open *open, uint64_t *n, uint64_t *inside);

/* Removes all open periods of a definition that has no parent, and what is in them. */
void period_drop_all(struct period *period, uint64_t *n);
void period_free_spare(struct period *period);

/* Returns the index of the field that is the thread's ID, if the end must have it; PERIOD_NO_FIELD: none. */
uint32_t period_thread_field(const struct period_def *def);

/* Takes a record of a thread that begins: its first field is the new ID. */
int period_birth(struct analyze *a, struct periods *all, const struct analysis_record *r);

/* True if the thread that began the period has ended, and another one has its ID now. */
bool period_is_of_another(const struct periods *all, const struct period_open *open);
