/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that the far side runs: this program with other arguments. */
#pragma once

#include <sys/types.h>

#include "base/buf.h"

enum child_flags {
	/* Its output is the name of a file, which is sent in its place. */
	CHILD_NAMES_FILE = 1,
	CHILD_READS = 2, /* it has a standard input */
};

struct child {
	pid_t pid; /* 0: none was started */
	int in; /* its standard input; -1: it has none */
	int out, err; /* its standard output and standard error; -1: they have ended */
	bool reaped;
	int status; /* as a shell's $? */
	struct dkt_buf errors; /* its standard error up to now */
	bool names_file; /* its output is still that name */
	struct dkt_buf name;
};

#define CHILD_INIT                                                                                 \
	{                                                                                          \
		.in = -1, .out = -1, .err = -1                                                     \
	}

/* Starts the program with these arguments, and flags of enum child_flags. */
int child_start(struct dkt_ctx *ctx, struct child *child, char **args, unsigned int flags);

/* Writes to its standard input. A command that does not read loses it: nobody waits for it. */
void child_write(const struct child *child, const void *bytes, size_t len);

/* Reads output into a place with room for len bytes. Returns the bytes, 0 if there is none now, or -errno. */
ssize_t child_read(struct dkt_ctx *ctx, struct child *child, void *place, size_t len);

/* Reads what it writes to standard error; only the beginning is kept. Returns 0 or -ENOMEM. */
int child_read_errors(struct child *child);

/* Asks it to end, as Ctrl-C does. */
void child_stop(const struct child *child);

/* True if it has closed its output, and has not ended; that takes only moments. */
bool child_is_ending(const struct child *child);

/* True if it has ended, and all it wrote has been read. */
bool child_ended(struct child *child);

/* Ends it, if it runs, and waits for that. */
void child_close(struct child *child);
