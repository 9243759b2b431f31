/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long Lustre's RPCs take, from its messages of the class rpctrace: a client's "Sending RPC" and
 * "Completed RPC", a server's "Handling RPC" and "Handled RPC".
 */
#include "compat/lustre_log/rpc_times.h"

#include "compat/lustre/message.h"
#include "lib/base/buf.h"
#include "lib/base/keymap.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

/* RPCs under way that are remembered: more than a server has threads, or a client has in flight. */
#define OPEN_MAX (1 << 16)

/* Words of a key: the side, the id. */
#define WORDS 2

struct rpc_times {
	struct dkt__keymap open;
	uint64_t *begun; /* by entry of open, ns */
	struct dkt_ctx *ctx;
	struct dkt_buf *text;
	const struct dkt_event *event; /* of message */
	struct message *message; /* NULL: the event has no messages with a text */
};

/* ---- texts ---- */

static bool take(const char **p, const char *end, const char *word)
{
	const size_t len = strlen(word);

	if ((size_t)(end - *p) < len || memcmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

/*
 * Finds the RPC's number in "NAME:CLIENT:PID:XID:NID:OPCODE", with an x before the number on servers.
 * NAME and CLIENT can have colons, and no part of them that follows a number is one.
 */
static bool find_xid(const char *p, const char *end, uint64_t *xid)
{
	uint64_t pid;

	for (; p < end && (p = memchr(p, ':', (size_t)(end - p))); p++) {
		const char *at = p + 1;

		if (dkt__take_u64(&at, end, DKT__DEC, &pid) || !take(&at, end, ":"))
			continue;
		take(&at, end, "x");
		if (!dkt__take_u64(&at, end, DKT__DEC, xid) && at < end && *at == ':')
			return true;
	}
	return false;
}

bool dkl_rpc_message_read(const char *text, size_t len, struct rpc_message *rpc)
{
	static const struct {
		const char *words;
		bool ends, server;
	} kinds[] = { { "Sending RPC ", false, false },
		      { "Completed RPC ", true, false },
		      { "Handling RPC ", false, true },
		      { "Handled RPC ", true, true } };
	const char *p = text, *end = text + len;
	size_t i = 0;

	while (i < ARRAY_SIZE(kinds) && !take(&p, end, kinds[i].words))
		i++;
	if (i == ARRAY_SIZE(kinds))
		return false;
	rpc->ends = kinds[i].ends;
	rpc->server = kinds[i].server;
	if (!take(&p, end, "req@"))
		return find_xid(p, end, &rpc->id);
	take(&p, end, "0x");
	return !dkt__take_u64(&p, end, DKT__HEX, &rpc->id);
}

/* ---- pairs ---- */

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
			struct rpc_message *rpc)
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
	return dkl_rpc_message_read(text, len, rpc);
}

int dkl_rpc_times_add(struct rpc_times *times, const struct dkt_record *record, uint64_t *ns)
{
	struct rpc_message rpc;
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
	key[1] = rpc.id;
	if (!rpc.ends)
		return begin(times, key, record->ts);
	entry = dkt__keymap_remove(&times->open, key);
	if (entry != DKT__KEYMAP_NONE && record->ts > times->begun[entry])
		*ns = record->ts - times->begun[entry];
	return 0;
}
