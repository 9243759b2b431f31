/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slowest requests and locks, and those that did not end, as spans of time: the rows of a waterfall.
 *
 * Make a line_reader for each source, and pass the lines in order of time:
 *
 *	dkl_waterfall_init(&fall, ctx, 200);
 *	for each record, with the number of its source:
 *		if (!record->event)
 *			dkl_waterfall_gap(&fall, host);
 *		else if (dkl_line_read(readers[host], record, &line))
 *			err = dkl_waterfall_add(&fall, &line);
 *	dkl_waterfall_finish(&fall);
 *	for each of fall.n rows: draw row->spans[0 ... row->n - 1], beside dkl_waterfall_label()
 *	dkl_waterfall_clear(&fall);
 */
#pragma once

#include "compat/lustre_log/locks.h"
#include "compat/lustre_log/rpcs.h"

enum waterfall_kind {
	/* Parts of a request, in the order in which they begin. */
	FALL_CLIENT, /* the client waits; the spans below lie within it */
	FALL_SEND, /* the request is on its way */
	FALL_QUEUE, /* it waits for a thread of the server */
	FALL_SERVICE, /* that thread works */
	FALL_BULK, /* it transfers data, and replies then; lies within FALL_SERVICE */
	FALL_REPLY, /* the reply is on its way */
	/* Parts of a lock. */
	FALL_WAIT, /* from the enqueue until the lock is granted */
	FALL_HELD, /* until it is cancelled */
	FALL_CALLBACK, /* from the blocking callback until the cancel; lies within FALL_HELD */
	FALL_KINDS,
};

/* Returns a word for users: "queue". */
const char *dkl_waterfall_name(enum waterfall_kind kind);

struct waterfall_span {
	enum waterfall_kind kind;
	uint32_t host; /* number of the source; for FALL_SEND and FALL_REPLY of the receiver */
	bool open; /* it did not end: to is the time of the last message */
	uint64_t from, to; /* ns on the clock of the first source */
};

/* A request or lock has at most so many spans. */
#define FALL_SPANS 6

struct waterfall_row {
	bool is_lock;
	uint64_t id; /* XID, or handle */
	uint64_t from, to; /* of all spans */
	uint32_t opcode; /* of a request; OPCODE_UNKNOWN: the log does not tell */
	/* Terminated, "" if unknown, valid until dkl_waterfall_clear(). They can have any characters. */
	const char *nid; /* of the other side */
	const char *thread, *job; /* of a request; the thread is the server's if the log tells it */
	const char *ns, *res, *mode; /* of a lock: namespace, resource and mode */
	struct waterfall_span spans[FALL_SPANS];
	size_t n;
};

struct waterfall {
	struct dkt_ctx *ctx;
	struct rpcs rpcs;
	struct locks locks;
	struct waterfall_row *rows; /* after dkl_waterfall_finish(), in order of their beginning */
	size_t n;
	size_t most;
};

/* most: how many requests that ended, that did not end, and locks of each kind become rows. */
int dkl_waterfall_init(struct waterfall *fall, struct dkt_ctx *ctx, size_t most);
void dkl_waterfall_clear(struct waterfall *fall);

/* Takes the next line in order of time. */
int dkl_waterfall_add(struct waterfall *fall, const struct log_line *line);

/* Call this where records of a host were lost. No span crosses the loss. */
void dkl_waterfall_gap(struct waterfall *fall, uint32_t host);

/* The host was started again. No span crosses that either. */
void dkl_waterfall_restart(struct waterfall *fall, uint32_t host);

/* After the last line: makes the rows. */
int dkl_waterfall_finish(struct waterfall *fall);

/* Writes "OST_READ x1780", or "PW [0x1:0x2:0x0].0x0"; cut if it is too long. */
void dkl_waterfall_label(const struct waterfall_row *row, char *text, size_t size);
