/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leaves a process in the background that records all the time. */
#pragma once

#include "app/app.h"

struct behind {
	struct app *app;
	int ready; /* a pipe to the process that waits */
};

/*
 * Runs in this process with --foreground, otherwise in one whose parent is init. Returns the exit
 * status; for a process in the background 0 as soon as it has called behind_ready().
 */
int behind_run(struct behind *behind, struct app *app, int (*run)(void *data), void *data);

/* Lets go of the terminal, and tells the process that waits. */
void behind_ready(struct behind *behind);
