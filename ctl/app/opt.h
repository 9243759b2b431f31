/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options: one row each, for parsing, help and completion. */
#pragma once

#include "ctl/app/app.h"

/* In these functions, command NULL stands for the options that come before a command. */

/*
 * Reads the options of argv into the app. Returns the index of the first argument that is not an
 * option, or a negative value after an error message.
 */
int opt_parse(struct app *app, const struct command *command, int argc, char **argv);

/*
 * Checks the values of options that are wrong whatever the machine is like, so that each has the same
 * words and exit status in all commands. Returns 0, or EXIT_USAGE after an error message.
 */
int opt_check(const struct app *app);

/*
 * Reads the value of an option: a number that is not negative, a time in seconds above 0, or a number of
 * bytes above 0. text NULL leaves the value as it is. Returns 0, or EXIT_USAGE after an error message.
 */
int opt_number(const char *option, const char *text, int *number);
int opt_seconds(const char *option, const char *text, double *seconds);
int opt_bytes(const char *option, const char *text, uint64_t *bytes);

/*
 * Reads the limits of a duration: '>10ms', '<1s', both '>10ms,<1s', or '10ms' for as long or longer; *least
 * and *most are in ns, and included. Returns 0, or EXIT_USAGE after an error message.
 */
int opt_durations(const char *text, uint64_t *least, uint64_t *most);

/* Prints the help of the options. */
void opt_help(const struct command *command, FILE *out);

/* Calls fn with the long name of each option. */
void opt_each(const struct command *command, void (*fn)(void *data, const char *name), void *data);

/* Calls fn for each file or directory that an option names and that is not written, until it fails. */
int opt_each_input(const struct app *app, int (*fn)(void *data, const char *path), void *data);

/* Returns the long name of the option if its value is the next word, otherwise NULL. */
const char *opt_takes(const struct command *command, const char *word);
