/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sampler's state, shared by its files: events, rings, the file, the programs that samples hit. */
#pragma once

#include "lib/base/intern.h"
#include "lib/base/keymap.h"
#include "lib/perf_event.h"

/* Every sample has these, in this order; the callers follow. */
struct dkt__sampler_head {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
};

#define DKT__SAMPLER_FIELDS                                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* With sample_id_all, the end of every other record. */
struct dkt__sampler_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* The largest record: its size has 16 bits. */
#define DKT__SAMPLER_RECORD (1u << 16)

/* An event of one CPU, and of one thread or all. */
struct dkt__sampler_fd {
	int fd;
	uint32_t ring;
	uint64_t id; /* in its records; 0 before the rings are mapped */
	bool lasts; /* as long as its CPU, not as a thread */
};

struct dkt__sampler_event {
	const char *name;
	struct perf_event_attr attr;
	bool early; /* it counts while what was there before is read */
	bool machine; /* of all threads, also if only some are sampled */
	struct dkt__sampler_fd *fds;
	size_t n;
};

/* The samples, the processes of a machine, switches and wakeups. The first is that of the samples. */
#define DKT__SAMPLER_SAMPLES 0
#define DKT__SAMPLER_EVENTS  4

struct dkt__sampler_ring {
	int cpu;
	int fd; /* of the event that owns it, which others share; -1: none is open yet */
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const uint8_t *data;
	uint64_t head; /* of the records that this round writes */
};

/* The file: header, IDs and attributes, the features' contents, records, the table of features. */
struct dkt__sampler_file {
	int fd; /* -1: none */
	uint64_t data_at; /* of the first record */
	uint64_t size; /* bytes of records */
	struct dkt__sampler_section *table; /* of the features, by their bits */
	uint64_t bits; /* those that the file has */
	uint64_t attrs_at, attrs_size;
};

struct dkt__sampler_section {
	uint64_t at, size;
};

/* A mapped file. */
struct dkt__sampler_program {
	uint64_t inode;
	bool hit; /* an address of a sample is in it */
};

struct dkt__sampler_map {
	uint64_t start, end;
	uint32_t program;
};

struct dkt__sampler_process {
	struct dkt__sampler_map *maps;
	uint32_t n;
	uint32_t ended; /* the round in which it ended, plus 1; 0: it runs */
};

struct dkt__sampler_module {
	uint64_t start, end;
	char *name; /* as in /proc/modules */
	char *path;
	bool hit;
};

/* The mappings of processes that run, and the addresses that were looked up in this round. */
struct dkt__sampler_hits {
	struct dkt__intern names; /* of programs */
	struct dkt__sampler_program *programs; /* by the number of the name */
	uint32_t n_programs;
	struct dkt__keymap pids;
	struct dkt__sampler_process *processes; /* by the entry in pids */
	uint32_t n_processes;
	uint32_t *ended; /* entries of processes that ended */
	size_t n_ended;
	uint64_t *seen; /* keys of addresses, by hash */
	struct dkt__sampler_module *modules;
	size_t n_modules;
	bool kernel;
	uint32_t round;
};

struct dkt__sampler {
	struct dkt_ctx *ctx;
	struct dkt__sampler_opts opts;
	struct dkt__sampler_event events[DKT__SAMPLER_EVENTS];
	size_t n_events;
	struct dkt__sampler_ring *rings;
	size_t n_rings;
	size_t ring_size;
	int epoll;
	size_t n_running; /* descriptors whose thread or CPU is still there */
	uint8_t *whole; /* room for a record that begins at the end of a ring */
	struct dkt__sampler_file file;
	struct dkt_buf formats; /* of the tracepoints, as the file has them */
	struct dkt__sampler_hits hits;
	uint64_t first, last; /* times of samples */
	uint64_t lost; /* by records */
	struct dkt__sampler_result result;
};

/* Readers find callers by the call frame information of programs, which is mapped as data. */
static inline bool dkt__sampler_wants_data(const struct dkt__sampler *sampler)
{
	return sampler->opts.callers == DKT__CALLERS_DWARF;
}

/* ---- sampler/events.c ---- */

/* Opens the events. Raises nothing, and needs the privileges. */
int dkt__sampler_events_open(struct dkt__sampler *sampler);

/* Enables the events that count early, or the others. */
int dkt__sampler_events_enable(struct dkt__sampler *sampler, bool early);
void dkt__sampler_events_disable(struct dkt__sampler *sampler);

/* Counts the samples that the kernel could not store. */
uint64_t dkt__sampler_events_lost(const struct dkt__sampler *sampler);
void dkt__sampler_events_close(struct dkt__sampler *sampler);

/* ---- sampler/formats.c ---- */

/* Reads the formats of the tracepoints among the events, while tracefs may be read. */
int dkt__sampler_formats_read(struct dkt__sampler *sampler);

/* ---- sampler/rings.c ---- */

int dkt__sampler_rings_map(struct dkt__sampler *sampler);

/* Waits until a ring is half full, a thread ends, end_fd can be read, or ms have passed. */
int dkt__sampler_rings_wait(struct dkt__sampler *sampler, int ms);

/* Moves all records to the file, as one round. */
int dkt__sampler_rings_drain(struct dkt__sampler *sampler);

/* Leaves out all records that are in the rings. */
void dkt__sampler_rings_skip(struct dkt__sampler *sampler);
void dkt__sampler_rings_unmap(struct dkt__sampler *sampler);

/* ---- sampler/records.c ---- */

/* Notes from a record, which is complete in memory, what the results need. */
void dkt__sampler_record(struct dkt__sampler *sampler, const struct perf_event_header *record);

/* ---- sampler/file.c ---- */

struct iovec;

int dkt__sampler_file_begin(struct dkt__sampler *sampler, int fd);

/* Appends records, and then makes them part of the file. */
int dkt__sampler_file_add(struct dkt__sampler *sampler, struct iovec *pieces, int n);

/* Writes what is known only at the end. */
int dkt__sampler_file_end(struct dkt__sampler *sampler);
void dkt__sampler_file_clear(struct dkt__sampler *sampler);

/* ---- sampler/features.c ---- */

/* Numbers of features: tools/perf/util/header.h. */
enum dkt__sampler_feature {
	DKT__FEATURE_TRACING_DATA = 1,
	DKT__FEATURE_BUILD_ID = 2,
	DKT__FEATURE_HOSTNAME = 3,
	DKT__FEATURE_OSRELEASE = 4,
	DKT__FEATURE_VERSION = 5,
	DKT__FEATURE_ARCH = 6,
	DKT__FEATURE_NRCPUS = 7,
	DKT__FEATURE_CPUDESC = 8,
	DKT__FEATURE_TOTAL_MEM = 10,
	DKT__FEATURE_CMDLINE = 11,
	DKT__FEATURE_EVENT_DESC = 12,
	DKT__FEATURE_BRANCH_STACK = 15,
	DKT__FEATURE_SAMPLE_TIME = 21,
	DKT__FEATURE_CLOCKID = 23,
	DKT__FEATURE_CLOCK_DATA = 29,
	DKT__FEATURES = 64,
};

/* Puts the content of a feature that is known at the beginning. False: the file does not have it. */
bool dkt__sampler_feature_put(const struct dkt__sampler *sampler, enum dkt__sampler_feature feature,
			      struct dkt_buf *buf);

/* ---- sampler/kernel.c, sampler/processes.c: what was there before ---- */

/* Puts records of the kernel's code and its modules. */
int dkt__sampler_kernel_put(struct dkt__sampler *sampler, struct dkt_buf *buf);

/* Writes records of the processes that run, as if they had just started. */
int dkt__sampler_processes_write(struct dkt__sampler *sampler);

/* Begins a record of which size bytes follow the header and before the tail; puts the header. */
void dkt__sampler_put_head(struct dkt_buf *buf, uint32_t type, uint16_t misc, size_t size);

/* Puts a text and NULs up to a multiple of 8 bytes, dkt__sampler_text_size() in all. */
void dkt__sampler_put_text(struct dkt_buf *buf, const char *text);

static inline size_t dkt__sampler_text_size(const char *text)
{
	return (strlen(text) + 8) & ~(size_t)7;
}

void dkt__sampler_put_tail(struct dkt_buf *buf);

/* Passes records that were put to dkt__sampler_record(), writes them and empties the buffer. */
int dkt__sampler_put_end(struct dkt__sampler *sampler, struct dkt_buf *buf);

/* ---- sampler/hits.c ---- */

/* Without memory they note nothing. */
void dkt__sampler_hits_map(struct dkt__sampler_hits *hits, uint32_t pid, uint64_t start,
			   uint64_t size, uint64_t inode, const char *name, size_t room);
void dkt__sampler_hits_fork(struct dkt__sampler_hits *hits, uint32_t pid, uint32_t parent);
void dkt__sampler_hits_exit(struct dkt__sampler_hits *hits, uint32_t pid);
void dkt__sampler_hits_address(struct dkt__sampler_hits *hits, uint32_t pid, uint64_t address,
			       bool kernel);

/* All records of the rings have been seen. */
void dkt__sampler_hits_round(struct dkt__sampler_hits *hits);
void dkt__sampler_hits_clear(struct dkt__sampler_hits *hits);

/* ---- sampler/builds.c ---- */

#define DKT__BUILD_ID_MAX 20

/*
 * Gets the build ID from the notes of an ELF file. Returns its length, or 0: the bytes have none. Reads at
 * most 64 KB of notes.
 */
size_t dkt__build_id_of_notes(const uint8_t *notes, size_t size, bool swap,
			      uint8_t id[DKT__BUILD_ID_MAX]);
size_t dkt__build_id_of_fd(int fd, uint8_t id[DKT__BUILD_ID_MAX]);

/* Puts the build IDs of the programs, the kernel and the modules that samples hit. */
void dkt__sampler_builds_put(const struct dkt__sampler *sampler, struct dkt_buf *buf);
