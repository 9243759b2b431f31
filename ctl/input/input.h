/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command reads records from: a file, a saved tree, or the live log. */
#ifndef CTL_INPUT_H
#define CTL_INPUT_H

#include "app/progress.h"
#include "input/report_opts.h"

/* The word that stands for the log of the instance. */
#define INPUT_LOG "log"

/* The word that stands for standard input. */
#define INPUT_STDIN "-"

struct input {
	struct dkt_ctx *ctx; /* the kernel that it was recorded on */
	struct dkt_source *source;
	const char *path;
	struct debuglog *log; /* the live log's */
	struct report_args args; /* what is asked for */
	struct report *pick; /* NULL: all is */
};

/*
 * Opens it; the log stays as it is. On failure the words are in the app's context.
 */
int input_open(struct app *app, const char *path, const struct dkt_source_opts *opts,
	       struct input *in);
/*
 * The same for what the command line asks for, read by report_args_read(), which the input has a
 * copy of: of a window the source is at its begin, and input_wants() chooses the records.
 */
int input_open_picked(struct app *app, const char *path, const struct report_args *args,
		      struct input *in);

static inline bool input_wants(const struct input *in, const struct dkt_record *record)
{
	return !in->pick || report_selects(in->pick, record);
}

void input_close(struct input *in);

/*
 * When all was read: says on stderr what had been lost and what of a file made no sense. Returns 0,
 * EXIT_LOST or EXIT_FAILED. gaps: some were among the records.
 */
int input_tell(const struct input *in, bool gaps);

/* Says the words of a failure of the input as one of the app. Returns err. */
int input_fail(struct app *app, const struct input *in, int err);

#endif
