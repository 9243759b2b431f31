/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf.data, the file of perf record: shared by the code that reads it. The layout is described in
 * tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h.
 */
#pragma once

#include <byteswap.h>
#include <linux/perf_event.h>

#include "lib/base/buf.h"
#include "lib/base/intern.h"
#include "lib/base/keymap.h"
#include "lib/event.h"
#include "lib/inside/code.h"
#include "lib/source/file.h"
#include "lib/source/streams.h"

/* Bytes of struct trace_entry, with which the data of every tracepoint begin. */
#define DKT__PERF_ENTRY 8

/* The maximum that a kernel can be built for. */
#define DKT__PERF_CPUS 8192

/* The size of a block of the file, and the number of blocks kept in memory. */
#define DKT__PERF_BLOCK  (256u << 10)
#define DKT__PERF_BLOCKS 32

/* PERF_RECORD_CALLCHAIN_DEFERRED and PERF_CONTEXT_USER_DEFERRED; perf_event.h of older kernels lacks them. */
#define DKT__PERF_DEFERRED      22
#define DKT__PERF_DEFERRED_MARK UINT64_C(-640)

/* PERF_SAMPLE_WEIGHT_STRUCT; perf_event.h of older kernels lacks it. */
#define DKT__PERF_WEIGHT_STRUCT (1u << 24)
#define DKT__PERF_BIT_DATA_PAGE (1u << 22) /* PERF_SAMPLE_DATA_PAGE_SIZE */
#define DKT__PERF_BIT_CODE_PAGE (1u << 23) /* PERF_SAMPLE_CODE_PAGE_SIZE */
#define DKT__PERF_MMAP_BUILD_ID (1u << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */

/* A recorded event: its attributes, and the IDs in its samples. */
struct dkt__perf_attr {
	uint32_t type; /* enum perf_type_id, or that of another PMU */
	uint64_t config; /* for a tracepoint its ID */
	uint64_t period; /* of each sample that does not have its own */
	uint64_t sample_type; /* enum perf_event_sample_format */
	uint64_t read_format;
	uint64_t branch_type; /* enum perf_branch_sample_type */
	uint64_t user_regs, intr_regs; /* masks of registers in samples */
	bool sample_id_all; /* other records end in the time, CPU and IDs too */
	bool context_switch; /* there are records of threads that leave a CPU or get one */
	char *name; /* as perf record was told it; NULL: unknown */
	uint16_t nr; /* the ID of the event that stands for it; 0: it is a tracepoint */
	struct dkt__perf_shape *shape; /* of the records of that event */
};

/*
 * The offsets of fields in samples with an ID, in bytes from their start, if all such samples have the same
 * offsets.
 */
struct dkt__perf_quick {
	uint64_t id;
	const struct dkt__perf_attr *attr;
	struct dkt_event *event; /* of raw; NULL: not looked up yet */
	uint32_t size; /* minimum size of a sample; UINT32_MAX: not quick */
	uint16_t ip, tid, time, addr, cpu, period; /* 0: the samples do not have it */
	uint16_t end; /* of these fields; a call chain and data may follow */
	uint16_t raw; /* of a tracepoint without call chains: its data. 0: something else */
	uint16_t nr; /* of its event */
};

struct dkt__perf_id {
	uint64_t id;
	uint32_t attr;
	uint64_t counted; /* in samples that have the counts of a group */
};

/* Bytes with consecutive records. */
struct dkt__perf_tape {
	const uint8_t *data;
	uint64_t size;
	int err; /* it could not be read further; 0: it ends here */
};

/* A file with records: perf.data, or in a directory of perf one of those beside it. */
struct dkt__perf_part {
	struct dkt__file file;
	const char *label; /* before words about damage: "data.1: "; "": it is the only one */
	struct dkt__perf_tape tape; /* its records */
	struct dkt__perf_unpack *unpack; /* compressed records; NULL: none */
	uint64_t unpacked; /* decompressed bytes */
	size_t needed; /* its first block that may still be read */
	bool missing; /* perf wrote it, and it is gone */
};

/*
 * A block of records that is scanned, merged and freed as a whole: bytes of the file, or a
 * decompressed piece.
 */
struct dkt__perf_block {
	struct dkt__perf_part *part;
	uint64_t at; /* offset in the tape, or in the decompressed stream */
	uint64_t first, last; /* the oldest time and the newest */
	uint64_t rest; /* the oldest time in this block and all later ones */
	uint8_t *copy; /* its bytes; NULL: not in memory, or mapped */
	uint32_t size;
	uint32_t live : 28; /* runs in it that have not been read to their end */
	bool mapped : 1; /* it is read from the mapped file */
	bool sorted : 1; /* it is one run */
	bool packed : 1;
	bool tasks : 1; /* it has names of processes */
};

/* Consecutive records of a block, in order of time. */
struct dkt__perf_run {
	const uint8_t *p, *end; /* p: the next one; NULL: not loaded yet */
	struct dkt__perf_quick *quick; /* the offsets in the next record; NULL: they vary */
	uint32_t size; /* bytes of the next record */
	uint32_t block;
	uint32_t next; /* if free: the next free run, plus 1 */
};

/* Words of a sample that its record has as fields. */
enum dkt__perf_value {
	DKT__PERF_IP,
	DKT__PERF_SYMOFF, /* of the address in its function; not in the sample */
	DKT__PERF_PERIOD,
	DKT__PERF_ADDR,
	DKT__PERF_WEIGHT,
	DKT__PERF_INS_LAT,
	DKT__PERF_RETIRE_LAT,
	DKT__PERF_DATA_SRC,
	DKT__PERF_TRANSACTION,
	DKT__PERF_PHYS_ADDR,
	DKT__PERF_CGROUP,
	DKT__PERF_DATA_PAGE_SIZE,
	DKT__PERF_CODE_PAGE_SIZE,
	DKT__PERF_TGID, /* the process */
	DKT__PERF_STACK_SIZE, /* bytes of the program's stack */
	DKT__PERF_VALUES,
};

/* Texts of a sample's record. */
enum dkt__perf_text {
	DKT__PERF_SYM,
	DKT__PERF_DSO,
	DKT__PERF_BRANCHES,
	DKT__PERF_USER_REGS,
	DKT__PERF_INTR_REGS,
	DKT__PERF_RAW,
	DKT__PERF_TEXTS,
};

/* The places of the fields in the records of an event; 0: they do not have the field. */
struct dkt__perf_shape {
	uint16_t values[DKT__PERF_VALUES];
	uint16_t texts[DKT__PERF_TEXTS];
	uint16_t size;
};

/* Registers in a sample. */
struct dkt__perf_regs {
	uint64_t abi; /* enum perf_sample_regs_abi; 0: none */
	uint64_t mask; /* which */
	const uint8_t *words; /* one for each bit */
};

/* The fields of a record that the readers need. */
struct dkt__perf_item {
	uint32_t type; /* enum perf_event_type */
	const struct dkt__perf_attr *attr; /* of a sample */
	uint64_t time;
	uint32_t cpu;
	int32_t pid, tid; /* process and thread */
	const uint8_t *data; /* a sample's raw data, NULL: it has none; a name */
	uint32_t size;
	int32_t parent, parent_tid; /* of a new process: its parent process and thread */
	uint16_t misc; /* of the record's header */
	const uint8_t *chain; /* a sample's addresses, the innermost first, with marks among them */
	uint32_t n_chain;
	uint64_t values[DKT__PERF_VALUES]; /* of a sample */
	const uint8_t *counts; /* of a sample of a group: what its other events have counted */
	uint32_t n_counts, counts_each; /* their number, and the bytes of each */
	const uint8_t *branches; /* struct perf_branch_entry */
	uint32_t n_branches;
	struct dkt__perf_regs user_regs, intr_regs;
	const uint8_t *stack; /* of the program; DKT__PERF_STACK_SIZE has its size */
	uint64_t start, length, offset; /* of a mapping, with its offset in the file */
	const uint8_t *build; /* of a mapping: the build ID; valid if n_build is not 0 */
	uint8_t n_build;
	uint32_t major, minor; /* of a mapping without a build ID */
	uint64_t inode; /* 0: unknown */
	uint64_t lost;
	bool placed; /* it has a time and a CPU */
};

/* One of the two stacks of a sample. */
struct dkt__perf_stack {
	struct dkt_event *event; /* ftrace:kernel_stack, ftrace:user_stack; NULL: not carried */
	uint8_t *data; /* NULL: none seen */
	uint32_t n; /* callers in it */
	uint32_t own; /* the first ones, which number does not stand for */
	uint64_t number; /* of struct dkt_stack */
	struct dkt_stack carried; /* by the sample's record */
};

enum { DKT__PERF_KERNEL, DKT__PERF_PROGRAM, DKT__PERF_STACKS };

/* Where the callers in a sample are from: addresses are understood differently. */
enum dkt__perf_callers_kind {
	DKT__PERF_KERNEL_CALLERS, /* DKT__PERF_KERNEL */
	DKT__PERF_PROGRAM_CALLERS, /* DKT__PERF_PROGRAM */
	DKT__PERF_UNWOUND_CALLERS, /* inlined functions are among their names */
};

/* Callers of a sample. */
struct dkt__perf_callers {
	enum dkt__perf_callers_kind kind;
	const struct dkt__perf_map *maps; /* the last mapping of their process */
	const uint8_t *addresses; /* n words in this machine's byte order */
	uint32_t n, n_names;
	const uint64_t *names; /* addresses that stand for their names */
	uint64_t number; /* equal ones have the same; 0: none */
	uint32_t slot;
};

struct dkt__perf_found; /* perfdata/callers.c */

/* Callers that were found before. */
struct dkt__perf_cache {
	struct dkt__perf_found **slots; /* by hash; NULL: there were none */
	uint64_t *room; /* NULL: none yet */
	size_t used; /* bytes of it */
	uint64_t number; /* the last one used */
};

/* Call chains of programs that were recorded later than their samples. */
struct dkt__perf_deferred {
	struct dkt__keymap cookies;
	uint32_t *numbers; /* of chains, by entry of cookies */
	uint32_t n;
	struct dkt__intern chains; /* words as in the file */
	uint64_t left_out;
};

struct dkt__perf_map; /* perfdata/maps.c */
struct dkt__perf_program; /* perfdata/programs.c */
struct dkt__perf_name;
struct dkt__perf_unpack; /* perfdata/unpack.c */
struct dkt__perf_unwind; /* perfdata/unwind.c */
struct dkt__perf_inlines; /* perfdata/inlines.c */
struct dkt__binary;

/* The last mapping of a process that was looked for lately. */
struct dkt__perf_recent {
	int32_t pid;
	bool known;
	const struct dkt__perf_map *maps;
};

/* An address of a process, and the one that stands for its name. */
struct dkt__perf_named {
	const struct dkt__perf_map *maps; /* the last mapping of the process; NULL: nothing is here */
	uint64_t address, name;
};

/*
 * The runs of records being merged, in a heap. The blocks tell which runs may have the next record;
 * they are read one after the other, only as far as their times require.
 */
struct dkt__perf_merge {
	struct dkt__perf_block *blocks; /* those of each file in its order */
	size_t n_blocks;
	size_t opened; /* number of blocks whose runs have been found */
	struct dkt__perf_run *runs;
	size_t n_runs;
	uint32_t free; /* run that is free, plus 1; 0: none */
	uint32_t order; /* of the run found last */
	struct dkt__heap waiting; /* runs by their first time */
	uint64_t horizon; /* no run outside of the heap has a record before that time */
	struct dkt__perf_run *top; /* the run with the next record of all */
	uint64_t time; /* of the last found record */
	struct dkt__perf_item item; /* the same, if it is not quick */
	uint64_t done; /* bytes of blocks that were read */
	bool cut; /* the file has become shorter, and the damage says so */
	uint8_t *spare[DKT__PERF_BLOCKS]; /* room for a block's copy */
	uint32_t n_spare, n_copies; /* number of spare copies, number of all copies */
};

struct dkt__perf {
	struct dkt__streams streams; /* first: this is the source; its list: the CPUs */
	struct dkt__perf_part *parts; /* the first has the header */
	size_t n_parts;
	struct dkt__file file; /* of the first */
	bool swap; /* recorded on a machine with the other byte order */
	struct dkt__perf_attr *attrs;
	size_t n_attrs;
	struct dkt__perf_id *ids; /* sorted */
	size_t n_ids, ids_room;
	struct dkt__given *given; /* the formats of events */
	size_t n_given;
	bool has_formats; /* the file has those of tracepoints */
	struct dkt_buf sample; /* the record of the last sample */
	uint16_t next_nr; /* an ID that no event has */
	bool switches; /* DKT__SOURCE_SWITCHES */
	bool only_stacks; /* DKT__SOURCE_STACKS */
	uint16_t switch_nr; /* the ID of perf:switch; 0: the file has no such records */
	bool apart; /* perf wrote records into files beside the first */
	bool packed; /* a file has compressed records */
	bool has_users; /* perf added records of its own among the others */
	char *host, *release, *arch, *kernel;
	uint64_t wall_ref, clock_ref; /* the wall clock's and the clock's time at one moment */
	bool has_ref;
	int clockid; /* of the records; -1: perf's own clock */
	struct dkt__perf_quick *quick; /* by the lower bits of an id */
	size_t quick_mask, id_at; /* offset of the ID in a sample; mask 0: only one attribute */
	uint32_t quick_size; /* size of a sample up to the ID; UINT32_MAX: none is quick */
	struct dkt__perf_merge merge;
	uint64_t aux; /* bytes of what a CPU or device traced itself, which is not read */
	char *unused; /* the same in words */
	uint64_t throttled; /* records that the kernel paused an event */
	uint64_t bad; /* invalid samples */
	uint64_t lost_in_place; /* from records that give time and CPU */
	uint64_t lost_in_all; /* from counts at the end, which include the former */
	struct dkt__perf_stack stacks[DKT__PERF_STACKS];
	struct dkt__perf_cache callers;
	struct dkt__perf_deferred deferred;
	void *processes; /* a tree of each process's mappings, as far as read */
	struct dkt__perf_map *maps; /* all of them */
	struct dkt__perf_recent recent[64]; /* by the lower bits of the PID */
	void *programs; /* a tree of mapped files, by path */
	struct dkt__perf_program **listed; /* all of them */
	size_t n_listed;
	struct dkt__keymap frames; /* by file, or mapping, and the place in it */
	uint64_t *frame_names; /* by entry: the address that stands for the name */
	size_t n_frames;
	struct dkt__perf_named *named; /* addresses looked up lately; NULL: none */
	struct dkt__perf_name *places; /* of samples lately; NULL: none */
	void *jits; /* a tree of functions without a file, by process */
	uint8_t kernel_build[20], n_kernel_build; /* its build ID; 0: unknown */
	struct dkt__perf_unwind *unwind; /* NULL: no sample had a stack yet */
	struct dkt__perf_inlines *inlines; /* NULL: none was looked for yet */
	char *anchor; /* a symbol of the kernel, and its recorded address */
	uint64_t anchor_at;
	bool running; /* that kernel runs now, not booted again */
	bool has_symbols; /* the names of its functions and modules are known */
	struct dkt__recorded *recorded; /* NULL: nobody has asked yet */
	size_t n_recorded;
	char *kallsyms; /* the file with the names of that kernel; NULL: it is not here */
};

/* Returns a cursor over bytes of the file or of its decompressed records. */
static inline struct dkt__cursor dkt__perf_cursor(const struct dkt__perf *perf, const uint8_t *data,
						  size_t size)
{
	return (struct dkt__cursor){ .p = data, .end = data + size, .swap = perf->swap };
}

/* Opens files that are one recording; the first has the header. The source copies the parts. */
int dkt__perf_open(struct dkt_ctx *ctx, const struct dkt__perf_part *parts, size_t n,
		   const struct dkt_source_opts *opts, struct dkt_source **source);

/* ---- perfdata/directory.c ---- */

/* True if the directory has a file of that name that perf record writes. */
bool dkt__perf_directory_is(const char *path);
int dkt__perf_directory_open(struct dkt_ctx *ctx, const char *path,
			     const struct dkt_source_opts *opts, struct dkt_source **source);

/* ---- perfdata/head.c ---- */

/* Reads the attributes, formats and machine data; finds the tape. */
int dkt__perf_head(struct dkt__perf *perf);

/* Reads a record with such data, from a file that was written to a pipe. */
int dkt__perf_head_record(struct dkt__perf *perf, uint32_t type, const uint8_t *data, size_t size);

/* Reads the formats, which follow their record. */
int dkt__perf_tracing_data(struct dkt__perf *perf, const uint8_t *data, size_t size);

/* ---- perfdata/switch.c: records of threads that leave a CPU or get one ---- */

/* Defines their event, if the file has such records and the caller wants them. -ENOMEM. */
int dkt__perf_switch_define(struct dkt__perf *perf);

/* True for a record of that kind that is wanted. */
bool dkt__perf_switch_is(const struct dkt__perf *perf, uint32_t type);

/* Returns the data of the record that stands for it. */
const void *dkt__perf_switch_data(struct dkt__perf *perf, const struct dkt__perf_item *item,
				  uint32_t *size);

/* ---- perfdata/attr.c ---- */

/* The size of the first version of struct perf_event_attr. */
#define DKT__PERF_ATTR_MIN 64

/* Adds a recorded event with its IDs. -ENOMEM. */
int dkt__perf_attr_take(struct dkt__perf *perf, struct dkt__cursor attr, struct dkt__cursor *ids);

/* Reads the names of all events: the feature, or of a pipe a record for each. -ENOMEM. */
int dkt__perf_attr_names(struct dkt__perf *perf, struct dkt__cursor cur);
int dkt__perf_attr_update(struct dkt__perf *perf, struct dkt__cursor cur);
void dkt__perf_attrs_clear(struct dkt__perf *perf);

/* ---- perfdata/quick.c ---- */

/* Returns how many of these fields a sample has. */
static inline size_t dkt__perf_words(uint64_t type, uint64_t bits)
{
	return (size_t)__builtin_popcountll(type & bits);
}

/* Returns the words in a sample before its ID, unless the ID is the first. */
static inline size_t dkt__perf_id_words(uint64_t type)
{
	return dkt__perf_words(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					     PERF_SAMPLE_ADDR);
}

/* Finds the offsets of the fields in samples, once all attributes are known. -ENOMEM. */
int dkt__perf_layout(struct dkt__perf *perf);

/* Return the ID, or the attributes that have it; NULL: none. */
struct dkt__perf_id *dkt__perf_id_of(const struct dkt__perf *perf, uint64_t id);
const struct dkt__perf_attr *dkt__perf_attr_of(const struct dkt__perf *perf, uint64_t id);

/* True if a sample of at least the minimum size is valid. Not for tracepoints without call chains. */
bool dkt__perf_quick_fits(const struct dkt__perf_quick *quick, const uint8_t *data, uint32_t size);

/* Parses such a sample. */
void dkt__perf_quick_item(const struct dkt__perf_quick *quick, const uint8_t *data,
			  struct dkt__perf_item *item);

/* ---- perfdata/item.c ---- */

/* Parses a record of size bytes. Returns false if it is invalid or not wanted. */
bool dkt__perf_item(const struct dkt__perf *perf, const uint8_t *data, uint32_t size,
		    struct dkt__perf_item *item);

/* ---- perfdata/maps.c ---- */

/* Updates the memory maps from a record. -ENOMEM. */
int dkt__perf_maps_apply(struct dkt__perf *perf, const struct dkt__perf_item *item);

/* True if the CPU was in the kernel when it took the sample. */
static inline bool dkt__perf_is_kernel(const struct dkt__perf_item *item)
{
	return (item->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/*
 * Returns the address that stands for an address of a process (pid -1: the kernel). Its symbol is
 * the place, "program+0x12f0"; without a known mapping it is the address itself.
 */
uint64_t dkt__perf_maps_name(struct dkt__perf *perf, int32_t pid, uint64_t address);

/* A part of a name, which has no NUL behind it. */
struct dkt__perf_word {
	const char *text;
	uint32_t n;
};

/* The place of a sample, in the words of perf script. */
struct dkt__perf_name {
	uint64_t where,
		ip; /* the address of the last mapping of the process, plus 1 in the kernel; the place there */
	struct dkt__perf_word sym; /* the function; "[unknown]" */
	/* The file without its directory; "[kernel.kallsyms]", "[unknown]". */
	struct dkt__perf_word dso;
	bool in_module; /* dso is to be printed in brackets */
	uint64_t offset; /* in the function, or else in the file */
};

/* Finds the function at the sample's address. The names live as long as the context. */
void dkt__perf_maps_place(struct dkt__perf *perf, const struct dkt__perf_item *item,
			  struct dkt__perf_name *name);
void dkt__perf_maps_clear(struct dkt__perf *perf);

/*
 * Copies a name without control characters, and without semicolons, which end a name in folded stacks. Returns
 * n.
 */
int dkt__perf_put_name(const char *name, size_t n, char *to);

/* Returns the last mapping of a process, which leads to the others; NULL: none is known. */
const struct dkt__perf_map *dkt__perf_maps_of(struct dkt__perf *perf, int32_t pid);

/* Finds the file that is mapped at the address, and the offset in it. NULL: none. */
struct dkt__perf_program *dkt__perf_maps_program(const struct dkt__perf_map *maps, uint64_t address,
						 uint64_t *at);

/* ---- perfdata/programs.c ---- */

/* Reads the build IDs at the end of a file. -ENOMEM. */
int dkt__perf_builds(struct dkt__perf *perf, struct dkt__cursor cur);

/* Finds the mapped file. NULL: the mapping is of no file. -ENOMEM. */
int dkt__perf_program_find(struct dkt__perf *perf, const struct dkt__perf_item *item,
			   struct dkt__perf_program **program);

/* Returns the function at an offset in the file. NULL: unknown, or the file here is another one. */
const char *dkt__perf_function(struct dkt__perf *perf, struct dkt__perf_program *program,
			       uint64_t at, uint64_t *offset);

/* Returns the file, opened at the first call. NULL: the file here is another one, or there is none. */
struct dkt__binary *dkt__perf_program_binary(struct dkt__perf *perf,
					     struct dkt__perf_program *program);
void dkt__perf_programs_clear(struct dkt__perf *perf);

/* Returns the path as recorded. */
const char *dkt__perf_program_path(const struct dkt__perf_program *program);

/* Appends those that samples are in to perf->recorded. -ENOMEM. */
int dkt__perf_programs_list(struct dkt__perf *perf);

/* ---- perfdata/recorded.c ---- */

/* As dkt__source_recorded(). */
int dkt__perf_recorded(struct dkt_source *source, size_t i, struct dkt__recorded *recorded);
void dkt__perf_recorded_clear(struct dkt__perf *perf);

/* ---- perfdata/spot.c ---- */

int dkt__perf_spot(struct dkt_source *source, struct dkt__spot *spot);
int dkt__perf_code(const struct dkt__spot *spot, const char *name, const char *vmlinux,
		   struct dkt__listing *listing);

/* ---- perfdata/unwind.c ---- */

/* The number of frames that are found at most, as perf script does. */
#define DKT__PERF_UNWOUND 127

/*
 * Finds the place of the program and its callers from the sample's registers and stack; of a caller, the
 * address is one byte before the one to which it returns. Returns the number of addresses.
 */
size_t dkt__perf_unwind(struct dkt__perf *perf, const struct dkt__perf_item *item,
			uint64_t *addresses);
void dkt__perf_unwind_clear(struct dkt__perf *perf);

/* ---- perfdata/inlines.c ---- */

/*
 * Returns the addresses that stand for the names of the inlined functions at a place of a process, the innermost
 * first, valid until the next call; *n is their number.
 */
const uint64_t *dkt__perf_inline_names(struct dkt__perf *perf, int32_t pid, uint64_t address,
				       size_t *n);
void dkt__perf_inlines_clear(struct dkt__perf *perf);

/* ---- perfdata/jit.c ---- */

/* Returns the function of a process at an address; its name is not terminated. NULL: unknown. */
const char *dkt__perf_jit_function(struct dkt__perf *perf, int32_t pid, uint64_t address,
				   size_t *len, uint64_t *offset);
void dkt__perf_jits_clear(struct dkt__perf *perf);

/* ---- perfdata/kernel.c ---- */

/* The start of the name of the kernel's own map; a symbol with a known address follows. */
#define DKT__PERF_KERNEL_MAP "[kernel.kallsyms]"

/* True if the file was recorded on this host. */
bool dkt__perf_is_here(const struct dkt__perf *perf);

/* Stores the address of the recorded kernel. -ENOMEM. */
int dkt__perf_anchor(struct dkt__perf *perf, const struct dkt__perf_item *item);

/* Reads the names of the recorded kernel if they are here. */
void dkt__perf_symbols(struct dkt__perf *perf);

/* ---- perfdata/chain.c ---- */

/* Finds the events of stack records, once the file's formats have been read. */
void dkt__perf_chain_events(struct dkt__perf *perf);

/* Adds the formats of these events to perf->given: perf does not store them. -ENOMEM. */
int dkt__perf_chain_define(struct dkt__perf *perf);

/* Attaches the stacks of the sample's chain, valid until the next sample. -ENOMEM. */
int dkt__perf_chain_take(struct dkt__perf *perf, const struct dkt__perf_item *item,
			 struct dkt_record *sample);
void dkt__perf_chain_clear(struct dkt__perf *perf);

/* ---- perfdata/callers.c ---- */

/* Looks for callers that were there before, and sets slot. If they were: sets names, n_names and number. */
bool dkt__perf_callers_find(struct dkt__perf *perf, struct dkt__perf_callers *callers);

/* Keeps callers that were not found, with their names, and gives them a number. Forgets others, if need be. */
void dkt__perf_callers_keep(struct dkt__perf *perf, struct dkt__perf_callers *callers);

/* Forgets all, once the mappings are forgotten. */
void dkt__perf_callers_forget(struct dkt__perf *perf);
void dkt__perf_callers_clear(struct dkt__perf *perf);

/* ---- perfdata/group.c ---- */

/*
 * Makes the item that of the next event of its group which has counted since its last sample, as perf script does.
 * Returns false after the last one.
 */
bool dkt__perf_group_next(struct dkt__perf *perf, struct dkt__perf_item *item);
void dkt__perf_group_rewind(struct dkt__perf *perf);

/* ---- perfdata/deferred.c ---- */

/* Keeps the call chain in a record DKT__PERF_DEFERRED. -ENOMEM. */
int dkt__perf_deferred_take(struct dkt__perf *perf, const uint8_t *data, uint32_t size);

/* After the last one: reports those that were left out. */
void dkt__perf_deferred_end(struct dkt__perf *perf);

/* Returns the number of words in the chain with a cookie; 0: there is none. */
uint32_t dkt__perf_deferred_find(const struct dkt__perf *perf, uint64_t cookie,
				 const uint8_t **chain);
void dkt__perf_deferred_clear(struct dkt__perf *perf);

/* ---- perfdata/event.c ---- */

/* Adds an event for each recorded one that is no tracepoint to perf->given. -ENOMEM. */
int dkt__perf_events_define(struct dkt__perf *perf);

/* ---- perfdata/sample.c ---- */

/*
 * Makes the data of the record for a sample of such an event, valid until the next one. NULL: memory is
 * out.
 */
const void *dkt__perf_sample_data(struct dkt__perf *perf, struct dkt__perf_item *item,
				  uint32_t *size);

/* ---- perfdata/scan.c ---- */

/* Numbers of records that perf adds itself: tools/lib/perf/include/perf/event.h. */
enum dkt__perf_user {
	DKT__PERF_ATTR = 64,
	DKT__PERF_TRACING_DATA = 66,
	DKT__PERF_AUXTRACE = 71,
	DKT__PERF_EVENT_UPDATE = 78,
	DKT__PERF_FEATURE = 80,
	DKT__PERF_COMPRESSED = 81,
	DKT__PERF_COMPRESSED2 = 83,
};

/* Looks at all records once and notes the blocks. */
int dkt__perf_scan(struct dkt__perf *perf);

/* The same for those from an offset of the tape on, in the only file. */
int dkt__perf_scan_more(struct dkt__perf *perf, uint64_t from);

/*
 * Reads up to size bytes at an offset of the tape into room. Returns false at the end of the tape, and
 * if the bytes cannot be read.
 */
bool dkt__perf_read(const struct dkt__perf_part *part, uint64_t at, size_t size, uint8_t *room,
		    struct dkt__perf_tape *bytes);

/* Tells the kernel that the mapping between two offsets of the tape need not stay in memory. */
void dkt__perf_forget(const struct dkt__perf_part *part, uint64_t from, uint64_t to);

/* Returns the number of bytes after a record that belong to it but do not count in its size. */
uint64_t dkt__perf_extra(const struct dkt__perf *perf, const uint8_t *record, uint32_t size);

/* Returns the type of a record: enum perf_event_type or enum dkt__perf_user. */
static inline uint32_t dkt__perf_type(const struct dkt__perf *perf, const uint8_t *record)
{
	uint32_t type;

	memcpy(&type, record, sizeof(type));
	return dkt__unlikely(perf->swap) ? bswap_32(type) : type;
}

/* Returns the record at an offset of the tape; NULL with *size 0 if no valid record is there. */
static inline const uint8_t *dkt__perf_whole(const struct dkt__perf *perf,
					     const struct dkt__perf_tape *tape, uint64_t at,
					     uint32_t *size)
{
	struct perf_event_header head;

	*size = 0;
	if (at > tape->size || tape->size - at < sizeof(head))
		return NULL;
	memcpy(&head, tape->data + at, sizeof(head));
	if (dkt__unlikely(perf->swap))
		head.size = bswap_16(head.size);
	if (head.size < sizeof(head) || head.size > tape->size - at)
		return NULL;
	*size = head.size;
	return tape->data + at;
}

/* Returns the offset of the record after the one at this offset. */
static inline uint64_t dkt__perf_behind(const struct dkt__perf *perf, const uint8_t *record,
					uint32_t size, uint64_t at)
{
	uint64_t extra = 0;

	if (dkt__unlikely(dkt__perf_type(perf, record) >= DKT__PERF_ATTR))
		extra = dkt__perf_extra(perf, record, size);
	return extra > UINT64_MAX - at - size ? UINT64_MAX : at + size + extra;
}

/*
 * Returns the offsets of the needed fields in a sample, which are within the record; its CPU is below
 * DKT__PERF_CPUS. NULL: the record is not a sample, or only dkt__perf_item() can parse it.
 */
static inline struct dkt__perf_quick *dkt__perf_quick(const struct dkt__perf *perf,
						      const uint8_t *data, uint32_t size)
{
	struct dkt__perf_quick *quick = perf->quick;
	uint32_t type, n, cpu;
	uint64_t id;

	memcpy(&type, data, sizeof(type));
	if (type != PERF_RECORD_SAMPLE || dkt__unlikely(size < perf->quick_size))
		return NULL;
	if (dkt__likely(perf->quick_mask)) {
		memcpy(&id, data + perf->id_at, sizeof(id));
		quick += id & perf->quick_mask;
		if (dkt__unlikely(quick->id != id))
			return NULL;
	}
	if (dkt__unlikely(size < quick->size))
		return NULL;
	if (!quick->raw)
		return dkt__perf_quick_fits(quick, data, size) ? quick : NULL;
	memcpy(&n, data + quick->raw - sizeof(n), sizeof(n));
	memcpy(&cpu, data + quick->cpu, sizeof(cpu));
	if (dkt__unlikely(n < DKT__PERF_ENTRY || n > size - quick->raw || cpu >= DKT__PERF_CPUS))
		return NULL;
	return quick;
}

/*
 * Gets a record's time, and its fields: by *quick, or in *item if *quick is NULL. Returns false if the
 * record is invalid, not wanted, or has no place in time.
 */
static inline bool dkt__perf_take(const struct dkt__perf *perf, const uint8_t *data, uint32_t size,
				  struct dkt__perf_quick **quick, struct dkt__perf_item *item,
				  uint64_t *time)
{
	*quick = dkt__perf_quick(perf, data, size);
	if (dkt__likely(*quick)) {
		memcpy(time, data + (*quick)->time, sizeof(*time));
		return true;
	}
	if (!dkt__perf_item(perf, data, size, item) || (item->lost && !item->placed))
		return false;
	*time = item->time;
	return true;
}

/* ---- perfdata/merge.c ---- */

/* Updates process names and memory maps from a record. -ENOMEM. */
int dkt__perf_task(struct dkt__perf *perf, const struct dkt__perf_item *item);

/* dkt_source_next() */
int dkt__perf_next(struct dkt_source *source, struct dkt_record *record);

/* Restarts the merge at the first block. */
void dkt__perf_merge_rewind(struct dkt__perf *perf);
void dkt__perf_merge_clear(struct dkt__perf *perf);

/* ---- perfdata/unpack.c ---- */

int dkt__perf_unpack_new(struct dkt__perf *perf, struct dkt__perf_part *part);
void dkt__perf_unpack_free(struct dkt__perf_unpack *unpack);

/* Restarts at the beginning of the stream. */
void dkt__perf_unpack_rewind(struct dkt__perf_unpack *unpack);

/*
 * Gets the bytes from an offset of the stream to the end of their piece, which holds complete
 * records. Returns false at the end, or after an error.
 */
bool dkt__perf_unpack_get(struct dkt__perf *perf, struct dkt__perf_part *part, uint64_t at,
			  struct dkt__perf_tape *bytes);

/* Frees the pieces that end at or before the offset. */
void dkt__perf_unpack_drop(struct dkt__perf_unpack *unpack, uint64_t before);

/* Returns the error that stopped decompression, or 0. */
int dkt__perf_unpack_error(const struct dkt__perf_part *part);

/* After all: notes the decompressed bytes, and reports the damage found. */
void dkt__perf_unpack_end(struct dkt__perf *perf, struct dkt__perf_part *part);
