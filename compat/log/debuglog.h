/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug log: a private instance, its settings, and the class map. */
#pragma once

#include <dktrace/dktrace.h>

#include "io/run_dir.h"
#include "log/settings.h"
#include "lustre/class.h"

#define DEBUGLOG_DEFAULT "dktrace"

/* The clock of its records. */
#define DEBUGLOG_CLOCK "mono"

/* In its directory: what is set, and while a change is under way what was set before. */
#define DEBUGLOG_SETTINGS "settings"
#define DEBUGLOG_BEFORE   "settings.before"

struct probes; /* log/probe_list.h */

struct debuglog {
	struct dkt_ctx *ctx;
	char *name; /* of the instance */
	char *dir; /* RUN_DIR/NAME */
	int dirfd; /* -1: there is none yet */
	int lock; /* -1: not held */
	struct dkt_instance *in; /* NULL: there is none yet */
	struct class_map *map; /* NULL before debuglog_map() */
	struct settings set;
	char *note; /* what the last debuglog_apply() had to leave out, NULL: nothing */
	uint32_t followed; /* masks of Lustre's that the next change takes over: of enum mask_kind */
	bool rebuilt; /* the settings were lost and taken from the kernel */
	bool interrupted; /* the last change was not completed */
	bool probe_made; /* the probe on Lustre's messages: just now */
	bool applied; /* a change was made */
	bool rearm; /* the next one makes triggers anew, and puts back what they had switched */
	struct probes *probes; /* that the user made, NULL before probes_load() */
	char *no_probe; /* why there is no probe on Lustre's messages, NULL: nobody knows a reason */
	struct dkt_event **on; /* NULL before debuglog_on() */
	size_t n_on;
};

enum debuglog_flags {
	DEBUGLOG_CHANGE = 1, /* alone, with the rights checked, what was interrupted taken back */
};

/* Makes one for the log of that name that is nowhere yet: debuglog_open() fills it in. -EINVAL: no such name. */
int debuglog_new(struct dkt_ctx *ctx, const char *name, struct debuglog **log);

/* Makes the log of a saved tree, the context's root: its class map and what its buffers had. */
int debuglog_saved(struct dkt_ctx *ctx, struct debuglog **log);
void debuglog_close(struct debuglog *log);

/* Loads the class map and resolves it, once. */
int debuglog_map(struct debuglog *log);

/*
 * The events that are on, which belong to the log: as they were when it was asked first, for what
 * looks and changes nothing. None where there is no instance yet.
 */
int debuglog_on(struct debuglog *log, struct dkt_event *const **on, size_t *n);

/* The event SYSTEM:NAME; NULL: this kernel has none of that name. */
struct dkt_event *debuglog_event(struct dkt_ctx *ctx, const char *name);

/* Bytes that the buffers have, over all CPUs. */
int debuglog_size(struct debuglog *log, uint64_t *bytes);

/* Gives the kernel's top instance back, if it was borrowed for entry and exit of functions. */
int debuglog_return_top(struct debuglog *log);

/* Opens the instance with its spool, which is in the log's directory: enum dkt_instance_flags. */
int debuglog_open_instance(struct debuglog *log, unsigned int flags);
