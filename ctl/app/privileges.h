/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drops privileges before a command reads data from others. */
#pragma once

#include "ctl/app/app.h"

/* These arguments mean the log of the instance, and standard input. */
#define INPUT_LOG   "log"
#define INPUT_STDIN "-"

/*
 * Call before a command runs. Opens the input files that the command's flags name, and drops every
 * capability except those needed to write the output. A command that records keeps all for now. A command
 * that sets or shows settings of the tree of --root is confined to that tree.
 * Returns 0 or EXIT_FAILED.
 */
int privileges_begin(struct app *app, int argc, char **argv);

/*
 * Call when everything is open. Drops every capability except those for tracefs, for the output and
 * in keep (enum dkt__keep).
 */
int privileges_limit(const struct app *app, unsigned int keep);

/*
 * Call before a program is read whose probes are listed or created. Drops every capability except those
 * for tracefs, and confines the process to tracefs, the state of the log, and files of programs.
 */
int privileges_confine(struct app *app);

/*
 * Call before lctl's dk reads the tree that its --input names. Confines the process to that and the output
 * (NULL: none). Returns 0 or EXIT_FAILED.
 */
int privileges_confine_dump(struct app *app, const char *output);

/* Returns the descriptor of a file that privileges_begin() opened, plus 1, or 0 if it opened none. */
int privileges_file(const struct app *app, const char *path);

void privileges_end(struct app *app);
