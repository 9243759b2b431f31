/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The aide of the far side: a process that is forked before anything of the other side is read. It alone
 * checks and starts the command, opens files and sockets by their names, and ends the command. The process
 * that reads frames asks it, and can confine itself.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/pass.h"

enum child_flags {
	/* Its output is the name of a file, which is sent in its place. */
	CHILD_NAMES_FILE = 1,
	CHILD_READS = 2, /* it has a standard input */
};

struct aide_opts {
	int in, out; /* the connection, which the aide closes */
	int listener; /* closed with the aide, and its name is removed; -1: none */
	const char *id; /* of the listener */
	/*
	 * Called before a command is run. Returns flags of enum child_flags, or -errno with an error
	 * message.
	 */
	int (*check)(void *data, int argc, char **argv);
	void *data;
};

/* Each question but AIDE_STOP is answered. */
enum aide_kind {
	AIDE_RUN, /* with argv as texts: flags; standard error, and standard output and input if there are */
	AIDE_STOP, /* ends the command as Ctrl-C does */
	AIDE_STATUS, /* -EAGAIN while it runs, then its status as a shell's $? */
	AIDE_FILE, /* waits for its end: its status, and the file that it has named */
	/* with an ID and the connection: waits for the end of the run that takes the connection */
	AIDE_HAND_OVER,
};

struct aide_answer {
	int err, number;
	int fds[DKT__PASS_MOST]; /* -1: none */
};

struct aide {
	int fd; /* -1: there is none */
	pid_t pid;
};

int aide_begin(struct dkt_ctx *ctx, const struct aide_opts *opts, struct aide *aide);

/*
 * Asks, with the body and the descriptors of a message; at: for AIDE_HAND_OVER the bytes of output that have
 * arrived. Returns 0, or -errno with an error message, -ECHILD: the aide has ended.
 */
int aide_ask(struct dkt_ctx *ctx, const struct aide *aide, enum aide_kind kind, uint64_t at,
	     struct dkt__pass *with, struct aide_answer *answer);

/* Sends AIDE_STOP. */
void aide_stop(const struct aide *aide);

/* Sets the error message for an aide that has ended. Returns -ECHILD. */
int aide_gone(struct dkt_ctx *ctx);

/* Ends the command, if it runs, and the aide, and waits for that. */
void aide_end(struct aide *aide);
