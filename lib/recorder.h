/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a recorder, shared by its parts. */
#pragma once

#include "lib/base/compress.h"
#include "lib/source.h"
#include "lib/source/comms.h"
#include "lib/source/live.h"
#include "lib/source/live/watch.h"
#include "lib/tracedat/write.h"

struct dkt__recorder_cpu {
	int fd; /* trace_pipe_raw */
	uint64_t lost; /* the kernel's count when the last mark was written */
	uint64_t base; /* the kernel's count when the file began */
	uint64_t told_before; /* records of the file that were lost before the counts restarted */
	uint64_t told; /* lost records that the last mark of the file reported */
	bool fresh; /* records overwritten before its first page are not lost */
	bool absent; /* the CPU has not been online yet */
	bool torn; /* the last page was read, perhaps in part */
	bool watched;
	struct dkt__event_counts *counts; /* by type; NULL: records are not counted */
};

/* A probe of the kernel that has missed records. */
struct dkt__recorder_probe {
	struct dkt__missed *missed; /* in this file, while an instance had its event enabled */
	uint64_t kernel; /* the kernel's count, as last read */
	uint64_t told; /* those that the file has */
};

/* An instance, which becomes a buffer of the file. */
struct dkt__recorder_buffer {
	struct dkt_instance *in;
	char *name;
	uint32_t page_size;
	struct dkt__recorder_cpu *cpus;
	int n_cpus;
	uint64_t size; /* of a CPU's buffer in the kernel, bytes */
	char *percent; /* previous buffer_percent; NULL: unchanged */
	bool skips; /* the kernel leaves the recorder's own records out */
};

struct dkt_recorder {
	/* A source that nobody reads: the writer of the tables takes facts from it, and from facts. */
	struct dkt_source about;
	struct dkt_ctx *ctx;
	const struct dkt__codec *codec; /* of the file; NULL: nothing is compressed */
	void *codec_state;
	bool pack; /* pages too, not only tables */
	uint64_t pack_most; /* so many bytes of the pages that wait */
	uint64_t pack_left; /* of that, while pages are moved */
	unsigned int wake_percent;
	uint64_t (*room)(void *data, uint64_t written); /* NULL: no limit */
	void *data;
	bool fresh; /* DKT_RECORDER_FRESH */
	bool skip_self; /* DKT_RECORDER_SKIP_SELF */
	bool counts; /* dkt__recorder_count_events(): all pages pass through memory */
	pid_t self; /* the thread whose records the file's readers leave out; 0: none */
	bool begun; /* the kernel's counts have been read once */
	struct dkt__recorder_buffer *buffers;
	size_t n;
	struct dkt__watch watch;
	bool early; /* the kernel reports buffers that have no complete page */
	int fd; /* of the file; -1: none */
	struct dkt_buf *out; /* the section that is being written */
	size_t sent; /* bytes of it that are written */
	size_t piped; /* pages that follow them and are in the pipe */
	int pipe[2]; /* pages on their way from the kernel to the file */
	size_t pipe_size; /* bytes; 0: the kernel's files cannot be spliced, pages are copied */
	uint8_t *pages; /* room for copied pages, DKT__RECORDER_CHUNK bytes */
	uint8_t *packed;
	struct dkt__comms names; /* that the file has */
	uint64_t names_due; /* when to read the kernel's names again, dkt__monotonic_ns(); 0: now */
	uint8_t known[DKT__TDW_IDS / 8]; /* a bit for each event ID whose format the file has */
	struct dkt__recorder_probe *probes; /* those that have missed records */
	size_t n_probes;
	uint64_t probes_missed; /* the sum of all, as last read */
	bool missed_before; /* what was missed before the first file counts, too */
	uint64_t written; /* bytes of all complete sections */
	uint64_t moved; /* bytes of the pages in them, unpacked */
	struct dkt__about facts; /* of about */
};

/* Pages are moved in pieces of at most so many bytes. */
#define DKT__RECORDER_CHUNK (1u << 20)

/* Gets the size of the kernel's buffer of a CPU, before pages are moved. */
void dkt__recorder_size(struct dkt__recorder_buffer *b);

/* Returns how many records the kernel has lost by its statistics of a CPU. */
uint64_t dkt__recorder_lost(const struct dkt_cpu_stats *stats);

/* ---- recorder/head.c: the beginning of a file ---- */

/*
 * Returns the ID of the recording, which a recorder of the same instances has too as long as they exist;
 * 0: unknown.
 */
uint64_t dkt__recorder_identity(const struct dkt_recorder *r);

/* Has the recorder's own records left out by the kernel, or by the file's readers. */
int dkt__recorder_skip_self(struct dkt_recorder *r);
int dkt__recorder_head(struct dkt_recorder *r);

/* ---- recorder/section.c: sections of the file ---- */

/* Adds a number to the section in the byte order of the records. */
void dkt__recorder_number(struct dkt_recorder *r, uint64_t value, unsigned int size);

/*
 * Begins a section of size bytes in out. The section before it must be written. The content is added
 * to out, or is in the pipe.
 */
void dkt__recorder_section(struct dkt_recorder *r, unsigned int id, unsigned int flags,
			   uint64_t size);

/* Writes a section of the bytes. Long ones are packed if the library has zstd. */
int dkt__recorder_put(struct dkt_recorder *r, unsigned int id, const struct dkt_buf *content);

/*
 * Writes what is left of the section. After a failure, as on a full file system, nothing is lost:
 * the next call continues at the same byte.
 */
int dkt__recorder_flush(struct dkt_recorder *r);

/* ---- recorder/names.c: names of processes ---- */

/*
 * Adds the names that the file does not have yet, if it is time to read them again; all: now, and also
 * of every thread that lives.
 */
int dkt__recorder_names(struct dkt_recorder *r, bool all);

/* ---- recorder/missed.c: records that probes missed ---- */

/* Begins the counts of a new file; fresh: with what is missed from now on. */
int dkt__recorder_missed_begin(struct dkt_recorder *r, bool fresh);

/* Continues the counts of a file whose recorder was killed. The misses in between are not known. */
int dkt__recorder_missed_continue(struct dkt_recorder *r, const struct dkt_source *source);

/* Adds to the file the numbers that have risen. */
int dkt__recorder_missed_put(struct dkt_recorder *r);

/* ---- recorder/pages.c: pages from the kernel to the file ---- */

/*
 * Moves the complete pages of all CPUs; with rest also the one that the kernel is filling, so that
 * every record up to now is in the file.
 */
int dkt__recorder_move(struct dkt_recorder *r, bool rest);
