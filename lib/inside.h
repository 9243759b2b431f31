/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of the library that the layers above share and other programs do not get. They keep the
 * conventions of <dktrace/dktrace.h>, and can change with any version.
 */
#pragma once

#include "lib/base/error.h"

/* ---- context, error messages, version ---- */

/* Puts "TEXT: " before the current error message and returns err. */
int dkt__fail_in(struct dkt_ctx *ctx, int err, const char *fmt, ...) DKT_PRINTF(3, 4);

/* For code on top of the library: passes a message to the log function of the context, if any. */
void dkt__log(struct dkt_ctx *ctx, enum dkt_log_level level, const char *fmt, ...) DKT_PRINTF(3, 4);

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

/* ---- sources, records in time order ---- */

/* A recording that was made together with a source's, on its host or in one of its guests. */
struct dkt__source_peer {
	const char *name; /* of the guest; NULL: it is the host, whose clock the times are on */
	uint64_t id; /* of the recording */
	const int32_t *threads; /* the host's thread for each CPU of the guest; 0: unknown */
	int n_threads;
};

/*
 * Gets the i-th recording that was made together with this one, counted from 0. Returns 0, or 1
 * after the last.
 */
int dkt__source_peer(const struct dkt_source *source, size_t i, struct dkt__source_peer *peer,
		     size_t sz);

/*
 * Gets the clock of a stream; the points are valid as long as the source. Returns 0, or 1 if the source
 * does not have so many streams, or is not known to have the times of several clocks.
 */
int dkt__source_clock(const struct dkt_source *source, uint32_t stream,
		      struct dkt_source_clock *clock, size_t sz);

/* A disk or partition of the host that recorded. */
struct dkt__source_disk {
	uint64_t dev; /* its number in the records: major << 20 | minor */
	const char *name; /* valid as long as the source */
};

/*
 * Gets the i-th disk of the host of a stream, counted from 0 and in order of their numbers. Returns 0, or 1 after
 * the last.
 */
int dkt__source_disk_at(const struct dkt_source *source, uint32_t stream, size_t i,
			struct dkt__source_disk *disk, size_t sz);

/*
 * Divides a source for readers that work in parallel, each with a context and a source of its own:
 * sets *to so that the records from time from up to *to have about that many bytes, or to
 * UINT64_MAX if that is the rest. Call dkt_source_seek() before the next record. -EOPNOTSUPP: this
 * kind of source cannot be divided.
 */
int dkt__source_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to);

/*
 * Call after dkt_source_select(). Leaves out most records that the expression does not match; they
 * count as seen. The caller still calls dkt_expr_match() for the rest, and keeps the expression as
 * long as it reads. -EOPNOTSUPP: the source leaves out no records.
 */
int dkt__source_filter(struct dkt_source *source, struct dkt_expr *expr);

/* A file of a series. */
struct dkt__series_item {
	size_t sz;
	const char *path;
	bool after_gap; /* files between this one and the one before it are gone */
	bool after_pause; /* the kernel did not record all the time since the one before it */
};

/*
 * Opens trace.dat files that one kernel wrote one after the other, the oldest first, as one source.
 * *taken is the number of files that it has; the next file, if there is one, is of another kernel or
 * boot, or the clock was set before it. Only these options count: buffer, cpus, flags, since, until.
 * Each file is opened for a moment now; later only those are open whose records come next. The source
 * leaves out a file that cannot be read, and reports it in damage; where a file is missing, it returns
 * a gap for each CPU, and where the kernel did not record for a time, one that is paused: before a file
 * with after_pause, and between files whose recordings have different IDs. -EINVAL: n is 0, a path is
 * NULL, or sz is not the same in all files; -EBUSY: the context already stands for a kernel; other
 * errors: that of the first file, if none can be opened.
 */
int dkt__source_series(struct dkt_ctx *ctx, const struct dkt__series_item *files, size_t n,
		       const struct dkt_source_opts *opts, size_t *taken,
		       struct dkt_source **source);

/* How to read a source of the caller's. Only next is required; NULL for the others. */
struct dkt__source_calls {
	size_t sz;
	int (*next)(void *data, struct dkt_record *record); /* as dkt_source_next() */
	const char *(*comm)(void *data, const struct dkt_record *record);
	int (*loss)(void *data, int cpu, struct dkt_loss *loss);
	void (*close)(void *data);
	int (*bytes)(const void *data, uint64_t *done, uint64_t *of); /* dkt__source_get_bytes() */
	int (*fd)(const void *data); /* as dkt_source_fd(), if next() returns DKT_NEXT_LATER */
	int (*done)(void *data); /* as dkt_source_done() */
	/* The source whose host recorded, which outlives this one: its disks have names. NULL: unknown. */
	const struct dkt_source *host;
};

/*
 * Creates a source of records from elsewhere, which next() returns in time order;
 * dkt__event_define() defines their events. A new context then has no other events. The strings of
 * info must live as long as the source; NULL: nothing is known. dkt_source_close() calls close();
 * this function also does if it fails, whatever is wrong but calls itself. -EINVAL: there is no
 * next(), or invalid options.
 */
DKT__SHARED int dkt__source_make(struct dkt_ctx *ctx, const struct dkt__source_calls *calls,
				 void *data, const struct dkt_source_info *info,
				 const struct dkt_source_opts *opts, struct dkt_source **source);

/* For dkt__source_disk(): the hosts of all streams. */
#define DKT__STREAM_ALL UINT32_MAX

/*
 * Returns the name that a disk or partition had on the host of a stream, such as "vda", for its number in the
 * records; NULL: unknown. With DKT__STREAM_ALL also NULL if two hosts have other names for it. A trace.dat file has
 * the names if the library recorded it. A name has 1 to 31 printable ASCII characters, without a space, a quote or
 * any of <>&\. Valid as long as the source.
 */
const char *dkt__source_disk(const struct dkt_source *source, uint32_t stream, uint64_t dev);

/*
 * Sets *done to the bytes of pages read so far and *of to the bytes of pages in the window.
 * -EOPNOTSUPP: this kind of source cannot tell.
 */
int dkt__source_get_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of);

/*
 * Makes the current dkt_source_wait(), or otherwise the next one, return at once. It is the only
 * call on a source that another thread or a signal handler may make, as long as the source is open.
 * -EOPNOTSUPP: the source does not follow.
 */
int dkt__source_wake(struct dkt_source *source);

/* ---- filter expressions ---- */

/*
 * Returns 0 if dkt_expr_match() can test records of the event. -EOPNOTSUPP: the records have only
 * the address of a string that the expression names, so that none matches. Otherwise as
 * dkt_expr_check().
 */
int dkt__expr_check_match(struct dkt_expr *expr, struct dkt_event *event);

enum dkt__expr_any_flags {
	DKT__EXPR_MATCH = 1, /* check each event as dkt__expr_check_match() does */
};

/*
 * Returns 0 if the expression fits at least one of n events. If not, the message is about the whole
 * set: a value that does not fit the first event that has all fields, or the field that no event
 * has and the most similar name. flags are enum dkt__expr_any_flags. -ENOENT, -EINVAL, -EOPNOTSUPP:
 * as dkt__expr_check_match().
 */
int dkt__expr_check_any(struct dkt_expr *expr, struct dkt_event *const *events, size_t n,
			unsigned int flags);

/* A comparison FIELD == $VARIABLE. The strings live as long as the expression. */
struct dkt__equality {
	const char *field, *variable;
	bool all; /* the expression has nothing but such comparisons, which must all be true */
};

/*
 * Gets the i-th comparison FIELD == $VARIABLE, counted from 0, that is true for every record that
 * matches. Returns 0, or 1 after the last.
 */
int dkt__expr_equality(const struct dkt_expr *expr, size_t i, struct dkt__equality *equality,
		       size_t sz);

/* ---- styles, layouts of printed records (dktrace-styles(7)) ---- */

/*
 * Returns the i-th name, counted from 0, of the fields that every record has, for dkt_style_opts;
 * NULL after the last.
 */
const char *dkt__style_field(size_t i);

/*
 * A style of the caller's. Only record is required; NULL for the others. record gets each record with
 * its stacks, see dkt_record_stack().
 */
struct dkt__style_calls {
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
DKT__SHARED int dkt__style_make(struct dkt_ctx *ctx, const struct dkt__style_calls *calls,
				void *data, struct dkt_style **style);

/* Appends output that the style holds back, or writes it to its files. */
DKT__SHARED int dkt__style_flush(struct dkt_style *style, struct dkt_buf *buf);

/* ---- live sources and their spools ---- */

/* Runs while recording is stopped: dkt__instance_run_stopped(). */
typedef int (*dkt__stopped_fn)(void *data);

/*
 * Stops recording, moves all records of the buffers and of the snapshot into the spool, calls fn, and
 * starts recording again; for operations that make the kernel empty the buffers. The next live source
 * returns the records; without a spool they are lost. Returns the result of fn. -EBUSY: another process reads
 * with this spool.
 */
int dkt__instance_run_stopped(struct dkt_instance *instance, dkt__stopped_fn fn, void *data);

/*
 * Moves all records of the buffers and of the snapshot into the spool, and keeps the formats there of those of
 * the n events that have records. These can be printed after the events have left the kernel. Disable the
 * events before. -EINVAL: the instance has no spool; -EBUSY: another process reads with this spool; -ENOSPC: the spool has
 * the records of 4096 such events.
 */
int dkt__instance_retire_events(struct dkt_instance *instance, struct dkt_event *const *events,
				size_t n);

/*
 * Starts recording again if a process was killed during dkt__instance_run_stopped(). Call it before the
 * next change.
 */
int dkt__instance_start_stopped(struct dkt_instance *instance);

/* Gets the size of the pages in the spool in bytes; 0 without a spool. Takes no lock. */
int dkt__spool_bytes(const struct dkt_instance *instance, uint64_t *bytes);

/*
 * Records a mark from which a later boot learns the wall-clock time of the instance's records, as
 * long as it is not overwritten. -EOPNOTSUPP: the clock has no wall-clock time; other errors: as
 * dkt_instance_mark().
 */
int dkt__instance_last_boot_mark(struct dkt_instance *instance);

enum dkt__last_kernel {
	DKT__KERNEL_UNKNOWN, /* the kernel does not tell */
	DKT__KERNEL_SAME, /* the build that runs now */
	DKT__KERNEL_OTHER, /* its events and addresses may mean something else now */
};

/* Facts about the boot before this one. */
struct dkt__boot_before {
	enum dkt__last_kernel kernel; /* that wrote the records */
	bool kept; /* the records are in the spool, apart from what is recorded now */
	int64_t moved; /* bytes from its address then to that of the kernel now; 0: also unknown */
};

/*
 * Tells about the records that the boot before this one left in an instance whose buffers survive a
 * reboot (trace_instance=NAME@...). A source with DKT_LIVE_LAST_BOOT reads them. It gives the context
 * the names of functions at the addresses of that boot, so the context is good for these records
 * alone. The first one moves them into a spool, from which they can be read again, also after the
 * instance began to record this boot. -EOPNOTSUPP: the instance is not such a one; -ENODATA: it has
 * no such records; -EINVAL: the kernel's last_boot_info is of unknown form.
 */
int dkt__instance_last_boot_get(struct dkt_instance *instance, struct dkt__boot_before *boot,
				size_t sz);

/*
 * Finds the instance whose buffers survive a reboot, and its name, which the caller frees. -ENOENT:
 * there is none; -ENOTUNIQ: there are several, dkt_error() names them.
 */
int dkt__instance_last_boot_find(struct dkt_ctx *ctx, char **name);

/*
 * Removes the records of the boot before this one; those of this boot stay. -EOPNOTSUPP, -EINVAL: as
 * dkt__instance_last_boot_get(); -EBUSY: another process reads with this spool.
 */
int dkt__instance_last_boot_clear(struct dkt_instance *instance);

/* ---- write trace.dat files ---- */

/*
 * Writes the file of a recorder, also one whose recorder was killed, as a finished file: the pages as
 * they are, undecoded. from: the recorder's file; to: an empty file. In opts, compression NULL keeps
 * the form of the pages, but all are compressed if some are; dir, part and spare do not count. Returns 1,
 * without writing, if the file from is not one of a recorder or is finished.
 */
int dkt__tracedat_seal(struct dkt_ctx *ctx, int from, int to, const struct dkt_tracedat_opts *opts);

/* ---- record instances into a file ---- */

/*
 * Counts records by event from now on, without decoding more of them than their type. Call it after
 * dkt_recorder_add(). All pages then pass through the recorder's memory, also those that are not compressed.
 */
int dkt__recorder_count_events(struct dkt_recorder *recorder);

struct dkt__event_counts {
	uint64_t records;
	uint64_t bytes; /* of the records, without the time and the length that the buffer adds */
};

/*
 * Gets the counts of the event of that dkt_event_id() on a CPU since dkt__recorder_count_events(), of all
 * instances and recordings; 0 without that call. -ENOENT: there is no such CPU; -EINVAL: no event has
 * such an ID.
 */
int dkt__recorder_event_counts(struct dkt_recorder *recorder, int cpu, int id,
			       struct dkt__event_counts *counts, size_t sz);

/*
 * Goes on with the recording of a recorder that was killed, in its file, which is open for reading and
 * writing as fd, in place of dkt_recorder_begin(). The recorder must have the same instances, with the
 * same names, and nobody may have read them since. Losses are counted on: of records that were
 * overwritten since, and of those that were read but not written. The file continues to name the earlier
 * thread with DKT_RECORDER_SKIP_SELF, so end it soon. Returns 1 and changes nothing if the file is
 * finished, or of another kind, boot or instance. -EBUSY: a recording has begun; errors of write(2).
 */
int dkt__recorder_resume(struct dkt_recorder *recorder, int fd);

/*
 * Adds the formats of events that have been enabled since the recording began. Call it after enabling
 * events, before dkt_recorder_wait() and dkt_recorder_read() move their first records. After an error
 * call it again.
 */
int dkt__recorder_formats(struct dkt_recorder *recorder);

/*
 * Completes the file of a recorder that was killed, which is open for reading and writing as fd: adds
 * the records that its instances still hold, ends the recording, and removes the instances, which
 * must be of dkt_instance_own(). Sets *records to the number of records added. Records that the
 * recorder had read but not written are counted as lost. Returns 1 if there are none to add: the file is
 * finished or of another kind, its instances are shared with other processes, or the machine has been
 * started again. -ENOENT: an instance has been removed; -EBUSY: the process of an instance lives;
 * -ENOSPC: the file system lacks room, and nothing has been changed; -EROFS: fd is not open for
 * writing; -EBADMSG: the end of the file is damaged.
 */
int dkt__recorder_rescue(struct dkt_ctx *ctx, int fd, uint64_t *records);

/* ---- probes, events that are created at run time ---- */

/*
 * Adds a place to an event that dkt_probe_create() created with the same fields. -EEXIST: the
 * fields differ, or the kernel does not support several places. Other errors: as
 * dkt_probe_create().
 */
int dkt__probe_add_place(struct dkt_ctx *ctx, const struct dkt_probe *probe);

/*
 * Call after dkt_probe_create() failed with err. Looks for the reason if the kernel gave none (for
 * example, the function is blacklisted) and stores it for dkt_error(). Slow: reads long lists.
 * Returns err.
 */
int dkt__probe_refused(struct dkt_ctx *ctx, const struct dkt_probe *probe, int err);

/*
 * Gets the definition as one line for the kernel. The caller frees it. -EINVAL: a string has a
 * control character; -E2BIG: the line is longer than the kernel's limit.
 */
int dkt__probe_text(struct dkt_ctx *ctx, const struct dkt_probe *probe, char **text);

/*
 * Parses a line that dkt__probe_text() or the kernel wrote. The list has one probe;
 * dkt_probes_free() frees it. -EINVAL: not a definition.
 */
int dkt__probe_from_text(struct dkt_ctx *ctx, const char *text, struct dkt_probes **probes);

/* True if both define the same event at the same place with the same fields, however written. */
bool dkt__probe_same(const struct dkt_probe *a, const struct dkt_probe *b);

/* A static marker of a program (sys/sdt.h). Valid during the call only. */
struct dkt__marker {
	const char *provider, *name;
	const char *args; /* in the assembler's notation: "-4@%edi 8@$5" */
	uint64_t offset; /* bytes from the start of the file */
	uint64_t semaphore; /* offset of the counter that enables the marker; 0: none */
};

/* Receives a marker. A value other than 0 ends the walk, and dkt__markers() returns it. */
typedef int (*dkt__marker_fn)(void *data, const struct dkt__marker *marker);

/*
 * Calls fn for each marker of a program or library. -ENOEXEC: not an ELF file; -EOPNOTSUPP: the
 * file is for another kind of machine.
 */
int dkt__markers(struct dkt_ctx *ctx, const char *path, dkt__marker_fn fn, void *data);

/*
 * Receives a function; module is NULL for the kernel itself. A value other than 0 ends the walk,
 * and dkt__kernel_functions() returns it.
 */
typedef int (*dkt__function_fn)(void *data, const char *module, const char *name);

/*
 * Calls fn for each function of the kernel and its modules whose name begins with beginning
 * (/proc/kallsyms).
 */
int dkt__kernel_functions(struct dkt_ctx *ctx, const char *beginning, dkt__function_fn fn,
			  void *data);

/* Returns the probe of that name, or NULL. Valid as long as the list. */
const struct dkt_probe *dkt__probes_find(const struct dkt_probes *probes, const char *group,
					 const char *name);

/* ---- histograms, records counted by the values of fields ---- */

/*
 * Call after dkt_hist_event() failed with -ENOENT for each of n events. Sets a message about the
 * whole set, with the field that no event has and the most similar name. Returns -ENOENT.
 */
int dkt__hist_fits_none(struct dkt_hist *hist, struct dkt_event *const *events, size_t n);

/*
 * Gives an event that was added a filter of its own, instead of the filter in the options. The
 * caller keeps the filter as long as the histogram. -ENOENT, -EINVAL: as dkt_expr_check(), or the
 * event was not added.
 */
int dkt__hist_filter(struct dkt_hist *hist, struct dkt_event *event, struct dkt_expr *filter);

/*
 * Gets the trigger that makes the kernel count the event. The caller frees it. -EINVAL: the event
 * was not added; -E2BIG: the filter is too long for the kernel.
 */
int dkt__hist_trigger(struct dkt_hist *hist, struct dkt_event *event, char **text);

/* ---- tables, the counts of a histogram ---- */

/*
 * Parses the text of a hist file of the kernel; if it has several histograms, the first. -ENOENT:
 * it has none; -EINVAL: its header is invalid.
 */
int dkt__table_parse(struct dkt_ctx *ctx, const char *text, size_t len, struct dkt_table **table);

/*
 * Gets the first histogram that an event has in the instance, whoever added it. The caller frees
 * the table with dkt_table_free(). -ENOENT: the event has no histogram, or the kernel does
 * not have histograms.
 */
int dkt__instance_get_hist(struct dkt_instance *instance, struct dkt_event *event,
			   struct dkt_table **table);

/* ---- the memory of a dumped kernel ---- */

/* The dump of a kernel, from which a caller reads what a module of it kept in memory. */
struct dkt__dump;

/*
 * Opens the dump; of the options, name, fd and vmlinux count. The context must be new. -EINVAL: not
 * a dump; -EOPNOTSUPP, -EBADMSG: as dkt_source_open().
 */
DKT__SHARED int dkt__dump_open(struct dkt_ctx *ctx, const char *path,
			       const struct dkt_source_opts *opts, struct dkt__dump **dump);
DKT__SHARED void dkt__dump_close(struct dkt__dump *dump);

/*
 * Gets the address of a function or variable of a module, or of the kernel itself if module is NULL.
 * -ENOENT: it does not exist, or the module was not loaded. After another error, the symbols of some
 * modules cannot be read, and dkt__dump_why() says why.
 */
DKT__SHARED int dkt__dump_symbol(const struct dkt__dump *dump, const char *module, const char *name,
				 uint64_t *address);

/*
 * Reads all n bytes. -ENODATA: the dump leaves them out; -EIO: the file is truncated or damaged
 * there; -EFAULT: the kernel has no memory at that address.
 */
DKT__SHARED int dkt__dump_read(const struct dkt__dump *dump, uint64_t address, void *bytes,
			       size_t n);

/* Gets the size of one of the kernel's structs. -ENOENT: there is none of that name. */
DKT__SHARED int dkt__dump_size(const struct dkt__dump *dump, const char *name, uint64_t *size);

/*
 * Gets the address and the size of the memory that belongs to the struct page at that address.
 * -EFAULT: that is no struct page; -EOPNOTSUPP: not supported on the machine of the dump.
 */
DKT__SHARED int dkt__dump_page(const struct dkt__dump *dump, uint64_t page, uint64_t *address,
			       uint32_t *size);

/* Returns words for an error of these calls. */
DKT__SHARED const char *dkt__dump_why(int err);

/* ---- texts of records ---- */

/* Appends the text of dkt_record_text(), escaped as by dkt_buf_text(). */
DKT__SHARED void dkt__record_line(const struct dkt_record *record, struct dkt_buf *buf);

/* The recorded arguments of a kernel message. */
struct dkt__kprintf_args {
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
		       struct dkt__kprintf_args *args);
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
DKT__SHARED void dkt__buf_kprintf(struct dkt_buf *buf, const char *fmt, size_t len,
				  const struct dkt__kprintf_args *args);

/* ---- names of functions ---- */

/* Returns the name of the module that contains the address. NULL: none, or unknown. */
DKT__SHARED const char *dkt__symbol_module(struct dkt_ctx *ctx, uint64_t address);

/* ---- SQL, a histogram or an event made of two ---- */

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
 *
 * The strings live as long as the object.
 */
struct dkt__sql {
	const char *event; /* after FROM, "system:name" */
	const char *end; /* after JOIN; NULL: the statement is a histogram */
	const char *keys; /* of the histogram, for dkt_hist_opts */
	const char *vals; /* of the histogram, for dkt_hist_opts; NULL: none */
	const char *filter; /* of the histogram; NULL: none */
	const char *fields; /* of the synthetic event, for a dkt_probe of the group "synthetic" */
	const char *begin_trigger; /* for event, once the synthetic event exists */
	const char *end_trigger; /* for end, after begin_trigger */
};

/*
 * Translates a statement; changes nothing in the kernel. name is the name of the synthetic event,
 * NULL if the statement is a histogram. libtracefs parses the statement in a child process, which
 * this call waits for. -EINVAL: the statement is invalid, dkt_error() shows the place with a caret;
 * -ENOENT: an event or a field of it does not exist; -E2BIG: it has more than 4095 bytes; -ENODEV:
 * it has JOIN, and libtracefs finds no tracefs or debugfs; -EFAULT: the parser of libtracefs failed;
 * -EAGAIN: no child process could be created.
 */
int dkt__sql_new(struct dkt_ctx *ctx, const char *text, const char *name,
		 const struct dkt__sql **sql);
void dkt__sql_free(const struct dkt__sql *sql);
