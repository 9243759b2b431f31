/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options that select records and their output format. */
#pragma once

#include "compat/lustre/log_source.h"
#include "compat/pipeline/sink.h"
#include "ctl/app/app.h"

struct record_args {
	struct selection selection; /* also has the times */
	struct dkt_source_opts source;
	struct sink_opts sink;
	struct dkt__strings fields;
	struct class_map *classes; /* shared by all files; NULL: not needed, or not readable */
	int jobs;
	struct log_wants wants; /* of a log that is a text */
	bool once; /* the only input, which is read once: a pipe may be read while it is written */
};

/* In these functions, file is the name of the output file, or NULL for standard output. */

/* Reads the options that select records. Returns 0 or EXIT_USAGE; clear args in either case. */
int record_args_read(struct app *app, struct record_args *args);

/*
 * Reads the options for the output: --format, otherwise --style, otherwise the style usual; if usual is
 * NULL, the suffix of the file's name. Returns 0 or EXIT_USAGE.
 */
int sink_args_read(const struct app *app, const char *file, const char *usual,
		   struct sink_opts *opts);

/* Reads both. Returns 0 or EXIT_USAGE; clear args in either case. */
int record_args_sink(struct app *app, const char *file, const char *usual,
		     struct record_args *args);
void record_args_clear(struct record_args *args);

/* Reads the selection alone, as for the live log. Returns 0 or EXIT_USAGE. */
int selection_args_read(struct app *app, struct selection *selection);
