/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins the messages that a client and a server of Lustre write about the same request.
 *
 * A client writes "Sending" before it sends, and a server "Handling" after the request arrived and before it
 * answers, which comes before the client's "Completed". The server writes "Handled" after its answer has left,
 * so this may be later than "Completed" and orders nothing.
 *
 * The UUID of the client and the number say which request it is. A callback, for which the two sides write
 * different UUIDs, is known by its opcode and the PID of its sender. A request that is sent again keeps its
 * number. Nothing is said of one that has a step twice, or hosts that differ, so all are told late. The first
 * sending can be missing: numbers grow, so one below another that the host sent before may have been sent
 * earlier, too, and the first one in a file as well.
 */
#include "answers/exchange/requests.h"

#include <ctype.h>
#include <inttypes.h>

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/opcode.h"
#include "compat/lustre_log/rpc_text.h"
#include "lib/base/memory.h"

/* Requests that are open at the same time. */
#define OPEN_MAX (1u << 16)

/* Words of a key: the number, and two hashes of the client's UUID, or the opcode and PID of a callback. */
#define WORDS 3

/* Only the first five steps of a message can be here. */
#define N_STEPS (RPC_HANDLED + 1)

struct request {
	uint32_t hosts[2]; /* of the client and the server, plus 1; 0: unknown */
	uint32_t opcode;
	bool fresh; /* not sent before */
	bool spoiled;
	uint64_t times[N_STEPS]; /* 0: unknown */
};

static const char *const step_words[N_STEPS] = {
	[RPC_SENDING] = "request sent",
	[RPC_COMPLETED] = "request completed",
	[RPC_HANDLING] = "work begun",
	[RPC_HANDLED] = "work done",
};

int requests_init(struct requests *r, size_t n_hosts)
{
	*r = (struct requests){ .open.n_words = WORDS, .n_hosts = n_hosts };
	r->newest = calloc(n_hosts + 1, sizeof(*r->newest));
	r->list = calloc(OPEN_MAX, sizeof(*r->list));
	return r->newest && r->list ? 0 : -ENOMEM;
}

void requests_clear(struct requests *r)
{
	dkt__keymap_clear(&r->open);
	free(r->list);
	free(r->newest);
}

/* A client that has no connection yet has the UUID 0, and what could not be recorded is in brackets. */
static bool is_uuid(const struct part *client)
{
	for (size_t i = 0; i < client->len; i++)
		if (!isalnum((unsigned char)client->p[i]) && client->p[i] != '-' &&
		    client->p[i] != '_')
			return false;
	return client->len && !part_is(client, "0");
}

static bool read_key(const struct log_line *line, struct rpc_text *text, uint64_t key[WORDS])
{
	if (!dkl_rpc_text_read(line->text.p, line->text.len, text) || text->step >= N_STEPS ||
	    !step_words[text->step] || !line->time || !text->xid || !is_uuid(&text->client))
		return false;
	key[0] = text->xid;
	if (dkl_opcode_is_callback(text->opcode)) {
		key[1] = text->opcode;
		key[2] = text->pid;
		return true;
	}
	key[1] = 1;
	key[2] = 2;
	for (size_t i = 0; i < text->client.len; i++)
		for (int word = 1; word < WORDS; word++)
			key[word] = dkt__mix(key[word], (unsigned char)text->client.p[i]);
	return true;
}

/* Returns whether the host has sent no request of that number before, as far as can be told. */
static bool is_fresh(struct requests *r, uint32_t host, uint64_t xid)
{
	const uint64_t before = r->newest[host];

	r->newest[host] = DKT__MAX(before, xid);
	return before && xid > before;
}

int requests_add(struct requests *r, const struct log_line *line)
{
	struct request *request;
	uint64_t key[WORDS];
	struct rpc_text text;
	uint32_t *host, entry;
	bool added;

	if (!read_key(line, &text, key))
		return 0;
	if (r->open.n == OPEN_MAX)
		return 1;
	entry = dkt__keymap_add(&r->open, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return -ENOMEM;
	request = &r->list[entry];
	if (added)
		*request = (struct request){ .opcode = text.opcode };
	if (text.step == RPC_SENDING)
		request->fresh = is_fresh(r, line->host, text.xid);
	host = &request->hosts[text.server];
	request->spoiled |= request->times[text.step] || (*host && *host != line->host + 1);
	*host = line->host + 1;
	request->times[text.step] = line->time;
	return 0;
}

static size_t put_pairs(const struct request *request, struct dkt__causal_pair pairs[2])
{
	const uint32_t client = request->hosts[0] - 1, server = request->hosts[1] - 1;
	const uint64_t *times = request->times;
	size_t n = 0;

	if (!request->fresh || !times[RPC_HANDLING])
		return 0;
	pairs[n++] =
		(struct dkt__causal_pair){ .cause = client,
					   .cause_time = times[RPC_SENDING],
					   .effect = server,
					   .effect_time = times[RPC_HANDLING] + LINE_TIME_UNIT };
	if (times[RPC_COMPLETED])
		pairs[n++] = (struct dkt__causal_pair){ .cause = server,
							.cause_time = times[RPC_HANDLING],
							.effect = client,
							.effect_time = times[RPC_COMPLETED] +
								       LINE_TIME_UNIT };
	return n;
}

static void put_way(const struct request *request, const uint64_t *key, struct exchange_way *way)
{
	char opcode[OPCODE_TEXT_SIZE];

	dkl_opcode_text(request->opcode, opcode);
	*way = (struct exchange_way){ .n = 0 };
	snprintf(way->label, sizeof(way->label), "%s x%" PRIu64, opcode, key[0]);
	for (int step = 0; step < N_STEPS; step++) {
		const bool server = step == RPC_HANDLING || step == RPC_HANDLED;

		if (request->times[step])
			way->steps[way->n++] =
				(struct exchange_step){ .host = request->hosts[server] - 1,
							.what = step_words[step],
							.time = request->times[step] };
	}
}

/* No entry is ever removed alone, so they are numbered without a hole. */
int requests_tell(struct requests *r, requests_fn fn, void *data)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < r->open.n; i++) {
		const struct request *request = &r->list[i];
		struct dkt__causal_pair pairs[2];
		struct exchange_way way;

		if (request->spoiled || !request->hosts[0] || !request->hosts[1] ||
		    request->hosts[0] == request->hosts[1])
			continue;
		put_way(request, dkt__keymap_key(&r->open, i), &way);
		err = fn(data, pairs, put_pairs(request, pairs), &way);
	}
	dkt__keymap_empty(&r->open);
	return err;
}

void requests_lost(struct requests *r)
{
	memset(r->newest, 0, r->n_hosts * sizeof(*r->newest));
}
