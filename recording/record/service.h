/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that records all the time for a log: who it is, and who may start it or clean up after it at
 * the moment.
 */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>

#include "lib/base/gained.h"
#include "lib/base/members.h"

struct service {
	const char *kind; /* "flight"; also the command's name */
	const char *noun; /* "a flight recorder" */
	const char *const *files; /* that its directory has beside lock and state; ends with NULL */
	struct dkt__members state; /* for others to see */
	bool (*is_valid)(const void *state); /* NULL: it always is */
};

/* Returns the path of a file in the directory of that log's process; the caller frees it. */
char *service_path(const struct service *service, const char *log, const char *name);

/* See base/gained.h: for the files in that directory. */
struct dkt__gained service_gained(const struct service *service, const char *log);

/*
 * Waits for the turn to start the process or to clean up after one, and creates the directory.
 * Returns a descriptor; closing it ends the turn. -EBUSY: another process does not end its own turn.
 */
int service_enter(struct dkt_ctx *ctx, const struct service *service, const char *log);

/*
 * In a turn: makes this process the one, until it ends. Waits for one that was killed and is about to
 * end. -EBUSY: dkt_error() names the one that is.
 */
int service_lock(struct dkt_ctx *ctx, const struct service *service, const char *log);

/* Returns the ID of the process, or 0. */
pid_t service_holder(const struct service *service, const char *log);

/*
 * Ends the process and begins the turn to clean up; no process runs then. Sets *ended if one was running.
 */
int service_end_enter(struct dkt_ctx *ctx, const struct service *service, const char *log, int sig,
		      bool *ended);

/* Returns the time in ns for what such a process does every so often: a suspended machine counts, too. */
uint64_t service_now(void);

/* Returns a copy for one line of such a file: control characters become spaces. NULL: out of memory. */
char *service_line(const char *text);

/*
 * Read and replace the state, all or nothing. The state to load must be empty; clear it in any case.
 * -ENOENT: no process was started; -EINVAL: it is not valid.
 */
int service_load(struct dkt_ctx *ctx, const struct service *service, const char *log, void *state);
int service_save(struct dkt_ctx *ctx, const struct service *service, const char *log,
		 const void *state);

/* In a turn: removes the directory with what is in it. */
void service_forget(const struct service *service, const char *log);
