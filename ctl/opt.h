/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options: one row each, from which parsing, help and completion come. */
#ifndef CTL_OPT_H
#define CTL_OPT_H

#include <stdio.h>

#include "app.h"

/*
 * Reads the options of argv into the app, those of the command where it is known, else those
 * that go before a command. Returns the index of the first argument that is none, or a negative
 * value after having said what is wrong.
 */
int opt_parse(struct app *app, const struct command *command, int argc, char **argv);

/* Prints the options that go with the command, or those that go with every one. */
void opt_help(const struct command *command, FILE *out);

/* Prints the long names, one a line. */
void opt_words(const struct command *command, FILE *out);

#endif
