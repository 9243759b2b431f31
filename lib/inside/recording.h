/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of lib/inside.h for what takes records from a kernel and writes recordings. */
#pragma once

#include "lib/base/error.h"

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

/* Returns the records that probes missed since the file began, up to the last dkt_recorder_read(). */
const struct dkt__missed *dkt__recorder_missed(const struct dkt_recorder *recorder);

/*
 * Sets the numbers of the list, NULL at first, to what each probe has missed since it was created. The list
 * lives as long as the context.
 */
int dkt__missed_read(struct dkt_ctx *ctx, struct dkt__missed **list);

/* Has the recorder's first file count from that list on, not from its beginning. */
int dkt__recorder_missed_since(struct dkt_recorder *recorder, const struct dkt__missed *list);

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
