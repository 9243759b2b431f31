/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug log: a private instance, the settings that made it what it is, and the class map. */
#ifndef COMPAT_DEBUGLOG_H
#define COMPAT_DEBUGLOG_H

#include <dktrace/dktrace.h>

#include "log/settings.h"
#include "lustre/class.h"

/* Below it a directory for each debug log: its settings, and records on their way out. */
#define RUN_DIR "/run/dktrace"

#define DEBUGLOG_DEFAULT "dktrace"

/* In its directory: what is set, and while a change is under way what was set before. */
#define DEBUGLOG_SETTINGS "settings"
#define DEBUGLOG_BEFORE   "settings.before"

struct probes; /* probes/probe_list.h */

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

/*
 * Opens the debug log of that name as it is. Without DEBUGLOG_CHANGE nothing is made: in and
 * dirfd may be missing.
 */
int debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags, struct debuglog **log);
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

/* Whether an event of the map belongs to what is set. */
bool debuglog_wants(const struct class_bits *bits, const struct settings *set);

/* Parses a filter in which names of classes and subsystems stand for their bits. */
int debuglog_expr(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr);

/* What debug_filter came to. */
struct filter_report {
	bool must_take; /* asked for: if no event that is on can take it, refuse */
	size_t took; /* events that have the filter */
	char *missed; /* names of those that have not its fields, separated by ", "; NULL: none */
	size_t n_missed;
};

void filter_report_clear(struct filter_report *report);

/* "block:a, block:b, ext4:c" as "block (2), ext4:c"; the caller frees it. NULL: memory is out. */
char *events_by_system(const char *names);

/*
 * Makes the instance what the settings say, as one transaction, and keeps them. The instance is
 * made if there is none. report may be NULL.
 */
int debuglog_apply(struct debuglog *log, const struct settings *set, struct filter_report *report);

/*
 * Before a look at the log of that name: if others have changed Lustre's masks since the log was
 * set, the log takes them over. A failure is logged and leaves the log unchanged.
 */
void debuglog_follow(struct dkt_ctx *ctx, const char *name);

/* Bytes that the buffers have, over all CPUs. */
int debuglog_size(struct debuglog *log, uint64_t *bytes);

/*
 * Removes the instance, its records and what is kept of it, and unmounts tracefs if it was mounted
 * for us. Also where some of that is missing.
 */
int debuglog_reset(struct dkt_ctx *ctx, const char *name);

/* Gives the kernel's top instance back, if it was borrowed for entry and exit of functions. */
int debuglog_return_top(struct debuglog *log);

/*
 * The directory that keeps records on their way out; the one above it is made if it is gone. The
 * caller frees it.
 */
int debuglog_spool(struct debuglog *log, char **path);

#endif
