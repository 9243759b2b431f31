/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon of a debug log: its task, whether it runs, what it has done. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/log/debuglog.h"

#define DAEMON_MIN_MB     10
#define DAEMON_MAX_MB     20480
#define DAEMON_DEFAULT_MB 500

/* In the debug log's directory: its lock is the daemon's, its text what the daemon did. */
#define DAEMON_STATE "daemon"

struct daemon_state {
	char *file; /* NULL: no daemon has run yet */
	char *error; /* why it ended; NULL: it runs or was stopped */
	uint64_t mb;
	uint64_t rotate; /* older files kept; 0: overwrite the file from its start */
	uint64_t pos; /* the position in the file */
	uint64_t records;
	uint64_t bytes;
	uint64_t lost; /* records lost before they were read */
	uint64_t own; /* skipped records of the daemon itself */
	uint64_t rounds; /* how often the limit was reached */
	pid_t pid; /* of the running daemon; 0: none */
};

void dkl_daemon_state_clear(struct daemon_state *state);

/* Reads the state file; all zero if it does not exist. dir is the debug log's directory. */
int dkl_daemon_load(struct dkt_ctx *ctx, const char *dir, struct daemon_state *state);

/* Writes the text of a state to the daemon's open state file. */
int dkl_daemon_save(struct dkt_ctx *ctx, int fd, const struct daemon_state *state);

/* Opens and locks the state file; closing fd releases it. -EBUSY: a daemon runs. */
int dkl_daemon_lock(struct dkt_ctx *ctx, const char *dir, int *fd);

/* Stops the daemon and waits until it has written all records. Returns 0 if none runs. */
int dkl_daemon_stop(struct dkt_ctx *ctx, const char *dir);

/*
 * Runs the daemon: writes the log's records to the file until SIGTERM. Writes one byte to ready,
 * unless that is -1, when everything is open.
 */
int dkl_daemon_run(struct dkt_ctx *ctx, const char *instance, const struct daemon_state *wanted,
		   int ready);
