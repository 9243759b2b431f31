/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf.data, the file of perf record, with tracepoints: what its rooms share. The layout is that of
 * tools/perf/Documentation/perf.data-file-format.txt and of include/uapi/linux/perf_event.h.
 */
#ifndef DKT_PERFDATA_H
#define DKT_PERFDATA_H

#include <linux/perf_event.h>

#include "comms.h"
#include "file.h"
#include "source.h"

/* As many as a kernel can be built for. */
#define DKT__PERF_CPUS 8192

/* An event that was recorded: its attributes, and the numbers that its samples carry. */
struct dkt__perf_attr {
	uint32_t type; /* PERF_TYPE_TRACEPOINT */
	uint64_t config; /* of a tracepoint its number */
	uint64_t sample_type; /* enum perf_event_sample_format */
	uint64_t read_format;
	bool sample_id_all; /* other records than samples end in the time and the like, too */
	bool use_clockid;
	int32_t clockid;
};

struct dkt__perf_id {
	uint64_t id;
	uint32_t attr;
};

/* Bytes that hold records one after the other. */
struct dkt__perf_tape {
	const uint8_t *data;
	uint64_t size;
};

/* Where such bytes are: in the file, or in what its compressed records unpack to. */
enum dkt__perf_where { DKT__PERF_PLAIN, DKT__PERF_PACKED };

/* Records that are in order of time. */
struct dkt__perf_run {
	uint64_t start, end; /* bytes there */
	uint64_t first, last; /* times */
	uint64_t at; /* while it is read: the next record */
	uint64_t next; /* and its time */
	uint32_t nr; /* of all, in the order in which they are in the file */
	uint32_t hint; /* for dkt__perf_record() */
	uint8_t where; /* enum dkt__perf_where */
	bool tasks; /* there are names of processes among them */
	bool done; /* nothing more is read of it */
};

/* What a record says, as far as it is asked for. */
struct dkt__perf_item {
	uint32_t type; /* enum perf_event_type */
	const struct dkt__perf_attr *attr; /* of a sample */
	uint64_t time;
	uint32_t cpu;
	int32_t pid, tid; /* process and thread */
	const uint8_t *data; /* a sample's raw data, NULL: it has none; a name */
	uint32_t size;
	int32_t parent, parent_tid; /* of a new one: the process and thread that made it */
	uint16_t misc; /* of its head */
	const uint8_t *chain; /* a sample's addresses, the innermost first, with marks among them */
	uint32_t n_chain;
	uint64_t start, length, offset; /* of what is mapped, and where that is in its file */
	uint64_t lost;
	bool placed; /* it has a time and a CPU */
};

/* One of the two stacks of a sample. */
struct dkt__perf_stack {
	struct dkt_event *event; /* ftrace:kernel_stack, ftrace:user_stack; NULL: not carried */
	uint8_t *data; /* NULL: none was met */
	uint32_t n; /* callers in it */
	struct dkt_stack carried; /* by the sample's record */
};

enum { DKT__PERF_KERNEL, DKT__PERF_PROGRAM, DKT__PERF_STACKS };

struct dkt__perf_map; /* perfdata/maps.c */
struct dkt__perf_unpack; /* perfdata/unpack.c */

struct dkt__perf {
	struct dkt_source base; /* first: this is the source */
	struct dkt__file file;
	bool swap; /* it is of a machine of the other byte order */
	uint8_t *copy; /* of a sample's data in this one's */
	size_t copy_size;
	struct dkt__perf_attr *attrs;
	size_t n_attrs, attrs_room;
	struct dkt__perf_id *ids; /* sorted */
	size_t n_ids, ids_room;
	bool has_events; /* formats were there */
	bool has_users; /* there are records among the others that perf added itself */
	char *host, *release, *arch, *kernel, *damage;
	uint64_t wall_ref, clock_ref; /* the wall clock's and the clock's time at one moment */
	bool has_ref;
	int clockid; /* of the records, -1: perf's own */
	struct dkt__comms comms;
	struct dkt__perf_tape tape; /* the file's records */
	struct dkt__perf_unpack *unpack; /* those that are compressed; NULL: none are */
	uint64_t unpacked; /* bytes that these have */
	struct dkt__perf_run *runs; /* by their first time */
	size_t n_runs, room_runs;
	uint32_t *in_order; /* the runs as they are in the file */
	size_t left; /* the first of these that is not done */
	size_t begun; /* runs that are or were read */
	uint64_t done; /* bytes of records that were returned */
	uint64_t bad; /* samples that make no sense */
	struct dkt__perf_run **heap; /* those being read, the oldest next record first */
	size_t n_heap;
	struct dkt_loss *losses; /* by CPU */
	uint64_t lost_in_place; /* in records that say when and where */
	uint64_t lost_in_all; /* by counts of the end, which hold these too */
	uint32_t n_losses;
	uint64_t since, until;
	const int *cpus; /* asked for */
	size_t n_cpus;
	struct dkt_event **events; /* by number, 65536 of them; NULL: not met yet */
	struct dkt__perf_stack stacks[DKT__PERF_STACKS];
	void *processes; /* a tree: what each has mapped, as far as was read */
	struct dkt__perf_map *maps; /* all of them */
	char *anchor; /* a symbol of the kernel, and where it was */
	uint64_t anchor_at;
};

/* A cursor over bytes of the file, or of what came out of it. */
static inline struct dkt__cursor dkt__perf_cursor(const struct dkt__perf *perf, const uint8_t *data,
						  size_t size)
{
	return (struct dkt__cursor){ .p = data, .end = data + size, .swap = perf->swap };
}

/* Says once more what could not be read. */
void dkt__perf_damage(struct dkt__perf *perf, const char *fmt, ...) DKT_PRINTF(2, 3);

/* ---- perfdata/head.c ---- */

/* Reads attributes, formats and what is known of the machine; finds the tape. */
int dkt__perf_head(struct dkt__perf *perf);

/* Takes what one record says of that, in a file that went through a pipe. */
int dkt__perf_head_record(struct dkt__perf *perf, uint32_t type, const uint8_t *data, size_t size);

/* A record of formats has its data behind it. */
int dkt__perf_tracing_data(struct dkt__perf *perf, const uint8_t *data, size_t size);

/* All attributes are known: what numbers in samples mean can be looked up. */
void dkt__perf_sort_ids(struct dkt__perf *perf);

/* ---- perfdata/item.c ---- */

/* Takes a record of that many bytes apart. False: it makes no sense, or is not asked for. */
bool dkt__perf_item(const struct dkt__perf *perf, const uint8_t *data, uint32_t size,
		    struct dkt__perf_item *item);

/* ---- perfdata/maps.c ---- */

/* Takes what a record says of programs in memory. -ENOMEM. */
int dkt__perf_maps_apply(struct dkt__perf *perf, const struct dkt__perf_item *item);

/*
 * The address that stands for this one of a process, -1: of the kernel. It has the name of the place,
 * "program+0x12f0", or is the same if nothing is known to be there.
 */
uint64_t dkt__perf_maps_name(struct dkt__perf *perf, int32_t pid, uint64_t address);
void dkt__perf_maps_clear(struct dkt__perf *perf);

/* Notes where the kernel itself was. -ENOMEM. */
int dkt__perf_anchor(struct dkt__perf *perf, const struct dkt__perf_item *item);

/* Reads the names of the running kernel if it is the one that was recorded. */
void dkt__perf_symbols(struct dkt__perf *perf);

/* ---- perfdata/chain.c ---- */

/* Finds the events that stacks are records of; the file's formats were read. */
void dkt__perf_chain_events(struct dkt__perf *perf);

/* Gives the sample's record the stacks of its chain, which live until the next one. -ENOMEM. */
int dkt__perf_chain_take(struct dkt__perf *perf, const struct dkt__perf_item *item,
			 struct dkt_record *sample);
void dkt__perf_chain_clear(struct dkt__perf *perf);

/* ---- perfdata/scan.c ---- */

/* Numbers of records that perf adds itself: tools/lib/perf/include/perf/event.h. */
enum dkt__perf_user {
	DKT__PERF_ATTR = 64,
	DKT__PERF_TRACING_DATA = 66,
	DKT__PERF_AUXTRACE = 71,
	DKT__PERF_FEATURE = 80,
	DKT__PERF_COMPRESSED = 81,
	DKT__PERF_COMPRESSED2 = 83,
};

/* Looks at all records once and notes the runs. */
int dkt__perf_scan(struct dkt__perf *perf);

/* The record at that place; NULL, and *size 0: there is none, or none that makes sense. */
const uint8_t *dkt__perf_record(struct dkt__perf *perf, enum dkt__perf_where where, uint64_t at,
				uint32_t *hint, uint32_t *size);

/* The same where all of its bytes are at hand. */
const uint8_t *dkt__perf_whole(const struct dkt__perf *perf, const struct dkt__perf_tape *tape,
			       uint64_t at, uint32_t *size);

/* Where the record behind the one at that place begins. */
uint64_t dkt__perf_behind(const struct dkt__perf *perf, const uint8_t *record, uint32_t size,
			  uint64_t at);

/* Its type: enum perf_event_type, enum dkt__perf_user. */
uint32_t dkt__perf_type(const struct dkt__perf *perf, const uint8_t *record);

/* ---- perfdata/unpack.c ---- */

int dkt__perf_unpack_new(struct dkt__perf *perf);
void dkt__perf_unpack_free(struct dkt__perf_unpack *unpack);

/* Begins anew. */
void dkt__perf_unpack_rewind(struct dkt__perf_unpack *unpack);

/* The bytes from that place on, as many as are together, and a record whole. False: end, or an error. */
bool dkt__perf_unpack_get(struct dkt__perf *perf, uint64_t at, uint32_t *hint,
			  struct dkt__perf_tape *bytes);

/* No record before that place is needed any more. */
void dkt__perf_unpack_drop(struct dkt__perf_unpack *unpack, uint64_t before);

/* Why no more could be unpacked; 0: nothing is wrong. */
int dkt__perf_unpack_error(const struct dkt__perf *perf);

/* Bytes so far. */
uint64_t dkt__perf_unpack_size(const struct dkt__perf_unpack *unpack);

/* Says what was wrong with what was unpacked so far. */
void dkt__perf_unpack_damage(struct dkt__perf *perf);

#endif
