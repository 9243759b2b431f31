/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the log, or records of its instance that are apart from it. */
#pragma once

#include "ctl/app/app.h"

/*
 * Prints as the options say to the file that is the command's argument, NULL: to that of --output or to
 * standard output. flags: enum dkt_live_flags; 0 empties the log. Returns the exit status.
 */
int dk_command(struct app *app, const char *argument, unsigned int flags);
