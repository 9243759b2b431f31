/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug log's directory: its owner, the lock of changes, its removal. Mounts tracefs. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/log/debuglog.h"

/* Creates the directory and its parent if they are missing. -EPERM: others can write there. */
int dkl_log_dir_create(struct debuglog *log);

/* Opens the directory for reading; if it is missing, dirfd stays -1. */
int dkl_log_dir_open(struct debuglog *log);

/* Creates the directory and locks it for a change; tries again if a reset removes it meanwhile. */
int dkl_log_dir_enter(struct debuglog *log);

/*
 * Releases the lock and closes the directory. Removes a locked directory in which nothing was
 * stored, if the log has no instance.
 */
void dkl_log_dir_leave(struct debuglog *log);

/* True if a change was killed before it was complete. False while a change is in progress. */
bool dkl_log_dir_was_interrupted(struct debuglog *log);

/* Forgets the settings before a change: it is complete. */
void dkl_log_dir_forget_before(const struct debuglog *log);

/*
 * Reads the settings of the log of that name without its lock and without tracefs. The caller clears
 * them. -ENOENT: there is no such log; -EACCES: this user may not read it.
 */
int dkl_log_dir_settings(struct dkt_ctx *ctx, const char *name, struct settings *set);

/* Removes the directory with all it holds. */
int dkl_log_dir_remove(struct debuglog *log);

/*
 * Finds tracefs. With DEBUGLOG_CHANGE in flags, mounts it if necessary, after a note for
 * dkl_log_unmount() was left in RUN_DIR.
 */
int dkl_log_mount(struct dkt_ctx *ctx, unsigned int flags);

/* Unmounts tracefs if it was mounted for a log and no log is left. */
int dkl_log_unmount(struct dkt_ctx *ctx);

/* Returns the i-th command that creates them: "latency" for LOG-latency-PID-TIME; NULL at the end. */
const char *dkl_leftover_kind(size_t i);

/* Removes all leftovers of the log. Events that were looked up before are no longer valid. */
int dkl_leftovers_remove(struct dkt_ctx *ctx, const char *log);

/* Lists them as "dktrace-latency-12-345 (128.0 MB)", separated by ", "; NULL: none. */
int dkl_leftovers_list(struct dkt_ctx *ctx, const char *log, char **list);
