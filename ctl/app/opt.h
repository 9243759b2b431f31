/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options: one row each, for parsing, help and completion. */
#pragma once

#include "app/app.h"

/*
 * Reads the options of argv into the app, those of the command where it is known, else those
 * that go before a command. Returns the index of the first argument that is none, or a negative
 * value after having said what is wrong.
 */
int opt_parse(struct app *app, const struct command *command, int argc, char **argv);

/*
 * Reads the value of an option, if it was given: a number that is not negative, or a positive time
 * in seconds. Returns 0, or EXIT_USAGE after having said what is wrong.
 */
int opt_number(const char *option, const char *text, int *number);
int opt_seconds(const char *option, const char *text, double *seconds);

/* Prints the options that go with the command, or those that go with every one. */
void opt_help(const struct command *command, FILE *out);

/* Calls fn with the long name of each. */
void opt_each(const struct command *command, void (*fn)(void *data, const char *name), void *data);

/* The long name of the option that the word is, if it takes the next word; else NULL. */
const char *opt_takes(const struct command *command, const char *word);
