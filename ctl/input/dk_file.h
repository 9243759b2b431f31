/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log as a trace.dat file: what dk and show do with --format. */
#pragma once

#include "input/args.h"
#include "pipeline/dk.h"

struct dk_file_sink {
	struct dk_file file; /* for struct dk_opts */
	struct app *app;
	const char *path;
	struct sink_opts opts;
	struct pipeline line;
	struct outfile out;
	struct sink sink;
};

/* Reads --format; nothing is written yet. 0 or EXIT_USAGE; to be closed in either case. */
int dk_file_new(struct app *app, const char *path, struct dk_file_sink *it);
void dk_file_close(struct dk_file_sink *it);
