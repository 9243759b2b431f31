/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leaves a process in the background that records all the time. */
#pragma once

#include <limits.h>

#include "ctl/app/app.h"

struct background {
	struct app *app;
	int ready; /* a pipe to the process that waits */
};

/*
 * Creates the directory for the files of such a process, and gets its full path; dir NULL:
 * /var/log/dktrace. -ENOTDIR: it is not a directory; -EINVAL: its name has a newline or a tab;
 * an error of open(2): no file can be created in it.
 */
int background_dir(const struct app *app, const char *dir, char path[PATH_MAX]);

/*
 * Runs in this process with --foreground, otherwise in one whose parent is init. Returns the exit
 * status; for a process in the background 0 as soon as it has called background_ready().
 */
int background_run(struct background *background, struct app *app, int (*run)(void *data),
		   void *data);

/* Lets go of the terminal, and tells the process that waits. */
void background_ready(struct background *background);
