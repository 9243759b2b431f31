/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source of several CPUs' pages, which readers of file formats fill in. */
#pragma once

#include "lib/base/heap.h"
#include "lib/source.h"
#include "lib/source/chunks.h"
#include "lib/source/comms.h"
#include "lib/source/extent.h"
#include "lib/source/page.h"
#include "lib/source/shift.h"
#include "lib/source/swap.h"

struct dkt__stream;
struct dkt__streams;

/* Provides the pages of a stream. */
struct dkt__provider {
	/* Returns page nr, of which *size bytes exist; NULL: the page cannot be read. */
	const uint8_t *(*page)(struct dkt__streams *streams, struct dkt__stream *s, uint64_t nr,
			       uint32_t *size);
	/*
	 * Reads the start time of page nr, as dkt__page_time() does. False: the page cannot be
	 * read.
	 */
	bool (*time)(struct dkt__stream *s, uint64_t nr, uint64_t *stamp);
	/* Looks for new pages after the last one. */
	int (*more)(struct dkt__streams *streams, struct dkt__stream *s);
	/*
	 * Corrects *lost, the number of lost records according to the pages, by another count.
	 * NULL: the only other count is the kernel's for the whole file.
	 */
	int (*lost)(struct dkt__streams *streams, const struct dkt__stream *s, uint64_t *lost);
	const char *verb; /* the participle for messages: "page N cannot be VERB" */
};

extern const struct dkt__provider dkt__pages_extent, dkt__pages_chunks, dkt__pages_pieces;

/* The pages of one CPU of one buffer. */
struct dkt__stream {
	/* Set by the reader. */
	int cpu;
	uint32_t buffer; /* becomes the record's stream */
	uint32_t page_size;
	const struct dkt__shift *shift; /* of its clock; NULL: the same clock as the others */
	const struct dkt__provider *from;
	struct dkt__chunks chunks; /* of dkt__pages_chunks and dkt__pages_pieces */
	struct dkt__extent extent; /* of dkt__pages_extent */
	void *own; /* of other providers, which set chunks.pages, too */
	bool has_lost; /* the kernel's count of lost records is known */
	uint64_t lost;

	/* The position of the walk. */
	uint64_t n_pages, page_nr; /* page_nr: the next one */
	uint32_t offset; /* offset in that page, where the walk begins */
	bool loaded; /* the page before page_nr is being walked and holds next */
	uint64_t first, last; /* pages of the window, without last */
	uint64_t found_time, found; /* time of the last search, and the pages before it */
	double rate; /* pages per ns, between the last two searches */
	struct dkt__page page;
	struct dkt__page_record next;
	bool gap; /* lost records are to be reported before next */
	bool broken; /* a page could not be read: later ones are not looked for */
	bool unasked; /* perf.data: not one of the chosen CPUs */
	struct dkt_loss loss;
	bool lost_some; /* a gap has no number */
};

/* How the time of a page becomes the time of a record. */
struct dkt__times {
	uint32_t mult, shift; /* of a counter of cycles; mult 0: ns already */
	int64_t offset; /* to add */
};

/* The first member of a reader's own struct, which its close() frees. */
struct dkt__streams {
	struct dkt_source base;
	struct dkt__stream *list;
	size_t n;
	struct dkt__times times;
	struct dkt__comms comms;
	char *damage; /* info.damage */
	struct dkt_event **events; /* by ID; NULL: each record looks its event up */
	dkt_event_fn wants;
	void *wants_data;
	uint8_t *verdicts; /* enum dkt__verdict, by the number in a record; NULL: all are wanted */
	struct dkt_expr *filter; /* NULL: none */
	struct dkt__gate *gates;
	uint8_t n_gates;

	struct dkt__heap heap; /* the streams that have a next record */
	struct dkt__stream *top; /* the first in the heap; NULL: the heap is empty */
	uint64_t bound; /* the top stays first while its records are before this time */
	bool taken; /* the top's next record has been returned */
	int err; /* the error that stopped the reading of pages, or 0 */
	bool part; /* DKT_SOURCE_PART */
	uint64_t since, until;
	int32_t own; /* the thread that recorded, whose records are left out; 0: none is */
	struct dkt__swapped copy; /* of a record in the other byte order */
};

/* The calls of such a source, without close(). */
int dkt__streams_next(struct dkt_source *source, struct dkt_record *record);
const char *dkt__streams_comm(struct dkt_source *source, const struct dkt_record *record);
int dkt__streams_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss);
int dkt__streams_seek(struct dkt_source *source, uint64_t since, uint64_t until);
int dkt__streams_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to);
int dkt__streams_select(struct dkt_source *source, dkt_event_fn wants, void *data);
int dkt__streams_filter(struct dkt_source *source, struct dkt_expr *expr);
int dkt__streams_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of);

/*
 * Restarts the merge with each stream's next record before until; UINT64_MAX: no bound. Streams
 * that had no next record are asked again.
 */
int dkt__streams_begin(struct dkt__streams *streams, uint64_t until);

/*
 * Returns the current page, or the next one if none is current; sets *offset to the next record's.
 */
static inline uint64_t dkt__stream_place(const struct dkt__stream *s, uint32_t *offset)
{
	*offset = !s->loaded ? s->offset : s->gap ? 0 : s->next.offset;
	return s->page_nr - s->loaded;
}

/*
 * Updates the heap after its first stream stepped past the returned record; more: the stream has a
 * next record, at time ts. Returns false if the stream may no longer be the first.
 */
static inline bool dkt__streams_stays(struct dkt__streams *streams, bool more, uint64_t ts)
{
	streams->taken = false;
	if (dkt__likely(more && ts < streams->bound))
		return true;
	if (more)
		dkt__heap_move(&streams->heap, ts);
	else
		dkt__heap_drop(&streams->heap);
	return false;
}

/*
 * Returns the enum dkt__verdict for records of a type; place is the type in the records' byte
 * order. Asks the kind of source only once for each type.
 */
uint8_t dkt__streams_ask(struct dkt__streams *streams, uint16_t type, uint16_t place);

/* Returns the enum dkt__verdict for records of a type in this machine's byte order. */
static inline uint8_t dkt__streams_verdict(struct dkt__streams *streams, uint16_t type)
{
	const uint8_t verdict = streams->verdicts ? streams->verdicts[type] : DKT__WANTED;

	return dkt__likely(verdict) ? verdict : dkt__streams_ask(streams, type, type);
}

/* True if a record, in this machine's byte order, is wanted. */
static inline bool dkt__streams_wants(struct dkt__streams *streams, uint16_t type, const void *data,
				      uint32_t size)
{
	const uint8_t verdict = dkt__streams_verdict(streams, type);

	return verdict == DKT__WANTED ||
	       (verdict >= DKT__GATED &&
		dkt__gate_passes(&streams->gates[verdict - DKT__GATED], data, size));
}

/* Steps past the last returned record, so that the stream's position is after it. */
void dkt__streams_pass(struct dkt__streams *streams);

/* ---- source/streams/start.c ---- */

/* Starts the walk, once the reader has filled in all streams. */
int dkt__streams_start(struct dkt__streams *streams, const struct dkt_source_opts *opts);

/* Adds a stream to a walk that has started. dkt__streams_begin() follows. */
int dkt__streams_add(struct dkt__streams *streams, const struct dkt__stream *added);
void dkt__streams_clear(struct dkt__streams *streams);

/* Adds a text to the report of damage. */
void dkt__streams_damage(struct dkt__streams *streams, const char *fmt, ...) DKT_PRINTF(2, 3);
