/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A running analysis, as the kinds of analyses see it. */
#pragma once

#include "answers/analyze/analyze.h"
#include "answers/analyze/processes.h"
#include "answers/analyze/spans.h"
#include "answers/analyze/texts.h"

struct analyze_event; /* an event of the source, see analyze.c */

/* The CPUs of one file, or of a buffer in it. */
struct analyze_stream {
	uint64_t *last; /* by CPU: the time of its last record */
	uint32_t n_cpus;
};

struct analyze {
	struct dkt_ctx *ctx;
	const struct analysis *analysis;
	struct analyze_opts opts;
	void *state; /* of the kind */
	struct texts texts;
	struct processes processes;
	struct spans spans;
	struct analyze_event *events; /* a hash table by address */
	uint32_t n_events, mask; /* events, and the number of slots minus one */
	bool *has; /* by event of the kind: records came */
	struct analyze_stream *streams; /* of records */
	uint32_t n_streams;
	uint64_t from, to; /* the times of the first and last record */
	uint64_t shift; /* added to the times of records: after a restart, those before are earlier */
	uint64_t low, high; /* the recorded times of the boots before */
	bool any; /* a record came */
	struct analyze_missed missed;
};

/* -EINVAL with a message: processes are chosen, and the analysis has no rows of processes. */
int choice_check(const struct analyze *a);

/* True if the row is of no process, or of one that is chosen. */
bool choice_has(const struct analyze *a, const struct result_column *columns, size_t n,
		const struct result_cell *cells);

/* Adds a row to the i-th table of the kind. */
int analyze_row(struct analyze *a, const struct result_table *table,
		const struct result_cell *cells);

/* Returns the process that caused the record, with its name. PROCESS_NONE: memory is out. */
uint32_t analyze_self(struct analyze *a, const struct analysis_record *r);

/* Returns the process of a PID and sets its name from the i-th field. PROCESS_NONE: memory is out. */
uint32_t analyze_process(struct analyze *a, const struct analysis_record *r, int32_t pid, size_t i);

/* A cell for a process. */
static inline struct result_cell analyze_cell(const struct analyze *a, uint32_t process)
{
	const struct process *found = &a->processes.list[process];

	return (struct result_cell){ .text = found->name,
				     .number = (uint64_t)(int64_t)found->pid,
				     .known = true,
				     .process = process };
}

/* Returns the text of a string field, kept as long as the analysis; NULL: memory is out. */
const char *analyze_text(struct analyze *a, const struct analysis_record *r, size_t i);

/* Returns "vda", or "254,0" if the name on the record's host is unknown; NULL: memory is out. */
const char *analyze_disk(struct analyze *a, const struct analysis_record *r, uint64_t dev);
