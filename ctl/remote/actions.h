/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands that can be run on other hosts. */
#pragma once

#include "ctl/app/app.h"

enum action_flags {
	ACTION_RECORDING = 1, /* its output is a recording */
	ACTION_LOG = 2, /* its output is the log, as text */
	ACTION_NAMES_FILE =
		4, /* it prints the name of a file, which is sent in place of its output */
	ACTION_FREEZES =
		8, /* it tells of incidents, and freezes buffers at each line that it reads */
	ACTION_LINES = 16, /* its lines come as they are written, with stamps */
	ACTION_SETS = 32, /* its arguments are NAME=VALUE */
};

struct action {
	const char *name; /* "flight dump": of two words */
	unsigned int flags;
	/* For a key that may only run some commands; see remote(1). */
	int max_args; /* arguments beside the options; -1: any number */
	const struct opt *options; /* of these, those with OPT_FAR; NULL: of its command's */
};

/*
 * Finds the action that the arguments begin with, and sets *words to the words of its name. Returns NULL
 * after an error message in the context.
 */
const struct action *action_find(struct dkt_ctx *ctx, int argc, char **argv, int *words);

/*
 * Checks that an action reads and writes no files that its arguments name, and starts no program.
 * -EACCES: it may.
 */
int action_check(const struct app *app, const struct action *action, int argc, char **argv);
