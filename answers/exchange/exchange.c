/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins the sides of exchanges.
 *
 * TCP: the kernel changes the state of a socket before it sends what follows from it, and after it received what
 * caused it. So an end of a connection is established before the other one hears of it, a FIN is sent before it
 * arrives, and it arrives before its acknowledgement does. tcp:tcp_probe has no number that both sides know.
 *
 * sunrpc: a request has its number before it is sent, and the server works on it before it answers.
 *
 * Lustre: see requests.c.
 *
 * A number or a pair of ports can be used again. If a step comes twice, or from a third host, which belongs to
 * which is not certain, and nothing more is said of this exchange.
 */
#include "answers/exchange/exchange.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "answers/exchange/requests.h"
#include "compat/lustre_log/line.h"
#include "lib/base/keymap.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* Exchanges that are open at the same time. */
#define OPEN_MAX (1u << 18)

/* As in the kernel's include/net/tcp_states.h. */
enum tcp {
	ESTABLISHED = 1,
	SYN_SENT = 2,
	SYN_RECV = 3,
	FIN_WAIT1 = 4,
	FIN_WAIT2 = 5,
	CLOSE_WAIT = 8,
	LAST_ACK = 9,
	CLOSING = 11,
};

enum step {
	CONNECTED, /* TCP: by an active open */
	ACCEPTED,
	FIN_SENT,
	FIN_ARRIVED,
	FIN_ACKNOWLEDGED,
	REQUESTED, /* sunrpc */
	WORKED,
	ANSWERING,
	ANSWERED,
	N_STEPS,
	NONE = N_STEPS,
};

/* The first step, on one side, comes before the second one, on the other. */
static const struct rule {
	enum step cause, effect;
} rules[] = {
	{ CONNECTED, ACCEPTED }, { FIN_SENT, FIN_ARRIVED }, { FIN_ARRIVED, FIN_ACKNOWLEDGED },
	{ REQUESTED, WORKED },   { WORKED, ANSWERED },      { ANSWERING, ANSWERED },
};

static const char *const step_words[N_STEPS] = {
	[CONNECTED] = "connected",
	[ACCEPTED] = "accepted",
	[FIN_SENT] = "FIN sent",
	[FIN_ARRIVED] = "FIN arrived",
	[FIN_ACKNOWLEDGED] = "FIN acknowledged",
	[REQUESTED] = "request made",
	[WORKED] = "work begun",
	[ANSWERING] = "answer sent",
	[ANSWERED] = "answer arrived",
};

struct side {
	uint32_t host; /* plus 1; 0: unknown */
	uint64_t times[N_STEPS]; /* 0: unknown */
};

struct open {
	struct side sides[2];
	bool spoiled;
};

/* An event of one kernel. */
struct kind {
	const char *system, *name;
	enum step step; /* of sunrpc */
	bool server;
};

static const struct kind kinds[] = {
	{ "sock", "inet_sock_set_state", NONE, false },
	{ "sunrpc", "xprt_reserve", REQUESTED, false },
	{ "sunrpc", "xprt_lookup_rqst", ANSWERED, false },
	{ "sunrpc", "svc_process", WORKED, true },
	{ "sunrpc", "svc_xdr_sendto", ANSWERING, true },
};

#define N_KINDS ARRAY_SIZE(kinds)

enum field {
	OLD,
	NEW,
	PROTOCOL,
	SPORT,
	DPORT,
	SADDR,
	DADDR,
	N_TCP,
	XID = 0,
	STATUS,
	N_FIELDS = N_TCP,
};

static const char *const tcp_fields[N_TCP] = { "oldstate", "newstate", "protocol", "sport",
					       "dport",    "saddr_v6", "daddr_v6" };

struct known {
	struct dkt_event *event; /* NULL: the kernel does not have it, or not its fields */
	const struct dkt_field *fields[N_FIELDS];
};

struct exchange {
	exchange_fn fn;
	void *data;
	exchange_way_fn way_fn; /* NULL: not wanted */
	void *way_data;
	struct known *known; /* N_KINDS for each host */
	size_t n_hosts;
	struct dkt__keymap map;
	struct open *list; /* by entry of map */
	size_t n_list;
	struct requests requests; /* of Lustre */
};

/* ---- events ---- */

static bool find_fields(const struct kind *kind, struct known *known)
{
	if (kind->step != NONE) {
		known->fields[XID] = dkt_event_field(known->event, "xid");
		known->fields[STATUS] = dkt_event_field(known->event, "status");
		return known->fields[XID];
	}
	for (size_t i = 0; i < N_TCP; i++) {
		known->fields[i] = dkt_event_field(known->event, tcp_fields[i]);
		if (!known->fields[i])
			return false;
	}
	return true;
}

static bool find_event(struct dkt_ctx *ctx, size_t kind, struct known *known)
{
	known->event = dkt_event_find(ctx, kinds[kind].system, kinds[kind].name);
	if (known->event && !find_fields(&kinds[kind], known))
		known->event = NULL;
	/* A kernel that lacks the event is no failure. */
	if (!known->event)
		free(dkt__error_take(ctx));
	return known->event;
}

bool exchange_has(struct dkt_ctx *ctx)
{
	struct known known;

	for (size_t i = 0; i < N_KINDS; i++)
		if (find_event(ctx, i, &known))
			return true;
	return dkl_line_any(ctx);
}

/* ---- steps ---- */

static enum step step_of(int64_t old, int64_t new)
{
	if (old == SYN_SENT && new == ESTABLISHED)
		return CONNECTED;
	if (old == SYN_RECV && new == ESTABLISHED)
		return ACCEPTED;
	if (new == FIN_WAIT1 || new == LAST_ACK)
		return FIN_SENT;
	if (new == CLOSE_WAIT || new == CLOSING)
		return FIN_ARRIVED;
	return old == FIN_WAIT1 && new == FIN_WAIT2 ? FIN_ACKNOWLEDGED : NONE;
}

/* A loopback address is of every host. An IPv4 address is one of IPv6 here, too. */
static bool is_loopback(const uint8_t *address)
{
	static const uint8_t mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127 };
	static const uint8_t one[16] = { [15] = 1 };

	return !memcmp(address, mapped, sizeof(mapped)) || !memcmp(address, one, sizeof(one));
}

/* Reads the key of a connection, which both ends have, and the side. False: it has none. */
static bool read_tcp(const struct known *known, const struct dkt_record *record,
		     uint64_t key[DKT__KEYMAP_MAX], int *side, enum step *step)
{
	const uint64_t sport = (uint64_t)dkt_record_int(record, known->fields[SPORT]);
	const uint64_t dport = (uint64_t)dkt_record_int(record, known->fields[DPORT]);
	const uint8_t *addresses[2];
	size_t len[2];
	int order;

	*step = step_of(dkt_record_int(record, known->fields[OLD]),
			dkt_record_int(record, known->fields[NEW]));
	for (int i = 0; i < 2; i++)
		addresses[i] = dkt_record_bytes(record, known->fields[i ? DADDR : SADDR], &len[i]);
	if (*step == NONE || dkt_record_int(record, known->fields[PROTOCOL]) != IPPROTO_TCP ||
	    !sport || !dport || len[0] != 16 || len[1] != 16 || is_loopback(addresses[0]))
		return false;
	order = memcmp(addresses[0], addresses[1], 16);
	*side = order ? order > 0 : sport > dport;
	memcpy(key, addresses[*side], 16);
	memcpy(key + 2, addresses[!*side], 16);
	key[4] = *side ? dport << 16 | sport : sport << 16 | dport;
	return true;
}

static bool read_rpc(const struct kind *kind, const struct known *known,
		     const struct dkt_record *record, uint64_t key[DKT__KEYMAP_MAX], int *side,
		     enum step *step)
{
	/* An answer to a request that is not known. */
	if (kind->step == ANSWERED && known->fields[STATUS] &&
	    dkt_record_int(record, known->fields[STATUS]))
		return false;
	/* No connection has such ports. */
	memset(key, 0, DKT__KEYMAP_MAX * sizeof(*key));
	key[0] = (uint32_t)dkt_record_int(record, known->fields[XID]);
	*side = kind->server;
	*step = kind->step;
	return key[0];
}

/* ---- ways ---- */

static void put_end(char *text, size_t size, const uint64_t *address, unsigned int port)
{
	struct in6_addr in;
	char ip[INET6_ADDRSTRLEN] = "";

	memcpy(&in, address, sizeof(in));
	if (IN6_IS_ADDR_V4MAPPED(&in))
		inet_ntop(AF_INET, &in.s6_addr[12], ip, sizeof(ip));
	else
		inet_ntop(AF_INET6, &in, ip, sizeof(ip));
	snprintf(text, size, strchr(ip, ':') ? "[%s]:%u" : "%s:%u", ip, port);
}

/* The end that opened the connection is the first. */
static void put_label(struct exchange_way *way, const uint64_t *key, const struct open *open)
{
	const bool swap = open->sides[1].times[CONNECTED] || open->sides[0].times[ACCEPTED];
	char ends[2][INET6_ADDRSTRLEN + 16];

	if (!key[4]) {
		snprintf(way->label, sizeof(way->label), "request 0x%" PRIx64, key[0]);
		return;
	}
	put_end(ends[0], sizeof(ends[0]), key, key[4] >> 16 & 0xffff);
	put_end(ends[1], sizeof(ends[1]), key + 2, key[4] & 0xffff);
	snprintf(way->label, sizeof(way->label), "%s to %s", ends[swap], ends[!swap]);
}

static int compare_steps(const void *one, const void *other)
{
	const struct exchange_step *a = one, *b = other;

	return a->time < b->time ? -1 : a->time > b->time;
}

static int tell_steps(const struct exchange *x, struct exchange_way *way)
{
	qsort(way->steps, way->n, sizeof(way->steps[0]), compare_steps);
	return x->way_fn(x->way_data, way);
}

static int tell_way(const struct exchange *x, uint32_t entry)
{
	const struct open *open = &x->list[entry];
	struct exchange_way way = { .n = 0 };

	if (open->spoiled || !open->sides[0].host || !open->sides[1].host ||
	    open->sides[0].host == open->sides[1].host)
		return 0;
	for (int side = 0; side < 2; side++)
		for (int step = 0; step < N_STEPS; step++)
			if (open->sides[side].times[step])
				way.steps[way.n++] = (struct exchange_step){
					.host = open->sides[side].host - 1,
					.what = step_words[step],
					.time = open->sides[side].times[step]
				};
	put_label(&way, dkt__keymap_key(&x->map, entry), open);
	return tell_steps(x, &way);
}

/* A requests_fn. */
static int tell_request(void *data, const struct dkt__causal_pair *pairs, size_t n_pairs,
			struct exchange_way *way)
{
	const struct exchange *x = data;
	int err = 0;

	for (size_t i = 0; !err && x->fn && i < n_pairs; i++)
		err = x->fn(x->data, &pairs[i]);
	return err || !x->way_fn ? err : tell_steps(x, way);
}

void exchange_tell_ways(struct exchange *x, exchange_way_fn fn, void *data)
{
	x->way_fn = fn;
	x->way_data = data;
}

/* No entry is ever removed alone, so they are numbered without a hole. */
static int finish_map(struct exchange *x)
{
	int err = 0;

	for (uint32_t i = 0; !err && x->way_fn && i < x->map.n; i++)
		err = tell_way(x, i);
	dkt__keymap_empty(&x->map);
	return err;
}

int exchange_finish(struct exchange *x)
{
	int err = finish_map(x);

	if (!err)
		err = requests_tell(&x->requests, tell_request, x);
	requests_lost(&x->requests);
	return err;
}

/* ---- exchanges ---- */

/* Tells each rule that the step completes. */
static int tell(struct exchange *x, const struct open *open, int side, enum step step)
{
	int err = 0;

	for (size_t i = 0; !err && x->fn && i < ARRAY_SIZE(rules); i++) {
		const struct rule *rule = &rules[i];
		const bool effect = rule->effect == step;
		const struct side *cause = &open->sides[effect ? !side : side];
		const struct side *other = &open->sides[effect ? side : !side];
		const struct dkt__causal_pair pair = { .cause = cause->host - 1,
						       .effect = other->host - 1,
						       .cause_time = cause->times[rule->cause],
						       .effect_time = other->times[rule->effect] };

		if ((effect || rule->cause == step) && pair.cause_time && pair.effect_time &&
		    pair.cause != pair.effect)
			err = x->fn(x->data, &pair);
	}
	return err;
}

static int take(struct exchange *x, const uint64_t *key, uint32_t host, int side, enum step step,
		uint64_t ts)
{
	struct open *open;
	uint32_t entry;
	bool added;

	if (x->map.n == OPEN_MAX) {
		int err = finish_map(x);

		if (err)
			return err;
	}
	entry = dkt__keymap_add(&x->map, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return -ENOMEM;
	open = dkt__reach(x->list, x->n_list, entry);
	if (!open)
		return -ENOMEM;
	if (added)
		*open = (struct open){ 0 };
	if (open->spoiled)
		return 0;
	open->spoiled = open->sides[side].times[step] ||
			(open->sides[side].host && open->sides[side].host != host + 1);
	if (open->spoiled)
		return 0;
	open->sides[side].host = host + 1;
	open->sides[side].times[step] = ts;
	return tell(x, open, side, step);
}

int exchange_add(struct exchange *x, uint32_t host, const struct dkt_record *record)
{
	uint64_t key[DKT__KEYMAP_MAX];
	enum step step;
	int side;

	if (!record->event)
		return exchange_finish(x);
	for (size_t i = 0; record->ts && i < N_KINDS; i++) {
		const struct known *known = &x->known[host * N_KINDS + i];

		if (known->event != record->event)
			continue;
		if (kinds[i].step == NONE ? read_tcp(known, record, key, &side, &step) :
					    read_rpc(&kinds[i], known, record, key, &side, &step))
			return take(x, key, host, side, step, record->ts);
		return 0;
	}
	return 0;
}

int exchange_add_line(struct exchange *x, const struct log_line *line)
{
	int err = requests_add(&x->requests, line);

	if (err != 1)
		return err;
	err = requests_tell(&x->requests, tell_request, x);
	return err ? err : requests_add(&x->requests, line);
}

int exchange_new(struct dkt_ctx *const *ctxs, size_t n_hosts, exchange_fn fn, void *data,
		 struct exchange **exchange)
{
	struct exchange *x = *exchange = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	*x = (struct exchange){ .fn = fn, .data = data, .n_hosts = n_hosts };
	x->map.n_words = DKT__KEYMAP_MAX;
	x->known = calloc(n_hosts * N_KINDS + 1, sizeof(*x->known));
	if (!x->known || requests_init(&x->requests, n_hosts))
		return -ENOMEM;
	for (size_t i = 0; i < n_hosts * N_KINDS; i++)
		find_event(ctxs[i / N_KINDS], i % N_KINDS, &x->known[i]);
	return 0;
}

void exchange_free(struct exchange *x)
{
	if (!x)
		return;
	requests_clear(&x->requests);
	dkt__keymap_clear(&x->map);
	free(x->list);
	free(x->known);
	free(x);
}
