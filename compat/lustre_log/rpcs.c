/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joins the messages about each RPC, and counts how long the RPCs took. */
#include "compat/lustre_log/rpcs.h"

#include "compat/lustre_log/opcode.h"
#include "lib/base/memory.h"

/* RPCs under way that are remembered. A server with more would have run out of memory. */
#define OPEN_MAX (1u << 20)

/* Clients whose RPCs have the same number at the same time. */
#define SAME_XID_MAX 8

#define WORDS 2 /* of a key of open */

int dkl_rpcs_init(struct rpcs *rpcs, struct dkt_ctx *ctx, const enum rpc_by by[RPC_KEYS],
		  size_t slowest)
{
	*rpcs = (struct rpcs){ .ctx = ctx,
			       .by = { by[0], by[1] },
			       .open.n_words = WORDS,
			       .group_map.n_words = 1,
			       .most_slowest = slowest };
	dkl_name_table_init(&rpcs->names);
	rpcs->slowest = calloc(slowest + 1, sizeof(*rpcs->slowest));
	return rpcs->slowest ? 0 : dkt__no_memory(ctx);
}

void dkl_rpcs_clear(struct rpcs *rpcs)
{
	for (size_t i = 0; i < rpcs->n_groups; i++) {
		for (size_t j = 0; j < RPC_PHASES; j++)
			dkt__dist_clear(&rpcs->groups[i].phases[j]);
		free(rpcs->groups[i].failures);
	}
	dkt__keymap_clear(&rpcs->open);
	dkt__keymap_clear(&rpcs->group_map);
	dkl_name_table_clear(&rpcs->names);
	free(rpcs->list);
	free(rpcs->groups);
	free(rpcs->slowest);
	*rpcs = (struct rpcs){ 0 };
}

/* ---- one RPC ---- */

static bool client_open(const struct rpc *rpc)
{
	return rpc->sent && !rpc->completed;
}

static bool server_open(const struct rpc *rpc)
{
	return (rpc->arrived || rpc->handling) && !rpc->handled;
}

const char *dkl_rpc_state(const struct rpc *rpc)
{
	if (server_open(rpc))
		return rpc->handling ? "in service" : "waiting";
	return rpc->handled ? "replied" : rpc->timeouts ? "timed out" : "sent";
}

uint64_t dkl_rpc_since(const struct rpc *rpc)
{
	if (server_open(rpc))
		return rpc->handling ? rpc->handling : rpc->arrived;
	return rpc->sent;
}

/* Sets a phase whose ends can be on different hosts, so that the clocks' error can make it negative. */
static void set_between(struct rpc *rpc, enum rpc_phase phase, uint64_t from, uint64_t to)
{
	rpc->has[phase] = from && to >= from;
	rpc->phases[phase] = rpc->has[phase] ? to - from : 0;
}

/* Sets a phase, unless a clock that was set back makes it negative. */
static void set_phase(struct rpcs *rpcs, struct rpc *rpc, enum rpc_phase phase, uint64_t from,
		      uint64_t to)
{
	set_between(rpc, phase, from, to);
	rpcs->backwards += from && to < from;
}

/* ---- groups ---- */

static uint32_t group_key(enum rpc_by by, const struct rpc *rpc)
{
	switch (by) {
	case RPC_BY_OPCODE:
		return rpc->opcode;
	case RPC_BY_NID:
		return rpc->nid;
	case RPC_BY_JOB:
		return rpc->job;
	case RPC_BY_THREAD:
		return rpc->thread;
	case RPC_BY_CLIENT:
		return rpc->client;
	case RPC_BY_USER:
		return rpc->user;
	case RPC_BY_TARGET:
		return rpc->target;
	case RPC_BY_NONE:
		break;
	}
	return 0;
}

static struct rpc_group *find_group(struct rpcs *rpcs, const struct rpc *rpc)
{
	const struct rpc_group group = { .keys = { group_key(rpcs->by[0], rpc),
						   group_key(rpcs->by[1], rpc) } };
	const uint64_t key = (uint64_t)group.keys[1] << 32 | group.keys[0];
	bool added;
	uint32_t entry = dkt__keymap_add(&rpcs->group_map, &key, &added);

	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (added && dkt__append(rpcs->groups, rpcs->n_groups, group))
		return NULL;
	return &rpcs->groups[entry];
}

static uint64_t slowness(const struct rpc *rpc)
{
	return rpc->has[RPC_TOTAL] ? rpc->phases[RPC_TOTAL] :
				     rpc->phases[RPC_WAIT] + rpc->phases[RPC_SERVICE];
}

static void keep_slow(struct rpcs *rpcs, const struct rpc *rpc)
{
	uint64_t value = slowness(rpc);
	size_t at = rpcs->n_slowest;

	if (at == rpcs->most_slowest && (!at || slowness(&rpcs->slowest[at - 1]) >= value))
		return;
	while (at && slowness(&rpcs->slowest[at - 1]) < value) {
		rpcs->slowest[at] = rpcs->slowest[at - 1];
		at--;
	}
	rpcs->slowest[at] = *rpc;
	rpcs->n_slowest += rpcs->n_slowest < rpcs->most_slowest;
}

static int count_failure(struct rpc_group *group, int64_t rc)
{
	struct rpc_failure *list = group->failures;

	group->errors++;
	for (size_t i = 0; i < group->n_failures; i++)
		if (list[i].rc == rc) {
			list[i].count++;
			return 0;
		}
	if (group->n_failures == RPC_FAILURES_MAX)
		return 0;
	return dkt__append(group->failures, group->n_failures,
			   ((struct rpc_failure){ .rc = rc, .count = 1 }));
}

/* Counts an RPC of which at least one side ended. */
static int count(struct rpcs *rpcs, struct rpc *rpc)
{
	struct rpc_group *group;
	uint64_t server = rpc->phases[RPC_WAIT] + rpc->phases[RPC_SERVICE];
	int err = 0;

	set_between(rpc, RPC_BULK_TIME, rpc->bulk, rpc->replied);
	set_between(rpc, RPC_REPLY_TIME, rpc->replied, rpc->received);
	if (rpc->has[RPC_TOTAL] && rpc->has[RPC_SERVICE]) {
		/* The server may finish its work after the reply was sent. */
		if (rpc->handling && rpc->replied > rpc->handling)
			server = rpc->phases[RPC_WAIT] + rpc->replied - rpc->handling;
		rpc->has[RPC_NETWORK] = true;
		if (rpc->phases[RPC_TOTAL] > server)
			rpc->phases[RPC_NETWORK] = rpc->phases[RPC_TOTAL] - server;
		rpcs->joined++;
	}
	if (!rpc->has[RPC_TOTAL] && !rpc->has[RPC_SERVICE])
		return 0;
	group = find_group(rpcs, rpc);
	if (!group)
		return dkt__no_memory(rpcs->ctx);
	group->count++;
	if (rpc->rc < 0)
		err = count_failure(group, rpc->rc);
	group->resent += rpc->resends != 0;
	for (size_t i = 0; !err && i < RPC_PHASES; i++)
		if (rpc->has[i])
			err = dkt__dist_add(&group->phases[i], rpc->phases[i]);
	if (err)
		return dkt__no_memory(rpcs->ctx);
	keep_slow(rpcs, rpc);
	return rpcs->ended ? rpcs->ended(rpcs->data, rpc) : 0;
}

/* ---- RPCs under way ---- */

static void drop(struct rpcs *rpcs, struct rpc *rpc)
{
	const uint64_t *key = dkt__keymap_key(&rpcs->open, (uint32_t)(rpc - rpcs->list));

	rpcs->same_xid -= key[1] != 0;
	dkt__keymap_remove(&rpcs->open, key);
	rpc->open = false;
}

/*
 * True if the message can be about the RPC: its client is unknown, or the same. The two sides of a callback
 * have different UUIDs, so that their PID counts.
 */
static bool fits(const struct rpcs *rpcs, const struct rpc *rpc, const struct rpc_text *text)
{
	if (!rpc->client || !text->client.len)
		return true;
	if (dkl_opcode_is_callback(text->opcode))
		return rpc->opcode == text->opcode && rpc->pid == text->pid;
	return part_is(&text->client, name_text(&rpcs->names, rpc->client));
}

/* Finds the RPC of a message. *key becomes its key, or the first that is free. */
static struct rpc *find(const struct rpcs *rpcs, const struct rpc_text *text, uint64_t key[WORDS])
{
	uint64_t unused = SAME_XID_MAX;

	key[0] = text->xid;
	for (key[1] = 0; key[1] < SAME_XID_MAX; key[1]++) {
		uint32_t entry = dkt__keymap_find(&rpcs->open, key);

		if (entry != DKT__KEYMAP_NONE && fits(rpcs, &rpcs->list[entry], text))
			return &rpcs->list[entry];
		if (entry == DKT__KEYMAP_NONE)
			unused = DKT__MIN(unused, key[1]);
		/* The one before this can have ended. */
		if (entry == DKT__KEYMAP_NONE && !rpcs->same_xid)
			break;
	}
	key[1] = unused % SAME_XID_MAX;
	return NULL;
}

static struct rpc *begin(struct rpcs *rpcs, const uint64_t key[WORDS])
{
	struct rpc *rpc;
	uint32_t entry;
	bool added;

	if (rpcs->open.n == OPEN_MAX) {
		rpcs->forgotten += rpcs->open.n;
		rpcs->same_xid = 0;
		dkt__keymap_empty(&rpcs->open);
		for (size_t i = 0; i < rpcs->n_list; i++)
			rpcs->list[i].open = false;
	}
	entry = dkt__keymap_add(&rpcs->open, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (entry == rpcs->n_list && dkt__append(rpcs->list, rpcs->n_list, (struct rpc){ 0 }))
		return NULL;
	rpcs->same_xid += added && key[1];
	rpc = &rpcs->list[entry];
	*rpc = (struct rpc){
		.xid = key[0], .serial = ++rpcs->n_serials, .opcode = OPCODE_UNKNOWN, .open = true
	};
	return rpc;
}

/* True if the message begins an RPC anew whose number is used again. */
static bool begins_anew(const struct rpc *rpc, const struct rpc_text *text)
{
	if (text->opcode != OPCODE_UNKNOWN && rpc->opcode != OPCODE_UNKNOWN &&
	    text->opcode != rpc->opcode)
		return true;
	switch (text->step) {
	case RPC_SENDING:
		return rpc->completed;
	case RPC_ARRIVED:
	case RPC_HANDLING:
		return rpc->handled;
	default:
		return false;
	}
}

/* Sets what the message tells of the RPC. False: memory is out. */
static bool learn(struct rpcs *rpcs, const struct rpc_text *text, struct rpc *rpc)
{
	const struct part user = dkl_user_part(text->job);
	const struct part target = dkl_target_part(text->target);
	const struct {
		const struct part *part;
		uint32_t *number;
		bool known;
	} parts[] = { { &text->client, &rpc->client, rpc->client },
		      { &text->nid, &rpc->receiver, rpc->receiver || text->server },
		      /* The server's names of these are better known than the client's. */
		      { &text->nid, &rpc->nid, rpc->nid && (!text->server || rpc->named) },
		      { &text->job, &rpc->job, rpc->job && (!text->server || rpc->named) },
		      { &text->thread, &rpc->thread, rpc->thread && (!text->server || rpc->named) },
		      { &user, &rpc->user, rpc->user },
		      { &target, &rpc->target, rpc->target } };

	if (text->opcode != OPCODE_UNKNOWN)
		rpc->opcode = text->opcode;
	if (text->pid)
		rpc->pid = text->pid;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].part->len || parts[i].known)
			continue;
		*parts[i].number = dkl_name_number(&rpcs->names, *parts[i].part);
		if (*parts[i].number == UINT32_MAX)
			return false;
	}
	rpc->named = rpc->named || (text->server && text->thread.len);
	return true;
}

/* ---- messages ---- */

static void end_client(struct rpcs *rpcs, const struct log_line *line, struct rpc *rpc)
{
	rpc->completed = line->time;
	rpcs->no_begin += !rpc->sent;
	set_phase(rpcs, rpc, RPC_TOTAL, rpc->sent, line->time);
}

static void end_server(struct rpcs *rpcs, const struct log_line *line, const struct rpc_text *text,
		       struct rpc *rpc)
{
	rpc->handled = line->time;
	rpc->rc = text->rc;
	if (text->timed) {
		rpc->has[RPC_WAIT] = rpc->has[RPC_SERVICE] = true;
		rpc->phases[RPC_SERVICE] = text->service;
		rpc->phases[RPC_WAIT] = text->total > text->service ? text->total - text->service :
								      0;
		/* The message tells when the RPC began, if the log does not. */
		if (!rpc->handling && line->time > text->service)
			rpc->handling = line->time - text->service;
		if (!rpc->arrived && line->time > text->total)
			rpc->arrived = line->time - text->total;
		return;
	}
	rpcs->no_begin += !rpc->handling;
	if (rpc->arrived && rpc->handling)
		set_phase(rpcs, rpc, RPC_WAIT, rpc->arrived, rpc->handling);
	set_phase(rpcs, rpc, RPC_SERVICE, rpc->handling, line->time);
}

static void take_step(struct rpcs *rpcs, const struct log_line *line, const struct rpc_text *text,
		      struct rpc *rpc)
{
	switch (text->step) {
	case RPC_SENDING:
		rpc->resends += rpc->sent != 0;
		if (!rpc->sent)
			rpc->sent = line->time;
		rpc->sender = line->host;
		return;
	case RPC_COMPLETED:
		rpc->sender = line->host;
		end_client(rpcs, line, rpc);
		return;
	case RPC_ARRIVED:
		if (!rpc->arrived)
			rpc->arrived = line->time;
		rpc->server = line->host;
		return;
	case RPC_HANDLING:
		rpc->handling = line->time;
		rpc->server = line->host;
		return;
	case RPC_HANDLED:
		rpc->server = line->host;
		end_server(rpcs, line, text, rpc);
		return;
	case RPC_TIMED_OUT:
		rpc->timeouts++;
		return;
	case RPC_TRANSFERRING:
		if (!rpc->bulk)
			rpc->bulk = line->time;
		return;
	case RPC_REPLYING:
		rpc->replied = line->time;
		return;
	case RPC_REPLY:
		rpc->received = line->time;
		return;
	default:
		return;
	}
}

/* Counts a message about trouble, which need not have an RPC that was seen to begin. */
static int count_step(struct rpcs *rpcs, const struct rpc_text *text, struct rpc *rpc)
{
	struct rpc_group *group;
	struct rpc unknown = { 0 };

	if (!dkl_rpc_step_is_trouble(text->step))
		return 0;
	unknown.opcode = text->opcode;
	if (!rpc && !learn(rpcs, text, &unknown))
		return dkt__no_memory(rpcs->ctx);
	group = find_group(rpcs, rpc ? rpc : &unknown);
	if (!group)
		return dkt__no_memory(rpcs->ctx);
	group->steps[text->step]++;
	return 0;
}

/* Counts and forgets an RPC when all sides that are known to have begun have ended. */
static int end_if_over(struct rpcs *rpcs, struct rpc *rpc)
{
	int err;

	if (client_open(rpc) || server_open(rpc) || (!rpc->completed && !rpc->handled))
		return 0;
	err = count(rpcs, rpc);
	drop(rpcs, rpc);
	return err;
}

int dkl_rpcs_add(struct rpcs *rpcs, const struct log_line *line)
{
	uint64_t key[WORDS];
	struct rpc_text text;
	struct rpc *rpc;
	int err;

	rpcs->last = DKT__MAX(rpcs->last, line->time);
	rpcs->serial = 0;
	if (!dkl_rpc_text_read(line->text.p, line->text.len, &text))
		return 0;
	rpcs->messages++;
	/* A client that is not connected. */
	if (part_is(&text.client, "0"))
		text.client.len = 0;
	rpc = find(rpcs, &text, key);
	if (text.step > RPC_HANDLED) {
		if (rpc && !learn(rpcs, &text, rpc))
			return dkt__no_memory(rpcs->ctx);
		if (rpc) {
			rpcs->serial = rpc->serial;
			take_step(rpcs, line, &text, rpc);
		}
		return count_step(rpcs, &text, rpc);
	}
	if (rpc && begins_anew(rpc, &text)) {
		rpcs->reused++;
		err = count(rpcs, rpc);
		drop(rpcs, rpc);
		if (err)
			return err;
		rpc = NULL;
	}
	if (!rpc)
		rpc = begin(rpcs, key);
	if (!rpc || !learn(rpcs, &text, rpc))
		return dkt__no_memory(rpcs->ctx);
	rpcs->serial = rpc->serial;
	take_step(rpcs, line, &text, rpc);
	return end_if_over(rpcs, rpc);
}

/* ---- losses, the end ---- */

/* Forgets which RPCs of the host are under way, and counts them. */
static void cut(struct rpcs *rpcs, uint32_t host, uint64_t *n)
{
	for (size_t i = 0; i < rpcs->n_list; i++) {
		struct rpc *rpc = &rpcs->list[i];
		bool client = rpc->open && client_open(rpc) && rpc->sender == host;
		bool server = rpc->open && server_open(rpc) && rpc->server == host;

		if (client)
			rpc->sent = rpc->received = 0;
		if (server)
			rpc->arrived = rpc->handling = rpc->bulk = rpc->replied = 0;
		*n += client || server;
		if ((client || server) && !client_open(rpc) && !server_open(rpc))
			drop(rpcs, rpc);
	}
}

void dkl_rpcs_gap(struct rpcs *rpcs, uint32_t host)
{
	cut(rpcs, host, &rpcs->spanned);
}

void dkl_rpcs_restart(struct rpcs *rpcs, uint32_t host)
{
	cut(rpcs, host, &rpcs->cut);
}

/* An RPC that was sent again without an end is in trouble, too. */
static int count_resent(struct rpcs *rpcs, const struct rpc *rpc)
{
	struct rpc_group *group = rpc->resends ? find_group(rpcs, rpc) : NULL;

	if (rpc->resends && !group)
		return dkt__no_memory(rpcs->ctx);
	if (group)
		group->resent++;
	return 0;
}

int dkl_rpcs_finish(struct rpcs *rpcs)
{
	int err = 0;

	for (size_t i = 0; !err && i < rpcs->n_list; i++) {
		struct rpc *rpc = &rpcs->list[i];

		if (!rpc->open)
			continue;
		if (!rpc->completed && !rpc->handled) {
			err = count_resent(rpcs, rpc);
			continue;
		}
		err = count(rpcs, rpc);
		/* A server that has not finished an RPC that its client has given up is of interest. */
		if (!server_open(rpc) && !client_open(rpc))
			drop(rpcs, rpc);
	}
	return err;
}

static int compare_since(const void *a, const void *b)
{
	uint64_t x = dkl_rpc_since(*(const struct rpc *const *)a);
	uint64_t y = dkl_rpc_since(*(const struct rpc *const *)b);

	return x < y ? -1 : x > y;
}

int dkl_rpcs_unfinished(const struct rpcs *rpcs, const struct rpc ***list, size_t *n)
{
	const struct rpc **all = calloc(rpcs->open.n + 1, sizeof(*all));

	*n = 0;
	*list = all;
	if (!all)
		return dkt__no_memory(rpcs->ctx);
	for (size_t i = 0; i < rpcs->n_list; i++)
		if (rpcs->list[i].open)
			all[(*n)++] = &rpcs->list[i];
	if (*n)
		qsort(all, *n, sizeof(*all), compare_since);
	return 0;
}
