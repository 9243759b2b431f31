/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a command: a file, a saved tree, or the live log. */
#pragma once

#include "app/app.h"

struct input {
	struct dkt_ctx *ctx; /* the kernel that it was recorded on */
	struct dkt_source *source;
	const char *path;
	struct debuglog *log; /* the live log's */
};

/*
 * Opens it; the log stays as it is. On failure the words are in the app's context.
 */
int input_open(struct app *app, const char *path, const struct dkt_source_opts *opts,
	       struct input *in);
void input_close(struct input *in);
