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
 * header. dkt_record never grows, because it is filled for every record and callers fill it too. What
 * is new about it gets a function.
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
 * an unknown bit, or a required member is missing.
 */
#define DKT_OPTS(type, name, ...) struct type name = { .sz = sizeof(struct type), ##__VA_ARGS__ }

struct dkt_ctx;
struct dkt_instance;
struct dkt_event;
struct dkt_change;
struct dkt_source;
struct dkt_expr;
struct dkt_style;
struct dkt_buf;

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

/*
 * dkt_error_take() removes the message of the last failure from the context and returns it, so that
 * cleaning up, which may fail too, does not overwrite it. The caller passes it to dkt_error_give(),
 * which owns it from then on and returns err, or frees it. NULL: there is no message; if err is
 * -ENOMEM, the message then is "out of memory", which needs no memory.
 */
DKT_API char *dkt_error_take(struct dkt_ctx *ctx);
DKT_API int dkt_error_give(struct dkt_ctx *ctx, int err, char *words);

/*
 * For code on top of the library: dkt_fail() sets the error message; dkt_fail_in() puts "TEXT: "
 * before the current message. Both return err.
 */
DKT_API int dkt_fail(struct dkt_ctx *ctx, int err, const char *fmt, ...) DKT_PRINTF(3, 4);
DKT_API int dkt_fail_in(struct dkt_ctx *ctx, int err, const char *fmt, ...) DKT_PRINTF(3, 4);

/* For code on top of the library: passes a message to the log function of the context, if any. */
DKT_API void dkt_log(struct dkt_ctx *ctx, enum dkt_log_level level, const char *fmt, ...)
	DKT_PRINTF(3, 4);

/* For code on top of the library: calls the progress function of the context, if any. */
DKT_API void dkt_progress(struct dkt_ctx *ctx, const char *what, size_t done, size_t of);

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

/* The purposes that dkt_caps_limit() keeps capabilities for. */
enum dkt_keep {
	DKT_KEEP_SYMBOLS = 1, /* names of kernel functions: cap_syslog */
	DKT_KEEP_TRACEFS = 2, /* tracefs of another user: cap_dac_override, cap_dac_read_search */
	DKT_KEEP_INPUT = 4, /* read files of other users: cap_dac_read_search */
	DKT_KEEP_OUTPUT = 8, /* write to directories of other users: cap_dac_override, cap_fowner */
	DKT_KEEP_KILL = 16, /* signal processes of other users: cap_kill */
};

/*
 * Drops, for good, every capability of this thread that keep (enum dkt_keep) does not name. Threads
 * and programs that it starts afterwards have no others and cannot gain any (PR_SET_NO_NEW_PRIVS);
 * threads that the process has already keep theirs: call this before there are any, or in each.
 * Capabilities that the program's file gave are kept only for DKT_KEEP_SYMBOLS and
 * DKT_KEEP_TRACEFS. -EINVAL: unknown bit in keep.
 */
DKT_API int dkt_caps_limit(struct dkt_ctx *ctx, unsigned int keep);

enum dkt_lower {
	DKT_LOWER_GAINED, /* the capabilities that the program's file gave */
	DKT_LOWER_ALL,
};

/*
 * dkt_caps_lower() makes capabilities ineffective until dkt_caps_raise(), so that this process
 * opens files without them. The two do not nest.
 */
DKT_API int dkt_caps_lower(struct dkt_ctx *ctx, enum dkt_lower which);
DKT_API int dkt_caps_raise(struct dkt_ctx *ctx);

/* A capability that tracing can use. The strings are constants. */
struct dkt_cap {
	const char *name; /* "cap_sys_admin" */
	const char *use; /* what it allows */
	bool have; /* it is effective, and in the initial user namespace */
};

/* Gets the i-th capability, counted from 0. Returns 0, or 1 after the last. */
DKT_API int dkt_caps_get(struct dkt_ctx *ctx, size_t i, struct dkt_cap *cap, size_t sz);

/* ---- dkt_instance(3): instances -------------------------------------------------------------- */

enum dkt_instance_flags {
	DKT_CREATE = 1, /* create the instance if it does not exist */
};

struct dkt_instance_opts {
	size_t sz;
	unsigned int flags; /* enum dkt_instance_flags */
	const char *spool; /* directory for records on their way out, see dkt_live(3); NULL: none */
};

/*
 * Returns 0 if an instance can have that name. NULL is the name of the top instance. -EINVAL: the
 * name is empty, begins with a dot, contains a slash or control character, or is longer than 199
 * bytes.
 */
DKT_API int dkt_instance_check_name(struct dkt_ctx *ctx, const char *name);

/*
 * Opens an instance by name; NULL is the top instance. -ENOENT: there is no instance of that name;
 * -EINVAL: invalid name or options.
 */
DKT_API int dkt_instance_open(struct dkt_ctx *ctx, const char *name,
			      const struct dkt_instance_opts *opts, struct dkt_instance **instance);

/* Frees the object. The instance stays in tracefs. */
DKT_API void dkt_instance_close(struct dkt_instance *instance);

/* True if dkt_instance_open() created the instance. */
DKT_API bool dkt_instance_is_new(const struct dkt_instance *instance);

/* Returns the name, NULL for the top instance. Valid as long as the object. */
DKT_API const char *dkt_instance_name(const struct dkt_instance *instance);

/*
 * Removes an instance with all its settings and records. -ENOENT: there is no instance of that
 * name; -EBUSY: a process has a file of the instance open; -EINVAL: invalid name, or NULL.
 */
DKT_API int dkt_instance_remove(struct dkt_ctx *ctx, const char *name);

/* Returns the number of per-CPU buffers. CPU numbers run from 0 to one less. */
DKT_API int dkt_instance_cpus(const struct dkt_instance *instance);

/* Gets the total size of the per-CPU buffers, in bytes (buffer_total_size_kb). */
DKT_API int dkt_instance_get_size(struct dkt_instance *instance, uint64_t *bytes);

/*
 * Sets the total size in bytes, the same for each CPU and at least 1 KiB (buffer_size_kb). The
 * kernel rounds up. -ENOMEM: the kernel cannot allocate the memory and keeps the old size.
 */
DKT_API int dkt_instance_set_size(struct dkt_instance *instance, uint64_t bytes);

/* Gets the name of the clock in use (trace_clock). The caller frees it. */
DKT_API int dkt_instance_get_clock(struct dkt_instance *instance, char **clock);

/* Sets the clock. The kernel empties the buffers if the clock changes. -EINVAL: unknown clock. */
DKT_API int dkt_instance_set_clock(struct dkt_instance *instance, const char *clock);

/*
 * Gets the number of nanoseconds to add to the instance's clock to get wall-clock time. Samples
 * both clocks now; a saved tracefs tree has the number in its file wall_offset. -EOPNOTSUPP: as
 * dkt_instance_now().
 */
DKT_API int dkt_instance_wall(struct dkt_instance *instance, int64_t *offset);

/*
 * Gets the current time on the instance's clock, in ns. -EOPNOTSUPP: a process cannot read that
 * clock; it can read mono, mono_raw, boot and tai.
 */
DKT_API int dkt_instance_now(struct dkt_instance *instance, uint64_t *ns);

/*
 * Records no events of n threads; n 0: of all again (set_event_notrace_pid). -ENOENT: the kernel
 * does not support it.
 */
DKT_API int dkt_instance_skip_pids(struct dkt_instance *instance, const pid_t *pids, size_t n);

/*
 * Gets the threads that are recorded; n 0: all. The caller frees the array. children is true if the
 * kernel adds the threads that these create.
 */
DKT_API int dkt_instance_get_pids(struct dkt_instance *instance, pid_t **pids, size_t *n,
				  bool *children);

/* Gets the CPUs that are recorded, as "0-3,5", which the caller frees; NULL: all. */
DKT_API int dkt_instance_get_cpus(struct dkt_instance *instance, char **cpus);

/* Sets an option of the kernel (trace_options). -ENOENT: the kernel does not have the option. */
DKT_API int dkt_instance_set_option(struct dkt_instance *instance, const char *option, bool on);

/* Gets whether the instance records (tracing_on). */
DKT_API int dkt_instance_get_on(struct dkt_instance *instance, bool *on);

/* Starts or stops recording (tracing_on). */
DKT_API int dkt_instance_set_on(struct dkt_instance *instance, bool on);

/*
 * Empties the buffers and the spool. The kernel's statistics start again from 0. -EBUSY: another
 * process reads with this spool.
 */
DKT_API int dkt_instance_clear(struct dkt_instance *instance);

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
};

/* Gets the statistics of a CPU. -ENOENT: there is no such CPU. */
DKT_API int dkt_instance_get_stats(struct dkt_instance *instance, int cpu,
				   struct dkt_cpu_stats *stats, size_t sz);

/*
 * Gets the enabled events, in the order of dkt_events(). The caller frees the array. An event that
 * only triggers use is not enabled.
 */
DKT_API int dkt_instance_get_events(struct dkt_instance *instance, struct dkt_event ***events,
				    size_t *n);

/* Gets the filter of an event in the instance, "" if it has none. The caller frees it. */
DKT_API int dkt_instance_get_filter(struct dkt_instance *instance, struct dkt_event *event,
				    char **filter);

/*
 * Returns 0 if the kernel accepts the filter. Tries it on an event that is disabled in the instance
 * and restores the event's own filter. -EINVAL: the kernel refuses the filter, dkt_error() has its
 * reason; -EBUSY: every event is enabled.
 */
DKT_API int dkt_instance_try_filter(struct dkt_instance *instance, const char *filter);

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
DKT_API int dkt_own_group(struct dkt_ctx *ctx, const char *prefix, char **group);

/*
 * Removes instances with the prefix whose process has exited, and then their probes and synthetic
 * events (dkt_own_group()). Removing one forgets the catalogue: dkt_events_forget(). Sets *n,
 * unless n is NULL, to the number of instances removed. -EBUSY: an instance could not be removed.
 */
DKT_API int dkt_instance_sweep(struct dkt_ctx *ctx, const char *prefix, size_t *n);

/*
 * Gets the names of the instances that dkt_instance_sweep() would remove, one per line; NULL if
 * it would remove no instance. The caller frees them.
 */
DKT_API int dkt_instance_left(struct dkt_ctx *ctx, const char *prefix, char **names);

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
	unsigned int flags; /* enum dkt_field_flags */
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

/*
 * Returns the event whose records have that ID, or an event of the system "unknown" if the kernel
 * does not have one. Reads IDs of events until it finds the event. NULL: no event can have that ID,
 * or the events cannot be read; dkt_error() has the reason.
 */
DKT_API struct dkt_event *dkt_event_by_id(struct dkt_ctx *ctx, int id);

/*
 * Defines an event that the kernel does not have, for records from elsewhere. format is the text of
 * a format file in tracefs. The same names return the same event again. The event lives as long as
 * the context, and dkt_events() does not list it. -EINVAL: the format cannot be parsed.
 */
DKT_API int dkt_event_define(struct dkt_ctx *ctx, const char *system, const char *name,
			     const char *format, struct dkt_event **event);

/* Return the names of an event. They are valid as long as the event. */
DKT_API const char *dkt_event_system(const struct dkt_event *event);
DKT_API const char *dkt_event_name(const struct dkt_event *event);

/*
 * Returns the position in the array of dkt_events(), which does not change while the event is valid.
 * For an event of the kernel that the array does not have, returns a number above the array's end; for
 * an event of dkt_event_define() or of the system "unknown", SIZE_MAX.
 */
DKT_API size_t dkt_event_index(const struct dkt_event *event);

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
 * Returns the print format with its arguments, as in the format file; "" if the event has none,
 * NULL if the format cannot be read. Valid as long as the event.
 */
DKT_API const char *dkt_event_print_format(struct dkt_event *event);

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
 * Parses a trigger as a user or the kernel writes it. The result is one allocation, which the
 * caller frees with free(). -EINVAL: not a trigger, or several lines; -E2BIG: longer than the
 * kernel's limit of 4095 bytes.
 */
DKT_API int dkt_trigger_parse(struct dkt_ctx *ctx, const char *text, struct dkt_trigger **trigger);

/*
 * True if the triggers differ only in count and condition, so that an event can have only one of
 * them. Two histograms are the same if their keys, the names of their variables and their
 * conditions are equal.
 */
DKT_API bool dkt_trigger_same(const struct dkt_trigger *a, const struct dkt_trigger *b);

/*
 * Gets the triggers of an event in the instance, the newest first. The array and the triggers are
 * one allocation, which the caller frees with free().
 */
DKT_API int dkt_instance_get_triggers(struct dkt_instance *instance, struct dkt_event *event,
				      struct dkt_trigger ***triggers, size_t *n);

/*
 * Returns 0 if the event can have the trigger in addition to those that it has. -EEXIST: it already
 * has one with the same action and target; -EBUSY: it has one that excludes it, as traceon excludes
 * traceoff; -ENOENT: there is no such target; -EOPNOTSUPP: the kernel does not have such triggers.
 * Other errors: as dkt_trigger_parse().
 */
DKT_API int dkt_instance_check_trigger(struct dkt_instance *instance, struct dkt_event *event,
				       const char *text);

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
 * is removed, unless dkt_change_events() says which events are enabled. -EBUSY, -ENOENT,
 * -EOPNOTSUPP, -EINVAL, -E2BIG: as dkt_instance_check_trigger().
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
 * The functions that a tracer traces. The kernel's ftrace.rst, "dynamic ftrace", has its globs. Roots,
 * depth and threshold belong to the whole kernel. The change sets them if nobody else has, and needs
 * the spool for that; the next change without them, or dkt_spool_return(), resets them.
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
	const pid_t *pids; /* only in these threads (set_ftrace_pid) */
	size_t n_pids;
	bool children; /* also in the threads that they create */
	bool keep; /* the same as before: a tracer that is set can stay as it is */
	bool optional; /* the change applies without the tracer if the kernel refuses it */
	unsigned int depth; /* of calls, max_graph_depth; 0: all */
	unsigned int threshold; /* us, only calls that take longer (tracing_thresh); 0: all */
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
 * records too. The next change without that tracer, or dkt_spool_return(), restores the top instance.
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

/* True if a change of the instance borrows the top instance. */
DKT_API bool dkt_instance_borrows_top(const struct dkt_instance *instance);

/*
 * Takes back what changes with that spool have set outside their instance, which need not exist any
 * more: resets roots, depth and threshold, and restores the top instance. Records that are still in
 * the top instance's buffers are lost. -EBUSY: a process reads them.
 */
DKT_API int dkt_spool_return(struct dkt_ctx *ctx, const char *spool);

/* ---- dkt_record(3): records ------------------------------------------------------------------ */

#define DKT_LOST_UNKNOWN UINT64_MAX

/* Bits of a record's flags: the kernel's trace_flag_type (include/linux/trace_events.h). */
enum dkt_record_flags {
	DKT_REC_IRQS_OFF = 0x01,
	DKT_REC_NEED_RESCHED = 0x04,
	DKT_REC_HARDIRQ = 0x08,
	DKT_REC_SOFTIRQ = 0x10,
	DKT_REC_NMI = 0x40,
	DKT_REC_BH_OFF = 0x80,
};

struct dkt_stack;

/* A record or, if event is NULL, a gap: records of that CPU from before ts are lost. */
struct dkt_record {
	uint64_t ts; /* ns on the clock of the source */
	struct dkt_event *event;
	const void *data; /* the bytes of the record, valid until the next call on the source */
	uint32_t size; /* bytes */
	uint32_t cpu;
	int32_t pid;
	uint8_t flags; /* enum dkt_record_flags */
	uint8_t preempt; /* preemption depth */
	bool first; /* the first record in this CPU's buffer since it was emptied */
	uint32_t stream; /* number of the stream that it is from, from 0: dkt_source_stream() */
	uint64_t lost; /* of a gap: the number of records lost, or DKT_LOST_UNKNOWN */
	const struct dkt_stack *stacks; /* for dkt_record_stack(); NULL: none */
};

/*
 * Returns the value of an integer field, sign-extended if the field is signed. Returns 0 if the
 * record is too short, or if the field is a field of another event and not a common one.
 */
DKT_API int64_t dkt_record_int(const struct dkt_record *record, const struct dkt_field *field);

/*
 * Returns the bytes of a string or array field and sets *len to their number. They are not
 * terminated and never extend beyond the record. *len is 0 if the record is too short, or if the
 * field is a field of another event and not a common one.
 */
DKT_API const void *dkt_record_bytes(const struct dkt_record *record, const struct dkt_field *field,
				     size_t *len);

/*
 * Gets the i-th call stack that the record carries, as a sample of perf does, counted from 0.
 * Returns 0, or 1 after the last. The stack is a record of ftrace:kernel_stack or ftrace:user_stack
 * with the time, CPU and thread of this one. Its data live as long as those of this one.
 */
DKT_API int dkt_record_stack(const struct dkt_record *record, size_t i, struct dkt_record *stack);

/*
 * Appends the text of a record, from the print format of its event. If the print format cannot be
 * used, the text is the fields and their values.
 */
DKT_API void dkt_record_text(const struct dkt_record *record, struct dkt_buf *buf);

/* Appends the same text, escaped as by dkt_buf_text(). */
DKT_API void dkt_record_line(const struct dkt_record *record, struct dkt_buf *buf);

/* ---- dkt_source(3): sources, records in time order ------------------------------------------- */

/*
 * Facts about a source. The strings live as long as the source. A caller that passes such a struct
 * declares it with DKT_OPTS.
 */
struct dkt_source_info {
	size_t sz;
	const char *kind; /* "ring buffers", "trace.dat version 6", "perf.data" ... */
	const char *host; /* name of the machine that recorded; NULL: unknown */
	const char *kernel; /* release and architecture of its kernel; NULL: unknown */
	const char *clock; /* name as in trace_clock; NULL: unknown */
	int cpus; /* CPU numbers of the records run from 0 to one less */
	bool has_wall; /* wall is known */
	int64_t wall; /* ns to add to the time of a record to get wall-clock time */
	const char *damage; /* the parts of a file that could not be read so far; NULL: none */
	const char *unused; /* the parts of a file that the library does not use; NULL: none */
	uint64_t id; /* of the recording; recordings of peers name it; 0: none */
};

/* A recording that was made together with a source's, on its host or in one of its guests. */
struct dkt_source_peer {
	const char *name; /* of the guest; NULL: it is the host, whose clock the times are on */
	uint64_t id; /* of the recording */
	const int32_t *threads; /* the host's thread for each CPU of the guest; 0: unknown */
	int n_threads;
};

enum dkt_source_flags {
	DKT_SOURCE_ALL = 1, /* read all buffers of a file; the stream of a record tells which */
	DKT_SOURCE_WALL = 2, /* since and until are wall-clock times, if the source knows them */
	DKT_SOURCE_PART = 4, /* one of several readers: dkt_source_loss() counts what it reads */
};

struct dkt_source_opts {
	size_t sz;
	unsigned int flags; /* enum dkt_source_flags */
	const char *buffer; /* read this buffer of a file; NULL: that of the top instance */
	uint64_t since, until; /* ns, records from since on and before until; 0: no bound */
	const int *cpus; /* read these CPUs only */
	size_t n_cpus; /* 0: all */
	const char *name; /* name of the file in messages; NULL: its path */
	/*
	 * For a saved text: the tracefs tree whose print formats made it; NULL: this
	 * kernel's.
	 */
	const char *formats;
	int fd; /* plus 1: read a duplicate of this open file, not path; 0: open path */
};

/*
 * Opens a recording: a file, whose first bytes tell its kind, or a directory that is a saved
 * tracefs tree (per_cpu/cpuN/trace_pipe_raw, events, saved_cmdlines). The context must be new. From
 * then on it stands for the kernel that recorded, with its events and the names of its functions
 * and nothing else, also after the source is closed. -EINVAL: not a recording of a known kind, or
 * invalid options; -ENOENT: there is no such file, or the file has no such buffer; -EBUSY: the
 * context already stands for another kernel; -EOPNOTSUPP: the file needs a feature that the library
 * does not have; -ENODATA: the file is empty; -EBADMSG: compressed data are damaged; -ENOSPC:
 * unpacking takes more than half of the free space in the directory for temporary files (TMPDIR).
 */
DKT_API int dkt_source_open(struct dkt_ctx *ctx, const char *path,
			    const struct dkt_source_opts *opts, struct dkt_source **source);
DKT_API void dkt_source_close(struct dkt_source *source);

/* Returns facts about a source. Valid as long as the source; damage may grow. */
DKT_API const struct dkt_source_info *dkt_source_info(const struct dkt_source *source);

/* Results of dkt_source_next() that are not failures. */
enum dkt_next {
	DKT_NEXT_RECORD, /* 0: a record, or a gap */
	DKT_NEXT_END, /* 1: there are no more records */
	DKT_NEXT_LATER, /* 2: there are no more records now; the source follows */
};

/*
 * Gets the next record or gap, in time order over all CPUs, and returns one of enum dkt_next. After
 * DKT_NEXT_LATER, write the output for the records so far, wait with dkt_source_wait() or
 * dkt_source_fd(), and call it again; it may also be called at any time. The pointers in the record
 * are valid until the next call on the source. Errors: of reading a file; of a live source also the
 * result of flush().
 */
DKT_API int dkt_source_next(struct dkt_source *source, struct dkt_record *record);

/* Returns the name of the record's process, "<...>" if unknown. Valid as long as the source. */
DKT_API const char *dkt_source_comm(struct dkt_source *source, const struct dkt_record *record);

/* Counts of one CPU. */
struct dkt_loss {
	uint64_t seen; /* records returned */
	uint64_t lost; /* records overwritten or not recorded */
	uint64_t bad; /* places where the data of a page were invalid */
};

/*
 * Gets the counts of a CPU so far. A live source takes lost from the kernel's statistics: up to the
 * last dkt_source_done(), so that the next source continues from there. With DKT_LIVE_KEEP it
 * counts up to now, with DKT_LIVE_WHOLE too until dkt_source_done() is called. -EINVAL: there is no
 * such CPU.
 */
DKT_API int dkt_source_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss, size_t sz);

/*
 * Returns the name of a stream, NULL if the source does not have so many. The streams are the
 * buffers of a file, with "" for that of the top instance, or those of the parts of a merged
 * source. Valid as long as the source.
 */
DKT_API const char *dkt_source_stream(const struct dkt_source *source, uint32_t stream);

/*
 * Gets the i-th recording that was made together with this one, counted from 0. Returns 0, or 1
 * after the last.
 */
DKT_API int dkt_source_peer(const struct dkt_source *source, size_t i, struct dkt_source_peer *peer,
			    size_t sz);

/*
 * Goes to the first record that is not before since and sets the end before until, in ns on the
 * source's clock; 0: no bound. The time that it takes depends on the records in that window, not on
 * the size of the file. -EOPNOTSUPP: this kind of source can only be read forwards.
 */
DKT_API int dkt_source_seek(struct dkt_source *source, uint64_t since, uint64_t until);

/*
 * Divides a source for readers that work in parallel, each with a context and a source of its own:
 * sets *to so that the records from time from up to *to have about that many bytes, or to
 * UINT64_MAX if that is the rest. Call dkt_source_seek() before the next record. -EOPNOTSUPP: this
 * kind of source cannot be divided.
 */
DKT_API int dkt_source_slice(struct dkt_source *source, uint64_t from, uint64_t bytes,
			     uint64_t *to);

/* True if the caller wants records of that event. */
typedef bool (*dkt_event_fn)(void *data, struct dkt_event *event);

/*
 * Leaves out records of events that the caller does not want, without reading more of them; they
 * count as seen. The source asks once for each event. Call it before the first record. -EOPNOTSUPP:
 * the source returns all records.
 */
DKT_API int dkt_source_select(struct dkt_source *source, dkt_event_fn wants, void *data);

/*
 * Call after dkt_source_select(). Leaves out most records that the expression does not match; they
 * count as seen. The caller still calls dkt_expr_match() for the rest, and keeps the expression as
 * long as it reads. -EOPNOTSUPP: the source leaves out no records.
 */
DKT_API int dkt_source_filter(struct dkt_source *source, struct dkt_expr *expr);

/*
 * Sets *done to the bytes of pages read so far and *of to the bytes of pages in the window.
 * -EOPNOTSUPP: this kind of source cannot tell.
 */
DKT_API int dkt_source_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of);

/* A part of a merged source. */
struct dkt_merge_part {
	size_t sz;
	struct dkt_source *source; /* stays the caller's, and open as long as the merged source */
	const char *name; /* of its streams: NAME, or NAME:BUFFER if a stream has a name */
	int64_t offset; /* ns to add to its times to get times on the first part's clock */
};

/*
 * Creates a source of the records of n parts, in time order; records with equal times keep the
 * order of the parts. It counts the streams of the first part first, then those of the second and
 * so on. A part that has no more records now does not delay the others. If none has,
 * dkt_source_next() returns DKT_NEXT_LATER, and the next call asks them again. dkt_source_wait()
 * and dkt_source_fd() wait for any part; dkt_source_done() declares safe those records of each part
 * that the merged source has returned. -EINVAL: n is 0, or sz is not the same in all parts; -E2BIG: a
 * part sets a member that the library does not know.
 */
DKT_API int dkt_source_merge(const struct dkt_merge_part *parts, size_t n,
			     struct dkt_source **source);

/* How to read a source of the caller's. Only next is required; NULL for the others. */
struct dkt_source_calls {
	size_t sz;
	int (*next)(void *data, struct dkt_record *record); /* as dkt_source_next() */
	const char *(*comm)(void *data, const struct dkt_record *record);
	int (*loss)(void *data, int cpu, struct dkt_loss *loss);
	void (*close)(void *data);
	int (*bytes)(const void *data, uint64_t *done, uint64_t *of); /* as dkt_source_bytes() */
	int (*fd)(const void *data); /* as dkt_source_fd(), if next() returns DKT_NEXT_LATER */
	int (*done)(void *data); /* as dkt_source_done() */
};

/*
 * Creates a source of records from elsewhere, which next() returns in time order;
 * dkt_event_define() defines their events. A new context then has no other events. The strings of
 * info must live as long as the source; NULL: nothing is known. dkt_source_close() calls close();
 * this function also does if it fails, whatever is wrong but calls itself. -EINVAL: there is no
 * next(), or invalid options.
 */
DKT_API int dkt_source_make(struct dkt_ctx *ctx, const struct dkt_source_calls *calls, void *data,
			    const struct dkt_source_info *info, const struct dkt_source_opts *opts,
			    struct dkt_source **source);

/* ---- dkt_live(3): live sources and their spools ---------------------------------------------- */

/*
 * A spool is a directory that keeps the records between the kernel and their destination, and notes
 * with which a later process undoes the changes of a killed one. dkt_instance_open() gives it to the
 * instance; live sources, changes and all other functions find it there. Only dkt_spool_return()
 * takes a path, because the instance may be gone by then.
 */

enum dkt_live_flags {
	DKT_LIVE_KEEP = 1, /* leave the records in the spool; only a saved tree needs none */
	DKT_LIVE_FOLLOW = 2, /* wait for more records at the end */
	DKT_LIVE_WHOLE = 4, /* remove nothing before dkt_source_done(): no flush() */
};

struct dkt_live_opts {
	size_t sz;
	unsigned int flags; /* enum dkt_live_flags */
	uint64_t until; /* ns on the instance's clock: stop there; 0: no bound */
	/*
	 * Called before pages are removed: writes the output for the records returned so
	 * far. A value other than 0 ends the reading with that error, and the records stay.
	 * NULL: nothing to do.
	 */
	int (*flush)(void *data);
	void *data;
	/*
	 * With DKT_LIVE_FOLLOW: wake up when a CPU's buffer is that full, in percent
	 * (buffer_percent, which dkt_source_close() restores); 0: when it has a record.
	 */
	unsigned int wake_percent;
};

/*
 * Opens the per-CPU buffers of an instance. The source moves their pages into files in the spool,
 * which is created if needed. The pages stay there until flush() and dkt_source_done() tell that
 * the records are safe elsewhere, so that a process that is killed loses none. Without a spool the
 * records that it read are lost then. -EBUSY: another process reads with this spool,
 * dkt_error() names it; -EINVAL: invalid options, or DKT_LIVE_KEEP without a spool
 * on an instance that is not in a saved tree.
 */
DKT_API int dkt_source_live(struct dkt_instance *instance, const struct dkt_live_opts *opts,
			    struct dkt_source **source);

/*
 * Waits for new records or for dkt_source_wake(), at most timeout_ms milliseconds; -1: without
 * limit. Returns 0 if there may be records. -EINTR: a signal arrived; -EOPNOTSUPP: the source does
 * not follow.
 */
DKT_API int dkt_source_wait(struct dkt_source *source, int timeout_ms);

/*
 * Returns a descriptor for an event loop. It is readable when dkt_source_wait() would return at
 * once. Then call dkt_source_wait() with 0, which takes away a wake-up, and dkt_source_next() until
 * it returns DKT_NEXT_LATER; before that the descriptor need not become readable again. The
 * descriptor stays the source's: poll it and do nothing else with it. -EOPNOTSUPP: the source does
 * not follow.
 */
DKT_API int dkt_source_fd(struct dkt_source *source);

/*
 * Makes the current dkt_source_wait(), or otherwise the next one, return at once. It is the only
 * call on a source that another thread or a signal handler may make, as long as the source is open.
 * -EOPNOTSUPP: the source does not follow.
 */
DKT_API int dkt_source_wake(struct dkt_source *source);

/*
 * Declares all records returned so far safe: a live source removes them from its spool, unless it
 * has DKT_LIVE_KEEP. Other sources ignore it.
 */
DKT_API int dkt_source_done(struct dkt_source *source);

/* Runs while recording is stopped: dkt_instance_rest(). */
typedef int (*dkt_rest_fn)(void *data);

/*
 * Stops recording, moves all records of the buffers into the spool, calls fn, and starts recording
 * again; for operations that make the kernel empty the buffers. The next live source returns the
 * records; without a spool they are lost. Returns the result of fn. -EBUSY: another process reads
 * with this spool.
 */
DKT_API int dkt_instance_rest(struct dkt_instance *instance, dkt_rest_fn fn, void *data);

/*
 * Starts recording again if a process was killed during dkt_instance_rest(). Call it before the
 * next change.
 */
DKT_API int dkt_instance_wake(struct dkt_instance *instance);

/* Gets the size of the pages in the spool in bytes; 0 without a spool. Takes no lock. */
DKT_API int dkt_spool_bytes(const struct dkt_instance *instance, uint64_t *bytes);

/* ---- dkt_tracedat(3): write trace.dat files -------------------------------------------------- */

struct dkt_tracedat;

struct dkt_tracedat_opts {
	size_t sz;
	unsigned int version; /* of the file format: 6 or 7; 0: 7 */
	const char *compression; /* "zstd", "zlib", "none"; NULL: zstd, none in version 6 */
	const char *dir; /* for the unnamed file with the records until the end; NULL: /tmp */
	bool part; /* a part of the source: count only the losses in its gaps */
};

/*
 * Begins a file for trace-cmd(1), KernelShark and libtracecmd with records of a source.
 * trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) describe the format. fd stays the caller's; its file
 * must be empty and seekable. The library writes nothing to it before dkt_tracedat_finish().
 * Messages go to ctx. -EINVAL: unknown version or compression, or invalid options.
 */
DKT_API int dkt_tracedat_new(struct dkt_ctx *ctx, struct dkt_source *source, int fd,
			     const struct dkt_tracedat_opts *opts, struct dkt_tracedat **out);

/*
 * Adds a record or gap of the source. If the ID of its event is taken in the file, the event gets
 * another one. -EMSGSIZE: the record is longer than a page of 64 KiB; -ERANGE: the CPU number is
 * above the limit of the library.
 */
DKT_API int dkt_tracedat_add(struct dkt_tracedat *out, const struct dkt_record *record);

/*
 * Writes the file. The source must still be open, because the names of processes are read from it
 * now. Errors: of write(2).
 */
DKT_API int dkt_tracedat_finish(struct dkt_tracedat *out);
DKT_API void dkt_tracedat_free(struct dkt_tracedat *out);

/* ---- dkt_expr(3): filter expressions --------------------------------------------------------- */

/* Sets the value of a word that is used as a constant for a field. -ENOENT: unknown word. */
typedef int (*dkt_constant_fn)(void *data, const char *field, const char *word, uint64_t *value);

struct dkt_expr_opts {
	size_t sz;
	dkt_constant_fn constant; /* for words that the library does not know; NULL: none */
	void *data; /* lives as long as the expression */
};

/*
 * Parses an expression: the kernel's filter language (the kernel's events.rst) with names for
 * numbers (errno names, the names in the event's print format, those of opts->constant), which |
 * can join, units (ns us ms s, in ns; k M G T, powers of 1024), and single words for strings
 * without quotes. -EINVAL: the expression is invalid, dkt_error() shows the place with a caret.
 */
DKT_API int dkt_expr_new(struct dkt_ctx *ctx, const char *text, const struct dkt_expr_opts *opts,
			 struct dkt_expr **expr);
DKT_API void dkt_expr_free(struct dkt_expr *expr);

/*
 * Returns 0 if the expression fits the event. -ENOENT: the event lacks a field; -EINVAL: a value
 * does not fit the type of its field.
 */
DKT_API int dkt_expr_check(struct dkt_expr *expr, struct dkt_event *event);

/*
 * Returns 0 if dkt_expr_match() can test records of the event. -EOPNOTSUPP: the records have only
 * the address of a string that the expression names, so that none matches. Otherwise as
 * dkt_expr_check().
 */
DKT_API int dkt_expr_check_match(struct dkt_expr *expr, struct dkt_event *event);

enum dkt_expr_any_flags {
	DKT_EXPR_MATCH = 1, /* check each event as dkt_expr_check_match() does */
};

/*
 * Returns 0 if the expression fits at least one of n events. If not, the message is about the whole
 * set: a value that does not fit the first event that has all fields, or the field that no event
 * has and the most similar name. flags are enum dkt_expr_any_flags. -ENOENT, -EINVAL, -EOPNOTSUPP:
 * as dkt_expr_check_match().
 */
DKT_API int dkt_expr_check_any(struct dkt_expr *expr, struct dkt_event *const *events, size_t n,
			       unsigned int flags);

/*
 * Gets the expression in the kernel's language for that event. The caller frees it. Quotes patterns
 * that the kernel would misread ("8*", and "*x" on an array). -E2BIG: longer than the kernel's
 * limit of 4095 bytes. Otherwise as dkt_expr_check().
 */
DKT_API int dkt_expr_text(struct dkt_expr *expr, struct dkt_event *event, char **text);

/*
 * True if the record matches. A record of an event that lacks a field of the expression does not
 * match. comm is the name of the record's process, for COMM.
 */
DKT_API bool dkt_expr_match(struct dkt_expr *expr, const struct dkt_record *record,
			    const char *comm);

/* ---- dkt_style(3): styles, layouts of printed records (dktrace-styles(7)) -------------------- */

enum dkt_style_traits {
	DKT_STYLE_DATA = 1, /* for programs: add nothing else to the output */
	DKT_STYLE_BINARY = 2, /* not for a terminal */
	DKT_STYLE_ORDER = 4, /* one object must get all records, in time order */
	DKT_STYLE_FILES = 8, /* writes files of its own in a directory, nothing to the buffer */
	DKT_STYLE_COLOR = 16, /* uses the option color */
};

/* A style. The strings are constants. */
struct dkt_style_info {
	const char *name;
	const char *words; /* a description for lists */
	unsigned int traits; /* enum dkt_style_traits */
};

/* Gets the i-th style, counted from 0. Returns 0, or 1 after the last. */
DKT_API int dkt_style_get(size_t i, struct dkt_style_info *info, size_t sz);

struct dkt_style_opts {
	size_t sz;
	const struct dkt_source_info *source; /* of the records, copied; NULL: unknown */
	/*
	 * Fields to print, copied: fields of the event, common fields, and those that every
	 * record has: ts wall cpu pid comm flags system event text. "*": all fields of the
	 * event. The text styles raw, json and csv use them.
	 */
	const char *const *fields;
	size_t n_fields; /* 0: all fields of the event */
	const char *dir; /* directory for a style with DKT_STYLE_FILES, which creates it */
	bool wall; /* text styles print wall-clock time, if the source knows it */
	bool color; /* use colours, for a terminal */
	/*
	 * Appends the text of a record whose event's print format does not give it, and
	 * returns true; trailing newlines are removed. Returns false, without appending, if
	 * the print format gives the text. The answer is the same for all records of an
	 * event. With buf NULL, only returns the answer. NULL: the print format is always
	 * used.
	 */
	bool (*text)(void *data, const struct dkt_record *record, struct dkt_buf *buf);
	void *data;
	/*
	 * json names the stream of a record as this source does; NULL: by number. Outlives
	 * the style.
	 */
	struct dkt_source *streams;
	/*
	 * trace and csv print text as recorded, not as dkt_buf_text() does. json, raw and
	 * folded, whose escapes can be undone, ignore it.
	 */
	bool raw_text;
};

/*
 * Creates a style by name. -ENOENT: there is no such style; -EINVAL: invalid options, or no directory
 * for a style with DKT_STYLE_FILES; -EEXIST: the directory is not empty; -EPERM: the directory belongs
 * to another user.
 */
DKT_API int dkt_style_new(struct dkt_ctx *ctx, const char *name, const struct dkt_style_opts *opts,
			  struct dkt_style **style);
DKT_API void dkt_style_free(struct dkt_style *style);

/*
 * A style of the caller's. Only record is required; NULL for the others. record gets each record with
 * its stacks, see dkt_record_stack().
 */
struct dkt_style_calls {
	size_t sz;
	int (*begin)(void *data, struct dkt_buf *buf); /* as dkt_style_begin() */
	int (*record)(void *data, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf);
	int (*flush)(void *data, struct dkt_buf *buf);
	int (*end)(void *data, struct dkt_buf *buf);
	void (*close)(void *data);
};

/*
 * Creates a style of the caller's. dkt_style_free() calls close(); so does this function if it fails,
 * whatever is wrong but calls itself. -EINVAL: there is no record(), or invalid options.
 */
DKT_API int dkt_style_make(struct dkt_ctx *ctx, const struct dkt_style_calls *calls, void *data,
			   struct dkt_style **style);

/*
 * Returns the i-th name, counted from 0, of the fields that every record has, for dkt_style_opts;
 * NULL after the last.
 */
DKT_API const char *dkt_style_field(size_t i);

/* Appends the beginning of the output. */
DKT_API int dkt_style_begin(struct dkt_style *style, struct dkt_buf *buf);

/*
 * Appends a record or gap. comm is the name of its process; as long as the style is used, the same
 * address must hold the same name. Errors: of write(2), if the style writes files.
 */
DKT_API int dkt_style_record(struct dkt_style *style, const struct dkt_record *record,
			     const char *comm, struct dkt_buf *buf);

/* Appends output that the style holds back, or writes it to its files. */
DKT_API int dkt_style_flush(struct dkt_style *style, struct dkt_buf *buf);

/* Appends the end of the output, or completes the files. */
DKT_API int dkt_style_end(struct dkt_style *style, struct dkt_buf *buf);

/* Appends one line in the style of the kernel's trace file and of trace-cmd report, escaped. */
DKT_API void dkt_style_trace(const struct dkt_record *record, const char *comm,
			     struct dkt_buf *buf);

/* ---- dkt_buf(3): text buffers ---------------------------------------------------------------- */

/*
 * Creates a byte buffer that grows. If an allocation fails, the buffer keeps its contents, ignores
 * what was to be appended, and dkt_buf_error() returns -ENOMEM until dkt_buf_reset().
 */
DKT_API int dkt_buf_new(struct dkt_buf **buf);
DKT_API void dkt_buf_free(struct dkt_buf *buf);

/* Returns the bytes, not terminated, and sets *len. Valid until the next call on the buffer. */
DKT_API const char *dkt_buf_data(const struct dkt_buf *buf, size_t *len);

/* Empties the buffer and keeps its memory. */
DKT_API void dkt_buf_reset(struct dkt_buf *buf);

/* Returns 0, or -ENOMEM if something could not be appended. */
DKT_API int dkt_buf_error(const struct dkt_buf *buf);

/*
 * Append bytes, a string, a number in decimal or in hexadecimal, and a formatted text (printf(3)).
 * pad fills numbers up to width, on the left.
 */
DKT_API void dkt_buf_add(struct dkt_buf *buf, const void *bytes, size_t len);
DKT_API void dkt_buf_str(struct dkt_buf *buf, const char *str);
DKT_API void dkt_buf_u64(struct dkt_buf *buf, uint64_t value, int width, char pad);
DKT_API void dkt_buf_hex(struct dkt_buf *buf, uint64_t value, int width, char pad);
DKT_API void dkt_buf_printf(struct dkt_buf *buf, const char *fmt, ...) DKT_PRINTF(2, 3);

/*
 * dkt_buf_text() appends text and escapes the characters that would control a terminal, end a line
 * or turn the reading order, because text from a trace is data: as \n, \t, \xHH or, for a character
 * of UTF-8, \uHHHH. These are control characters, those of C1 too, bytes that are not UTF-8, and
 * invisible characters such as U+202E. dkt_buf_escape() escapes the contents of the buffer from an
 * offset on, except a last newline.
 */
DKT_API void dkt_buf_text(struct dkt_buf *buf, const char *text, size_t len);
DKT_API void dkt_buf_escape(struct dkt_buf *buf, size_t from);

/*
 * Appends a cell of comma-separated values (RFC 4180), escaped in the same way but with \xHH for
 * newlines too, and for a backslash before x or u. A text that a spreadsheet would take for a
 * formula, because it begins with = + - or @ and is not a number, gets an apostrophe in front.
 */
DKT_API void dkt_buf_cell(struct dkt_buf *buf, const char *text, size_t len);

/*
 * Formats like vasprintf(3) and escapes like dkt_buf_text(); newlines stay if the format contains
 * one, or is "%s". Messages for dkt_error() are made this way. The caller frees the text. NULL: out
 * of memory.
 */
DKT_API char *dkt_words(const char *fmt, va_list ap) DKT_PRINTF(1, 0);

/* The recorded arguments of a kernel message. */
struct dkt_kprintf_args {
	size_t sz;
	struct dkt_ctx *ctx; /* for the names of functions; NULL: they are unknown */
	const void *words; /* 8 bytes for each argument, in any alignment */
	size_t n; /* number of arguments */
	/* Gets the recorded bytes that argument i points to. NULL: there are none. */
	void (*pointee)(void *data, size_t i, const void **bytes, size_t *len);
	/*
	 * Gets the format and arguments behind argument i, a %pV. False or NULL: they are
	 * unknown.
	 */
	bool (*nested)(void *data, size_t i, const char **fmt, size_t *len,
		       struct dkt_kprintf_args *args);
	void *data;
	/* Gets the first bytes that argument i points to, if pointee stops at a NUL. */
	void (*raw)(void *data, size_t i, const void **bytes, size_t *len);
	/* Gets the name of the dentry that argument i points to, a %pd. NULL: unknown. */
	void (*dentry_name)(void *data, size_t i, const void **bytes, size_t *len);
};

/*
 * Appends the text that the kernel's printf makes of the format, with its extensions (the kernel's
 * printk-formats.rst), and prints addresses as they are. A recorded string without a NUL ends in
 * "...". If the data behind a pointer were not recorded, it prints the conversion and the address:
 * <%pD 0xffff888100a00000>.
 */
DKT_API void dkt_buf_kprintf(struct dkt_buf *buf, const char *fmt, size_t len,
			     const struct dkt_kprintf_args *args);

/* ---- dkt_symbol(3): names of functions and system calls -------------------------------------- */

/*
 * Returns the name of the kernel function that contains the address, and sets *offset to the
 * distance from its start in bytes. Reads /proc/kallsyms, or the symbols in the recording that the
 * context stands for. NULL: unknown. Valid as long as the context.
 */
DKT_API const char *dkt_symbol(struct dkt_ctx *ctx, uint64_t address, uint64_t *offset);

/* Returns the name of the module that contains the address. NULL: none, or unknown. */
DKT_API const char *dkt_symbol_module(struct dkt_ctx *ctx, uint64_t address);

/*
 * Returns the name of a system call on the machine that the context's records are from: the machine that
 * recorded the file, or dkt_ctx_opts.machine. NULL: the number or the machine is unknown. The string
 * lives as long as the context.
 */
DKT_API const char *dkt_syscall_name(struct dkt_ctx *ctx, int number);

/* ---- dkt_netlink(3): generic netlink --------------------------------------------------------- */

/*
 * Returns 1 if the kernel has the generic netlink family, 0 if not. Needs no privileges.
 * -ETIMEDOUT: the kernel did not answer; other errors of sockets.
 */
DKT_API int dkt_netlink_family(struct dkt_ctx *ctx, const char *family);

/*
 * Receives the attributes of an answer, nested ones in place. A value other than 0 ends the dump.
 */
typedef int (*dkt_netlink_fn)(void *data, const void *attrs, size_t len);

/*
 * Sends a dump request and calls fn with the attributes of every answer. Returns 0, or the value of
 * fn if it is negative. -ENOENT: there is no such family; -ETIMEDOUT: the kernel did not answer;
 * -EAGAIN: the dump was interrupted by a change; -EBADMSG: an answer is invalid; other errors of
 * sockets and of the family.
 */
DKT_API int dkt_netlink_dump(struct dkt_ctx *ctx, const char *family, uint8_t command,
			     uint8_t version, dkt_netlink_fn fn, void *data);

#ifdef __cplusplus
}
#endif

#include <dktrace/measure.h>

#endif
