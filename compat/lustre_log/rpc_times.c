/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long Lustre's RPCs take, from its messages of the class rpctrace: a client's "Sending RPC" and
 * "Completed RPC", a server's "Handling RPC" and "Handled RPC".
 */
#include "compat/lustre_log/rpc_times.h"

#include "compat/lustre/message.h"
#include "compat/lustre_log/rpc_text.h"
#include "lib/base/buf.h"
#include "lib/base/keymap.h"
#include "lib/base/memory.h"

/* RPCs under way that are remembered: more than a server has threads, or a client has in flight. */
#define OPEN_MAX (1 << 16)

/* Words of a key: the side, the address or number of the request. */
#define WORDS 2

struct rpc_times {
	struct dkt__keymap open;
	uint64_t *begun; /* by entry of open, ns */
	struct dkt_ctx *ctx;
	struct dkt_buf *text;
	const struct dkt_event *event; /* of message */
	struct message *message; /* NULL: the event has no messages with a text */
};

int dkl_rpc_times_new(struct dkt_ctx *ctx, struct rpc_times **out)
{
	struct rpc_times *times = calloc(1, sizeof(*times));

	*out = NULL;
	if (!times)
		return dkt__no_memory(ctx);
	times->ctx = ctx;
	times->open.n_words = WORDS;
	times->begun = calloc(OPEN_MAX, sizeof(*times->begun));
	if (!times->begun || dkt_buf_new(&times->text)) {
		dkl_rpc_times_free(times);
		return dkt__no_memory(ctx);
	}
	*out = times;
	return 0;
}

void dkl_rpc_times_free(struct rpc_times *times)
{
	if (!times)
		return;
	dkt__keymap_clear(&times->open);
	dkl_message_free(times->message);
	dkt_buf_free(times->text);
	free(times->begun);
	free(times);
}

static int begin(struct rpc_times *times, const uint64_t key[WORDS], uint64_t ts)
{
	uint32_t entry;
	bool added;

	/* Ends that never come, such as those of a client that was unmounted, must not use up memory. */
	if (times->open.n == OPEN_MAX)
		dkt__keymap_empty(&times->open);
	entry = dkt__keymap_add(&times->open, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return dkt__no_memory(times->ctx);
	times->begun[entry] = ts;
	return 0;
}

/* Reads the record's text. Returns false if it is about no RPC. */
static bool read_record(struct rpc_times *times, const struct dkt_record *record,
			struct rpc_text *rpc)
{
	const char *text;
	size_t len;

	if (record->event != times->event) {
		dkl_message_free(times->message);
		times->message = dkl_message_new(times->ctx, record->event, NULL);
		times->event = record->event;
	}
	if (!times->message || dkl_message_is_part(record->event))
		return false;
	dkt_buf_reset(times->text);
	dkl_message_put_text(times->message, record, times->text);
	text = dkt_buf_data(times->text, &len);
	return dkl_rpc_text_read(text, len, rpc) && rpc->step <= RPC_HANDLED &&
	       rpc->step != RPC_ARRIVED;
}

int dkl_rpc_times_add(struct rpc_times *times, const struct dkt_record *record, uint64_t *ns)
{
	struct rpc_text rpc;
	uint64_t key[WORDS];
	uint32_t entry;

	*ns = 0;
	if (!record->event) {
		dkt__keymap_empty(&times->open);
		return 0;
	}
	if (!read_record(times, record, &rpc))
		return 0;
	key[0] = rpc.server;
	/* Clients have requests of the same number. Lustre 2.12 prints no address. */
	key[1] = rpc.address ? rpc.address : rpc.xid;
	if (rpc.step == RPC_SENDING || rpc.step == RPC_HANDLING)
		return begin(times, key, record->ts);
	entry = dkt__keymap_remove(&times->open, key);
	if (entry != DKT__KEYMAP_NONE && record->ts > times->begun[entry])
		*ns = record->ts - times->begun[entry];
	return 0;
}
