/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: reads the files for the intervals in which the time of threads counts. */
#pragma once

#include "answers/wall/within.h"
#include "ctl/input/inputs.h"

/* Reads --interval and --took; name is NULL without them. Returns 0 or EXIT_USAGE. */
int within_read(const struct app *app, struct wall_within_opts *opts);

/* Finds the intervals in the files, which are read for this alone. An error has words. Free *within in either case. */
int within_find(const struct inputs *files, const struct record_args *args,
		const struct wall_within_opts *opts, struct wall_within **within);

/* Returns -ENODATA, with a message that says why, if the files have no such interval. */
int within_check(struct dkt_ctx *ctx, const struct wall_within *within,
		 const struct wall_within_opts *opts, const char *path);
