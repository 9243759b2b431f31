/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl's commands, with its names, output and exit statuses. */
#pragma once

#include <dktrace/dktrace.h>

#include "set/param/tree.h"

/* One run of the program. All but the first five begin as zeroes. */
struct lctl {
	struct dkt_ctx *ctx;
	const char *instance; /* name of the debug log's instance */
	const char *input; /* saved tree that dk reads; NULL: the kernel */
	const char *self; /* the name that messages begin with */
	bool hints; /* say what a misspelt word was perhaps meant to be, in a line of its own */
	struct tree tree;
	/* Masks that filter excluded from this session's dk and df, and show did not restore. */
	uint32_t hidden_types;
	uint32_t hidden_subsystems;
	bool session; /* there is more to come after a command */
	bool done; /* the user has said that there is not */
	bool ignore_errors; /* a failure does not end the session */
	bool closed; /* the reader of the output went away */
};

/* The name of the i-th command, counted from 0; NULL after the last. */
const char *lctl_command(size_t i);

/* Runs argv[0], which must be the name of a command, with its arguments; returns the exit status. */
int lctl_run(struct lctl *lctl, int argc, char **argv);

/* Runs a line of a session; returns the status. The line is taken apart. */
int lctl_run_line(struct lctl *lctl, char *line);

/* The program when it is called lctl: argv as main() has it. */
int lctl_main(struct lctl *lctl, int argc, char **argv);
