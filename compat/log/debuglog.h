/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug log: a private instance, whether it records, its settings, and the class map. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/log/settings.h"
#include "compat/lustre/class.h"
#include "lib/base/run_dir.h"

#define DEBUGLOG_DEFAULT "dktrace"

/* The clock of its records. */
#define DEBUGLOG_CLOCK "mono"

/* Files in its directory: the settings; during a change also those before it. */
#define DEBUGLOG_SETTINGS "settings"
#define DEBUGLOG_BEFORE   "settings.before"

struct probes; /* log/probe_list.h */

struct debuglog {
	struct dkt_ctx *ctx;
	char *name; /* of the instance */
	char *dir; /* RUN_DIR/NAME */
	int dirfd; /* -1: the directory does not exist yet */
	int lock; /* -1: not held */
	struct dkt_instance *in; /* NULL: the instance does not exist yet */
	struct class_map *map; /* NULL before dkl_debuglog_map() */
	struct settings set;
	char *note; /* what the last dkl_debuglog_apply() had to skip; NULL: nothing */
	uint32_t followed; /* Lustre's masks that the next change takes over: 1 << enum mask_kind */
	bool rebuilt; /* the settings file was missing; the settings come from the kernel */
	bool interrupted; /* the last change was not completed */
	bool messages_new; /* dkl_debuglog_open() created the probes on Lustre's messages */
	bool applied; /* dkl_debuglog_apply() succeeded */
	bool rearm; /* the next change creates triggers again, and resets events they enabled */
	struct probes *probes; /* the user's probes; NULL before dkl_probes_load() */
	char *no_probe; /* why Lustre's messages have no probe; NULL: unknown */
	struct dkt_event **on; /* NULL before dkl_debuglog_on() */
	size_t n_on;
};

enum debuglog_flags {
	DEBUGLOG_CHANGE = 1, /* lock the log, check privileges, undo an interrupted change */
};

/* Allocates the object, which dkl_debuglog_open() fills in. -EINVAL: not a name for an instance. */
int dkl_debuglog_new(struct dkt_ctx *ctx, const char *name, struct debuglog **log);

/* Opens the log of a saved tracefs tree, the context's root, with its class map. */
int dkl_debuglog_saved(struct dkt_ctx *ctx, struct debuglog **log);
void dkl_debuglog_close(struct debuglog *log);

/* Loads the class map and resolves it, once. */
int dkl_debuglog_map(struct debuglog *log);

/*
 * Gets the enabled events, in an array of the log; none without an instance. The array is not
 * updated after the first call, so it is only for code that changes nothing.
 */
int dkl_debuglog_on(struct debuglog *log, struct dkt_event *const **on, size_t *n);

/* Returns the event SYSTEM:NAME; NULL: this kernel does not have it. */
struct dkt_event *dkl_debuglog_event(struct dkt_ctx *ctx, const char *name);

/* Gets the size of the buffers of all CPUs in bytes. */
int dkl_debuglog_size(struct debuglog *log, uint64_t *bytes);

/* Returns the kernel's top instance if it was borrowed for entry and exit of functions. */
int dkl_debuglog_return_top(struct debuglog *log);

/* Opens the instance with its spool, which is in the log's directory: enum dkt_instance_flags. */
int dkl_debuglog_open_instance(struct debuglog *log, unsigned int flags);

struct recording {
	bool on; /* the instance records */
	bool borrowed; /* the top instance was borrowed for entry and exit of functions */
	bool top_on; /* and records */
};

/* The log must have an instance. */
int dkl_recording_get(struct debuglog *log, struct recording *recording);

/* Starts or stops both instances. */
int dkl_recording_set(struct debuglog *log, bool on);
