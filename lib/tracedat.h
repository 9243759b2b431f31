/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations shared by the reader and the writer of trace.dat, trace-cmd's file format.
 * trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) describe the layout.
 */
#pragma once

#include "lib/event.h"
#include "lib/source/shift.h"
#include "lib/source/streams.h"
#include "lib/symbol.h"

/* The first bytes of every trace.dat file. */
#define DKT__DAT_MAGIC "\x17\x08\x44tracing"

/* The size of the head of a section, and a flag in it: its content is compressed. */
#define SECTION_HEAD       16
#define SECTION_COMPRESSED 1

enum dkt__dat_option {
	DAT_DONE = 0,
	DAT_DATE = 1,
	DAT_CPUSTAT = 2,
	DAT_BUFFER = 3,
	DAT_TRACECLOCK = 4,
	DAT_UNAME = 5,
	DAT_HOOK = 6,
	DAT_OFFSET = 7,
	DAT_CPUCOUNT = 8,
	DAT_VERSION = 9,
	DAT_PROCMAPS = 10,
	DAT_TRACEID = 11,
	DAT_TIME_SHIFT = 12,
	DAT_GUEST = 13,
	DAT_TSC2NSEC = 14,
	DAT_STRINGS = 15,
	DAT_HEADER_INFO = 16,
	DAT_FTRACE_EVENTS = 17,
	DAT_EVENT_FORMATS = 18,
	DAT_KALLSYMS = 19,
	DAT_PRINTK = 20,
	DAT_CMDLINES = 21,
	DAT_BUFFER_TEXT = 22,
	DAT_BTF = 23,
	DAT_LAST_BOOT = 24,
	DAT_MODULES = 25,
	/*
	 * Only in dktrace's recordings, and far above trace-cmd's numbers: the ID of the recorder's
	 * thread (4 bytes), whose records are to be left out.
	 */
	DAT_RECORDER = 0x4401,
	/* Only in files that dktrace merged: the clocks of the buffers, with their errors. */
	DAT_CLOCKS = 0x4402,
	/* The same: why records of hosts are missing, as text. */
	DAT_LACKS = 0x4403,
	/* Only in dktrace's files: the names of the disks of the hosts that recorded. */
	DAT_DISKS = 0x4404,
};

/* Before a probe's name and the records that it missed, in an option DAT_CPUSTAT, as trace-cmd shows it. */
#define DKT__DAT_MISSED "Missed by probe "

/* The position of a CPU's pages. */
struct dkt__dat_cpu {
	uint32_t cpu;
	uint64_t offset, size; /* in the file */
	/* If the file is a recording in progress: */
	struct dkt__chunks pieces;
	uint64_t lost;
	uint32_t stream; /* of one from a pipe: its index plus 1; 0: none */
};

/* The kernel's counts of a CPU when the recording began. */
struct dkt__dat_base {
	uint64_t read, lost; /* records */
};

/* The buffer of an instance; the top instance has the name "". */
struct dkt__dat_buffer {
	const char *name;
	const char *clock; /* NULL: the clock of the file */
	uint64_t section; /* version 7: the offset of its section in the file */
	uint32_t page_size;
	bool packed; /* its pages are in compressed chunks */
	struct dkt__dat_cpu *cpus;
	uint32_t n_cpus;
	/* If the file is a recording in progress: */
	uint32_t recent; /* the CPU of the last section */
	const char *instance, *boot; /* the kernel's instance; NULL: unknown */
	struct dkt__dat_base *bases; /* by CPU; NULL: unknown, or all zero */
	uint32_t n_bases;
};

struct dkt__dat_stat {
	char *buffer;
	int cpu;
	uint64_t lost;
	bool placed; /* as a stream of its own */
};

struct dkt__dat {
	struct dkt__streams streams; /* must be first: the source is cast to this struct */
	struct dkt_ctx *ctx;
	struct dkt__file file;
	bool swap;
	bool text; /* the file holds a latency tracer's text instead of records */
	uint32_t seen; /* a bit for each section number that was read */
	bool cut; /* the file is truncated */
	bool journal; /* a recording in progress */
	bool copies; /* bytes of the file do not stay: sections are copied */
	uint64_t mark; /* the last one of a recording in progress: its time */
	uint64_t end; /* of a recording that its writer did not end; 0: the end is damaged */
	uint64_t cut_section; /* its last pages, which lack a part; 0: none */
	bool keep_rooms; /* the pages are copied, not unpacked: their size has no limit */
	unsigned int version;
	uint32_t page_size;
	uint32_t n_cpus;
	const struct dkt__codec *codec; /* NULL: nothing is compressed */
	void *codec_state;
	char *kind, *host, *kernel, *clock;
	struct dkt__dat_buffer *buffers;
	size_t n_buffers;
	uint32_t n_places; /* number of CPUs in all buffers */
	uint64_t sections; /* decompressed bytes of the opened sections */
	uint64_t placed; /* bytes of the file assigned to CPUs */
	uint64_t rooms; /* memory for decompressed chunks */
	struct dkt__dat_stat *stats;
	size_t n_stats;
	char *stat_buffer; /* the buffer that the next statistics belong to */
	struct dkt__shift *shifts; /* by CPU */
	uint32_t n_shifts;
	struct dkt__source_peer *peers;
	size_t n_peers;
	struct dkt__dat_clock *clocks;
	uint32_t n_clocks;
	struct dkt__dat_disks *disks; /* a table for each host */
	uint32_t n_disks;
	bool hooks, maps; /* the file has options of this kind, which are not read */
	struct dkt__symbol_text kallsyms, printk, btf; /* passed to the context after reading */
	/* The records survived a reboot: where the kernel and its modules were then, and are since. */
	struct dkt__symbol_text last_boot, modules;
	struct dkt__given *given;
	size_t n_given;
};

/* Opens a file, whose source is dat->streams.base; keep_rooms: as in the struct. */
int dkt__dat_open(struct dkt_ctx *ctx, const struct dkt__file *file,
		  const struct dkt_source_opts *opts, bool keep_rooms, struct dkt__dat **dat);

/*
 * The parts of that for a source with other calls, whose dat has its base already: reads the file, and
 * implements three of the calls. close() frees dat.
 */
int dkt__dat_read(struct dkt__dat *dat, const struct dkt__file *file,
		  const struct dkt_source_opts *opts);
const char *dkt__dat_stream(const struct dkt_source *source, uint32_t nr);
const struct dkt__source_peer *dkt__dat_peer(const struct dkt_source *source, size_t i);
void dkt__dat_close(struct dkt_source *source);

/*
 * Opens the file of a recorder for copying its pages. ctx: one that has no other events. Returns 1 if
 * the file is another one or a finished one.
 */
int dkt__dat_open_recording(struct dkt_ctx *ctx, int fd, struct dkt__dat **dat);

/* Reads the beginning up to the size of a page, which all versions share. Returns the version. */
const char *dkt__dat_read_start(struct dkt__dat *dat, struct dkt__cursor *cur);

/* Returns a cursor at the offset, or at the end of the file if the offset is outside the file. */
struct dkt__cursor dkt__dat_at(const struct dkt__dat *dat, uint64_t offset);

/* True if opts selects the buffer. */
bool dkt__dat_selects(const struct dkt_source_opts *opts, const struct dkt__dat_buffer *buffer);

/* Points the stream, which is zeroed, at the pages of a buffer's CPU that the file holds. */
void dkt__dat_place(struct dkt__dat *dat, const struct dkt__dat_buffer *buffer,
		    struct dkt__dat_cpu *cpu, struct dkt__stream *s);

/*
 * Reserves memory for unpacking a CPU's chunks of that size, if there is some for chunks of the size
 * had. False: the file may not take so much, which is reported as damage.
 */
bool dkt__dat_may_unpack(struct dkt__dat *dat, int cpu, uint32_t size, uint32_t had);

/* ---- tracedat/section.c ---- */

/* Reads everything except the records, starting at the cursor. */
int dkt__dat_read_v6(struct dkt__dat *dat, struct dkt__cursor *cur);
int dkt__dat_read_v7(struct dkt__dat *dat, struct dkt__cursor *cur);

/*
 * Reads the parts that describe the kernel, in the order of version 6. Returns the number of the last one before
 * an invalid one, in that order; 0: the first one is invalid.
 */
unsigned int dkt__dat_read_tables(struct dkt__dat *dat, struct dkt__cursor *cur);

/* True for a section that describes the kernel, to which an option of the same number points. */
static inline bool dkt__dat_is_table(unsigned int id)
{
	return (id >= DAT_HEADER_INFO && id <= DAT_CMDLINES) || id == DAT_BTF || id == DAT_MODULES;
}

/* Reads a section of version 7 if it holds formats, symbols, names or types. */
void dkt__dat_read_section(struct dkt__dat *dat, unsigned int id, uint64_t offset);

/* Reads the statistics in a section of options that a recording in progress has after its beginning. */
int dkt__dat_read_stats(struct dkt__dat *dat, uint64_t offset);

struct dkt__dat_section {
	unsigned int id;
	bool packed;
	uint64_t at; /* of its content */
	uint64_t size; /* of its content, as it says */
	uint64_t left; /* bytes from at to the end of the file */
	struct dkt__cursor cur; /* the bytes of its content that can be read */
};

/* Reads the head of the section at the offset at, of n bytes. False: there is no complete head. */
bool dkt__dat_section(struct dkt__cursor cur, uint64_t at, uint64_t n,
		      struct dkt__dat_section *section);
bool dkt__dat_section_at(const struct dkt__dat *dat, uint64_t at, struct dkt__dat_section *section);

/* ---- tracedat/option.c ---- */

/* Reads an option. Ignores unknown and invalid options. */
int dkt__dat_option(struct dkt__dat *dat, unsigned int id, struct dkt__cursor option);
struct dkt__dat_buffer *dkt__dat_buffer_add(struct dkt__dat *dat, const char *name);

void dkt__dat_shifts_clear(struct dkt__dat *dat);

/* ---- tracedat/clocks.c ---- */

void dkt__dat_clocks(struct dkt__dat *dat, struct dkt__cursor *option);
void dkt__dat_clocks_clear(struct dkt__dat *dat);

/* After all options: finds the buffers that the clocks are of. */
void dkt__dat_clocks_place(struct dkt__dat *dat);
int dkt__dat_clock(const struct dkt_source *source, uint32_t nr, struct dkt_source_clock *clock);

/* ---- tracedat/disks.c ---- */

int dkt__dat_disks(struct dkt__dat *dat, struct dkt__cursor *option);
void dkt__dat_disks_clear(struct dkt__dat *dat);
const struct dkt__disks *dkt__dat_disks_of(const struct dkt_source *source, uint32_t nr);

/* ---- tracedat/recover.c ---- */

/*
 * Finds the buffers of a truncated file, whose options are missing. Searches the sections from the
 * offset at.
 */
int dkt__dat_recover(struct dkt__dat *dat, uint64_t at);

/* ---- tracedat/journal.c ---- */

/*
 * Finds the buffers of a recording in progress and the pages of its CPUs, in the sections from the
 * offset at.
 */
int dkt__dat_read_journal(struct dkt__dat *dat, uint64_t at);

/* Reads further sections, once the file has become longer. */
int dkt__dat_read_more(struct dkt__dat *dat, uint64_t at);

/*
 * Looks for the next mark in the first n bytes of a file that begins to be a recording in progress.
 * Moves *at past the complete sections up to there. False: the mark is not there, or the end of the
 * recording or an invalid section is before it.
 */
bool dkt__dat_find_mark(const struct dkt__file *file, bool swap, uint64_t n, uint64_t *at);

/* True if the recording ends in order at the offset, with the first n bytes. */
bool dkt__dat_is_end(const struct dkt__file *file, bool swap, uint64_t n, uint64_t at);

/* The smallest and the largest accepted size of a sub-buffer. */
#define DKT__DAT_PAGE_MIN 512
#define DKT__DAT_PAGE_MAX (1u << 20)

/* More CPUs than any machine has, but few enough to allocate memory for all. */
#define DKT__DAT_CPUS 65536

/* Limits the CPUs of all buffers together, because many buffers may point at the same table. */
#define DKT__DAT_PLACES 65536

/* More buffers than a file has. */
#define DKT__DAT_BUFFERS 4096

/*
 * The most memory for the unpacked chunks of all CPUs, even if the file is huge: of each CPU up to two
 * are unpacked at the same time.
 */
#define DKT__DAT_ROOMS_MAX (UINT64_C(1) << 30)

/* Sets a buffer's n CPUs from a table of offsets and sizes. False: the table is invalid. */
bool dkt__dat_cpu_table(struct dkt__dat *dat, struct dkt__dat_buffer *buffer, uint32_t n,
			struct dkt__cursor *cur);
