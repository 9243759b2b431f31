/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that the far side runs: this program with other arguments, started by its aide. */
#pragma once

#include <sys/types.h>

#include "fleet/remote/aide.h"
#include "lib/base/buf.h"

struct child {
	struct aide aide;
	bool started;
	int in; /* its standard input; -1: it has none */
	int out, err; /* its standard output and standard error; -1: they have ended */
	bool ended;
	int status; /* as a shell's $? */
	struct dkt_buf errors; /* its standard error up to now */
	bool names_file; /* its output will be the file that it names */
};

#define CHILD_INIT                                                                                 \
	{                                                                                          \
		.aide.fd = -1, .in = -1, .out = -1, .err = -1                                      \
	}

/* Starts the program with arguments, texts of len bytes in all. */
int child_start(struct dkt_ctx *ctx, struct child *child, const uint8_t *texts, size_t len);

/* Writes to its standard input. A command that does not read loses it: nobody waits for it. */
void child_write(const struct child *child, const void *bytes, size_t len);

/* Reads output into a place with room for len bytes. Returns the bytes, 0 if there is none now, or -errno. */
ssize_t child_read(struct dkt_ctx *ctx, struct child *child, void *place, size_t len);

/*
 * Reads what it writes to standard error; only the beginning is kept. At its end the file that it names
 * becomes its output. Returns 0 or -errno.
 */
int child_read_errors(struct dkt_ctx *ctx, struct child *child);

/* Asks it to end, as Ctrl-C does. */
void child_stop(const struct child *child);

/* True if it has closed its output, and has not ended; that takes only moments. */
bool child_is_ending(const struct child *child);

/* Returns 1 if it has ended, and all it wrote has been read, otherwise 0, or -errno: also if it was killed. */
int child_ended(struct dkt_ctx *ctx, struct child *child);

/* Ends it, if it runs, and its aide, and waits for that. */
void child_close(struct child *child);
