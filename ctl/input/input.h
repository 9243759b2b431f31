/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command reads records from: a file, a saved tree, or the live log. */
#ifndef CTL_INPUT_H
#define CTL_INPUT_H

#include "app/progress.h"
#include "app/rights.h"
#include "input/report_opts.h"

struct input {
	struct dkt_ctx *ctx; /* the kernel that it was recorded on */
	struct dkt_source *source;
	const char *path;
	struct debuglog *log; /* the live log's */
	struct chooser *chooser; /* NULL: all records are asked for */
};

/*
 * Opens it; the log stays as it is. On failure the words are in the app's context.
 */
int input_open(struct app *app, const char *path, const struct dkt_source_opts *opts,
	       struct input *in);
/*
 * The same for what the command line asks for, read by report_args_read(), which outlives the input: the
 * source is at the begin of the window, and input_wants() chooses the records.
 */
int input_open_picked(struct app *app, const char *path, struct report_args *args,
		      struct input *in);

/* Whether the record is asked for; source: the one that it came by, which knows its process. */
static inline bool input_wants(const struct input *in, struct dkt_source *source,
			       const struct dkt_record *record)
{
	return !in->chooser || (chooser_takes(in->chooser, record, source, NULL) &&
				chooser_in_rate(in->chooser, record, NULL));
}

/*
 * Calls fn for each record that is asked for, and shows on a terminal how far it is. Returns what fn
 * returned, if that is not 0; the words of a failure of the reading are in the app's context.
 */
int input_each(struct app *app, struct input *in,
	       int (*fn)(void *data, const struct dkt_record *record), void *data);

/* Says on stderr that its records are incomplete, if some were lost; returns whether. */
bool input_misses(const struct input *in, uint64_t lost);

void input_close(struct input *in);

/*
 * When all was read: says on stderr what had been lost and what of a file made no sense. Returns 0,
 * EXIT_LOST or EXIT_FAILED. gaps: some were among the records.
 */
int input_tell(const struct input *in, bool gaps);

/* Says the words of a failure of the input as one of the app. Returns err. */
int input_fail(struct app *app, const struct input *in, int err);

#endif
