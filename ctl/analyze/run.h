/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an analysis over a file, or over what it records live. */
#pragma once

#include "analyze/analyze.h"
#include "app/app.h"
#include "input/live_args.h"

struct run {
	struct app *app;
	struct dkt_ctx *ctx; /* of the kernel that recorded */
	const struct analysis *analysis;
	char **command; /* to run while recording; NULL: none */
	double seconds; /* to record; 0: no limit */
	struct record_args args;
	struct inputs in;
	struct analyze *analyze;
	uint64_t seen, lost; /* records */
	int64_t wall; /* ns to add to times to get the time of day */
	bool has_wall; /* wall is known */
	int (*idle)(void *data); /* live: called often; may be NULL */
	int (*finish)(void *data); /* called after the last row */
	void *data; /* for both */
};

/* Finds the analysis and reads the options that select records. Returns 0 or EXIT_USAGE. */
int run_read(struct run *run, const char *name);

/* Opens the file, or tracefs. */
int run_open(struct run *run);

/* Reads or records, with rows as opts says. Sets *rc to the exit status. */
int run_all(struct run *run, const struct analyze_opts *opts, int *rc);

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
