/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording or tree to read, for commands that read the kernel without it. */
#pragma once

#include "ctl/app/app.h"

/*
 * Takes the file out of the arguments of hist, latency, dk, show and follow, and sets app->input to it. Returns
 * how many arguments are left. A word that may also be a command to run is the file only if it cannot be run.
 */
int file_argument_take(struct app *app, int argc, char **argv);

/*
 * Checks the word in the place of FILE of a command that takes a FILE or a COMMAND, after file_argument_take().
 * hist and latency can run it also without "--". Returns 0, or after an error message the exit status.
 */
int file_argument_check(const struct app *app, int argc, char **argv);
