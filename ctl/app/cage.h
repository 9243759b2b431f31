/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Confines a command to its files before it parses bytes of others. */
#pragma once

#include "ctl/app/app.h"

/* Needs of a command beside its files and those of its row. */
enum cage_need {
	CAGE_KERNEL =
		1, /* tracefs and the state in /run: it reads or sets the log of this machine */
	CAGE_PROGRAMS = 2, /* programs anywhere, for the names of their functions */
	CAGE_PROCESSES = 4, /* programs as other processes see them: all files */
	CAGE_NETWORK = 8, /* servers */
	CAGE_STATE = 16, /* create the state in /run, and tell the journal of its changes */
	CAGE_LUSTRE = 32, /* set Lustre's parameters */
	CAGE_ACCEPT = 64, /* take connections from a socket that listens already */
	CAGE_TEMPORARY = 128, /* temporary files, in a directory of its own */
	CAGE_NAMES = 256, /* create files in the directory of the output, beside it or below it */
	CAGE_DIRECTORY = 512, /* create files in the output, which is a new directory */
};

/*
 * Confines the process for good to the n input files, to those that options name, and to the output
 * (NULL or "-": none), which app->placer opens and names from then on. needs: enum cage_need. Returns 0 or -errno.
 */
int cage_enter(struct app *app, char *const *inputs, size_t n, const char *output,
	       unsigned int needs);
