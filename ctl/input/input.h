/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a command: a file, a saved tree, or the live log. */
#pragma once

#include "ctl/input/args.h"

struct directory;

struct input {
	struct dkt_ctx *ctx; /* of the kernel that recorded it */
	struct dkt_source *source;
	const char *path;
	struct debuglog *log; /* of the live log, otherwise NULL */
	struct directory *dir; /* of segments, otherwise NULL */
	bool after; /* segments after those of another boot or kernel */
};

/*
 * Reading the live log removes nothing from it. flags are added to those of the source's options. An
 * error message is in the app's context.
 */
int input_open(struct app *app, const char *path, const struct record_args *args,
	       unsigned int flags, struct input *in);

/* Opens the input once more, for another thread: of a directory the same segments. */
int input_open_again(struct app *app, const struct input *of, const struct record_args *args,
		     unsigned int flags, struct input *in);

/* True if the input is a directory whose later segments are of another boot or kernel. */
bool input_has_more(const struct input *in);

/* Opens those as an input of their own. */
int input_open_more(struct app *app, struct input *before, const struct record_args *args,
		    struct input *in);

/* Returns -EINVAL with an error message that says how to choose among those segments. */
int input_refuse_more(struct app *app, const struct input *in);

/* True if the input is the live log, which is recording. */
bool input_is_on(const struct input *in);

/* Returns when the segments that are open began, a time of day in s. */
int64_t input_time(const struct input *in);

/* Reports when a directory's segments were not recorded. Returns true if there was such a time. */
bool input_report_gaps(const struct input *in);

/* Returns -EINVAL if the output would replace the input, or a segment of it. */
int input_check_output(const struct input *in, const struct outfile *file);

void input_close(struct input *in);
