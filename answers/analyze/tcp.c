/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments that TCP sends again, by peer and state of the connection. */
#include <arpa/inet.h>

#include "answers/analyze/kinds.h"
#include "answers/analyze/running.h"

struct peer {
	const char *name;
	const char *state;
	uint64_t segments;
};

struct tcp {
	struct dkt__keymap keys; /* from the texts of peer and state to a peer */
	struct peer *peers;
	uint32_t n_peers;
};

static const struct result_column columns[] = {
	{ "peer", RESULT_TEXT, "Peer", NULL, NULL },
	{ "state", RESULT_TEXT, "State of the connection", NULL, NULL },
	{ "segments", RESULT_NUMBER, "Retransmitted segments", "segments", NULL },
};

static const struct result_table tables[] = {
	{ "peers", "Segments that TCP sent again", columns, ARRAY_SIZE(columns), .by = 2,
	  .bar = 2 },
};

enum { DADDR, DADDR_V6, DPORT, STATE, FAMILY };

/* The kernel's numbers of states, from 1. */
static const char *const states[] = {
	"",      "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2",    "TIME_WAIT",
	"CLOSE", "CLOSE_WAIT",  "LAST_ACK", "LISTEN",   "CLOSING",   "NEW_SYN_RECV",
};

/* "192.0.2.1:80" or "[2001:db8::1]:80"; NULL: memory is out. */
static const char *peer_name(struct analyze *a, const struct analysis_record *r)
{
	const char *v4 = NULL, *v6 = NULL;
	size_t n4 = 0, n6 = 0;
	char text[INET6_ADDRSTRLEN] = "?";
	unsigned int port = (unsigned int)record_int(r, DPORT);

	if (r->fields[DADDR])
		v4 = dkt_record_bytes(r->record, r->fields[DADDR], &n4);
	if (r->fields[DADDR_V6])
		v6 = dkt_record_bytes(r->record, r->fields[DADDR_V6], &n6);
	/* A kernel without the family has an address of version 6 that is mapped from version 4. */
	if (n4 >= 4 && (!r->fields[FAMILY] || record_int(r, FAMILY) == AF_INET)) {
		inet_ntop(AF_INET, v4, text, sizeof(text));
		return texts_format(&a->texts, "%s:%u", text, port);
	}
	if (n6 >= 16)
		inet_ntop(AF_INET6, v6, text, sizeof(text));
	return texts_format(&a->texts, "[%s]:%u", text, port);
}

static int on_retransmit(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct tcp *tcp = state;
	uint64_t nr = (uint64_t)record_int(r, STATE), key[2];
	struct peer peer = { .name = peer_name(a, r) };
	bool added = false;
	uint32_t entry;

	peer.state = nr < ARRAY_SIZE(states) ? states[nr] : texts_format(&a->texts, "%d", (int)nr);
	key[0] = (uintptr_t)peer.name;
	key[1] = (uintptr_t)peer.state;
	tcp->keys.n_words = 2;
	entry = dkt__keymap_add(&tcp->keys, key, &added);
	if (!peer.name || !peer.state || entry == DKT__KEYMAP_NONE ||
	    (added && dkt__append(tcp->peers, tcp->n_peers, peer)))
		return -ENOMEM;
	tcp->peers[entry].segments++;
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	const struct tcp *tcp = state;
	int err = 0;

	for (uint32_t i = 0; !err && i < tcp->n_peers; i++) {
		const struct result_cell cells[ARRAY_SIZE(columns)] = {
			cell_text(tcp->peers[i].name),
			cell_text(tcp->peers[i].state),
			cell_number(tcp->peers[i].segments),
		};

		err = analyze_row(a, &tables[0], cells);
	}
	return err;
}

static void clear(void *state)
{
	struct tcp *tcp = state;

	dkt__keymap_clear(&tcp->keys);
	free(tcp->peers);
}

static const struct analysis_event events[] = {
	{ "tcp:tcp_retransmit_skb",
	  NEED_ALL,
	  on_retransmit,
	  { "daddr", "daddr_v6", "dport", "state", "family" } },
};

const struct analysis_kind tcp_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct tcp),
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
};
