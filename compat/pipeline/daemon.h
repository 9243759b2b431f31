/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon of a debug log: its task, whether it runs, what it has done. */
#pragma once

#include <dktrace/dktrace.h>

#include "log/debuglog.h"

#define DAEMON_MIN_MB     10
#define DAEMON_MAX_MB     20480
#define DAEMON_DEFAULT_MB 500

/* In the debug log's directory: its lock is the daemon's, its text what the daemon did. */
#define DAEMON_STATE "daemon"

struct daemon_state {
	char *file; /* NULL: there never was a daemon */
	char *error; /* why it ended; NULL: it runs or was stopped */
	uint64_t mb;
	uint64_t rotate; /* older files kept; 0: the file is overwritten from its start */
	uint64_t pos; /* where it was in the file */
	uint64_t records;
	uint64_t bytes;
	uint64_t lost; /* by the kernel, before they could be read */
	uint64_t own; /* records that the daemon itself caused, which are left out */
	uint64_t rounds; /* how often the limit was reached */
	pid_t pid; /* of the daemon that runs; 0: none */
};

void daemon_state_clear(struct daemon_state *state);

/* Reads the state file; all zero if it does not exist. dir is the debug log's directory. */
int daemon_load(struct dkt_ctx *ctx, const char *dir, struct daemon_state *state);

/* Writes the text of a state to the daemon's open state file. */
int daemon_save(struct dkt_ctx *ctx, int fd, const struct daemon_state *state);

/* Opens the state file as the only daemon. -EBUSY: one runs. The lock goes when fd is closed. */
int daemon_lock(struct dkt_ctx *ctx, const char *dir, int *fd);

/* Asks the daemon that runs to write out all and end, and waits for that. 0 also if none runs. */
int daemon_stop(struct dkt_ctx *ctx, const char *dir);

/*
 * Is the daemon: takes the log's records into the file until SIGTERM. When all is open and sure to
 * work one byte is written to ready, if that is not -1.
 */
int daemon_run(struct dkt_ctx *ctx, const char *instance, const struct daemon_state *wanted,
	       int ready);
