/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source of the pages of several CPUs: what readers of files fill in. */
#ifndef DKT_STREAMS_H
#define DKT_STREAMS_H

#include "comms.h"
#include "page.h"
#include "source.h"
#include "source/chunks.h"
#include "source/extent.h"
#include "source/heap.h"
#include "source/shift.h"

/* The pages of one CPU of one buffer. */
struct dkt__stream {
	/* What the reader sets. */
	int cpu;
	uint32_t buffer; /* becomes the record's stream */
	uint32_t page_size;
	const struct dkt__shift *shift; /* of its clock, NULL: it runs as the others */
	bool packed; /* its pages are in chunks */
	struct dkt__chunks chunks;
	struct dkt__extent extent;
	bool has_lost; /* the kernel's count of what it lost is known */
	uint64_t lost;

	/* Where the walk is. */
	uint64_t n_pages, page_nr; /* page_nr: the next one */
	uint64_t first, last; /* pages of the window; last is not in it */
	uint64_t found_time, found; /* pages before that time: what was looked for last */
	double rate; /* pages in a ns, between the last two */
	struct dkt__page page;
	struct dkt__page_record next;
	bool gap; /* lost records are to be reported before next */
	struct dkt_loss loss;
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
	struct dkt_event **events; /* by number */
	dkt_event_fn wants;
	void *wants_data;
	uint8_t *verdicts; /* enum dkt__verdict, by the number in a record; NULL: all are wanted */
	struct dkt_expr *filter; /* NULL: none */
	struct dkt__gate *gates;
	uint8_t n_gates;

	struct dkt__heap heap; /* those that have a next record */
	struct dkt__stream *top; /* the first of them; NULL: there is none */
	uint64_t bound; /* it goes on alone as long as it is older */
	bool taken; /* its next has been returned */
	bool part; /* DKT_SOURCE_PART */
	uint64_t since, until;
	int32_t pid; /* asked for last, and its name */
	const char *comm;
	uint8_t *copy; /* of a record in the other byte order, in this one's */
	size_t copy_size;
};

/* The calls of such a source but close(). */
int dkt__streams_next(struct dkt_source *source, struct dkt_record *record);
const char *dkt__streams_comm(struct dkt_source *source, const struct dkt_record *record);
int dkt__streams_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss);
int dkt__streams_seek(struct dkt_source *source, uint64_t since, uint64_t until);
int dkt__streams_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to);
int dkt__streams_select(struct dkt_source *source, dkt_event_fn wants, void *data);
int dkt__streams_filter(struct dkt_source *source, struct dkt_expr *expr);
int dkt__streams_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of);

/* All streams have been filled in: begins to walk them. */
int dkt__streams_start(struct dkt__streams *it, const struct dkt_source_opts *opts);
void dkt__streams_clear(struct dkt__streams *it);

/* Adds words about what could not be read. */
void dkt__streams_damage(struct dkt__streams *it, const char *fmt, ...) DKT_PRINTF(2, 3);

#endif
