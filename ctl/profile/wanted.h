/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: the threads whose time by the wall clock is wanted. */
#pragma once

#include "answers/wall/wall.h"
#include "ctl/app/app.h"
#include "lib/base/strings.h"

/* All zero: all threads. */
struct wanted_threads {
	int *tids;
	size_t n_tids;
	struct dkt__strings comms;
};

/*
 * Takes --pid and --comm out of the selection of records: others tell when these threads run, and who wakes them.
 * Returns 0 or EXIT_USAGE; clear it in either case.
 */
int wanted_take(struct app *app, struct wanted_threads *wanted);
void wanted_clear(struct wanted_threads *wanted);

/* For wall_opts.chosen. data: a struct wanted_threads. */
bool wanted_is(void *data, int32_t tid, const char *comm);

/* Returns -ENODATA, with words that say why, if no time of any thread is known. */
int wanted_check(struct dkt_ctx *ctx, const struct wall *wall, enum profile_side side,
		 const char *path);
