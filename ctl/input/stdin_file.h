/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads standard input: a recording while it is written, or else as a file that has every offset. */
#pragma once

#include "ctl/app/app.h"

#define STDIN_NAME "standard input"

/*
 * Returns a descriptor, the same one for each call. The content of a pipe is first copied to a file
 * without a name in $TMPDIR or /tmp. An error message is in the app's context.
 */
int stdin_file(struct app *app);

/*
 * If the descriptor is a pipe with a name, as of "<(zcat FILE)", copies its content to such a file,
 * which takes the place of the pipe behind the descriptor. An error message is in the app's context.
 */
int stdin_copy_pipe(struct app *app, int pipe, const char *path);

/*
 * Opens a recording in progress, of which nobody else reads standard input. Returns 1 if there is
 * something else: then use stdin_file(). An error message is in either context.
 */
int stdin_recording(struct app *app, struct dkt_ctx *ctx, const struct dkt_source_opts *opts,
		    struct dkt_source **source);
