/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long Lustre's RPCs take, from its messages of the class rpctrace: a client's "Sending RPC" and
 * "Completed RPC", a server's "Handling RPC" and "Handled RPC".
 */
#include "compat/lustre_log/rpc_times.h"

#include "compat/lustre/message/reader.h"
#include "compat/lustre_log/rpc_text.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/open.h"

/* Words of a key: the side, the address or number of the request. */
#define WORDS 2

struct rpc_times {
	struct dkt__open open; /* of struct dkt__begun */
	struct dkt_ctx *ctx;
	struct dkt_buf *text;
	struct message_reader *messages;
};

int dkl_rpc_times_new(struct dkt_ctx *ctx, struct rpc_times **out)
{
	struct rpc_times *times = calloc(1, sizeof(*times));

	*out = NULL;
	if (!times)
		return dkt__no_memory(ctx);
	times->ctx = ctx;
	times->open.all.keys.n_words = WORDS;
	times->open.all.size = sizeof(struct dkt__begun);
	if (dkt_buf_new(&times->text) || dkl_message_reader_new(ctx, &times->messages)) {
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
	dkt__open_clear(&times->open);
	dkl_message_reader_free(times->messages);
	dkt_buf_free(times->text);
	free(times);
}

/* Reads the record's text. Returns false if it is about no RPC. */
static bool read_record(struct rpc_times *times, const struct dkt_record *record,
			struct rpc_text *rpc)
{
	const struct message *message = dkl_message_reader_get(times->messages, record->event);
	const char *text;
	size_t len;

	if (dkl_message_reader_keep(times->messages, record) || !message)
		return false;
	dkt_buf_reset(times->text);
	dkl_message_put_text(message, record, times->text);
	text = dkt_buf_data(times->text, &len);
	return dkl_rpc_text_read(text, len, rpc) && rpc->step <= RPC_HANDLED &&
	       rpc->step != RPC_ARRIVED;
}

int dkl_rpc_times_add(struct rpc_times *times, const struct dkt_record *record, uint64_t *ns)
{
	struct rpc_text rpc;
	const struct dkt__begun *begun;
	uint64_t key[WORDS];
	bool flag;

	*ns = 0;
	if (!record->event) {
		dkt__open_drop(&times->open);
		return 0;
	}
	if (!read_record(times, record, &rpc))
		return 0;
	key[0] = rpc.server;
	/* Clients have requests of the same number. Lustre 2.12 prints no address. */
	key[1] = rpc.address ? rpc.address : rpc.xid;
	if (rpc.step == RPC_SENDING || rpc.step == RPC_HANDLING)
		return dkt__open_begin(&times->open, key, record->ts, 0, &flag) ?
			       0 :
			       dkt__no_memory(times->ctx);
	begun = dkt__open_end(&times->open, key, 0, &flag, NULL);
	if (begun && record->ts > begun->ts)
		*ns = record->ts - begun->ts;
	return 0;
}
