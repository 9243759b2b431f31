/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the writer of trace.dat files: taking records, tables, layout. */
#pragma once

#include "base/compress.h"
#include "source.h"
#include "tracedat.h"
#include "tracedat/pack.h"
#include "tracedat/spill.h"

/* The most CPUs that a kernel can be built for. */
#define DKT__TDW_CPUS 8192

/* The number of event IDs, which have 16 bits in a record. */
#define DKT__TDW_IDS 65536

/* The limit of PIDs: PID_MAX_LIMIT of include/linux/threads.h. */
#define DKT__TDW_PIDS (1 << 22)

/* One CPU's data: pages are collected in chunks, chunks go to the spill. */
struct dkt__tdw_cpu {
	struct dkt__pack pack;
	uint8_t *chunk; /* DKT__PACK_MAX bytes */
	uint32_t full; /* bytes of complete pages in it */
	struct dkt__spill_string data;
	uint64_t lost; /* to be reported by the next page */
	uint64_t told; /* lost records, in all gaps with a number */
	uint64_t records;
	uint64_t first, last; /* times */
};

/* An event in the file. */
struct dkt__tdw_event {
	struct dkt_event *event;
	int id;
	char *text; /* its format, with that ID; NULL: unknown */
	size_t len;
};

/* The event of the file that a stream's event became, found by its ID in the stream. */
struct dkt__tdw_known {
	struct dkt_event *event;
	uint16_t id;
};

/* One of the source's streams: an instance in the file. */
struct dkt__tdw_stream {
	struct dkt_source *source; /* the stream's own source, or the common one */
	char *name; /* of the instance, "" for the top one */
	struct dkt__tdw_cpu **cpus; /* NULL: no records */
	int n_cpus;
	struct dkt__tdw_known *known; /* DKT__TDW_IDS of them */
	uint8_t *pids; /* bits of processes that have records */
};

struct dkt_tracedat {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	int fd;
	unsigned int version;
	bool part; /* only gaps report losses */
	uint32_t page_size;
	bool big_endian;
	uint8_t long_size;
	const struct dkt__codec *codec; /* NULL: nothing is compressed */
	uint8_t *packed; /* its last output */
	size_t packed_room;
	struct dkt__spill spill;
	struct dkt__tdw_stream *streams;
	size_t n_streams;
	struct dkt__tdw_event *events;
	size_t n_events;
	uint8_t used[DKT__TDW_IDS / 8]; /* numbers of events */
};

/* Replaces *bytes by its compressed form, which is valid until the next call. */
int dkt__tdw_compress(struct dkt_tracedat *out, const void **bytes, size_t *len);

/* ---- tables; each is appended to the buffer in the file's layout ---- */

void dkt__tdw_number(const struct dkt_tracedat *out, struct dkt_buf *buf, uint64_t value,
		     unsigned int size);
int dkt__tdw_header_info(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_ftrace_events(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_event_formats(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_kallsyms(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_printk(const struct dkt_tracedat *out, struct dkt_buf *buf);
int dkt__tdw_cmdlines(const struct dkt_tracedat *out, struct dkt_buf *buf);

/* Appends an option: its number, the length of its data, its data. */
void dkt__tdw_option(const struct dkt_tracedat *out, struct dkt_buf *buf, unsigned int id,
		     const void *data, size_t len);

/* Appends the options about the recording: its machine, clock and statistics. */
void dkt__tdw_options(const struct dkt_tracedat *out, struct dkt_buf *buf);

/* Returns the clock's name; if it is unknown, trace-cmd's default. */
const char *dkt__tdw_clock(const struct dkt_tracedat *out);

/* Returns the stream of the top instance, which exists once all records are in the spill. */
const struct dkt__tdw_stream *dkt__tdw_top(const struct dkt_tracedat *out);

/* ---- layout: writes the whole file once all records are in the spill ---- */

int dkt__tdw_write_v6(struct dkt_tracedat *out);
int dkt__tdw_write_v7(struct dkt_tracedat *out);
