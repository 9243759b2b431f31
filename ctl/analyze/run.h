/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an analysis over files, or over what it records live. */
#pragma once

#include "answers/analyze/analyze.h"
#include "answers/analyze/period_kind.h"
#include "ctl/app/app.h"
#include "ctl/input/live_args.h"

struct analyze_options {
	const char *keys, *periods, *sort, *took;
};
extern const struct opt_values analyze_values;

struct run;

/* The records of one boot of a machine, which an analysis of their own takes. */
struct run_machine {
	struct run *run;
	struct analyze *analyze;
	const char *name; /* its host, or its first file */
	size_t file; /* index of its first file */
};

struct run {
	struct app *app;
	struct dkt_ctx *ctx; /* of the kernel that recorded */
	const struct analysis *analysis;
	struct period_run *periods; /* of --period; NULL: the analysis has none */
	char **command; /* to run while recording; NULL: none */
	double seconds; /* to record; 0: no limit */
	bool stacks; /* record stacks, too */
	char **files; /* to read */
	size_t n_files; /* 0: live */
	struct selection who; /* the processes whose rows are shown */
	uint64_t least, most; /* the durations of intervals, as in analyze_opts */
	struct record_args args;
	struct inputs in;
	struct run_machine *machines;
	size_t n_machines;
	size_t *machine_of; /* by file */
	struct losses_sum all;
	int64_t wall; /* ns to add to times to get the time of day */
	bool has_wall; /* wall is known */
	/* Takes a row of a machine. An error ends the analysis. */
	int (*row)(void *data, const struct run_machine *machine, const struct result_table *table,
		   const struct result_cell *cells);
	int (*idle)(void *data); /* live: called often; may be NULL */
	int (*finish)(void *data); /* called after the last row */
	void *data; /* for these three */
};

/* Finds the analysis and reads the options that select records. Returns 0 or the exit status. */
int run_read(struct run *run, const char *name);

/* Reads the definitions of periods, if the analysis needs them. run_open() does so, too. */
int run_define(struct run *run);

/* Opens the files, or tracefs. */
int run_open(struct run *run);

/* Creates the analyses: of the machines of the files, or one to ask for its tables. */
int run_new(struct run *run, const struct analyze_opts *opts);

/* Reads the files, or records. Ignores opts->row and opts->data. Sets *rc to the exit status. */
int run_all(struct run *run, const struct analyze_opts *opts, int *rc);

/* Returns the i-th table, counted from 0, or NULL after the last; machines differ only in its address. */
static inline const struct result_table *run_table(const struct run *run, size_t i)
{
	return analyze_table(run->machines[0].analyze, i);
}

/* Gets what the rows of all machines leave out, and the times of the first and the last record. */
void run_missed(const struct run *run, struct analyze_missed *missed);
void run_range(const struct run *run, uint64_t *from, uint64_t *to);

/*
 * -ENOENT with an error message: the file, or the kernel, has no event that the analysis needs. Of a
 * file whose events come with its records, nothing is known before it is read.
 */
int run_check(const struct run *run);

/* Returns rc, or EXIT_FAILED after the message of err. */
int run_close(struct run *run, int err, int rc);

/* Returns the names of the events with that between them; the caller frees it. */
char *run_event_names(const struct analysis_kind *kind, const char *between);

/* Returns "; did you mean NAME?" or "". */
const char *run_guess(struct dkt__guess *guess, const char *name);
