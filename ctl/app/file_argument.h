/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording or tree to read, for commands that read the kernel without it. */
#pragma once

#include "ctl/app/app.h"

/*
 * Takes the file that the command's find_file() finds out of the arguments, and sets app->input to it. Returns how many arguments are left. A word that may also be a command to run is the file only if it cannot be run.
 */
int file_argument_take(struct app *app, int argc, char **argv);

/* True for the log, a file that is no program, standard input or a directory. */
bool file_argument_is_file(const char *word);

/* A find_file() of commands that read a saved tree of tracefs as their only argument. */
int file_argument_find_tree(const struct app *app, int n, char **argv);

/*
 * Makes the file of --input the first argument that is a file, or the last one, if the command reads files
 * that are arguments. *argv is at least the second element of its array. Returns how many arguments there are.
 */
int file_argument_insert(struct app *app, int argc, char ***argv);

/*
 * Checks the word in the place of FILE of a command that takes a FILE or a COMMAND, after file_argument_take().
 * A command with find_file() can run it also without "--". Returns 0, or after an error message the exit status.
 */
int file_argument_check(const struct app *app, int argc, char **argv);
