/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options that select records and their output format. */
#pragma once

#include "app/app.h"
#include "pipeline/sink.h"

struct record_args {
	struct selection selection;
	struct dkt_source_opts source; /* without the window, which is the selection's */
	struct sink_opts sink;
	struct names fields;
	struct class_map
		*classes; /* for all files; NULL: nobody asks for them, or they cannot be read */
	int jobs;
};

/* Which records. 0 or EXIT_USAGE; to be cleared in either case. */
int record_args_read(struct app *app, struct record_args *args);

/*
 * Reads the kind of output: --format, otherwise --style, otherwise usual, otherwise the end of the
 * name of the file; NULL is standard output. Returns 0 or EXIT_USAGE.
 */
int sink_args_read(const struct app *app, const char *file, const char *usual,
		   struct sink_opts *opts);

/* Both. */
int record_args_sink(struct app *app, const char *file, const char *usual,
		     struct record_args *args);
void record_args_clear(struct record_args *args);

/* --style or usual as what is written to file. 0 or EXIT_USAGE. */
int style_arg_read(const struct app *app, const char *usual, const char *file,
		   struct dkt_style_info *style);

/* The words of the selection, for a log of this machine too. 0 or EXIT_USAGE. */
int selection_args_read(struct app *app, struct selection *selection);
