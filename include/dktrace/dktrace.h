/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdktrace: trace events, filters and per-CPU ring buffers of the Linux kernel's tracefs.
 *
 * libdktrace(3) describes the conventions and names the manual page of each group of functions.
 *
 * A function that can fail returns 0 or a negative errno value, stores its results through
 * pointers, which it first sets to NULL or 0, and sets the error message of the context:
 * dkt_error(). Every such function can return -ENOMEM; comments below do not repeat it. The library
 * never prints and never exits. One thread at a time may use a context and the objects that were
 * created with it. Functions whose names end in _free or _close accept NULL. A pointer that a function
 * needs and that is NULL is -EINVAL; functions of other types return NULL, false or 0 then, or do
 * nothing.
 *
 * Structs can get members at their end. A function that fills a struct of the caller's has its size
 * as the argument sz, sizeof(struct): it fills the members that the caller's header has, writes no
 * byte beyond, and sets members that the library does not know to 0. Use structs that the library
 * returns by pointer, such as dkt_field, where they are: a copy has only the members of the caller's
 * header. dkt_record never grows, because it is filled for every record: a new function tells
 * what is new about it.
 */
#ifndef DKTRACE_H
#define DKTRACE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, as numbers, as text, and as a number that can be compared. */
#define DKT_VERSION_MAJOR 0
#define DKT_VERSION_MINOR 1
#define DKT_VERSION_PATCH 0

#define DKT__DOTTED(a, b, c)       #a "." #b "." #c
#define DKT__VERSION_TEXT(a, b, c) DKT__DOTTED(a, b, c)

#define DKT_VERSION        DKT__VERSION_TEXT(DKT_VERSION_MAJOR, DKT_VERSION_MINOR, DKT_VERSION_PATCH)
#define DKT_VERSION_NUMBER (DKT_VERSION_MAJOR * 10000 + DKT_VERSION_MINOR * 100 + DKT_VERSION_PATCH)

#define DKT_API                __attribute__((visibility("default")))
#define DKT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/*
 * Declares an options struct with sz set, the given members, and all other members zero. Functions
 * that take options accept NULL for all defaults. A caller built with an older header passes a
 * smaller struct; the missing members count as zero. -E2BIG: the struct is larger and has bytes
 * that are not zero beyond the members that this library knows. -EINVAL: sz is not set, flags have
 * an unknown bit, or a required member is missing. In C++ before C++20, assign the members afterwards.
 */
#if defined(__cplusplus) && __cplusplus < 202002L
#define DKT_OPTS(type, name)                                                                       \
	struct type name = {};                                                                     \
	name.sz = sizeof(struct type)
#else
#define DKT_OPTS(type, ...)        DKT_OPTS_(type, __VA_ARGS__, )
#define DKT_OPTS_(type, name, ...) struct type name = { .sz = sizeof(struct type), __VA_ARGS__ }
#endif

struct dkt_ctx;
struct dkt_instance;
struct dkt_event;
struct dkt_change;

/* ---- dkt_ctx(3): context, error messages, version -------------------------------------------- */

/*
 * Returns the version of the library that the program runs with, as DKT_VERSION_NUMBER, and sets
 * *text, unless text is NULL, to its DKT_VERSION, a constant.
 */
DKT_API int dkt_version(const char **text);

enum dkt_log_level { DKT_LOG_WARN, DKT_LOG_INFO, DKT_LOG_DEBUG };

/* Receives one message without a newline. The library preserves errno around the call. */
typedef void (*dkt_log_fn)(void *data, enum dkt_log_level level, const char *text);

/*
 * Receives the progress of a long operation: done of the steps have been taken. what names it:
 * "events", "functions" or "probes" that are being enabled or disabled, or the "file" that is being
 * opened. The last call has done equal to the number of steps, also if the operation fails. The
 * library preserves errno around the call.
 */
typedef void (*dkt_progress_fn)(void *data, const char *what, size_t done, size_t of);

struct dkt_ctx_opts {
	size_t sz;
	const char *root; /* directory that stands for tracefs; NULL: find the mount */
	dkt_log_fn log; /* NULL: no log */
	void *log_data;
	dkt_progress_fn progress; /* NULL: no reports */
	void *progress_data;
	/*
	 * The machine that a directory in root was copied from, as "uname -m" prints it: it decides
	 * which system call has which number. NULL: this machine. A file names its machine itself.
	 */
	const char *machine;
};

/* Creates a context. Opens nothing. -EINVAL, -E2BIG: invalid options (DKT_OPTS). */
DKT_API int dkt_ctx_new(const struct dkt_ctx_opts *opts, struct dkt_ctx **ctx);

/* Frees a context. The caller frees the objects that were created with it first. */
DKT_API void dkt_ctx_free(struct dkt_ctx *ctx);

/* Returns the message of the last failure, or "". Valid until the next call on the context. */
DKT_API const char *dkt_error(const struct dkt_ctx *ctx);

/* For code on top of the library: sets the error message and returns err. */
DKT_API int dkt_fail(struct dkt_ctx *ctx, int err, const char *fmt, ...) DKT_PRINTF(3, 4);

/* ---- dkt_tracefs(3): tracefs and its features ------------------------------------------------ */

enum dkt_tracefs_flags {
	DKT_MOUNT = 1, /* mount tracefs if it is not mounted (needs cap_sys_admin) */
};

/*
 * Finds tracefs (/sys/kernel/tracing, then the mount table) and opens it, once for each context. A
 * function that needs tracefs calls this itself, without flags, and returns the same errors.
 * -ENOENT: tracefs is not mounted; -EACCES: this process may not read it; -EPERM: this process may
 * not mount it; -EOPNOTSUPP: the kernel does not have tracefs; -EINVAL: unknown flag.
 */
DKT_API int dkt_tracefs_open(struct dkt_ctx *ctx, unsigned int flags);

/* Returns the path of tracefs, "" before it is opened. Valid as long as the context. */
DKT_API const char *dkt_tracefs_dir(const struct dkt_ctx *ctx);

/* A feature of the kernel's tracefs. The strings are constants or live as long as the context. */
struct dkt_feature {
	const char *name;
	bool have;
	const char *words; /* the use of the feature, or why it is missing */
};

/*
 * Gets the i-th feature, counted from 0. Returns 0, or 1 after the last. Looks at the files in
 * tracefs and at what they list, never at the kernel version. A control file that exists but cannot
 * be opened for writing counts as a missing feature. Errors: as dkt_tracefs_open().
 */
DKT_API int dkt_feature_get(struct dkt_ctx *ctx, size_t i, struct dkt_feature *feature, size_t sz);

/* ---- dkt_caps(3): capabilities (capabilities(7)) --------------------------------------------- */

enum dkt_need {
	DKT_NEED_READ = 1, /* read tracefs and its events */
	DKT_NEED_CONTROL = 2, /* change instances, events and buffers */
	DKT_NEED_MOUNT = 4, /* mount tracefs */
};

/*
 * Returns 0 if this process may do all of needs (enum dkt_need). Looks at the effective
 * capabilities and at the owner and mode of the tracefs directory; changes nothing. -EPERM:
 * capabilities are missing, dkt_error() names them; -EINVAL: unknown bit in needs.
 */
DKT_API int dkt_caps_check(struct dkt_ctx *ctx, unsigned int needs);

/* ---- dkt_instance(3): instances -------------------------------------------------------------- */

enum dkt_instance_flags {
	DKT_CREATE = 1, /* create the instance if it does not exist */
};

struct dkt_instance_opts {
	size_t sz;
	uint32_t flags; /* enum dkt_instance_flags */
	const char *spool; /* directory for records on their way out, see dkt_live(3); NULL: none */
};

/*
 * Opens an instance by name; NULL is the top instance. -ENOENT: there is no instance of that name;
 * -EINVAL: invalid name or options.
 */
DKT_API int dkt_instance_open(struct dkt_ctx *ctx, const char *name,
			      const struct dkt_instance_opts *opts, struct dkt_instance **instance);

/* Frees the object. The instance stays in tracefs. */
DKT_API void dkt_instance_close(struct dkt_instance *instance);

/* Returns the name, NULL for the top instance. Valid as long as the object. */
DKT_API const char *dkt_instance_name(const struct dkt_instance *instance);

/*
 * Removes an instance with all its settings and records. -ENOENT: there is no instance of that
 * name; -EBUSY: a process has a file of the instance open; -EINVAL: invalid name, or NULL.
 */
DKT_API int dkt_instance_remove(struct dkt_ctx *ctx, const char *name);

/* Returns the number of per-CPU buffers. CPU numbers run from 0 to one less. */
DKT_API int dkt_instance_n_cpus(const struct dkt_instance *instance);

/* Settings of an instance. clock is valid until the next dkt_instance_info() on the instance. */
struct dkt_instance_info {
	const char *clock; /* the name of the clock in use (trace_clock) */
	uint64_t bytes; /* the total size of the per-CPU buffers (buffer_total_size_kb) */
	bool on; /* it records (tracing_on) */
};

/* Gets the settings of an instance. */
DKT_API int dkt_instance_info(struct dkt_instance *instance, struct dkt_instance_info *info,
			      size_t sz);

/*
 * Sets the total size in bytes, the same for each CPU and at least 1 KiB (buffer_size_kb). The
 * kernel rounds up. -ENOMEM: the kernel cannot allocate the memory and keeps the old size.
 */
DKT_API int dkt_instance_set_size(struct dkt_instance *instance, uint64_t bytes);

/* Sets the clock. The kernel empties the buffers if the clock changes. -EINVAL: unknown clock. */
DKT_API int dkt_instance_set_clock(struct dkt_instance *instance, const char *clock);

/*
 * Gets the current time on the instance's clock, in ns. -EOPNOTSUPP: a process cannot read that
 * clock; it can read mono, mono_raw, boot and tai.
 */
DKT_API int dkt_instance_get_now(const struct dkt_instance *instance, uint64_t *ns);

/* Sets an option of the kernel (trace_options). -ENOENT: the kernel does not have the option. */
DKT_API int dkt_instance_set_option(struct dkt_instance *instance, const char *option, bool on);

/* Starts or stops recording (tracing_on). */
DKT_API int dkt_instance_set_on(struct dkt_instance *instance, bool on);

/*
 * Empties the buffers and the spool. The kernel's statistics start again from 0. -EBUSY: another
 * process reads with this spool.
 */
DKT_API int dkt_instance_clear(struct dkt_instance *instance);

/*
 * Makes the records that are in the buffers the snapshot, in place of an earlier one; recording goes
 * on in empty buffers. A source with DKT_LIVE_SNAPSHOT reads it. The kernel allocates as much memory
 * again as the buffers have. -EOPNOTSUPP: the kernel has no snapshots, or none of this instance;
 * -ENOMEM: the kernel has no memory for it; -EBUSY: another process reads the snapshot, or has
 * mapped the buffers.
 */
DKT_API int dkt_instance_snapshot_take(struct dkt_instance *instance);

/*
 * Removes the snapshot and frees its memory. -EOPNOTSUPP, -EBUSY: as dkt_instance_snapshot_take().
 */
DKT_API int dkt_instance_snapshot_free(struct dkt_instance *instance);

/*
 * Writes text as one record of the event ftrace:print (trace_marker). -EMSGSIZE: the text is longer
 * than the kernel's limit; -EBADF: the instance does not record.
 */
DKT_API int dkt_instance_mark(struct dkt_instance *instance, const char *text);

/*
 * Statistics of one CPU, from the kernel's per_cpu/cpuN/stats, in records except bytes. The kernel
 * recorded entries + read + overrun since the buffer was last emptied, and could not record
 * commit_overrun + dropped.
 */
struct dkt_cpu_stats {
	uint64_t entries; /* in the buffer, not read yet */
	uint64_t overrun; /* overwritten before they were read */
	uint64_t commit_overrun; /* not recorded: nested too deep, or the buffer is too small */
	uint64_t dropped; /* not recorded: the buffer was full and not in overwrite mode */
	uint64_t read; /* removed by a reader */
	uint64_t bytes; /* in the buffer, not read yet */
	uint64_t oldest; /* time of the oldest record in the buffer, ns; 0: none, or a clock without ns */
};

/* Gets the statistics of a CPU. -ENOENT: there is no such CPU. */
DKT_API int dkt_instance_get_stats(const struct dkt_instance *instance, int cpu,
				   struct dkt_cpu_stats *stats, size_t sz);

/*
 * Gets the enabled events, in the order of dkt_events(). The caller frees the array. An event that
 * only triggers use is not enabled.
 */
DKT_API int dkt_instance_get_events(const struct dkt_instance *instance, struct dkt_event ***events,
				    size_t *n);

/* Gets the filter of an event in the instance, "" if it has none. The caller frees it. */
DKT_API int dkt_instance_get_filter(const struct dkt_instance *instance,
				    const struct dkt_event *event, char **filter);

/*
 * Creates an instance for this process only, named PREFIX-PID-TIME. TIME is the start time of the
 * process, so that a reused PID cannot match. Also removes instances with the prefix whose process
 * has exited. -EEXIST: this process already has such an instance.
 */
DKT_API int dkt_instance_own(struct dkt_ctx *ctx, const char *prefix,
			     struct dkt_instance **instance);

/*
 * Gets the name, PREFIX_PID_TIME, for groups of probes and for synthetic events that belong to such
 * an instance. The caller frees it.
 */
DKT_API int dkt_instance_own_group(struct dkt_ctx *ctx, const char *prefix, char **group);

/* ---- dkt_event(3): events and their fields --------------------------------------------------- */

enum dkt_field_flags {
	DKT_FIELD_COMMON = 1, /* a field that every event has */
	DKT_FIELD_SIGNED = 2,
	DKT_FIELD_STRING = 4, /* char[], __data_loc char[], or a kernel char pointer */
	DKT_FIELD_DYNAMIC = 8, /* __data_loc or __rel_loc: the record has offset and length */
	DKT_FIELD_ARRAY = 16,
	DKT_FIELD_POINTER = 32,
	DKT_FIELD_RELATIVE = 64, /* __rel_loc */
};

struct dkt_field {
	const char *name;
	const char *type; /* as in the format file */
	uint32_t offset; /* bytes from the start of the record */
	uint32_t size; /* bytes */
	uint32_t element; /* bytes of an array element, otherwise size */
	uint32_t flags; /* enum dkt_field_flags */
	const struct dkt_event *event; /* that has it; common fields are alike in all */
};

/*
 * Gets all events of the kernel, sorted by system and name. The array and the events are valid as
 * long as the context, or until dkt_events_forget(). Errors: as dkt_tracefs_open().
 */
DKT_API int dkt_events(struct dkt_ctx *ctx, struct dkt_event *const **events, size_t *n);

/*
 * Returns an event by name, or NULL if the kernel does not have it or its events cannot be read;
 * dkt_error() has the reason.
 */
DKT_API struct dkt_event *dkt_event_find(struct dkt_ctx *ctx, const char *system, const char *name);

/* Return the names of an event. They are valid as long as the event. */
DKT_API const char *dkt_event_system(const struct dkt_event *event);
DKT_API const char *dkt_event_name(const struct dkt_event *event);

/*
 * Returns the ID that the records of the event have, which is above 0. -ENOENT: the event has left
 * the kernel; -ERANGE: the kernel gives a number that cannot be an ID.
 */
DKT_API int dkt_event_id(struct dkt_event *event);

/*
 * Gets the fields, common fields first, in the order of the format file. They are valid as long as
 * the event. -ENOENT: the event has left the kernel; -EINVAL: the format cannot be parsed.
 */
DKT_API int dkt_event_fields(struct dkt_event *event, const struct dkt_field *const **fields,
			     size_t *n);

/* Returns a field by name, or NULL if the event does not have it or its format cannot be read. */
DKT_API const struct dkt_field *dkt_event_field(struct dkt_event *event, const char *name);

/*
 * Forgets the catalogue, so that the next call reads the events that the kernel has now. All
 * events, fields and objects that were created for them (changes, live sources, expressions) become
 * invalid. Does nothing in the context of a file.
 */
DKT_API void dkt_events_forget(struct dkt_ctx *ctx);

/* ---- dkt_trigger(3): triggers, actions of the kernel when an event happens ------------------- */

/* A trigger of an event (the kernel's events.rst, "Event triggers"). */
struct dkt_trigger {
	const char *text; /* the command that creates it: "traceoff:3 if prio > 100" */
	const char *action; /* its first word: "traceoff", "enable_event", "hist" ... */
	const char *target; /* the "system:event" that it enables or disables; NULL: none */
	const char *filter; /* the text after "if"; NULL: none */
	int64_t left; /* number of times that it will still act; -1: no limit */
};

/*
 * Gets the triggers of an event in the instance, the newest first. The array and the triggers are
 * one allocation, which the caller frees with free(). -ENOENT: somebody has deleted the event.
 */
DKT_API int dkt_instance_get_triggers(const struct dkt_instance *instance, struct dkt_event *event,
				      struct dkt_trigger ***triggers, size_t *n);

/* ---- dkt_change(3): change an instance, all or nothing --------------------------------------- */

/*
 * Creates an empty change of an instance. The functions below add what is wanted; only
 * dkt_change_commit() changes the kernel. Errors: as dkt_events().
 */
DKT_API int dkt_change_new(struct dkt_instance *instance, struct dkt_change **change);
DKT_API void dkt_change_free(struct dkt_change *change);

/*
 * Enables exactly these events and leaves their filters alone. -EINVAL: an event is not from
 * dkt_events().
 */
DKT_API int dkt_change_events(struct dkt_change *change, struct dkt_event *const *events, size_t n);

/* Sets the filter of an event; "" removes it. The text is copied. */
DKT_API int dkt_change_filter(struct dkt_change *change, struct dkt_event *event,
			      const char *filter);

/*
 * Adds a trigger to an event. Does nothing if the event has one with the same action and target.
 * The state that an enable_event or disable_event trigger gave its target stays after the trigger
 * is removed, unless dkt_change_events() says which events are enabled. -EBUSY: the event has a
 * trigger that excludes it, as traceon excludes traceoff; -ENOENT: there is no such target;
 * -EOPNOTSUPP: the kernel does not have such triggers; -EINVAL: not a trigger, or several lines;
 * -E2BIG: longer than the kernel's limit of 4095 bytes.
 */
DKT_API int dkt_change_trigger(struct dkt_change *change, struct dkt_event *event,
			       const char *text);

/* Removes the trigger with that action and target, whatever its count and condition. */
DKT_API int dkt_change_no_trigger(struct dkt_change *change, struct dkt_event *event,
				  const char *text);

/*
 * Records these threads only; n 0: all (set_event_pid). With children the kernel adds the threads
 * that these create.
 */
DKT_API int dkt_change_pids(struct dkt_change *change, const pid_t *pids, size_t n, bool children);

/*
 * Records these CPUs only, "0-3,5"; NULL: all (tracing_cpumask). -EINVAL: not a list of CPUs, or a
 * CPU that the machine does not have.
 */
DKT_API int dkt_change_cpus(struct dkt_change *change, const char *cpus);

/*
 * Records at most so many bytes of each string and buffer that a system call points to, such as a path, or what
 * write() writes (syscall_user_buf_size). 0: none, as in each instance that the library creates. The kernel lowers
 * a value above its own limit. -EOPNOTSUPP: not 0, and the kernel does not record such data.
 */
DKT_API int dkt_change_user_data(struct dkt_change *change, uint32_t bytes);

/*
 * The functions that a tracer traces. The kernel's ftrace.rst, "dynamic ftrace", has its globs. Roots,
 * depth and threshold belong to the whole kernel. The change sets them if nobody else has, and needs
 * the spool for that; the next change without them resets them.
 */
struct dkt_tracer_opts {
	size_t sz;
	const char *const *modules; /* the functions of these loaded modules; n 0: of the kernel */
	size_t n_modules; /* if it is not 0, without is all that can choose among them */
	const char *const *only; /* "vfs_*", ":mod:xfs", "xfs_*:mod:xfs"; n 0: all functions */
	size_t n_only;
	const char *const *without; /* but not these (set_ftrace_notrace) */
	size_t n_without;
	const char *const *roots; /* and only what these call (set_graph_function) */
	size_t n_roots;
	const int32_t *pids; /* only in these threads (set_ftrace_pid) */
	size_t n_pids;
	bool children; /* also in the threads that they create */
	bool keep; /* the same as before: a tracer that is set can stay as it is */
	bool optional; /* the change applies without the tracer if the kernel refuses it */
	uint32_t depth; /* of calls, max_graph_depth; 0: all */
	uint32_t threshold; /* us, only calls that take longer (tracing_thresh); 0: all */
};

/*
 * Sets a tracer (current_tracer) for these functions; NULL: no tracer. If it is optional, and the kernel
 * does not have it or refuses it, the change has no tracer, and dkt_change_refused() has the reason.
 *
 * The kernel empties the buffers when the tracer changes. So recording stops for that moment, and
 * the records of the buffers go into the spool, where the next live source finds them. Without a
 * spool they are lost.
 *
 * A tracer that only the top instance can have is set there, if nobody uses the top instance: the
 * spool keeps the state that the top instance had, and a live source of the instance returns its
 * records too. The next change without that tracer restores the top instance.
 * -ENOENT: a glob matches no function; -EINVAL: modules together with other choices than without.
 */
DKT_API int dkt_change_tracer(struct dkt_change *change, const char *tracer,
			      const struct dkt_tracer_opts *opts);

/*
 * Applies the differences to the current state: pids, CPUs, filters and triggers before events, so
 * that no event is ever enabled without its filter. If the kernel refuses a step,
 * dkt_change_commit() undoes all earlier steps and returns the error; dkt_error() has the kernel's
 * own message from error_log, with a caret under the place. Blocks signals meanwhile. -EINVAL: the
 * kernel refuses a filter or trigger; -EBUSY: somebody else uses the top instance, or has set
 * roots, depth or threshold; -EOPNOTSUPP: the kernel does not have the tracer.
 */
DKT_API int dkt_change_commit(struct dkt_change *change);

/*
 * Returns why the tracer of dkt_change_tracer() is not set after dkt_change_commit(), or NULL if it
 * is. Valid as long as the change.
 */
DKT_API const char *dkt_change_refused(const struct dkt_change *change);

#ifdef __cplusplus
}
#endif

#include <dktrace/measure.h>
#include <dktrace/recording.h>
#include <dktrace/records.h>

#endif
