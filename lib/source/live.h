/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live source: the per-CPU buffers of an instance, read through spools. */
#pragma once

#include <sys/utsname.h>

#include "lib/base/disks.h"
#include "lib/ctx.h"
#include "lib/source/live/spool.h"
#include "lib/source/live/watch.h"
#include "lib/source/streams.h"

/* Sources of buffers that the kernel does not fill any more. */
#define DKT__LIVE_APART (DKT_LIVE_SNAPSHOT | DKT_LIVE_LAST_BOOT)

/* The provider of a stream's pages: the CPU with the same number as the stream. */
struct dkt__live_cpu {
	struct dkt_instance *in; /* NULL: the buffer was removed, only the spool is left */
	int fd; /* trace_pipe_raw */
	struct dkt__spool spool;
	uint64_t lost; /* accounted for by dkt_source_done() */
	bool first; /* the next record is the first of an emptied buffer */
	bool dry; /* the kernel has no more up to the bound */
	bool absent; /* the CPU has not been online yet, so the kernel has no buffer for it */
	bool watched;
};

/* The strings of a struct dkt_source_info, and the disks of the machine. */
struct dkt__about {
	struct dkt__disks disks;
	char *clock;
	struct utsname uname;
	char kernel[sizeof(((struct utsname *)NULL)->release) +
		    sizeof(((struct utsname *)NULL)->machine)];
};

struct dkt__live {
	/* First: this is the source. Streams of the top instance follow those of in. */
	struct dkt__streams streams;
	struct dkt_instance *in;
	struct dkt_instance *top; /* the borrowed top instance, or NULL */
	unsigned int flags;
	struct dkt__watch watch;
	bool patient; /* woken only when part of a buffer is full */
	bool deep; /* a CPU had more than one page since the last wait */
	int early_ms; /* between two looks where the kernel wakes the reader for any record */
	char *percent[2]; /* previous buffer_percent of in and top; NULL: unchanged */
	uint64_t until; /* in ns, inclusive; UINT64_MAX */
	int (*flush)(void *data);
	void *data;
	int lock, dir; /* the lock of the spool directory, and the directory; -1: no spool */
	struct dkt__live_cpu *cpus;
	bool begun; /* the CPUs have been checked */
	bool read; /* records have been read since the source was opened */
	bool spooled; /* reads only the spools, nothing from the kernel */
	bool retired; /* the spool directory has the formats of retired events */
	bool settled; /* losses up to now have been accounted for */
	struct dkt__comms comms;
	bool comms_read; /* saved_cmdlines has been read into comms */
	struct dkt__about about;
};

extern const struct dkt__provider dkt__pages_spool;

/* Returns the size of the instance's pages in bytes. */
uint32_t dkt__page_size(struct dkt_instance *in);

/* dkt_source_live() for callers that need no struct dkt_source. */
int dkt__live_open(struct dkt_instance *in, const struct dkt_live_opts *opts,
		   struct dkt__live **live);
void dkt__live_free(struct dkt__live *live);

/* Returns the directory in the spool of records that are not the log's; "": the spool itself. */
const char *dkt__live_sub(unsigned int flags);

/* The calls of such a source. */
int dkt__live_next(struct dkt_source *source, struct dkt_record *record);
int dkt__live_wait(struct dkt_source *source, int timeout_ms);
int dkt__live_fd(const struct dkt_source *source);
int dkt__live_wake(struct dkt_source *source);
int dkt__live_done(struct dkt_source *source, bool last);
const char *dkt__live_comm(struct dkt_source *source, const struct dkt_record *record);

/*
 * Moves all records from the kernel to the spool and closes the buffers, of the instance or of its
 * borrowed top instance. Recording must be off there.
 */
int dkt__live_save(struct dkt__live *live, bool top);

/* Closes the buffers of streams from to below to: the source goes on with its spools. */
void dkt__live_close_buffers(struct dkt__live *live, size_t from, size_t to);

/* dkt__instance_run_stopped() for the instance itself, or for its borrowed top instance. */
int dkt__rest(struct dkt_instance *base, struct dkt_instance *in, dkt__stopped_fn fn, void *data);

/*
 * Notes the losses up to now for the next reader. Call it before the kernel empties the buffers,
 * and again after it, before recording starts.
 */
int dkt__live_settle(struct dkt__live *live);

/* Implements dkt__provider.lost for spools: the records that the kernel lost on the CPU. */
int dkt__live_lost(struct dkt__streams *streams, const struct dkt__stream *s, uint64_t *lost);

/* Accounts for the kernel's losses on all CPUs, once all returned records are freed. */
void dkt__live_account(struct dkt__live *live);

/* ---- an earlier boot, from its records ---- */

/* A mark begins so; the nanoseconds from the clock of the records to wall-clock time follow. */
#define DKT__LAST_BOOT_MARK "dktrace: wall clock minus trace clock, ns: "

/*
 * Reads all pages in the spools, before the first record is read. A process gets the last name that a
 * record has of it, and the source the wall-clock time of the last mark.
 */
int dkt__live_learn(struct dkt__live *live);

/* ---- the spool directory ---- */

/*
 * Opens and locks the directory, which it creates, for this process. Waits for another reader as long as it
 * gets on. follows: this process reads until it is ended. -EBUSY: dkt_error() names the other process, which
 * follows, or stands still.
 */
int dkt__spool_lock(struct dkt_ctx *ctx, const char *dir, bool follows, int *dirfd, int *lock);

/*
 * Events that the kernel no longer has, and records of them in a spool: these have IDs that the kernel does
 * not give, and a file in the spool has the formats.
 */

/* Adds the retired events of the spool directory to the context. Returns whether there are any. */
bool dkt__retired_load(struct dkt_ctx *ctx, int dirfd);

/* Removes the file, once no record of them is left. */
void dkt__retired_forget(int dirfd);

/* ---- when the kernel wakes the reader (buffer_percent) ---- */

/*
 * Wakes readers when the buffer of a CPU is that full. Stores the previous text in *before, NULL if
 * nothing was changed. A kernel without the file wakes readers at the first record; a saved tree gets
 * no new ones.
 */
int dkt__percent_set(struct dkt_instance *in, unsigned int percent, char **before);

/* Restores and frees the previous text; keeps the error message of an earlier failure. */
void dkt__percent_restore(struct dkt_instance *in, char *before);

/* ---- buffers that the kernel does not fill any more: a snapshot, or what a boot left behind ---- */

/*
 * Reading removes their records from the kernel, so all of them move to a spool of their own, which
 * is then marked as whole.
 */
bool dkt__whole_is(const struct dkt__live *live);
void dkt__whole_mark(struct dkt__live *live);

/* Removes all pages and the mark. */
void dkt__whole_reset(struct dkt__live *live);

/* Gets whether there is a snapshot with records; false, too, if the kernel has no snapshots. */
int dkt__snapshot_any(struct dkt_instance *in, bool *any);

/* Moves the snapshot's records to its spool, before a step that makes the kernel empty it. */
int dkt__snapshot_save(struct dkt_instance *in);

/* Moves the records to the spools, if there is something to read. */
int dkt__snapshot_fetch(struct dkt__live *live);
int dkt__last_boot_fetch(struct dkt__live *live);

/* ---- facts about the machine and the instance that records are from ---- */

/* Without a readable clock or wall offset, these facts stay unknown. */
void dkt__about_fill(struct dkt__about *about, struct dkt_instance *in,
		     struct dkt_source_info *info);
void dkt__about_clear(struct dkt__about *about);
