/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drops privileges before a command reads data from others. */
#pragma once

#include "app/app.h"

/* The word that stands for the log of the instance. */
#define INPUT_LOG "log"

/* The word that stands for standard input. */
#define INPUT_STDIN "-"

/*
 * Before a command runs: finds out what writing its output takes, opens the files that its row says
 * it reads, and drops every capability but those for the output. A command that records drops
 * nothing yet. 0 or EXIT_FAILED.
 */
int rights_begin(struct app *app, int argc, char **argv);

/* Once all is open: drops what is neither for tracefs nor for the output nor in keep (enum dkt_keep). */
int rights_limit(const struct app *app, unsigned int keep);

/* The descriptor of a file that rights_begin() opened, plus 1; 0: it is not among them. */
int rights_file(const struct app *app, const char *path);

void rights_end(struct app *app);
