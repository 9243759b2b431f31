/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slowest requests and locks, and those that did not end, as spans of time: the rows of a waterfall.
 *
 * After the last message:
 *
 *	dkl_waterfall_make(&fall, ctx, &paths.rpcs, &paths.locks, 200);
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
	/* Terminated, "" if unknown, as long valid as the tables. They can have any characters. */
	const char *nid; /* of the other side */
	const char *thread, *job; /* of a request; the thread is the server's if the log tells it */
	const char *ns, *res, *mode; /* of a lock: namespace, resource and mode */
	struct waterfall_span spans[FALL_SPANS];
	size_t n;
};

struct waterfall {
	const struct rpcs *rpcs;
	const struct locks *locks;
	struct waterfall_row *rows; /* in order of their beginning */
	size_t n;
};

/*
 * Makes the rows of the slowest that the tables have kept, and of at most so many requests and as many locks
 * that did not end. Clear the waterfall in either case.
 */
int dkl_waterfall_make(struct waterfall *fall, struct dkt_ctx *ctx, const struct rpcs *rpcs,
		       const struct locks *locks, size_t most);
void dkl_waterfall_clear(struct waterfall *fall);

/* Writes "OST_READ x1780", or "PW [0x1:0x2:0x0].0x0"; cut if it is too long. */
void dkl_waterfall_label(const struct waterfall_row *row, char *text, size_t size);
