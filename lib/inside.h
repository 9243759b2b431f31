/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of the library that the layers above share and other programs do not get. They keep the
 * conventions of <dktrace/dktrace.h>, and can change with any version.
 */
#pragma once

#include "lib/base/error.h"
#include "lib/inside/measure.h"
#include "lib/inside/perf.h"
#include "lib/inside/recording.h"
#include "lib/inside/records.h"
#include "lib/inside/sampler.h"

/* ---- context, error messages, version ---- */

/* Puts "TEXT: " before the current error message and returns err. */
int dkt__fail_in(struct dkt_ctx *ctx, int err, const char *fmt, ...) DKT_PRINTF(3, 4);

/* For code on top of the library: passes a message to the log function of the context, if any. */
void dkt__log(struct dkt_ctx *ctx, enum dkt_log_level level, const char *fmt, ...) DKT_PRINTF(3, 4);

/*
 * Notes that memory is out if err is -ENOMEM, for a caller that has no error to return: without what it was to
 * prepare, records would be left out or printed in another way. From then on dkt_source_next() fails. Returns err.
 */
DKT__SHARED int dkt__starve(struct dkt_ctx *ctx, int err);

/* For code on top of the library: calls the progress function of the context, if any. */
DKT__SHARED void dkt__progress(struct dkt_ctx *ctx, const char *what, size_t done, size_t of);

/* ---- capabilities (capabilities(7)) ---- */

/* The purposes that dkt__caps_limit() keeps capabilities for. */
enum dkt__keep {
	DKT__KEEP_SYMBOLS = 1, /* names of kernel functions: cap_syslog */
	DKT__KEEP_TRACEFS = 2, /* tracefs of another user: cap_dac_override, cap_dac_read_search */
	DKT__KEEP_INPUT = 4, /* files of other users: cap_dac_read_search */
	DKT__KEEP_OUTPUT = 8, /* directories of other users: cap_dac_override, cap_fowner */
	DKT__KEEP_KILL = 16, /* signal processes of other users: cap_kill */
	DKT__KEEP_PROCESSES = 32, /* /proc of other users: cap_sys_ptrace, cap_dac_read_search */
};

/*
 * Drops, for good, every capability of this thread that keep (enum dkt__keep) does not name. Threads
 * and programs that it starts afterwards have no others and cannot gain any (PR_SET_NO_NEW_PRIVS);
 * threads that the process has already keep theirs: call this before there are any, or in each.
 * Capabilities that the program's file gave are kept only for DKT__KEEP_SYMBOLS and
 * DKT__KEEP_TRACEFS. -EINVAL: unknown bit in keep.
 */
int dkt__caps_limit(struct dkt_ctx *ctx, unsigned int keep);

enum dkt__lower {
	DKT__LOWER_GAINED, /* the capabilities that the program's file gave */
	DKT__LOWER_ALL,
};

/*
 * dkt__caps_lower() makes capabilities ineffective until dkt__caps_raise(), so that this process
 * opens files without them. The calls nest.
 */
int dkt__caps_lower(struct dkt_ctx *ctx, enum dkt__lower which);
int dkt__caps_raise(struct dkt_ctx *ctx);

/*
 * dkt_caps_check() for DKT_NEED_CONTROL of one instance only: it may be there and given to this user
 * or a group of it, while the others of tracefs are not. name: of the instance.
 */
int dkt__caps_check_instance(struct dkt_ctx *ctx, const char *name);

/* A capability that tracing can use. The strings are constants. */
struct dkt__cap {
	const char *name; /* "cap_sys_admin" */
	const char *use; /* what it allows */
	bool have; /* it is effective, and in the initial user namespace */
};

/* Gets the i-th capability, counted from 0. Returns 0, or 1 after the last. */
int dkt__caps_get(struct dkt_ctx *ctx, size_t i, struct dkt__cap *cap, size_t sz);

/* ---- instances ---- */

/*
 * Returns 0 if an instance can have that name. NULL is the name of the top instance. -EINVAL: the
 * name is empty, begins with a dot, contains a slash or control character, or is longer than 199
 * bytes.
 */
int dkt__instance_check_name(struct dkt_ctx *ctx, const char *name);

/* True if dkt_instance_open() created the instance. */
bool dkt__instance_is_new(const struct dkt_instance *instance);

/*
 * Returns 0 if the kernel accepts the filter. Tries it on an event that is disabled in the instance
 * and restores the event's own filter. -EINVAL: the kernel refuses the filter, dkt_error() has its
 * reason; -EBUSY: every event is enabled.
 */
int dkt__instance_try_filter(struct dkt_instance *instance, const char *filter);

/*
 * Removes instances with the prefix whose process has exited, and then their probes and synthetic
 * events (dkt_instance_own_group()). Removing one forgets the catalogue: dkt_events_forget(). Sets *n,
 * unless n is NULL, to the number of instances removed. -EBUSY: an instance could not be removed.
 */
int dkt__instance_sweep(struct dkt_ctx *ctx, const char *prefix, size_t *n);

/*
 * Gets the names of the instances that dkt__instance_sweep() would remove, one per line; NULL if
 * it would remove no instance. The caller frees them.
 */
int dkt__instance_names_to_sweep(struct dkt_ctx *ctx, const char *prefix, char **names);

/* Gets the total size of the per-CPU buffers, in bytes (buffer_total_size_kb). */
int dkt__instance_get_size(const struct dkt_instance *instance, uint64_t *bytes);

/* Gets the name of the clock in use (trace_clock). The caller frees it. */
int dkt__instance_get_clock(const struct dkt_instance *instance, char **clock);

/*
 * Gets the number of nanoseconds to add to the instance's clock to get wall-clock time. Samples
 * both clocks now; a saved tracefs tree has the number in its file wall_offset. -EOPNOTSUPP: as
 * dkt_instance_get_now().
 */
int dkt__instance_get_wall(const struct dkt_instance *instance, int64_t *offset);

/*
 * Records no events of n threads; n 0: of all again (set_event_notrace_pid). -ENOENT: the kernel
 * does not support it.
 */
int dkt__instance_set_skipped_pids(struct dkt_instance *instance, const pid_t *pids, size_t n);

/*
 * Gets the threads that are recorded; n 0: all. The caller frees the array. children is true if the
 * kernel adds the threads that these create.
 */
int dkt__instance_get_pids(const struct dkt_instance *instance, pid_t **pids, size_t *n,
			   bool *children);

/* Gets the CPUs that are recorded, as "0-3,5", which the caller frees; NULL: all. */
int dkt__instance_get_cpus(const struct dkt_instance *instance, char **cpus);

/* Gets how many bytes of data of system calls are recorded; 0: none, or the kernel records none. */
int dkt__instance_get_user_data(const struct dkt_instance *instance, uint64_t *bytes);

/* Gets whether the instance records (tracing_on). */
int dkt__instance_get_on(const struct dkt_instance *instance, bool *on);

enum dkt__snapshot_state {
	DKT__SNAPSHOT_NONE, /* no memory is allocated for one */
	DKT__SNAPSHOT_EMPTY, /* no records in it */
	DKT__SNAPSHOT_FULL, /* it has records */
};

/*
 * Gets whether there is a snapshot: the records that the buffers had at a moment. A source with
 * DKT_LIVE_SNAPSHOT reads it. -EOPNOTSUPP: the kernel has no snapshots, or none of this instance.
 */
int dkt__instance_snapshot_get(struct dkt_instance *instance, enum dkt__snapshot_state *state);

/* ---- events and their fields ---- */

/*
 * Returns the event whose records have that ID, or an event of the system "unknown" if the kernel
 * does not have one. Reads IDs of events until it finds the event. NULL: no event can have that ID,
 * or the events cannot be read; dkt_error() has the reason.
 */
struct dkt_event *dkt__event_by_id(struct dkt_ctx *ctx, int id);

/*
 * Defines an event that the kernel does not have, for records from elsewhere. format is the text of
 * a format file in tracefs. The same names return the same event again. The event lives as long as
 * the context, and dkt_events() does not list it. -EINVAL: the format cannot be parsed.
 */
DKT__SHARED int dkt__event_define(struct dkt_ctx *ctx, const char *system, const char *name,
				  const char *format, struct dkt_event **event);

/*
 * Returns the position in the array of dkt_events(), which does not change while the event is valid.
 * For an event of the kernel that the array does not have, returns a number above the array's end; for
 * an event of dkt__event_define() or of the system "unknown", SIZE_MAX.
 */
DKT__SHARED size_t dkt__event_index(const struct dkt_event *event);

/* Returns the machine that recorded the event, as "uname -m" prints it; "": unknown. Valid as long as the event. */
DKT__SHARED const char *dkt__event_machine(const struct dkt_event *event);

/*
 * Returns the print format with its arguments, as in the format file; "" if the event has none,
 * NULL if the format cannot be read. Valid as long as the event.
 */
const char *dkt__event_print_format(struct dkt_event *event);

/* ---- triggers, actions of the kernel when an event happens ---- */

/*
 * Parses a trigger as a user or the kernel writes it. The result is one allocation, which the
 * caller frees with free(). -EINVAL: not a trigger, or several lines; -E2BIG: longer than the
 * kernel's limit of 4095 bytes.
 */
int dkt__trigger_parse(struct dkt_ctx *ctx, const char *text, struct dkt_trigger **trigger);

/*
 * True if the triggers differ only in count and condition, so that an event can have only one of
 * them. Two histograms are the same if their keys, the names of their variables and their
 * conditions are equal.
 */
bool dkt__trigger_same(const struct dkt_trigger *a, const struct dkt_trigger *b);

/*
 * Returns 0 if the event can have the trigger in addition to those that it has. -EEXIST: it already
 * has one with the same action and target; -EBUSY: it has one that excludes it, as traceon excludes
 * traceoff; -ENOENT: there is no such target; -EOPNOTSUPP: the kernel does not have such triggers.
 * Other errors: as dkt__trigger_parse().
 */
int dkt__instance_check_trigger(struct dkt_instance *instance, struct dkt_event *event,
				const char *text);

/* ---- change an instance, all or nothing ---- */

/* True if a change of the instance borrows the top instance. */
bool dkt__instance_borrows_top(const struct dkt_instance *instance);

/*
 * Takes back what changes with that spool have set outside their instance, which need not exist any
 * more: resets roots, depth and threshold, and restores the top instance. Records that are still in
 * the top instance's buffers are lost. -EBUSY: a process reads them.
 */
int dkt__spool_return(struct dkt_ctx *ctx, const char *spool);

/* ---- generic netlink ---- */

/*
 * Returns 1 if the kernel has the generic netlink family, 0 if not. Needs no privileges.
 * -ETIMEDOUT: the kernel did not answer; other errors of sockets.
 */
int dkt__netlink_family(struct dkt_ctx *ctx, const char *family);

/*
 * Receives the attributes of an answer, nested ones in place. A value other than 0 ends the dump.
 */
typedef int (*dkt__netlink_fn)(void *data, const void *attrs, size_t len);

/*
 * Sends a dump request and calls fn with the attributes of every answer. Returns 0, or the value of
 * fn if it is negative. -ENOENT: there is no such family; -ETIMEDOUT: the kernel did not answer;
 * -EAGAIN: the dump was interrupted by a change; -EBADMSG: an answer is invalid; other errors of
 * sockets and of the family.
 */
int dkt__netlink_dump(struct dkt_ctx *ctx, const char *family, uint8_t command, uint8_t version,
		      dkt__netlink_fn fn, void *data);
