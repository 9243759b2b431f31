/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The slowest requests and locks, and those that did not end, as spans of time. */
#include "compat/lustre_log/waterfall.h"

#include <inttypes.h>

#include "compat/lustre_log/opcode.h"
#include "lib/base/memory.h"

const char *dkl_waterfall_name(enum waterfall_kind kind)
{
	static const char *const names[FALL_KINDS] = {
		[FALL_CLIENT] = "client",   [FALL_SEND] = "send", [FALL_QUEUE] = "queue",
		[FALL_SERVICE] = "service", [FALL_BULK] = "bulk", [FALL_REPLY] = "reply",
		[FALL_WAIT] = "wait",       [FALL_HELD] = "held", [FALL_CALLBACK] = "callback",
	};

	return names[kind];
}

/* ---- rows ---- */

/* The time of the last message, where spans without an end are cut. */
static uint64_t last_time(const struct waterfall *fall)
{
	return DKT__MAX(fall->rpcs->last, fall->locks->last);
}

/* Adds a span. from 0: its beginning is unknown. to 0: it did not end. */
static void put(const struct waterfall *fall, struct waterfall_row *row, enum waterfall_kind kind,
		uint32_t host, uint64_t from, uint64_t to)
{
	struct waterfall_span span = { .kind = kind, .host = host, .from = from, .open = !to };

	span.to = to ? to : last_time(fall);
	/* A clock that was set back, or clocks that do not quite agree, make no span. */
	if (!from || span.to < from)
		return;
	row->from = row->n ? DKT__MIN(row->from, from) : from;
	row->to = DKT__MAX(row->to, span.to);
	row->spans[row->n++] = span;
}

static int add_rpc(struct waterfall *fall, const struct rpc *rpc)
{
	const struct name_table *names = &fall->rpcs->names;
	uint64_t arrived = rpc->arrived ? rpc->arrived : rpc->handling;
	uint64_t replied = rpc->replied ? rpc->replied : rpc->handled;
	struct waterfall_row row = {
		.id = rpc->xid,
		.opcode = rpc->opcode,
		.nid = name_text(names, rpc->nid),
		.thread = name_text(names, rpc->thread),
		.job = name_text(names, rpc->job),
		.ns = "",
		.res = "",
		.mode = "",
	};

	put(fall, &row, FALL_CLIENT, rpc->sender, rpc->sent, rpc->completed);
	if (arrived)
		put(fall, &row, FALL_SEND, rpc->server, rpc->sent, arrived);
	put(fall, &row, FALL_QUEUE, rpc->server, rpc->arrived, rpc->handling);
	put(fall, &row, FALL_SERVICE, rpc->server, rpc->handling, rpc->handled);
	if (rpc->replied)
		put(fall, &row, FALL_BULK, rpc->server, rpc->bulk, rpc->replied);
	if (rpc->completed)
		put(fall, &row, FALL_REPLY, rpc->sender, replied,
		    rpc->received ? rpc->received : rpc->completed);
	return row.n ? dkt__append(fall->rows, fall->n, row) : 0;
}

static int add_lock(struct waterfall *fall, const struct lock *lock)
{
	const struct name_table *names = &fall->locks->names;
	struct waterfall_row row = {
		.is_lock = true,
		.id = lock->handle,
		.opcode = OPCODE_UNKNOWN,
		.nid = name_text(names, lock->nid),
		.thread = "",
		.job = "",
		.ns = name_text(names, lock->ns),
		.res = name_text(names, lock->res),
		.mode = name_text(names, lock->mode),
	};

	/* A lock can be cancelled before it is granted. */
	put(fall, &row, FALL_WAIT, lock->host, lock->enqueued,
	    lock->granted ? lock->granted : lock->cancelled);
	put(fall, &row, FALL_HELD, lock->host, lock->granted, lock->cancelled);
	put(fall, &row, FALL_CALLBACK, lock->host, lock->blocked, lock->cancelled);
	return row.n ? dkt__append(fall->rows, fall->n, row) : 0;
}

static int add_unfinished(struct waterfall *fall, size_t most)
{
	const struct rpc **rpcs __cleanup(free) = NULL;
	const struct lock **locks __cleanup(free) = NULL;
	size_t n_rpcs, n_locks;
	int err = dkl_rpcs_unfinished(fall->rpcs, &rpcs, &n_rpcs);

	if (!err)
		err = dkl_locks_unfinished(fall->locks, &locks, &n_locks);
	if (err)
		return err;
	for (size_t i = 0; !err && i < n_rpcs && i < most; i++)
		err = add_rpc(fall, rpcs[i]);
	for (size_t i = 0; !err && i < n_locks && i < most; i++)
		err = add_lock(fall, locks[i]);
	return err;
}

static int compare_rows(const void *a, const void *b)
{
	const struct waterfall_row *x = a, *y = b;

	return x->from != y->from ? (x->from < y->from ? -1 : 1) :
	       x->id < y->id      ? -1 :
				    x->id > y->id;
}

/* A request that ended on one side only is in both lists. */
static void drop_doubles(struct waterfall *fall)
{
	size_t n = 0;

	for (size_t i = 0; i < fall->n; i++) {
		const struct waterfall_row *row = &fall->rows[i];

		if (n && !compare_rows(&fall->rows[n - 1], row) &&
		    fall->rows[n - 1].is_lock == row->is_lock)
			continue;
		fall->rows[n++] = *row;
	}
	fall->n = n;
}

int dkl_waterfall_make(struct waterfall *fall, struct dkt_ctx *ctx, const struct rpcs *rpcs,
		       const struct locks *locks, size_t most)
{
	int err = 0;

	*fall = (struct waterfall){ .rpcs = rpcs, .locks = locks };
	for (size_t i = 0; !err && i < rpcs->n_slowest; i++)
		err = add_rpc(fall, &rpcs->slowest[i]);
	for (size_t i = 0; !err && i < locks->n_slowest; i++)
		err = add_lock(fall, &locks->slowest[i]);
	if (!err)
		err = add_unfinished(fall, most);
	if (fall->n)
		qsort(fall->rows, fall->n, sizeof(*fall->rows), compare_rows);
	drop_doubles(fall);
	return err ? dkt__no_memory(ctx) : 0;
}

void dkl_waterfall_clear(struct waterfall *fall)
{
	free(fall->rows);
	*fall = (struct waterfall){ 0 };
}

void dkl_waterfall_label(const struct waterfall_row *row, char *text, size_t size)
{
	char opcode[OPCODE_TEXT_SIZE];

	if (row->is_lock) {
		snprintf(text, size, "%s%s%s", row->mode, *row->mode ? " " : "", row->res);
		return;
	}
	dkl_opcode_text(row->opcode, opcode);
	snprintf(text, size, "%s x%" PRIu64, row->opcode == OPCODE_UNKNOWN ? "request" : opcode,
		 row->id);
}
