/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who runs a flight recorder, and who may start it or clean up after it at the moment. */
#pragma once

#include <dktrace/dktrace.h>

/* Returns the path of a file in the directory of that log's recorder; the caller frees it. */
char *flight_path(const char *log, const char *name);

/*
 * Waits for the turn to start a recorder or to clean up after one, and creates the directory.
 * Returns a descriptor; closing it ends the turn. -EBUSY: another process does not end its own turn.
 */
int flight_enter(struct dkt_ctx *ctx, const char *log);

/* In a turn: makes this process the recorder until it ends. -EBUSY: dkt_error() names the one that is. */
int flight_lock(struct dkt_ctx *ctx, const char *log);

/* Returns the process that is the recorder, or 0. */
pid_t flight_holder(const char *log);

/* Asks the recorder to end and waits for it. Returns 1, or 0 if there is none. -ETIMEDOUT. */
int flight_end(struct dkt_ctx *ctx, const char *log);

/* In a turn: removes the directory with what is in it. */
void flight_forget(const char *log);
