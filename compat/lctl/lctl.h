/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl's commands, with its names, output and exit statuses. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/set/param/tree.h"

struct real_session;

/* One run of the program. The members after `hints` start as zeroes. */
struct lctl {
	struct dkt_ctx *ctx;
	const char *instance; /* name of the debug log's instance */
	const struct placer *placer; /* of the output of dk with input, as in struct outfile */
	const char *input; /* saved tracefs tree that dk reads; NULL: the kernel */
	const char *self; /* program name at the beginning of messages */
	bool hints; /* suggest a name for a misspelt one */
	struct tree tree;
	/*
	 * Classes and subsystems that `filter` hides in this session's dk and df; `show` clears
	 * them.
	 */
	uint32_t hidden_classes;
	uint32_t hidden_subsystems;
	bool session; /* this program continues after the command */
	struct real_session *real; /* the Lustre lctl that runs commands of this session, or NULL */
	char **commands; /* of the installed build of Lustre's lctl, as dkl_lctl_commands() reads them */
	size_t n_commands;
	bool asked; /* for these */
	bool done; /* the user has asked to end the session */
	bool ignore_errors; /* a failure does not end the session */
	bool closed; /* the reader of the output has closed it */
};

/* Returns the name of the i-th command, counted from 0; NULL after the last. */
const char *dkl_lctl_command(size_t i);

/*
 * Runs argv[0], which must be the name of a command, with its arguments; returns the exit status.
 */
int dkl_lctl_run(struct lctl *lctl, int argc, char **argv);

/* Runs a line of a session, and modifies the line; returns the exit status. */
int dkl_lctl_run_line(struct lctl *lctl, char *line);

/* The main program if it is called lctl; argv is that of main(). */
int dkl_lctl_main(struct lctl *lctl, int argc, char **argv);
