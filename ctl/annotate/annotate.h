/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* annotate: shared by its files. */
#pragma once

#include "answers/annotate/annotate.h"
#include "ctl/app/app.h"
#include "ctl/out/out.h"

struct annotate_options {
	const char *dso;
	bool count;
};
extern const struct opt_values annotate_values;

/* The text of a source, by lines. */
struct source_file {
	const char *path; /* borrowed */
	char *text; /* NULL: it is not shown */
	const char **lines;
	size_t n;
	const char *reason; /* why it is not shown; NULL: it is, or it is not here */
};

struct source_files {
	struct source_file **list;
	size_t n;
};

/*
 * Returns a line of a source, counted from 1; NULL: it has none, or is not shown: only if everybody may read it, or if
 * it belongs to the owner of the program. owner: -1 if that is unknown.
 */
const char *source_line(struct source_files *files, const char *path, int line, uid_t owner);
void source_files_clear(struct source_files *files);

/* A listing to print, and how. */
struct annotate_view {
	const struct app *app;
	const struct annotate *annotate;
	const char *path; /* of the first recording */
	size_t n_files;
	size_t top; /* lines of the summary */
};

/* Prints the first function. -ENOMEM. */
int annotate_show(const struct annotate_view *view, struct dkt__listing *listing,
		  const char *missing, struct out *out);
