/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of libdktrace with which a program takes records from a kernel that runs, and writes
 * recordings. <dktrace/dktrace.h> includes it and has the conventions.
 */
#include <dktrace/records.h> /* before the guard: <dktrace/dktrace.h> includes both */

#ifndef DKTRACE_RECORDING_H
#define DKTRACE_RECORDING_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dkt_live(3): live sources and their spools ---------------------------------------------- */

/*
 * A spool is a directory that keeps the records between the kernel and their destination, and notes
 * with which a later process undoes the changes of a killed one. dkt_instance_open() gives it to the
 * instance; live sources, changes and all other functions find it there.
 */

enum dkt_live_flags {
	DKT_LIVE_KEEP = 1, /* leave the records in the spool; only a saved tree needs none */
	DKT_LIVE_FOLLOW = 2, /* wait for more records at the end */
	DKT_LIVE_WHOLE = 4, /* remove nothing before dkt_source_done(): no flush() */
	DKT_LIVE_SNAPSHOT = 8, /* read the snapshot: dkt_instance_snapshot_take() */
	DKT_LIVE_LAST_BOOT = 16, /* read what the boot before this one left */
};

struct dkt_live_opts {
	size_t sz;
	uint32_t flags; /* enum dkt_live_flags */
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
	uint32_t wake_percent;
};

/*
 * Opens the per-CPU buffers of an instance. The source moves their pages into files in the spool,
 * which is created if needed. The pages stay there until flush() and dkt_source_done() tell that
 * the records are safe elsewhere, so that a process that is killed loses none. Without a spool the
 * records that it read are lost then. -EBUSY: another process reads with this spool,
 * dkt_error() names it; -EINVAL: invalid options, or DKT_LIVE_KEEP without a spool
 * on an instance that is not in a saved tree; -EOPNOTSUPP: DKT_LIVE_LAST_BOOT, and the buffers of
 * the instance do not survive a reboot; -ENODATA: they have no records of the boot before this one.
 */
DKT_API int dkt_source_live(struct dkt_instance *instance, const struct dkt_live_opts *opts,
			    struct dkt_source **source);

/*
 * Waits for new records, at most timeout_ms milliseconds; -1: without limit. Returns 0 if there may be records. -EINTR: a signal arrived; -EOPNOTSUPP: the source does
 * not follow.
 */
DKT_API int dkt_source_wait(struct dkt_source *source, int timeout_ms);

/*
 * Returns a descriptor for an event loop. It is readable when dkt_source_wait() would return at
 * once. Then call dkt_source_wait() with 0 and dkt_source_next() until
 * it returns DKT_NEXT_LATER; before that the descriptor need not become readable again. The
 * descriptor stays the source's: poll it and do nothing else with it. -EOPNOTSUPP: the source does
 * not follow.
 */
DKT_API int dkt_source_fd(struct dkt_source *source);

/*
 * Declares all records returned so far safe: a live source removes them from its spool, unless it
 * has DKT_LIVE_KEEP. Other sources ignore it.
 */
DKT_API int dkt_source_done(struct dkt_source *source);

/* ---- dkt_tracedat(3): write trace.dat files -------------------------------------------------- */

struct dkt_tracedat;

struct dkt_tracedat_opts {
	size_t sz;
	uint32_t version; /* of the file format: 6 or 7; 0: 7 */
	const char *compression; /* "zstd", "zlib", "none"; NULL: zstd, none in version 6 */
	const char *dir; /* for the unnamed file with the records until the end; NULL: /tmp */
	bool part; /* a part of the source: count only the losses in its gaps */
	/* Why records are missing that the source should have had, for the damage of the file; NULL: none are. */
	const char *lacks;
	int32_t spare; /* 1 + the descriptor of an empty file in place of that in dir; it stays the caller's; 0: none */
};

/*
 * Begins a file for trace-cmd(1), KernelShark and libtracecmd with records of a source. The file keeps the
 * clocks of the streams, the names of disks, and what it lacks, as dkt_source_info's damage.
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

/* ---- dkt_recorder(3): record instances into a file ------------------------------------------- */

struct dkt_recorder;

enum dkt_recorder_flags {
	/* Records that were overwritten before the first read are not lost: a flight recorder's. */
	DKT_RECORDER_FRESH = 1,
	/*
	 * Leaves out the records that the thread causes which begins the recording. The kernel does
	 * it, but its test makes each record dearer. So if all events are system calls, of which a
	 * recorder makes few, the file has them and names the thread, and dkt_source_open() leaves
	 * them out.
	 */
	DKT_RECORDER_SKIP_SELF = 2,
};

struct dkt_recorder_opts {
	size_t sz;
	uint32_t flags; /* enum dkt_recorder_flags */
	const char *compression; /* of the pages: "zstd", "zlib"; NULL or "none": as they are */
	uint32_t wake_percent; /* how full a CPU's buffer is when it is read; 0: 50 */
	/*
	 * Returns how many bytes a file of that size may still grow. Called before pages are
	 * moved, 1 MiB or less at a time. NULL: without limit.
	 */
	uint64_t (*room)(void *data, uint64_t written);
	void *data;
	/*
	 * When more than so many bytes wait to be moved, the rest is moved as it is: at the rates of a
	 * flood, a recorder that compresses all of it would lose records. 0: compress everything.
	 */
	uint64_t compress_most;
};

/*
 * Creates a recorder, which moves the pages of instances into a file without decoding them. -EINVAL:
 * unknown compression, or invalid options.
 */
DKT_API int dkt_recorder_new(struct dkt_ctx *ctx, const struct dkt_recorder_opts *opts,
			     struct dkt_recorder **recorder);

/*
 * Adds an instance, which stays the caller's and open as long as the recorder, as a buffer of that
 * name; the first one should have the name "", the buffer that programs read by default. Reading
 * removes the records from the instance. While the recorder exists, the instance's buffer_percent is
 * wake_percent. -EBUSY: a recording has begun.
 */
DKT_API int dkt_recorder_add(struct dkt_recorder *recorder, struct dkt_instance *instance,
			     const char *name);

/*
 * Begins a recording in a file, pipe or socket, which stays the caller's, with the formats of the
 * events that are enabled now, symbols and facts about the machine. What follows can be read with
 * dkt_source_open() at any time, also after a crash. After an error, and after dkt_recorder_end(), the
 * next recording can begin; no record is lost between the two. -EBUSY: a recording has begun already;
 * errors of write(2).
 */
DKT_API int dkt_recorder_begin(struct dkt_recorder *recorder, int fd);

/*
 * Waits until a CPU's buffer is as full as wake_percent, at most timeout_ms milliseconds (-1: without
 * limit), and moves all complete pages to the file. -EINTR: a signal arrived; -EDQUOT: room() allows no
 * more; errors of write(2), as for dkt_recorder_read().
 */
DKT_API int dkt_recorder_wait(struct dkt_recorder *recorder, int timeout_ms);

/*
 * Moves all records up to now to the file, adds new names of processes, and marks the time, so that a
 * reader of a growing file knows how far it can sort. Call it about once a second. After -EDQUOT and
 * errors of write(2), as on a full file system, no record is lost: the next call continues at the same byte.
 */
DKT_API int dkt_recorder_read(struct dkt_recorder *recorder);

/*
 * Calls dkt_recorder_read(), adds the names of all threads that live, and ends the recording. Records for
 * which room() has no room count as lost.
 */
DKT_API int dkt_recorder_end(struct dkt_recorder *recorder);

/* Counts of a recorder. */
struct dkt_recorder_counts {
	uint64_t bytes; /* written to the file */
	uint64_t records; /* read from the buffers since they were last emptied */
	uint64_t lost; /* lost since the recording began, up to now or its end */
	uint64_t id; /* of the recording, as in struct dkt_source_info of its file */
	uint64_t uncompressed; /* bytes of records moved to the file, before they are compressed */
};

DKT_API int dkt_recorder_get_counts(struct dkt_recorder *recorder,
				    struct dkt_recorder_counts *counts, size_t sz);

/* Frees a recorder. If its recording has not been ended, the file can be read up to here. */
DKT_API void dkt_recorder_free(struct dkt_recorder *recorder);

#ifdef __cplusplus
}
#endif

#endif
