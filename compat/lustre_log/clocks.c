/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The differences between the clocks of several hosts, from the order of messages about the same RPC. */
#include "compat/lustre_log/clocks.h"

#include "compat/lustre_log/rpc_text.h"
#include "lib/base/memory.h"

/* RPCs with one side that are remembered until the other side comes. */
#define OPEN_MAX (1u << 20)

#define UNKNOWN INT64_MAX

struct clocks_rpc {
	uint64_t sent, completed; /* 0: unknown */
	uint64_t arrived, handling;
	uint32_t client, server; /* hosts */
	bool before, after; /* the pair was used for this bound */
};

int dkl_clocks_init(struct clocks *clocks, struct dkt_ctx *ctx, size_t n)
{
	*clocks = (struct clocks){ .ctx = ctx, .n = n, .open.n_words = 1 };
	clocks->most = calloc(n * n, sizeof(*clocks->most));
	clocks->pairs = calloc(n * n, sizeof(*clocks->pairs));
	if (!clocks->most || !clocks->pairs)
		return dkt__no_memory(ctx);
	for (size_t i = 0; i < n * n; i++)
		clocks->most[i] = i % (n + 1) ? UNKNOWN : 0;
	return 0;
}

void dkl_clocks_clear(struct clocks *clocks)
{
	dkt__keymap_clear(&clocks->open);
	free(clocks->list);
	free(clocks->most);
	free(clocks->pairs);
	*clocks = (struct clocks){ 0 };
}

/* Host a, with a's time, was not later than host b with b's time. */
static void bound(struct clocks *clocks, uint32_t a, uint64_t a_time, uint32_t b, uint64_t b_time)
{
	int64_t *most = &clocks->most[a * clocks->n + b];
	int64_t apart = (int64_t)(b_time - a_time);

	/* Damaged times can be too far apart to calculate with. */
	if (apart < UNKNOWN / 4 && apart > -UNKNOWN / 4)
		*most = DKT__MIN(*most, apart + LINE_TIME_UNIT);
}

static void use(struct clocks *clocks, struct clocks_rpc *rpc)
{
	uint64_t arrived = rpc->arrived ? rpc->arrived : rpc->handling;

	if (rpc->client == rpc->server)
		return;
	if (!rpc->before && rpc->sent && arrived) {
		bound(clocks, rpc->client, rpc->sent, rpc->server, arrived);
		rpc->before = true;
		clocks->pairs[rpc->client * clocks->n + rpc->server]++;
	}
	if (!rpc->after && rpc->handling && rpc->completed) {
		bound(clocks, rpc->server, rpc->handling, rpc->client, rpc->completed);
		rpc->after = true;
	}
}

static struct clocks_rpc *find(struct clocks *clocks, uint64_t xid)
{
	uint32_t entry;
	bool added;

	if (clocks->open.n == OPEN_MAX)
		dkt__keymap_empty(&clocks->open);
	entry = dkt__keymap_add(&clocks->open, &xid, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (entry == clocks->n_list &&
	    dkt__append(clocks->list, clocks->n_list, (struct clocks_rpc){ 0 }))
		return NULL;
	if (added)
		clocks->list[entry] = (struct clocks_rpc){ 0 };
	return &clocks->list[entry];
}

int dkl_clocks_add(struct clocks *clocks, const struct log_line *line)
{
	struct rpc_text text;
	struct clocks_rpc *rpc;

	if (!dkl_rpc_text_read(line->text.p, line->text.len, &text) || text.step > RPC_HANDLING)
		return 0;
	rpc = find(clocks, text.xid);
	if (!rpc)
		return dkt__no_memory(clocks->ctx);
	if (text.server)
		rpc->server = line->host;
	else
		rpc->client = line->host;
	/* The first sending and the last completion hold for requests that are sent again, too. */
	if (text.step == RPC_SENDING && !rpc->sent)
		rpc->sent = line->time;
	else if (text.step == RPC_COMPLETED)
		rpc->completed = line->time;
	else if (text.step == RPC_ARRIVED && !rpc->arrived)
		rpc->arrived = line->time;
	else if (text.step == RPC_HANDLING && !rpc->handling)
		rpc->handling = line->time;
	use(clocks, rpc);
	if (rpc->before && rpc->after)
		dkt__keymap_remove(&clocks->open, &text.xid);
	return 0;
}

void dkl_clocks_finish(struct clocks *clocks)
{
	size_t n = clocks->n;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++) {
				int64_t a = clocks->most[i * n + k], b = clocks->most[k * n + j];

				if (i != j && a != UNKNOWN && b != UNKNOWN &&
				    llabs(a) < UNKNOWN / 4 && llabs(b) < UNKNOWN / 4 &&
				    a + b < clocks->most[i * n + j])
					clocks->most[i * n + j] = a + b;
			}
}

bool dkl_clocks_get(const struct clocks *clocks, size_t host, struct clocks_offset *offset)
{
	int64_t most = clocks->most[host * clocks->n], least = clocks->most[host];

	*offset = (struct clocks_offset){ 0 };
	if (most == UNKNOWN || least == UNKNOWN)
		return false;
	least = -least;
	offset->ns = least + (most - least) / 2;
	offset->contradictory = most < least;
	offset->error = (uint64_t)llabs(most - least) / 2;
	for (size_t i = 0; i < clocks->n; i++)
		offset->pairs +=
			clocks->pairs[host * clocks->n + i] + clocks->pairs[i * clocks->n + host];
	return true;
}
