/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdktrace: trace events, filters and per-CPU ring buffers of the Linux kernel's tracefs.
 *
 * Every call that can fail returns 0 or a negative errno value; results come through
 * out-pointers, which are set to NULL (or -1) first. The words of the last failure are in the
 * context: dkt_error(). Nothing here prints or exits. A context and what hangs off it belong to
 * one thread at a time. _free and _close functions take NULL.
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

/* Of this header; the Makefile takes it from here. As a text and as a number that can be compared. */
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
 * Declares an options struct with its size set, all other members zero or as given. Where a call takes
 * one NULL means all defaults. A caller that was built with an older header has a smaller one, the rest
 * is zero. A larger one whose bytes beyond what this library knows are not zero is -E2BIG; a size that
 * is not set, an unknown bit in flags and a member that is needed and not there are -EINVAL; all with
 * words.
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

/* The DKT_VERSION_NUMBER of the library in use; text, if not NULL, becomes its DKT_VERSION. */
DKT_API int dkt_version(const char **text);

/* ---- context ------------------------------------------------------------------------------ */

enum dkt_log_level { DKT_LOG_WARN, DKT_LOG_INFO, DKT_LOG_DEBUG };

/* Receives one message without newline; errno is preserved around the call. */
typedef void (*dkt_log_fn)(void *data, enum dkt_log_level level, const char *text);

/*
 * How far the switching of what is named ("events", "functions", "probes") is, or the reading of a "file"
 * that is opened, which may take seconds.
 * done == of ends it, also when it fails. errno is preserved around the call.
 */
typedef void (*dkt_progress_fn)(void *data, const char *what, size_t done, size_t of);

struct dkt_ctx_opts {
	size_t sz;
	const char *root; /* directory that stands for tracefs; NULL: find the mounted one */
	dkt_log_fn log; /* NULL: silent */
	void *log_data;
	dkt_progress_fn progress; /* NULL: nobody asks */
	void *progress_data;
};

/* Makes a context. Touches nothing in the system. -ENOMEM; -EINVAL, -E2BIG as of DKT_OPTS. */
DKT_API int dkt_ctx_new(const struct dkt_ctx_opts *opts, struct dkt_ctx **ctx);
DKT_API void dkt_ctx_free(struct dkt_ctx *ctx);

/* Words of the last failure, "" if none; valid until the next call on the context. */
DKT_API const char *dkt_error(const struct dkt_ctx *ctx);

/*
 * The words of the last failure, taken out of the context to be kept while something is undone: the
 * caller frees them, or gives them back, whatever has failed since. give takes them over and returns err.
 */
DKT_API char *dkt_error_take(struct dkt_ctx *ctx);
DKT_API int dkt_error_give(struct dkt_ctx *ctx, int err, char *words);

/* For layers above: set the words of a failure, or put words before those there. Return err. */
DKT_API int dkt_fail(struct dkt_ctx *ctx, int err, const char *fmt, ...) DKT_PRINTF(3, 4);
DKT_API int dkt_fail_in(struct dkt_ctx *ctx, int err, const char *fmt, ...) DKT_PRINTF(3, 4);

/* For layers above: hands a line to the context's log function, if it has one. */
DKT_API void dkt_log(struct dkt_ctx *ctx, enum dkt_log_level level, const char *fmt, ...)
	DKT_PRINTF(3, 4);

/* For layers above: tells the context's progress function, if it has one. */
DKT_API void dkt_progress(struct dkt_ctx *ctx, const char *what, size_t done, size_t of);

/* ---- tracefs ------------------------------------------------------------------------------ */

enum dkt_tracefs_flags {
	DKT_MOUNT = 1, /* mount tracefs if it is not mounted (needs CAP_SYS_ADMIN) */
};

/*
 * Finds tracefs by statfs() magic (/sys/kernel/tracing, then the mount table) and opens it; does
 * nothing if that has been done. -ENOENT: not mounted; -EACCES: no right to it;
 * -EOPNOTSUPP: this kernel has none. Every call that needs tracefs does this first, without flags,
 * and returns these errors; not where the context is of a file.
 */
DKT_API int dkt_tracefs_open(struct dkt_ctx *ctx, unsigned int flags);

/* Where it is, "" before it was opened; valid as long as the context. */
DKT_API const char *dkt_tracefs_dir(const struct dkt_ctx *ctx);

/* True if dkt_tracefs_open() had to mount it. */
DKT_API bool dkt_tracefs_was_mounted(const struct dkt_ctx *ctx);

/* ---- capabilities (capabilities(7)) -------------------------------------------------------- */

enum dkt_need {
	DKT_NEED_READ = 1, /* look at tracefs and its events */
	DKT_NEED_CONTROL = 2, /* change instances, events and buffers */
	DKT_NEED_MOUNT = 4, /* mount tracefs */
};

/*
 * 0 if this process may do all of the needs, else -EPERM with the missing capabilities named in
 * dkt_error(). Looks at effective capabilities and at the owner and mode of the tracefs directory;
 * touches nothing.
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
 * Drops, for good, every capability that keep (enum dkt_keep) does not name. A program that is
 * started afterwards cannot gain any either (PR_SET_NO_NEW_PRIVS).
 */
DKT_API int dkt_caps_limit(struct dkt_ctx *ctx, unsigned int keep);

/* The same, leaving what reading an open live source needs: DKT_KEEP_SYMBOLS and DKT_KEEP_TRACEFS. */
DKT_API int dkt_caps_drop(struct dkt_ctx *ctx);

enum dkt_lower {
	DKT_LOWER_GAINED, /* those that the program's file gave, so that the caller's own are left */
	DKT_LOWER_ALL,
};

/*
 * Makes capabilities ineffective until dkt_caps_raise(): what is opened meanwhile is opened without
 * them. The two do not nest.
 */
DKT_API int dkt_caps_lower(struct dkt_ctx *ctx, enum dkt_lower which);
DKT_API int dkt_caps_raise(struct dkt_ctx *ctx);

/* A capability that tracing can make use of. */
struct dkt_cap {
	const char *name; /* "cap_sys_admin" */
	const char *use; /* what for, in words */
	bool have; /* it is effective, and not only in a user namespace of its own */
};

/* The i-th of them, counted from 0. 0: there is one; 1: end. */
DKT_API int dkt_caps_get(struct dkt_ctx *ctx, size_t i, struct dkt_cap *cap);

/* ---- features of this kernel's tracefs ------------------------------------------------------ */

struct dkt_feature {
	const char *name;
	bool have;
	const char *words; /* what it serves for, or why it is not there */
};

/*
 * The i-th of them, counted from 0. 0: there is one; 1: end; else as dkt_tracefs_open(). Looks for
 * files and at what the kernel says of itself, never at its version; a knob that is there but refused
 * is not had.
 */
DKT_API int dkt_feature_get(struct dkt_ctx *ctx, size_t i, struct dkt_feature *feature);

/* ---- instances ----------------------------------------------------------------------------- */

enum dkt_instance_flags {
	DKT_CREATE = 1, /* make the instance if it is not there */
};

/* -EINVAL, with words: an instance cannot be called that. NULL, the top one's name, is right. */
DKT_API int dkt_instance_check_name(struct dkt_ctx *ctx, const char *name);

/*
 * Opens an instance by name, NULL for the top one. -ENOENT: there is none of that name; -EINVAL: it
 * cannot be one.
 */
DKT_API int dkt_instance_open(struct dkt_ctx *ctx, const char *name, unsigned int flags,
			      struct dkt_instance **instance);
DKT_API void dkt_instance_close(struct dkt_instance *instance);

/* True if dkt_instance_open() made it. */
DKT_API bool dkt_instance_is_new(const struct dkt_instance *instance);
DKT_API const char *dkt_instance_name(const struct dkt_instance *instance);
DKT_API struct dkt_ctx *dkt_instance_ctx(const struct dkt_instance *instance);

/* Removes an instance with all its settings and records. -ENOENT; -EBUSY: somebody reads it. */
DKT_API int dkt_instance_remove(struct dkt_ctx *ctx, const char *name);

/* Number of per-CPU buffers; CPU numbers run from 0 to one less. */
DKT_API int dkt_instance_cpus(const struct dkt_instance *instance);

/* Bytes of all per-CPU buffers together, as the kernel reports it. */
DKT_API int dkt_instance_get_size(struct dkt_instance *instance, uint64_t *bytes);

/*
 * Asks for that many bytes over all CPUs, divided evenly. What is allocated is rounded up by the
 * kernel. -ENOMEM: memory cannot give it, the old size is in force.
 */
DKT_API int dkt_instance_set_size(struct dkt_instance *instance, uint64_t bytes);

/* The name of the clock in use, as in trace_clock; the caller frees it. */
DKT_API int dkt_instance_get_clock(struct dkt_instance *instance, char **clock);

/* Changes the clock. The kernel empties the buffers when it does. -EINVAL: unknown clock. */
DKT_API int dkt_instance_set_clock(struct dkt_instance *instance, const char *clock);

/*
 * What to add to the instance's clock to get wall-clock time, ns. It is sampled now; of a saved
 * tree it is what its file wall_offset says. -EOPNOTSUPP as for dkt_instance_now().
 */
DKT_API int dkt_instance_wall(struct dkt_instance *instance, int64_t *offset);

/*
 * The time now on the instance's clock, ns. -EOPNOTSUPP: not a clock that a process can read
 * (mono, mono_raw, boot and tai are).
 */
DKT_API int dkt_instance_now(struct dkt_instance *instance, uint64_t *ns);

/* Records events of these processes only; n 0: of all. */
DKT_API int dkt_instance_set_pids(struct dkt_instance *instance, const pid_t *pids, size_t n);

/*
 * Makes an instance for this process alone, PREFIX-PID-TIME with the time when it was started, so
 * that nobody mistakes it for that of a process of the same number. Removes instances of the prefix
 * whose process is no more.
 */
DKT_API int dkt_instance_own(struct dkt_ctx *ctx, const char *prefix,
			     struct dkt_instance **instance);

/*
 * The name for groups of probes, and for synthetic events, that go with such an instance; the caller
 * frees it.
 */
DKT_API int dkt_own_group(struct dkt_ctx *ctx, const char *prefix, char **group);

/*
 * Removes those of the prefix whose process is no more, and then probes and synthetic events of
 * such names, upon which events are no longer valid: see dkt_own_group(). n, if not NULL: how many
 * instances.
 */
DKT_API int dkt_instance_sweep(struct dkt_ctx *ctx, const char *prefix, size_t *n);

/* Names of the instances that dkt_instance_sweep() would remove, a line each; NULL: there are none. */
DKT_API int dkt_instance_left(struct dkt_ctx *ctx, const char *prefix, char **names);

/* Switches an option (trace_options). -ENOENT: this kernel has none of that name. */
DKT_API int dkt_instance_set_option(struct dkt_instance *instance, const char *option, bool on);

/* Records no events of these processes; n 0: of all. -ENOENT: this kernel cannot. */
DKT_API int dkt_instance_skip_pids(struct dkt_instance *instance, const pid_t *pids, size_t n);

/* The threads that are recorded, n 0: all; the caller frees them. With children: what they make too. */
DKT_API int dkt_instance_get_pids(struct dkt_instance *instance, pid_t **pids, size_t *n,
				  bool *children);

/* The CPUs that are recorded, as "0-3,5", which the caller frees; NULL: all. */
DKT_API int dkt_instance_get_cpus(struct dkt_instance *instance, char **cpus);

DKT_API int dkt_instance_get_on(struct dkt_instance *instance, bool *on);
DKT_API int dkt_instance_set_on(struct dkt_instance *instance, bool on);

/* Empties the buffers; the kernel's statistics start again from 0. */
DKT_API int dkt_instance_clear(struct dkt_instance *instance);

/* Writes text as one record of the event ftrace:print. Longer than the kernel takes: -EMSGSIZE. */
DKT_API int dkt_instance_mark(struct dkt_instance *instance, const char *text);

/*
 * Kernel's per_cpu/cpuN/stats, all in events but bytes. Of what was ever generated since the
 * last clear, entries + read + overrun were recorded, commit_overrun + dropped were not.
 */
struct dkt_cpu_stats {
	uint64_t entries; /* in the buffer, not read yet */
	uint64_t overrun; /* overwritten before they were read */
	uint64_t commit_overrun; /* not recorded: nested too deep or the buffer too small */
	uint64_t dropped; /* not recorded: buffer full and not in overwrite mode */
	uint64_t read; /* taken out by a reader */
	uint64_t bytes; /* in the buffer, not read yet */
};

DKT_API int dkt_instance_get_stats(struct dkt_instance *instance, int cpu,
				   struct dkt_cpu_stats *stats);

/* ---- event catalogue ------------------------------------------------------------------------ */

enum dkt_field_flags {
	DKT_FIELD_COMMON = 1, /* one of the fields that every event has */
	DKT_FIELD_SIGNED = 2,
	DKT_FIELD_STRING = 4, /* char[], __data_loc char[], or a kernel's char pointer */
	DKT_FIELD_DYNAMIC = 8, /* __data_loc or __rel_loc: offset and length in the record */
	DKT_FIELD_ARRAY = 16,
	DKT_FIELD_POINTER = 32,
	DKT_FIELD_RELATIVE = 64, /* __rel_loc */
};

struct dkt_field {
	const char *name;
	const char *type; /* as in the format file */
	uint32_t offset; /* bytes from the start of the record */
	uint32_t size; /* bytes */
	uint32_t element; /* bytes of an array's element, else size */
	unsigned int flags;
	const struct dkt_event *event; /* whose it is; common ones are the same in all events */
};

/* All events of this kernel, sorted by system and name; valid as long as the context. */
DKT_API int dkt_events(struct dkt_ctx *ctx, struct dkt_event *const **events, size_t *n);

/* NULL if this kernel has no such event, or its events cannot be read: dkt_error() says which. */
DKT_API struct dkt_event *dkt_event_find(struct dkt_ctx *ctx, const char *system, const char *name);

/*
 * The event whose records carry that number; one of the system "unknown" if the kernel has none. Reads
 * ids until it is found. NULL: it is no number of an event, or the events cannot be read.
 */
DKT_API struct dkt_event *dkt_event_by_id(struct dkt_ctx *ctx, int id);

/*
 * An event that no kernel has, for records from elsewhere: format is the text of a format file. The
 * same names give the same event again; it lives as long as the context and is not among dkt_events().
 * -EINVAL: the text is no format.
 */
DKT_API int dkt_event_define(struct dkt_ctx *ctx, const char *system, const char *name,
			     const char *format, struct dkt_event **event);

DKT_API const char *dkt_event_system(const struct dkt_event *event);
DKT_API const char *dkt_event_name(const struct dkt_event *event);

/* Position in the list of dkt_events(): stable as long as the context. */
DKT_API size_t dkt_event_index(const struct dkt_event *event);

/* The number in its records, or a negative errno value. */
DKT_API int dkt_event_id(struct dkt_event *event);

/* The fields, common ones first, in the order of the format file; valid as long as the context. */
DKT_API int dkt_event_fields(struct dkt_event *event, const struct dkt_field **fields, size_t *n);
DKT_API const struct dkt_field *dkt_event_field(struct dkt_event *event, const char *name);

/*
 * What its records say: the print format with its arguments, as in the format file; "" if it has
 * none, NULL if the format cannot be read. Valid as long as the context.
 */
DKT_API const char *dkt_event_print_format(struct dkt_event *event);

/*
 * Forgets the catalogue, so that the next call reads what events there are now. All events and
 * fields, and what was made for them (changes, live sources, expressions), are no longer valid.
 */
DKT_API void dkt_events_forget(struct dkt_ctx *ctx);

/* ---- probes: events made at run time ---------------------------------------------------------- */

enum dkt_probe_kind {
	DKT_PROBE_ANY, /* by what is asked for: a program, or the kernel */
	DKT_PROBE_KPROBE, /* an instruction or a return of the kernel */
	DKT_PROBE_UPROBE, /* the same of a program or library */
	DKT_PROBE_FPROBE, /* entry or exit of a kernel function, by ftrace */
	DKT_PROBE_TRACEPOINT, /* a tracepoint, with or without an event of its own */
	DKT_PROBE_EVENT, /* another event, with fields that lie behind its own */
	DKT_PROBE_SYNTHETIC, /* an event that a histogram's action makes */
};

#define DKT_PROBE_UNKNOWN UINT64_MAX

/* A probe as it is defined; texts are those of the kernel (kprobetrace.rst, uprobetracer.rst). */
struct dkt_probe {
	enum dkt_probe_kind kind;
	bool on_return;
	const char *group;
	const char *name;
	const char *place; /* "vfs_read", "/bin/sh:0x1234", "sched.sched_switch"; "": none */
	const char *fields; /* "count=$arg3:u64 pos=+0($arg4):s64"; "" if it has none */
	uint64_t hits; /* of those in the kernel; DKT_PROBE_UNKNOWN: it does not count them */
	uint64_t missed;
};

struct dkt_probes; /* a list of them */

/* All probes that the kernel has, whoever made them, in its order. */
DKT_API int dkt_probes_read(struct dkt_ctx *ctx, struct dkt_probes **probes);
DKT_API void dkt_probes_free(struct dkt_probes *probes);

/* The i-th, counted from 0, NULL after the last; valid as long as the list. */
DKT_API const struct dkt_probe *dkt_probes_at(const struct dkt_probes *probes, size_t i);

/* The one of that name, NULL: there is none. */
DKT_API const struct dkt_probe *dkt_probes_find(const struct dkt_probes *probes, const char *group,
						const char *name);

/* The definition, a line as the kernel takes it; the caller frees it. */
DKT_API int dkt_probe_text(struct dkt_ctx *ctx, const struct dkt_probe *probe, char **text);

/*
 * Reads such a line; the list has one probe. The inverse of dkt_probe_text(), and what the kernel's
 * own lists are read with. -EINVAL: it is no definition.
 */
DKT_API int dkt_probe_parse(struct dkt_ctx *ctx, const char *text, struct dkt_probes **probes);

/* True if both are the same event of the same place with the same fields, however written. */
DKT_API bool dkt_probe_same(const struct dkt_probe *a, const struct dkt_probe *b);

/*
 * Makes the event. It is off. The catalogue is forgotten: dkt_events_forget(). -EEXIST: there is
 * an event of that name; -ENOENT: no such function; -EOPNOTSUPP: this kernel has no such probes;
 * -E2BIG: longer than the kernel takes.
 */
DKT_API int dkt_probe_create(struct dkt_ctx *ctx, const struct dkt_probe *probe);

/*
 * Adds the place to the event of that name, which has the same fields. -EEXIST: they differ, or this
 * kernel lets an event have one place only.
 */
DKT_API int dkt_probe_add_place(struct dkt_ctx *ctx, const struct dkt_probe *probe);

/*
 * After dkt_probe_create() was refused with err: finds out why, if the kernel did not say so, as of
 * a function that is blacklisted; the words are in dkt_error(). It reads long lists. Returns err.
 */
DKT_API int dkt_probe_refused(struct dkt_ctx *ctx, const struct dkt_probe *probe, int err);

/* Removes it; the catalogue is forgotten. -ENOENT: there is none; -EBUSY: it is in use. */
DKT_API int dkt_probe_remove(struct dkt_ctx *ctx, const char *group, const char *name);

struct dkt_probe_opts {
	size_t sz;
	enum dkt_probe_kind kind;
	const char *group; /* NULL: "dktrace" */
	const char *name; /* NULL: after the place */
	const char *exec; /* a program or library; NULL: the kernel */
	pid_t pid; /* the process whose program it is, or who sees exec at that path; 0: this one */
	const char *debug_file; /* where the debug information is; NULL: it is looked for */
	size_t max; /* most probes that a glob or a source line may come to; 0: one */
};

/*
 * Works out what probes to make; nothing is made. place is [MODULE:]FUNCTION, FUNCTION+OFFSET,
 * FUNCTION:LINE, FILE:LINE, an address or a glob, with %return for a function's return; for a
 * program without MODULE, or PROVIDER:NAME for its static markers, of which without arguments all
 * are recorded; for an event SYSTEM:EVENT, for a tracepoint its name. Arguments are
 * "[NAME=]EXPRESSION[:TYPE]", several of them in one text divided by blanks: see dktrace-probe(1).
 * Names and types come from BTF or DWARF. -ENOENT, -ENOTUNIQ, -E2BIG, -EINVAL, -EOPNOTSUPP with
 * words that say what else there is.
 */
DKT_API int dkt_probe_define(struct dkt_ctx *ctx, const char *place, const char *const *args,
			     size_t n, const struct dkt_probe_opts *opts,
			     struct dkt_probes **probes);

/* A static marker of a program (sys/sdt.h); borrowed for the call. */
struct dkt_marker {
	const char *provider, *name;
	const char *args; /* as the assembler has them, "-4@%edi 8@$5" */
	uint64_t offset; /* in the file */
	uint64_t semaphore; /* offset of the counter that tells the program of a probe; 0: none */
};

typedef int (*dkt_marker_fn)(void *data, const struct dkt_marker *marker);

/* The markers of a program or library. Anything but 0 ends the walk and is what it returns. */
DKT_API int dkt_markers(struct dkt_ctx *ctx, const char *path, dkt_marker_fn fn, void *data);

/* module is NULL for the kernel itself. Anything but 0 ends the walk and is what it returns. */
typedef int (*dkt_function_fn)(void *data, const char *module, const char *name);

/* Functions of the kernel and its modules whose names begin so. */
DKT_API int dkt_functions(struct dkt_ctx *ctx, const char *beginning, dkt_function_fn fn,
			  void *data);

/* ---- triggers: what an event causes when it happens ------------------------------------------ */

/* One trigger of an event (events.rst, "Event triggers"). The strings belong to the array. */
struct dkt_trigger {
	const char *text; /* the command that makes it: "traceoff:3 if prio > 100" */
	const char *action; /* its first word: "traceoff", "enable_event", "hist" ... */
	const char *target; /* "system:event" that it is about, NULL: it is about none */
	const char *filter; /* what follows "if", NULL: nothing */
	int64_t left; /* how often it will act yet; -1: without end */
};

/*
 * Reads a trigger as people or the kernel write it; one allocation, which the caller frees with
 * free(). -EINVAL: it makes no sense; -E2BIG: longer than the kernel takes.
 */
DKT_API int dkt_trigger_parse(struct dkt_ctx *ctx, const char *text, struct dkt_trigger **trigger);

/*
 * Whether they are the same but for count and condition, so that an event can have one of them only;
 * of histograms the keys, the names of variables and the condition must be the same.
 */
DKT_API bool dkt_trigger_same(const struct dkt_trigger *a, const struct dkt_trigger *b);

/*
 * The triggers of an event in the instance, the last one added first: an array in one allocation,
 * which the caller frees with free().
 */
DKT_API int dkt_instance_get_triggers(struct dkt_instance *instance, struct dkt_event *event,
				      struct dkt_trigger **triggers, size_t *n);

/*
 * 0 if the event can have that trigger beside those that it has. -EEXIST: it has one of the same
 * action and target; -EBUSY: it has one that excludes it, as traceon does traceoff; -ENOENT: there
 * is no such target; -EOPNOTSUPP: this kernel has no such trigger.
 */
DKT_API int dkt_instance_check_trigger(struct dkt_instance *instance, struct dkt_event *event,
				       const char *text);

/* ---- changing an instance as one transaction ------------------------------------------------- */

/* Collects what is to change on an instance; nothing is touched before dkt_change_commit(). */
DKT_API int dkt_change_new(struct dkt_instance *instance, struct dkt_change **change);
DKT_API void dkt_change_free(struct dkt_change *change);

/* Wants exactly these events on (their filters are left alone). Events are of dkt_events(). */
DKT_API int dkt_change_events(struct dkt_change *change, struct dkt_event *const *events, size_t n);

/* Wants this filter on the event; "" for none. The text is copied. */
DKT_API int dkt_change_filter(struct dkt_change *change, struct dkt_event *event,
			      const char *filter);

/*
 * Wants this tracer (current_tracer), limited to the functions of these modules, which must be
 * loaded; NULL: none. A tracer is optional: where the kernel has it not or refuses it, all else
 * applies, no tracer is on, and dkt_change_refused() says why. The kernel empties the buffers when
 * the tracer changes, so recording rests for that moment and what they hold is taken into the
 * spool directory, of which the next live source returns it. Without a spool it is thrown away.
 *
 * A tracer that only the top instance can have is borrowed there if nobody uses it: what the top
 * instance was like is kept in the spool directory, and a live source with that spool returns its
 * records too. It is given back when the tracer is not wanted any more, or by dkt_top_return().
 */
DKT_API int dkt_change_tracer(struct dkt_change *change, const char *tracer,
			      const char *const *modules, size_t n, const char *spool);

/* Functions of its modules that it leaves out: names, or patterns with *. */
DKT_API int dkt_change_tracer_without(struct dkt_change *change, const char *const *globs,
				      size_t n);

/* Which functions a tracer is to see. Globs are the kernel's (ftrace.rst, "dynamic ftrace"). */
struct dkt_functions {
	size_t sz;
	const char *const *only; /* "vfs_*", ":mod:xfs", "xfs_*:mod:xfs"; n 0: all functions */
	size_t n_only;
	const char *const *without; /* not these (set_ftrace_notrace) */
	size_t n_without;
	const char *const *roots; /* what is called from these (set_graph_function) */
	size_t n_roots;
	const pid_t *pids; /* only in these threads (set_ftrace_pid) */
	size_t n_pids;
	bool children; /* and in those that they make */
	bool keep; /* they are what was wanted before: a tracer that is on may stay as it is */
	unsigned int depth; /* calls, max_graph_depth; 0: all */
	unsigned int threshold; /* us, only calls that take longer (tracing_thresh); 0: all */
};

/*
 * Wants this tracer for these functions. Unlike that of dkt_change_tracer() it is not optional: if
 * the kernel refuses it the change fails. Roots, depth and threshold are the whole kernel's; they
 * are set if nobody else has, and put back by the next change that wants none of them, or by
 * dkt_functions_return(). -ENOENT: no function matches a glob. Otherwise as dkt_change_tracer().
 */
DKT_API int dkt_change_functions(struct dkt_change *change, const char *tracer,
				 const struct dkt_functions *functions, const char *spool);

/* Puts back what a change has set of roots, depth and threshold, by the note in the spool. */
DKT_API int dkt_functions_return(struct dkt_ctx *ctx, const char *spool);

/* Whether the top instance is borrowed for the instance whose records the spool directory keeps. */
DKT_API bool dkt_top_is_borrowed(const char *spool);

/*
 * Gives it back as it was, if it is borrowed; records that are still in its buffers go. -EBUSY:
 * somebody is reading them.
 */
DKT_API int dkt_top_return(struct dkt_ctx *ctx, const char *spool);

/* After dkt_change_commit(): why the tracer is not as wanted, NULL: it is. Of the change. */
DKT_API const char *dkt_change_refused(const struct dkt_change *change);

/*
 * Wants the trigger on the event; if it has one of the same action and target, that will do. What
 * an enable_event or disable_event did to its target before it was removed again stays, unless
 * the change says which events are to be on. Errors as of dkt_instance_check_trigger().
 */
DKT_API int dkt_change_trigger(struct dkt_change *change, struct dkt_event *event,
			       const char *text);

/* Wants no such trigger on the event, whatever its count and condition. */
DKT_API int dkt_change_no_trigger(struct dkt_change *change, struct dkt_event *event,
				  const char *text);

/*
 * Wants records of these threads only (set_event_pid), n 0: of all; with children, also of those
 * that they will make.
 */
DKT_API int dkt_change_pids(struct dkt_change *change, const pid_t *pids, size_t n, bool children);

/* Wants records of these CPUs only (tracing_cpumask), as "0-3,5"; NULL: of all. -EINVAL. */
DKT_API int dkt_change_cpus(struct dkt_change *change, const char *cpus);

/*
 * Applies what differs from what is there: pids, CPUs, filters and triggers before enables, so that
 * nothing is recorded unfiltered. If the kernel refuses a step all earlier ones are undone; dkt_error() then has the
 * kernel's own words from error_log, with a caret under the place.
 */
DKT_API int dkt_change_commit(struct dkt_change *change);

/*
 * What is on in the instance now: an array of events, in the order of dkt_events(), that the
 * caller frees with free(). An event is off as long as only triggers watch it.
 */
DKT_API int dkt_instance_get_events(struct dkt_instance *instance, struct dkt_event ***events,
				    size_t *n);

/* The filter of an event in the instance, "" if none; the caller frees it. */
DKT_API int dkt_instance_get_filter(struct dkt_instance *instance, struct dkt_event *event,
				    char **filter);

/*
 * Asks the kernel whether it takes the filter, on an event that is off in the instance and whose
 * own filter is put back. -EINVAL: no, with its words in dkt_error().
 */
DKT_API int dkt_instance_try_filter(struct dkt_instance *instance, const char *filter);

/* ---- records -------------------------------------------------------------------------------- */

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

/* One event, or with event NULL a gap: lost records on that CPU before this time. */
struct dkt_record {
	uint64_t ts; /* ns of the instance's clock */
	struct dkt_event *event;
	const void *data; /* the record's bytes, borrowed until the next call on the source */
	uint32_t size; /* bytes */
	uint32_t cpu;
	int32_t pid;
	uint8_t flags; /* enum dkt_record_flags */
	uint8_t preempt; /* preemption depth */
	bool first; /* first of this CPU's buffer since it was emptied */
	uint32_t stream; /* in a merged source: which of those merged, from 0 */
	uint64_t lost; /* in a gap: how many, or DKT_LOST_UNKNOWN */
	const struct dkt_stack *stacks; /* for dkt_record_stack(); NULL: it carries none */
};

/*
 * The value of an integer field of the record, sign-extended if the field is signed. 0 if the field is
 * of another event and not a common one.
 */
DKT_API int64_t dkt_record_int(const struct dkt_record *record, const struct dkt_field *field);

/*
 * Bytes of a string or array field, within the record whatever the record says. Not terminated. None,
 * *len is 0, if the field is of another event and not a common one.
 */
DKT_API const void *dkt_record_bytes(const struct dkt_record *record, const struct dkt_field *field,
				     size_t *len);

/*
 * Gets the i-th stack of calls that the record itself carries, as a sample of perf does, counted from
 * 0: a record ftrace:kernel_stack or ftrace:user_stack with the time, CPU and thread of this one. Its
 * data live as long as those of this one. Returns 0, or 1 after the last.
 */
DKT_API int dkt_record_stack(const struct dkt_record *record, size_t i, struct dkt_record *stack);

/* ---- sources: records in order of time, wherever they come from ------------------------------ */

/* What is known of a source as a whole; the strings live as long as it. */
struct dkt_source_info {
	const char *kind; /* "ring buffers", "trace.dat version 6", "perf.data" ... */
	const char *host; /* the recording machine, NULL: not known */
	const char *kernel; /* its kernel's release and architecture, NULL: not known */
	const char *clock; /* as in trace_clock, NULL: not known */
	int cpus; /* CPU numbers of its records run from 0 to one less */
	bool has_wall; /* wall is known */
	int64_t wall; /* to add to a record's time to get wall-clock time, ns */
	const char *damage; /* what of a file could not be read so far, in words; NULL: nothing */
	const char *unused; /* what it holds and nothing here reads, in words; NULL: nothing */
	uint64_t id; /* of the recording, by which those of other machines name it; 0: it has none */
};

/* A recording that was made together with a source's, on its host or in one of its guests. */
struct dkt_source_peer {
	const char *name; /* the guest's; NULL: it is the host's, to whose clock times are put */
	uint64_t id; /* of the recording */
	const int32_t *threads; /* by the guest's CPU: the host's thread that runs it, 0: not known */
	int n_threads;
};

enum dkt_source_flags {
	DKT_SOURCE_ALL = 1, /* of all buffers of a file; a record's stream says of which */
	DKT_SOURCE_WALL = 2, /* since and until are wall-clock time, of a source that knows it */
	DKT_SOURCE_PART = 4, /* one of several readers: dkt_source_loss() is of what it meets */
};

struct dkt_source_opts {
	size_t sz;
	unsigned int flags; /* enum dkt_source_flags */
	const char *buffer; /* of a file with several: this one's records; NULL: the top one's */
	uint64_t since, until; /* records from then on, and before then, ns; 0: no bound */
	const int *cpus; /* records of these only */
	size_t n_cpus; /* 0: of all */
	const char *name; /* of the file, for words; NULL: its path */
	const char *
		formats; /* of a text: tracefs tree whose print formats made it; NULL: this kernel's */
	int fd; /* the file, open for reading, plus 1: a copy is read, path is not opened; 0: it is */
};

/*
 * Opens a file of records, whose kind is found out by its first bytes, or a directory with what
 * tracefs had: per_cpu/cpuN/trace_pipe_raw, events, saved_cmdlines. The context must be new: from
 * then on it is the kernel that the file was recorded on, with its events, names of functions and
 * nothing else, also after the source is closed. -EINVAL: not a kind of file that is known;
 * -ENOENT: no such file, or no buffer of that name in it; -EBUSY: the context is another kernel's.
 */
DKT_API int dkt_source_open(struct dkt_ctx *ctx, const char *path,
			    const struct dkt_source_opts *opts, struct dkt_source **source);

enum dkt_live_flags {
	DKT_LIVE_KEEP = 1, /* leave the records in the spool, which it needs, to be read again */
	DKT_LIVE_FOLLOW = 2, /* wait for more at the end */
	DKT_LIVE_WHOLE = 4, /* forget nothing before dkt_source_done(): no flush() */
};

struct dkt_live_opts {
	size_t sz;
	unsigned int flags; /* enum dkt_live_flags */
	const char *spool; /* directory that keeps what is taken out but not yet accounted for */
	uint64_t until; /* ns of the instance's clock: stop there; 0: no bound */
	/*
	 * Called before pages are forgotten: write out what the records returned so far became.
	 * Anything but 0 ends the reading with that error, the records stay. NULL: nothing to do.
	 */
	int (*flush)(void *data);
	void *data;
	/*
	 * With DKT_LIVE_FOLLOW: how full a CPU's buffer is before dkt_source_wait() returns and
	 * dkt_source_fd() is readable, in percent (buffer_percent, which is put back when the source is
	 * closed). 0: it has a record.
	 */
	unsigned int wake_percent;
};

/*
 * Opens the instance's per-CPU buffers, which the source takes the records out of. They go page by page
 * into files in the spool directory and stay there until flush() and dkt_source_done() say that they
 * are safe elsewhere: a process killed at any point loses none. -EBUSY: another source has the spool,
 * named in dkt_error(). Without a spool, records taken from the kernel are this process's alone.
 */
DKT_API int dkt_source_live(struct dkt_instance *instance, const struct dkt_live_opts *opts,
			    struct dkt_source **source);

DKT_API const struct dkt_source_info *dkt_source_info(const struct dkt_source *source);

/* Results of dkt_source_next() that are no failure. */
enum dkt_next {
	DKT_NEXT_RECORD, /* the next record, or a gap */
	DKT_NEXT_END, /* there are no more */
	DKT_NEXT_LATER, /* no more now: the source follows */
};

/*
 * The next record of all CPUs in order of time; enum dkt_next. After DKT_NEXT_LATER write out what you
 * have, and wait by dkt_source_wait() or dkt_source_fd(), or ask again at any time. What the record
 * points at is borrowed until the next call.
 */
DKT_API int dkt_source_next(struct dkt_source *source, struct dkt_record *record);

/*
 * Waits for new records or dkt_source_wake(), at most that many milliseconds; -1: for ever. 0: ask for
 * records, there may be some; -EINTR: a signal came; -EOPNOTSUPP: the source does not follow.
 */
DKT_API int dkt_source_wait(struct dkt_source *source, int timeout_ms);

/*
 * A descriptor for an event loop, which stays the source's: readable when dkt_source_wait() would
 * return at once. Then call dkt_source_wait() with 0, which takes a wake-up away, and dkt_source_next()
 * until it returns DKT_NEXT_LATER: before that it need not be readable again. Only to be polled.
 * -EOPNOTSUPP: the source does not follow.
 */
DKT_API int dkt_source_fd(struct dkt_source *source);

/*
 * Makes the dkt_source_wait() that is under way, or else the next one, return at once. The one call on
 * a source that another thread or a signal handler may make, as long as the source is open.
 * -EOPNOTSUPP: the source does not follow.
 */
DKT_API int dkt_source_wake(struct dkt_source *source);

/*
 * All records returned so far are safe: the spool of a live source forgets them (not with
 * DKT_LIVE_KEEP).
 */
DKT_API int dkt_source_done(struct dkt_source *source);

/* Name of the record's process, "<...>" if it is not known; valid as long as the source. */
DKT_API const char *dkt_source_comm(struct dkt_source *source, const struct dkt_record *record);

struct dkt_loss {
	uint64_t seen; /* records returned */
	uint64_t lost; /* records generated but overwritten or never recorded */
	uint64_t bad; /* places where a page made no sense */
};

/*
 * What was seen on a CPU so far, and lost. A live source has the number lost from the kernel's
 * statistics: up to the last dkt_source_done(), so that the next one counts on from there; with
 * DKT_LIVE_KEEP, and before that with DKT_LIVE_WHOLE, up to now.
 */
DKT_API int dkt_source_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss);

/*
 * Name of a stream, as a record's stream counts them: of a file's buffer, "" for its top one; of a
 * merged source's parts. NULL: there are not so many. Valid as long as the source.
 */
DKT_API const char *dkt_source_stream(const struct dkt_source *source, uint32_t stream);

/* The i-th recording that was made together with it, counted from 0. 0: there is one; 1: end. */
DKT_API int dkt_source_peer(const struct dkt_source *source, size_t i,
			    struct dkt_source_peer *peer);

/*
 * Goes to the first record that is not before since; the end is then before until; 0: no bound. Both
 * are ns of the source's clock. It takes as long as that window asks for, not the file. -EOPNOTSUPP:
 * this kind of source can only be read on.
 */
DKT_API int dkt_source_seek(struct dkt_source *source, uint64_t since, uint64_t until);

/*
 * Cuts the source's time for readers that work at once, each with a context and a source of its
 * own: the records from that time on and before *to are about so many bytes. *to is UINT64_MAX
 * where that is all the rest. A seek must follow before the next record. -EOPNOTSUPP as above.
 */
DKT_API int dkt_source_slice(struct dkt_source *source, uint64_t from, uint64_t bytes,
			     uint64_t *to);

/* Whether records of that event are wanted. */
typedef bool (*dkt_event_fn)(void *data, struct dkt_event *event);

/*
 * Leaves out records of events that are not wanted, without a look at anything else of them; they
 * count as seen. Each event is asked about once. To be called before the first record, and not from
 * then on. -EOPNOTSUPP: all records are returned.
 */
DKT_API int dkt_source_select(struct dkt_source *source, dkt_event_fn wants, void *data);

/*
 * After dkt_source_select(): leaves out most records that the expression, which outlives the source's
 * use, does not match; they count as seen. dkt_expr_match() tells the rest. -EOPNOTSUPP as above.
 */
DKT_API int dkt_source_filter(struct dkt_source *source, struct dkt_expr *expr);

/* How many bytes of its pages have been read, of how many in the window. -EOPNOTSUPP: who knows. */
DKT_API int dkt_source_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of);

DKT_API void dkt_source_close(struct dkt_source *source);

typedef int (*dkt_rest_fn)(void *data);

/*
 * Calls fn while recording rests and all that the buffers hold is safe in the spool directory, of
 * which the next live source returns it: for what makes the kernel empty them. Returns what fn does.
 */
DKT_API int dkt_instance_rest(struct dkt_instance *instance, const char *spool, dkt_rest_fn fn,
			      void *data);

/* Recording goes on if a process was killed while it rested; to be called before the next change. */
DKT_API int dkt_instance_wake(struct dkt_instance *instance, const char *spool);

/* Bytes of pages that the spool directory keeps; 0 if there is none. Looks without a lock. */
DKT_API int dkt_spool_bytes(struct dkt_ctx *ctx, const char *spool, uint64_t *bytes);

/* Empties the instance's buffers and what the spool directory keeps of them. -EBUSY as above. */
DKT_API int dkt_spool_clear(struct dkt_instance *instance, const char *spool);

/* One of several sources that become one. */
struct dkt_merge_part {
	struct dkt_source *source; /* stays the caller's, and open as long as the merged one */
	const char *name; /* of its streams: NAME, or NAME:BUFFER where a stream has a name itself */
	int64_t offset; /* to add to its records' times to get times of the first one's clock, ns */
};

/*
 * Makes a source of the records of all parts in order of time, equal ones in the order of the parts.
 * The streams of the first part are counted first, then those of the second and so on. -EINVAL: there
 * are no parts.
 */
DKT_API int dkt_source_merge(const struct dkt_merge_part *parts, size_t n,
			     struct dkt_source **source);

/* How a source of a caller's own is read; of them only next is needed. data is the caller's. */
struct dkt_source_calls {
	size_t sz;
	int (*next)(void *data, struct dkt_record *record); /* as dkt_source_next() */
	const char *(*comm)(void *data, const struct dkt_record *record);
	int (*loss)(void *data, int cpu, struct dkt_loss *loss);
	void (*close)(void *data);
	int (*bytes)(const void *data, uint64_t *done, uint64_t *of); /* as dkt_source_bytes() */
};

/*
 * Makes a source of records that come from elsewhere, in order of time; their events are those of
 * dkt_event_define(). A new context has no other events then. The strings of info must live as long as
 * the source; NULL: nothing is known of it. close() is called in the end, also if this fails. -EINVAL:
 * there is no next.
 */
DKT_API int dkt_source_make(struct dkt_ctx *ctx, const struct dkt_source_calls *calls, void *data,
			    const struct dkt_source_info *info, const struct dkt_source_opts *opts,
			    struct dkt_source **source);

/* ---- writing trace.dat ---------------------------------------------------------------------- */

struct dkt_tracedat;

struct dkt_tracedat_opts {
	size_t sz;
	unsigned int version; /* of the format: 6, or 7 which 0 stands for */
	const char *compression; /* "zstd", "zlib", "none"; NULL: zstd, and none in version 6 */
	const char *dir; /* for a file without a name that keeps the records; NULL: /tmp */
	bool part; /* of the source there is more: only what gaps say was lost */
};

/*
 * Begins a file that trace-cmd(1), KernelShark and libtracecmd read, with this source's records, on
 * a descriptor that is the caller's, of an empty file that can be written at any place. Nothing is
 * written to it before dkt_tracedat_finish(). Words of failures go to the context. -EINVAL: no such version or compression.
 */
DKT_API int dkt_tracedat_new(struct dkt_ctx *ctx, struct dkt_source *source, int fd,
			     const struct dkt_tracedat_opts *opts, struct dkt_tracedat **out);

/*
 * Adds a record or gap of the source. Events that the file cannot have by their own number get
 * another one. -EMSGSIZE: longer than a page of 64 KiB; -ERANGE: a CPU beyond any kernel's.
 */
DKT_API int dkt_tracedat_add(struct dkt_tracedat *out, const struct dkt_record *record);

/* Writes the file. The source must still be open: names of processes are taken from it now. */
DKT_API int dkt_tracedat_finish(struct dkt_tracedat *out);
DKT_API void dkt_tracedat_free(struct dkt_tracedat *out);

/* ---- filter expressions: the kernel's language ----------------------------------------------- */

/* Gives the value of a word used as a constant for that field; -ENOENT if it is none. */
typedef int (*dkt_constant_fn)(void *data, const char *field, const char *word, uint64_t *value);

struct dkt_expr_opts {
	size_t sz;
	dkt_constant_fn constant; /* words beyond the built-in ones; NULL: none */
	void *data;
};

/*
 * Parses an expression: the kernel's language, and names of numbers (errno names, what the event's
 * print format names, what opts->constant knows), joined by | if need be, units (ns us ms s as ns;
 * k M G T binary) and single words for strings without their quotes. -EINVAL: dkt_error() has the
 * text with a caret under the place. What opts->data points at must outlive the expression.
 */
DKT_API int dkt_expr_new(struct dkt_ctx *ctx, const char *text, const struct dkt_expr_opts *opts,
			 struct dkt_expr **expr);
DKT_API void dkt_expr_free(struct dkt_expr *expr);

/* 0 if the event has all the fields and types fit; -ENOENT: a field is missing; -EINVAL: no fit. */
DKT_API int dkt_expr_check(struct dkt_expr *expr, struct dkt_event *event);

/*
 * 0 if dkt_expr_match() can judge the event's records. -EOPNOTSUPP: it names a string of which they
 * hold only the address, then no record matches; else as dkt_expr_check().
 */
DKT_API int dkt_expr_check_match(struct dkt_expr *expr, struct dkt_event *event);

enum dkt_expr_any_flags {
	DKT_EXPR_MATCH = 1, /* check each event as dkt_expr_check_match() does */
};

/*
 * 0 if the expression fits at least one of n events; flags are of enum dkt_expr_any_flags. Otherwise
 * the words tell what is wrong for the whole set: a value that does not fit the first event that
 * has all fields, or the field that no event has and the name that comes nearest among them all.
 */
DKT_API int dkt_expr_check_any(struct dkt_expr *expr, struct dkt_event *const *events, size_t n,
			       unsigned int flags);

/*
 * The expression as the kernel takes it for that event; the caller frees it. Patterns that the
 * kernel would misjudge ("8*", and "*x" on an array) are quoted such that it does not. -E2BIG:
 * longer than the kernel takes.
 */
DKT_API int dkt_expr_text(struct dkt_expr *expr, struct dkt_event *event, char **text);

/*
 * Whether the record matches. An event that lacks a field of the expression matches not. comm is
 * the name of the record's process, used by COMM.
 */
DKT_API bool dkt_expr_match(struct dkt_expr *expr, const struct dkt_record *record,
			    const char *comm);

/* ---- histograms ------------------------------------------------------------------------------- */

/* A column of a table. The strings live as long as the table. */
struct dkt_column {
	const char *name; /* the field's */
	const char *modifier; /* "log2", "" for none */
	bool is_key; /* else a sum */
	bool is_number; /* dkt_table_value() gives it */
	bool is_signed;
	bool is_named; /* dkt_table_text() has names for the numbers, as of an event's print format */
	uint64_t buckets; /* of the modifier buckets: how many numbers are in each */
};

/* What is known of a table as a whole: keys come first, then hitcount, then other sums. */
struct dkt_table_info {
	const struct dkt_column *columns;
	size_t n_keys;
	size_t n_columns;
	size_t n_rows;
	bool has_more; /* dkt_table_more() says something of a row */
	uint64_t hits; /* records, those dropped too */
	uint64_t dropped; /* records for which the table had no room */
	uint64_t bad; /* rows that made no sense */
};

struct dkt_table;

/*
 * Reads what the kernel shows in a hist file; of several histograms the first. -ENOENT: it shows
 * none; -EINVAL: its head makes no sense.
 */
DKT_API int dkt_table_parse(struct dkt_ctx *ctx, const char *text, size_t len,
			    struct dkt_table **table);
DKT_API void dkt_table_free(struct dkt_table *table);

/* Valid until the table is changed or freed. */
DKT_API const struct dkt_table_info *dkt_table_info(const struct dkt_table *table);

/*
 * Puts the rows in order: "COLUMN[.descending]", at most two, a comma between. NULL: by a single
 * key of ranges, else by hitcount, descending. -ENOENT: no such column; -EINVAL.
 */
DKT_API int dkt_table_sort(struct dkt_table *table, const char *sort);

/* The number in a cell: of a range the power of two or its first number; 0 if it is none. */
DKT_API uint64_t dkt_table_value(const struct dkt_table *table, size_t row, size_t column);

/* What the kernel's actions saved with the row, "" if nothing. */
DKT_API const char *dkt_table_more(const struct dkt_table *table, size_t row);

/* Appends a cell as people read it. A stack is its functions, the outermost first, ';' between. */
DKT_API void dkt_table_text(const struct dkt_table *table, size_t row, size_t column,
			    struct dkt_buf *buf);

/* The first histogram that the event has in the instance, whoever made it. -ENOENT: none. */
DKT_API int dkt_instance_get_hist(struct dkt_instance *instance, struct dkt_event *event,
				  struct dkt_table **table);

struct dkt_hist;

struct dkt_hist_opts {
	size_t sz;
	/*
	 * What to count by, at most three fields, commas between: "id.syscall,common_pid". Modifiers:
	 * hex sym sym-offset syscall execname log2 buckets=N usecs stacktrace, as in histogram.rst,
	 * execname here of any field that numbers processes, once; and dec, a number as such: without
	 * it texts of a field that the event's print format has names for are these names, and devices
	 * are "MAJOR,MINOR" or, of this machine, names.
	 * Beside fields: common_cpu, common_timestamp, stacktrace, and event, the event's name, which
	 * is the first column wherever it stands.
	 */
	const char *keys; /* needed */
	const char *vals; /* fields to sum, at most two, with hex percent graph; NULL: none */
	const char *sort; /* told to the kernel, as of dkt_table_sort(); NULL: not */
	const char *vars; /* variables, "ts0=common_timestamp.usecs": in the kernel only */
	const char *actions; /* "onmax($lat).save(common_pid)", ':' between: in the kernel only */
	uint32_t size; /* entries, a power of two from 128 to 131072; 0: 2048, here 131072 */
	struct dkt_expr *filter; /* for events that have its fields; NULL: none; borrowed */
	pid_t skip; /* records of this process do not count; 0: all do */
};

/* -EINVAL: dkt_error() has the text with a caret under the place. */
DKT_API int dkt_hist_new(struct dkt_ctx *ctx, const struct dkt_hist_opts *opts,
			 struct dkt_hist **hist);
DKT_API void dkt_hist_free(struct dkt_hist *hist);

/* Counts records of this event too. -ENOENT: it has not the fields; -EINVAL: they do not fit. */
DKT_API int dkt_hist_event(struct dkt_hist *hist, struct dkt_event *event);

/*
 * Call after dkt_hist_event() refused each of n events with -ENOENT: sets the words for the whole
 * set, the field that no event has and the name that is near. Returns -ENOENT.
 */
DKT_API int dkt_hist_misfit(struct dkt_hist *hist, struct dkt_event *const *events, size_t n);

/*
 * Of an event that is counted, only records that match count, whatever the filter of all says.
 * Borrowed. -ENOENT, -EINVAL: as dkt_expr_check(), or the event is not counted.
 */
DKT_API int dkt_hist_filter(struct dkt_hist *hist, struct dkt_event *event,
			    struct dkt_expr *filter);

/* The trigger that makes the kernel count it; the caller frees it. */
DKT_API int dkt_hist_trigger(struct dkt_hist *hist, struct dkt_event *event, char **text);

/*
 * Puts the triggers on all its events in the instance, or none of them; they go with the instance.
 * -EOPNOTSUPP: this kernel has no histograms, or not this one.
 */
DKT_API int dkt_hist_start(struct dkt_hist *hist, struct dkt_instance *instance);

/* What the kernel has counted so far, of all events in one table. */
DKT_API int dkt_hist_read(struct dkt_hist *hist, struct dkt_instance *instance,
			  struct dkt_table **table);

/* Counts a record here, if it is of one of the events. source may be NULL: names are not known. */
DKT_API int dkt_hist_add(struct dkt_hist *hist, struct dkt_source *source,
			 const struct dkt_record *record);

/* What has been counted here so far. */
DKT_API int dkt_hist_table(struct dkt_hist *hist, struct dkt_table **table);

/* ---- SQL: a histogram, or an event made of two -------------------------------------------------- */

/*
 * The meaning of a statement in the SQL of tracefs_sql(3). Without JOIN it is a histogram of the
 * records of one event:
 *
 *	SELECT prev_comm, CAST(prev_state AS hex) FROM sched_switch WHERE prev_prio < 100
 *
 * With JOIN it is a synthetic event, which the kernel records when a record of the second event
 * follows one of the first and the fields after ON are equal:
 *
 *	SELECT start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat
 *	FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid
 */
struct dkt_sql {
	const char *event; /* of FROM, "system:name" */
	const char *end; /* of JOIN; NULL: the statement is a histogram */
	const char *keys; /* of the histogram, for dkt_hist_opts */
	const char *vals; /* of the histogram, for dkt_hist_opts; NULL: none */
	const char *filter; /* of the histogram; NULL: none */
	const char *fields; /* of the synthetic event, for a dkt_probe of the group "synthetic" */
	const char *begin_trigger; /* for event, once the synthetic event exists */
	const char *end_trigger; /* for end, after begin_trigger */
};

/*
 * Translates a statement; changes nothing in the kernel. name is the name of the synthetic event,
 * NULL if the statement is a histogram. libtracefs parses the statement in a child process, which this
 * call waits for. -EINVAL: the statement is wrong, dkt_error() shows the place with a caret. -E2BIG:
 * it has more than 4095 bytes. -EFAULT: the parser of libtracefs failed.
 */
DKT_API int dkt_sql_new(struct dkt_ctx *ctx, const char *text, const char *name,
			const struct dkt_sql **sql);
DKT_API void dkt_sql_free(const struct dkt_sql *sql);

/* ---- pairs of records: how long from one to the other ----------------------------------------- */

struct dkt_pairs;

struct dkt_pairs_opts {
	size_t sz;
	/*
	 * The fields that both records of a pair agree in, at most 3, such as "common_pid" or
	 * "dev,sector"; where the names differ, BEGIN=END as in "pid=next_pid".
	 */
	const char *key;
	/* A field of the record that begins, else of the one that ends; with a modifier as in
	 * dkt_hist_opts, such as "id.syscall". Its values are groups. NULL: one group. */
	const char *by;
	uint32_t slowest; /* so many pairs are kept with their records */
	struct dkt_expr *filter; /* for records of the events that have its fields; NULL: none */
	pid_t skip; /* what this process begins does not count, in the kernel; 0: all does */
};

enum dkt_pair_roles { DKT_PAIR_BEGIN = 1, DKT_PAIR_END = 2 };

/* Of dkt_pairs_group() and its like: all groups together. */
#define DKT_PAIRS_ALL SIZE_MAX

/* -EINVAL: dkt_error() has the text with a caret under the place. The filter is borrowed. */
DKT_API int dkt_pairs_new(struct dkt_ctx *ctx, const struct dkt_pairs_opts *opts,
			  struct dkt_pairs **pairs);
DKT_API void dkt_pairs_free(struct dkt_pairs *pairs);

/*
 * Records of the event begin or end pairs, or both: then one ends what the one before began. Events
 * that begin come first. -ENOENT: it has not the fields; -EINVAL: they cannot be keys.
 */
DKT_API int dkt_pairs_event(struct dkt_pairs *pairs, struct dkt_event *event, unsigned int roles);

/*
 * Takes the next record in order of time, or gap. Of two begins without an end between, the younger
 * counts. What a gap lies in is no pair: neither what is open when it is met, nor what ended since
 * the last record before it (of the last 65536 pairs). source may be NULL: names are not known.
 */
DKT_API int dkt_pairs_add(struct dkt_pairs *pairs, struct dkt_source *source,
			  const struct dkt_record *record);

/* To be called after the last record, before groups are looked at. */
DKT_API int dkt_pairs_finish(struct dkt_pairs *pairs);

/*
 * Makes the kernel pair the records of two events that were given to dkt_pairs_event(): it gets a
 * synthetic event of that name, and a histogram of it, which dkt_pairs_read() reads: the group as
 * by, if there are groups, and lat in ns by powers of two. dkt_events_forget() is called: events
 * are no longer valid. What was made before a failure goes with the instance, and then
 * dkt_probe_remove(ctx, "synthetic", name). -EOPNOTSUPP: this kernel cannot.
 */
DKT_API int dkt_pairs_start(struct dkt_pairs *pairs, struct dkt_instance *instance,
			    struct dkt_event *begin, struct dkt_event *end, const char *name);

/* What the kernel has counted so far in the event of that name: hitcount, and lat as a sum. */
DKT_API int dkt_pairs_read(struct dkt_pairs *pairs, struct dkt_instance *instance, const char *name,
			   struct dkt_table **table);

struct dkt_pairs_info {
	uint64_t begins; /* records that begin */
	uint64_t ends; /* records that end */
	uint64_t pairs; /* of two of them */
	uint64_t nested; /* began while one of the same key was open, which it replaced */
	uint64_t open; /* began and have not ended */
	uint64_t unmatched_begins; /* forgotten: more than 2^20 were open */
	uint64_t unmatched_ends; /* ended what had not begun */
	uint64_t spanned; /* not counted: records were lost between, or could have been */
	uint64_t gaps;
};

DKT_API void dkt_pairs_info(const struct dkt_pairs *pairs, struct dkt_pairs_info *info);

/* Times in ns. */
struct dkt_latency {
	const char *name; /* of the group, "" without groups; valid as long as the pairs */
	bool is_number; /* the name is this number */
	bool is_signed;
	uint64_t number;
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
};

/* The i-th group, counted from 0. 0: there is one; 1: end. */
DKT_API int dkt_pairs_group(const struct dkt_pairs *pairs, size_t i, struct dkt_latency *latency);

/*
 * The time that this part (0 to 1) of a group's pairs do not exceed: exact below 128 ns, else at
 * most 0.4 % off, in memory that does not grow with the number of pairs.
 */
DKT_API uint64_t dkt_pairs_quantile(const struct dkt_pairs *pairs, size_t i, double part);

/* How many took from 2^power up to less than 2^(power + 1) ns; 0 ns is with power 0. */
DKT_API uint64_t dkt_pairs_power(const struct dkt_pairs *pairs, size_t i, unsigned int power);

struct dkt_slow {
	uint64_t ns;
	struct dkt_record begin, end; /* valid until the next dkt_pairs_add() */
};

/* The i-th of the slowest pairs, the slowest first. 0: there is one; 1: end. */
DKT_API int dkt_pairs_slow(const struct dkt_pairs *pairs, size_t i, struct dkt_slow *slow);

/* ---- text ----------------------------------------------------------------------------------- */

/* A byte buffer that grows. After a failed allocation it stays as it was and remembers -ENOMEM. */
DKT_API int dkt_buf_new(struct dkt_buf **buf);
DKT_API void dkt_buf_free(struct dkt_buf *buf);
DKT_API const char *dkt_buf_data(const struct dkt_buf *buf, size_t *len);
DKT_API void dkt_buf_reset(struct dkt_buf *buf);
DKT_API int dkt_buf_error(const struct dkt_buf *buf);
DKT_API void dkt_buf_add(struct dkt_buf *buf, const void *bytes, size_t len);
DKT_API void dkt_buf_str(struct dkt_buf *buf, const char *str);
DKT_API void dkt_buf_u64(struct dkt_buf *buf, uint64_t value, int width, char pad);
DKT_API void dkt_buf_hex(struct dkt_buf *buf, uint64_t value, int width, char pad);
DKT_API void dkt_buf_printf(struct dkt_buf *buf, const char *fmt, ...) DKT_PRINTF(2, 3);

/*
 * Text from a trace is data: shows what it holds that would drive a terminal, end a line or turn the
 * reading order round as \n, \t, \xHH or, of a character of UTF-8, \uHHHH. That are control
 * characters, C1's too, bytes that are no UTF-8, and what is invisible but moves what is not, such as
 * U+202E. Appends text so; or does it to what is there from an offset on, but for a last newline.
 */
DKT_API void dkt_buf_text(struct dkt_buf *buf, const char *text, size_t len);
DKT_API void dkt_buf_escape(struct dkt_buf *buf, size_t from);

/*
 * Appends a cell of comma-separated values (RFC 4180), escaped so but with \xHH for newlines too, and
 * for a backslash before x or u. What a spreadsheet would take for a formula, because it begins with
 * = + - or @ and is no number, gets an apostrophe first.
 */
DKT_API void dkt_buf_cell(struct dkt_buf *buf, const char *text, size_t len);

/*
 * As vasprintf(), escaped as by dkt_buf_text(); newlines stay if the format has some, or is "%s". The
 * caller frees it; NULL when memory is out. dkt_error() has words that were made so.
 */
DKT_API char *dkt_words(const char *fmt, va_list ap) DKT_PRINTF(1, 0);

/* Appends the record's text as its event's print format says, never nothing. */
DKT_API void dkt_record_text(const struct dkt_record *record, struct dkt_buf *buf);

/* The same as dkt_buf_text() shows it. */
DKT_API void dkt_record_line(const struct dkt_record *record, struct dkt_buf *buf);

/* Appends one line in the style of the kernel's trace file and of trace-cmd report, escaped. */
DKT_API void dkt_style_trace(const struct dkt_record *record, const char *comm,
			     struct dkt_buf *buf);

/* The columns of such a line that come before the record's text, as they are. No gap. */
DKT_API void dkt_style_trace_head(const struct dkt_record *record, const char *comm,
				  struct dkt_buf *buf);

/* ---- styles: ways to print records (dktrace-styles(7)) ----------------------------------------- */

enum dkt_style_traits {
	DKT_STYLE_DATA = 1, /* for programs: nothing else belongs in the output */
	DKT_STYLE_BINARY = 2, /* not for a terminal */
	DKT_STYLE_ORDER = 4, /* one object has to get all records, in order of time */
	DKT_STYLE_FILES = 8, /* writes files of its own in a directory, nothing to the buffer */
	DKT_STYLE_COLOR = 16, /* heeds the option color */
};

struct dkt_style_info {
	const char *name;
	const char *words; /* what it is, for a list */
	unsigned int traits; /* enum dkt_style_traits */
};

/* The i-th style, counted from 0. 0: there is one; 1: end. */
DKT_API int dkt_style_get(size_t i, struct dkt_style_info *info);

struct dkt_style_opts {
	size_t sz;
	const struct dkt_source_info *source; /* of the records; NULL: nothing is known */
	/*
	 * The fields to show: the event's, common ones, and those that all have: ts wall cpu pid comm
	 * flags system event text. "*": all of the event. Of text styles raw, json and csv heed them.
	 */
	const char *const *fields;
	size_t n_fields; /* 0: all of the event */
	const char *dir; /* where a style with DKT_STYLE_FILES writes; it is made */
	bool wall; /* text styles show wall-clock time, if the source knows it */
	bool color; /* for a terminal: coloured */
	/*
	 * Appends the text of a record that its event's print format does not give; newlines at its end
	 * do not count. False: that gives it, nothing was appended; so it is for all records of an
	 * event. buf NULL: only tells which. NULL: no event is such.
	 */
	bool (*text)(void *data, const struct dkt_record *record, struct dkt_buf *buf);
	void *data;
	/* json names each record's stream as this source does, which outlives the style; NULL: by number */
	struct dkt_source *streams;
	/*
	 * trace and csv show text as it was recorded and not as dkt_buf_text() does; json, raw and folded,
	 * whose escapes can be undone, heed it not.
	 */
	bool raw_text;
};

/*
 * Makes a style by name. -ENOENT: there is none of that name; else what opening its files brings.
 * Without DKT_STYLE_ORDER several threads may each have one of their own over the same events, if
 * dkt_style_prepare() was called for these before.
 */
DKT_API int dkt_style_new(struct dkt_ctx *ctx, const char *name, const struct dkt_style_opts *opts,
			  struct dkt_style **style);
DKT_API void dkt_style_free(struct dkt_style *style);

/* The i-th name, counted from 0, that stands in fields for what every record has; NULL: no more. */
DKT_API const char *dkt_style_field(size_t i);

/* Reads what there is to know of the event, which else its first record brings about. -ENOMEM. */
DKT_API int dkt_style_prepare(struct dkt_style *style, struct dkt_event *event);

/* Appends what comes before the first record. */
DKT_API int dkt_style_begin(struct dkt_style *style, struct dkt_buf *buf);

/*
 * Appends the record; comm is the name of its process: as long as the style is used, the same address
 * holds the same name. -ENOMEM, or what writing a file brings.
 */
DKT_API int dkt_style_record(struct dkt_style *style, const struct dkt_record *record,
			     const char *comm, struct dkt_buf *buf);

/* Brings out what is held back of the records so far: to the buffer, or to the files. */
DKT_API int dkt_style_flush(struct dkt_style *style, struct dkt_buf *buf);

/* Appends what comes after the last record, or completes the files. */
DKT_API int dkt_style_end(struct dkt_style *style, struct dkt_buf *buf);

/* The arguments of a message of the kernel as they were recorded. */
struct dkt_kprintf_args {
	size_t sz;
	struct dkt_ctx *ctx; /* for names of functions; NULL: they are not known */
	const void *words; /* of each argument 8 bytes, in any alignment */
	size_t n;
	/* What was recorded of the bytes behind argument i, a pointer. NULL: of none. */
	void (*pointee)(void *data, size_t i, const void **bytes, size_t *len);
	/* The format and arguments behind argument i, a %pV. False or NULL: they are not known. */
	bool (*nested)(void *data, size_t i, const char **fmt, size_t *len,
		       struct dkt_kprintf_args *args);
	void *data;
	/* As pointee, where that is a string and ends at a NUL: the first bytes, whatever they are. */
	void (*raw)(void *data, size_t i, const void **bytes, size_t *len);
	/* The name of the dentry that argument i is, a %pd. NULL: of none. */
	void (*dentry_name)(void *data, size_t i, const void **bytes, size_t *len);
};

/*
 * Appends what the kernel's printf makes of the format, with its extensions (printk-formats.rst).
 * Addresses are printed as they are. A string without a NUL in what was recorded ends in "...";
 * what was not recorded prints as its conversion and address: <%pD 0xffff888100a00000>.
 */
DKT_API void dkt_buf_kprintf(struct dkt_buf *buf, const char *fmt, size_t len,
			     const struct dkt_kprintf_args *args);

/* Name of the kernel function that holds the address (kallsyms), NULL if unknown. */
DKT_API const char *dkt_symbol(struct dkt_ctx *ctx, uint64_t address, uint64_t *offset);

/* Name of the module that holds the address, NULL if none or unknown. */
DKT_API const char *dkt_symbol_module(struct dkt_ctx *ctx, uint64_t address);

/* Name of the system call of that number on this machine's architecture, NULL if unknown. */
DKT_API const char *dkt_syscall_name(int number);

/* ---- generic netlink ------------------------------------------------------------------------ */

/* 1 if the kernel has the generic netlink family, 0 if not, or a negative errno value. No rights
 * are needed. */
DKT_API int dkt_netlink_family(struct dkt_ctx *ctx, const char *family);

/* One attribute: type and payload, nested ones as they come. Return nonzero to stop. */
typedef int (*dkt_netlink_fn)(void *data, const void *attrs, size_t len);

/* Sends a dump request and hands over the attributes of every answer. -ENOENT: no such family. */
DKT_API int dkt_netlink_dump(struct dkt_ctx *ctx, const char *family, uint8_t command,
			     uint8_t version, dkt_netlink_fn fn, void *data);

#ifdef __cplusplus
}
#endif

#endif
