/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the parts of the trace.dat writer: write.c, tables.c and layout.c. */
#pragma once

#include "lib/base/compress.h"
#include "lib/base/intern.h"
#include "lib/source.h"
#include "lib/tracedat.h"
#include "lib/tracedat/pack.h"
#include "lib/tracedat/spill.h"

/* The most CPUs that a kernel can be built for. */
#define DKT__TDW_CPUS 8192

/* The number of event IDs: an ID has 16 bits in a record. */
#define DKT__TDW_IDS 65536

/* The limit of PIDs: PID_MAX_LIMIT of include/linux/threads.h. */
#define DKT__TDW_PIDS (1 << 22)

/* Processes whose bits are stored together. */
#define DKT__TDW_BLOCK (1 << 15)

/* One CPU's data. Complete pages are collected in a chunk; a full chunk is moved to the spill. */
struct dkt__tdw_cpu {
	struct dkt__pack pack;
	uint8_t *chunk; /* DKT__PACK_MAX bytes */
	uint32_t full; /* bytes of complete pages in the chunk */
	struct dkt__spill_string data;
	uint64_t lost; /* lost records that the next page will report */
	uint64_t told; /* sum of the lost records in all gaps that give a number */
	uint64_t records;
	uint64_t first, last; /* times of the first and the last record */
};

/* An event in the file. */
struct dkt__tdw_event {
	struct dkt_event *event;
	int id;
	char *text; /* its format, which contains the ID; NULL: unknown */
	size_t len;
};

/* Maps an event of a stream to its ID in the file. The index is its ID in the stream. */
struct dkt__tdw_known {
	struct dkt_event *event;
	uint16_t id;
	uint16_t args; /* the offset of the arguments of a function; 0: none */
};

/* A stream of the source, which becomes an instance in the file. */
struct dkt__tdw_stream {
	struct dkt_source *source; /* the stream's own source, or the source of all streams */
	char *name; /* of the instance; "" for the top instance */
	struct dkt__tdw_cpu **cpus; /* by number; NULL: a CPU without records or gaps */
	int n_cpus;
	uint32_t page_size;
	struct dkt__tdw_known *known; /* DKT__TDW_IDS elements */
	/* Blocks with a bit for each process that has records. NULL: none of the block has. */
	uint8_t *pids[DKT__TDW_PIDS / DKT__TDW_BLOCK];
};

struct dkt_tracedat {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	int fd;
	unsigned int version;
	bool part; /* count only the losses in gaps */
	char *lacks; /* why records are missing; NULL: none are */
	bool has_args; /* a record has arguments of a function */
	int32_t own; /* the thread that recorded, whose records readers leave out; 0: none is */
	uint32_t page_size;
	bool big_endian;
	uint8_t long_size;
	const struct dkt__codec *codec; /* NULL: nothing is compressed */
	void *codec_state;
	bool plain; /* pages are not compressed, only tables */
	uint8_t *packed; /* the last output of the codec */
	size_t packed_room;
	struct dkt__spill spill;
	/* If pieces are recoded: the bytes of the spill, and their codec. */
	const uint8_t *map;
	const struct dkt__codec *map_codec;
	void *map_state;
	const struct dkt__symbol_text *symbols; /* their section, compressed; NULL: make it */
	uint8_t *raw; /* the last output of that codec */
	size_t raw_room;
	struct dkt__tdw_stream *streams;
	size_t n_streams;
	struct dkt__tdw_event *events;
	size_t n_events;
	struct dkt__intern kinds; /* the system, name and format of each event that has one */
	int *kind_ids; /* of each kind; 0: none */
	size_t n_kinds;
	int next_id; /* all greater ones are in use */
	uint8_t used[DKT__TDW_IDS / 8]; /* a bit for each event ID in use */
};

/* Returns the codec of the pages; NULL: they are not compressed. */
static inline const struct dkt__codec *dkt__tdw_page_codec(const struct dkt_tracedat *out)
{
	return out->plain ? NULL : out->codec;
}

/* Compresses *bytes. Sets *bytes and *len to the result, which is valid until the next call. */
int dkt__tdw_compress(struct dkt_tracedat *out, const void **bytes, size_t *len);

/* Brings a piece into the form of the output. The bytes are valid until the next call. */
int dkt__tdw_recode(struct dkt_tracedat *out, const struct dkt__spill_piece *piece,
		    const void **bytes, size_t *len);

/* Sets the version and the codec. */
int dkt__tdw_set_form(struct dkt_tracedat *out, unsigned int version, const char *compression);

int dkt__tdw_stream_add(struct dkt_tracedat *out, const char *name);

/* Notes that a process, below DKT__TDW_PIDS, has records. */
int dkt__tdw_pid_add(struct dkt_tracedat *out, struct dkt__tdw_stream *stream, uint32_t pid);

static inline bool dkt__tdw_has_pid(const struct dkt__tdw_stream *stream, uint32_t pid)
{
	const uint8_t *bits = stream->pids[pid / DKT__TDW_BLOCK];

	return bits && bits[pid % DKT__TDW_BLOCK / 8] & 1 << pid % 8;
}

/* Gets a CPU of the stream; a new one has no data. */
int dkt__tdw_cpu_get(struct dkt_tracedat *out, struct dkt__tdw_stream *stream, uint32_t nr,
		     struct dkt__tdw_cpu **cpu);

/* ---- tables: each function appends to buf in the layout of the file ---- */

void dkt__tdw_number(const struct dkt_tracedat *out, struct dkt_buf *buf, uint64_t value,
		     unsigned int size);

/* Appends a string with its NUL. */
void dkt__tdw_string(struct dkt_buf *buf, const char *text);
int dkt__tdw_header_info(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_ftrace_events(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_event_formats(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_kallsyms(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_printk(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_cmdlines(const struct dkt_tracedat *out, struct dkt_buf *buf);

/* Returns the BTF of the files that are read; NULL: none has any. */
const struct dkt__symbol_text *dkt__tdw_given_btf(const struct dkt_tracedat *out);

/* Appends BTF, that of the files or of the running kernel. Appends nothing if there is none. */
int dkt__tdw_btf(const struct dkt_tracedat *out, struct dkt_buf *buf);

/* Appends an option: its number, the length of its data, and the data. */
void dkt__tdw_option(const struct dkt_tracedat *out, struct dkt_buf *buf, unsigned int id,
		     const void *data, size_t len);
void dkt__tdw_number_option(const struct dkt_tracedat *out, struct dkt_buf *buf, unsigned int id,
			    uint64_t value, unsigned int size);

/* Appends the options that describe the recording, such as its machine, clock and statistics. */
void dkt__tdw_options(const struct dkt_tracedat *out, struct dkt_buf *buf);

/* Appends the option with how many records a probe has missed. */
void dkt__tdw_missed(const struct dkt_tracedat *out, struct dkt_buf *buf, const char *probe,
		     uint64_t n);

/* Appends the option with the clocks of the streams, if the source has the times of several. */
void dkt__tdw_clocks(const struct dkt_tracedat *out, struct dkt_buf *buf);

/* Appends the option with the names of the disks, if a host has some. */
void dkt__tdw_disks(const struct dkt_tracedat *out, struct dkt_buf *buf);

/* Returns the clock's name, or trace-cmd's default if the clock is unknown or is "realtime". */
const char *dkt__tdw_clock(const struct dkt_tracedat *out);

/* ---- layout ---- */

/* Writes the whole file after all records are in the spill. */
int dkt__tdw_write(struct dkt_tracedat *out);
