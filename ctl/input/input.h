/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a command: a file, a saved tree, or the live log. */
#pragma once

#include "app/app.h"

struct input {
	struct dkt_ctx *ctx; /* of the kernel that recorded it */
	struct dkt_source *source;
	const char *path;
	struct debuglog *log; /* of the live log, otherwise NULL */
};

/* Reading the live log removes nothing from it. An error message is in the app's context. */
int input_open(struct app *app, const char *path, const struct dkt_source_opts *opts,
	       struct input *in);
void input_close(struct input *in);
