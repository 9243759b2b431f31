/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl's commands, by its words, with its output and exit statuses. */
#ifndef COMPAT_LCTL_H
#define COMPAT_LCTL_H

#include <dktrace/dktrace.h>

struct lctl {
	struct dkt_ctx *ctx;
	const char *instance; /* name of the debug log's instance */
	const char *input; /* saved tree that dk reads; NULL: the kernel */
	const char *self; /* the name that messages begin with */
	/* What filter has taken out of this session's dk and df, and show not put back. */
	uint32_t hidden_types;
	uint32_t hidden_subsystems;
};

/* The name of the i-th command, counted from 0; NULL after the last. */
const char *lctl_command(size_t i);

/* Whether lctl_run() knows the command. */
bool lctl_knows(const char *command);

/* Runs argv[0] with its arguments; returns the exit status. */
int lctl_run(struct lctl *lctl, int argc, char **argv);

/* The program when it is called lctl: argv as main() has it. */
int lctl_main(struct lctl *lctl, int argc, char **argv);

#endif
