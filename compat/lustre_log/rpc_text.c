/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages about RPCs, as versions 2.12 to 2.17 write them. */
#include "compat/lustre_log/rpc_text.h"

/* Separates the names of a request from its times. */
#define PROCESSED " Request processed in "

const char *dkl_rpc_step_name(enum rpc_step step)
{
	static const char *const names[] = {
		[RPC_SENDING] = "sending",
		[RPC_COMPLETED] = "completed",
		[RPC_ARRIVED] = "arrived",
		[RPC_HANDLING] = "handling",
		[RPC_HANDLED] = "handled",
		[RPC_TIMED_OUT] = "timed out",
		[RPC_NETWORK_ERROR] = "network error",
		[RPC_RESENDING] = "resending",
		[RPC_EARLY_REPLY] = "early reply",
		[RPC_REPLY] = "reply",
		[RPC_REPLYING] = "replying",
		[RPC_TRANSFERRING] = "transferring",
		[RPC_DROPPED] = "dropped",
		[RPC_LATE] = "late",
		[RPC_BULK] = "bulk error",
		[RPC_ABORTED] = "aborted",
		[RPC_DELAYED] = "delayed",
		[RPC_MENTIONED] = "mentioned",
	};

	return names[step];
}

bool dkl_rpc_step_is_trouble(enum rpc_step step)
{
	return step > RPC_HANDLED && step != RPC_REPLY && step != RPC_REPLYING &&
	       step != RPC_TRANSFERRING && step != RPC_DELAYED && step != RPC_MENTIONED;
}

struct part dkl_nid_part(struct part nid)
{
	struct rest rest = { nid.p, nid.p + nid.len };
	uint64_t pid;

	if (take_number(&rest, &pid) && take_word(&rest, "-"))
		return (struct part){ rest.p, rest_len(&rest) };
	return nid;
}

/* ---- the four messages of the class rpctrace ---- */

/*
 * Finds the number in "THREAD:CLIENT:PID:XID:", with an x before it on servers. THREAD can have
 * colons, such as kworker/0:1, but no part of it that follows a number is one.
 */
static bool take_xid(struct rest *rest, struct rpc_text *rpc)
{
	const char *from = rest->p;

	while (take_until(rest, ':', &rpc->client)) {
		struct rest at = *rest;

		take_word(&at, "-");
		if (!take_number(&at, &rpc->pid) || !take_word(&at, ":"))
			continue;
		take_word(&at, "x");
		if (!take_number(&at, &rpc->xid) || !take_word(&at, ":"))
			continue;
		/* The client is the part before PID, and the thread all that is before the client. */
		if (rpc->client.p > from)
			rpc->thread = (struct part){ from, (size_t)(rpc->client.p - 1 - from) };
		*rest = at;
		return true;
	}
	return false;
}

/* Takes a NID, which has colons if its address is of IPv6. */
static bool take_nid(struct rest *rest, struct part *nid)
{
	const char *at = memchr(rest->p, '@', rest_len(rest));
	const char *from = at ? at : rest->p;
	const char *colon = memchr(from, ':', (size_t)(rest->end - from));

	if (!colon)
		return false;
	*nid = dkl_nid_part((struct part){ rest->p, (size_t)(colon - rest->p) });
	rest->p = colon + 1;
	return true;
}

/* Reads " Request processed in 81us (95us total) trans 0 rc 0/0", which may be cut. */
static void take_times(struct rest *rest, struct rpc_text *rpc)
{
	uint64_t service, total;

	if (!take_number(rest, &service) || !take_word(rest, "us (") ||
	    !take_number(rest, &total) || !take_word(rest, "us total)"))
		return;
	rpc->timed = true;
	rpc->service = service * 1000;
	rpc->total = total * 1000;
	if (take_to(rest, " rc "))
		take_signed(rest, &rpc->rc);
}

/* Finds where the job ends and the times begin. NULL: there are no times. */
static const char *find_times(const struct rest *rest)
{
	const char *p = rest->p;

	while ((p = memchr(p, ' ', (size_t)(rest->end - p)))) {
		if ((size_t)(rest->end - p) >= strlen(PROCESSED) &&
		    !memcmp(p, PROCESSED, strlen(PROCESSED)))
			return p;
		p++;
	}
	return NULL;
}

/* Reads "THREAD:CLIENT:PID:XID:NID:OPCODE", and the job and times that may follow. */
static bool read_names(struct rest *rest, struct rpc_text *rpc)
{
	struct part names;
	uint64_t opcode;
	const char *end;

	if (take_word(rest, "req@")) {
		take_hex(rest, &rpc->address);
		take_word(rest, " ");
	}
	/* The names of the parts, "pname:cluuid:pid:xid:nid:opc:job ". */
	if (!take_word(rest, "pname:") || !take_until(rest, ' ', &names) || !take_xid(rest, rpc) ||
	    !take_nid(rest, &rpc->nid) || !take_number(rest, &opcode))
		return false;
	rpc->opcode = (uint32_t)opcode;
	end = rpc->step == RPC_HANDLED ? find_times(rest) : NULL;
	if (take_word(rest, ":"))
		rpc->job = (struct part){ rest->p, (size_t)((end ? end : rest->end) - rest->p) };
	if (end) {
		rest->p = end + strlen(PROCESSED);
		take_times(rest, rpc);
	}
	return true;
}

/* The same of a server, which writes the number of references after the client's UUID. */
static bool read_served(struct rest *rest, struct rpc_text *rpc)
{
	const char *plus;

	if (!read_names(rest, rpc))
		return false;
	plus = rpc->client.len ? memrchr(rpc->client.p, '+', rpc->client.len) : NULL;
	if (plus)
		rpc->client.len = (size_t)(plus - rpc->client.p);
	return true;
}

/* ---- messages about a request ---- */

static enum rpc_step step_of(const struct part *words)
{
	static const struct {
		const char *words;
		enum rpc_step step;
	} steps[] = {
		{ "Request sent has timed out", RPC_TIMED_OUT },
		{ "Request sent has failed", RPC_NETWORK_ERROR },
		{ "send failed", RPC_NETWORK_ERROR },
		{ "going to resend", RPC_RESENDING },
		{ "Resending request", RPC_RESENDING },
		{ "resending request", RPC_RESENDING },
		{ "Early reply", RPC_EARLY_REPLY },
		{ "reply in flags", RPC_REPLY },
		/* LNet's event that a message was put into the buffer for the reply. */
		{ "type 2, status 0", RPC_REPLY },
		{ "sending reply", RPC_REPLYING },
		{ "Dropping timed-out request", RPC_DROPPED },
		{ "Already past deadline", RPC_LATE },
		{ "Couldn't add any time", RPC_LATE },
		{ "Could not add any time", RPC_LATE },
		{ "req waiting for recovery", RPC_DELAYED },
		{ "inflight", RPC_ABORTED },
		{ "aborting waiting req", RPC_ABORTED },
		{ "bulk transfer failed", RPC_BULK },
		{ "Eviction on bulk", RPC_BULK },
		{ "Reconnect on bulk", RPC_BULK },
		{ "timeout on bulk", RPC_BULK },
		{ "network error on bulk", RPC_BULK },
		{ "truncated bulk", RPC_BULK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (part_begins(words, steps[i].words))
			return steps[i].step;
	return RPC_MENTIONED;
}

/* Takes "TARGET@NID:28/4 lens ", up to the portals. A target can have the NID of its server in its name. */
static bool take_target(struct rest *rest, struct rpc_text *rpc)
{
	const char *end = memmem(rest->p, rest_len(rest), " lens ", 6), *at, *before;
	/* The portals follow the last colon. */
	const char *colon = end ? memrchr(rest->p, ':', (size_t)(end - rest->p)) : NULL;

	at = colon ? memrchr(rest->p, '@', (size_t)(colon - rest->p)) : NULL;
	if (!at)
		return false;
	/* A NID has an @ of its own, but "<unknown>" has none. */
	before = memrchr(rest->p, '@', (size_t)(at - rest->p));
	if (!before)
		before = at;
	rpc->target = (struct part){ rest->p, (size_t)(before - rest->p) };
	rpc->nid = dkl_nid_part((struct part){ before + 1, (size_t)(colon - before - 1) });
	rest->p = end;
	return true;
}

/*
 * Reads "WORDS req@ADDRESS x123/t0(0) o400->TARGET@NID:28/4 lens 224/224 ... rc 0/-1 job:'x.0'". 2.12 has
 * no job, and 2.17 has more after it.
 */
static bool read_request(struct rest *rest, struct rpc_text *rpc)
{
	int64_t opcode;

	rpc->words.p = rest->p;
	if (!take_to(rest, " req@"))
		return false;
	rpc->words.len = (size_t)(rest->p - rpc->words.p) - strlen(" req@");
	while (rpc->words.len && rpc->words.p[rpc->words.len - 1] == ' ')
		rpc->words.len--;
	if (!take_hex(rest, &rpc->address) || !take_word(rest, " x") ||
	    !take_number(rest, &rpc->xid) || !take_word(rest, "/t"))
		return false;
	rpc->step = step_of(&rpc->words);
	if (!take_to(rest, " o") || !take_signed(rest, &opcode))
		return true;
	if (opcode >= 0)
		rpc->opcode = (uint32_t)opcode;
	if (!take_word(rest, "->") || !take_target(rest, rpc))
		return true;
	if (take_to(rest, " rc "))
		take_signed(rest, &rpc->rc);
	if (take_to(rest, " job:'"))
		take_until(rest, '\'', &rpc->job);
	return true;
}

/*
 * Reads "Transferring 4 pages 16384 bytes via portal 8 id 12345-10.0.0.1@tcp mbits 0x653a-0x653c". The last
 * number is the XID, unless the request was sent again.
 */
static bool read_transfer(struct rest *rest, struct rpc_text *rpc)
{
	struct part nid;
	uint64_t first;

	if (!take_to(rest, " id ") || !take_until(rest, ' ', &nid) || !take_word(rest, "mbits ") ||
	    !take_hex(rest, &first) || !take_word(rest, "-") || !take_hex(rest, &rpc->xid))
		return false;
	rpc->nid = dkl_nid_part(nid);
	return true;
}

/* Reads the number of "got req x123". */
static bool read_arrival(struct rest *rest, struct rpc_text *rpc)
{
	return take_number(rest, &rpc->xid);
}

/* Reads "ADDRESS x123". */
static bool read_incoming(struct rest *rest, struct rpc_text *rpc)
{
	return take_hex(rest, &rpc->address) && take_word(rest, " x") && read_arrival(rest, rpc);
}

/* ---- any message ---- */

#define WORDS(words) words, sizeof(words) - 1

static const struct kind {
	const char *words; /* how the message begins */
	size_t len;
	bool (*read)(struct rest *rest, struct rpc_text *rpc);
	enum rpc_step step;
	bool server;
} kinds[] = {
	{ WORDS("@@@ "), read_request, RPC_MENTIONED, false },
	{ WORDS("Sending RPC "), read_names, RPC_SENDING, false },
	{ WORDS("Completed RPC "), read_names, RPC_COMPLETED, false },
	{ WORDS("Handling RPC "), read_served, RPC_HANDLING, true },
	{ WORDS("Handled RPC "), read_served, RPC_HANDLED, true },
	{ WORDS("Transferring "), read_transfer, RPC_TRANSFERRING, true },
	/* Without x, the class net repeats the number when a thread begins. */
	{ WORDS("got req x"), read_arrival, RPC_ARRIVED, true },
	{ WORDS("incoming req@"), read_incoming, RPC_ARRIVED, true },
};

bool dkl_rpc_text_read(const char *text, size_t len, struct rpc_text *rpc)
{
	struct rest rest = { text, text + len };

	*rpc = (struct rpc_text){ .opcode = OPCODE_UNKNOWN };
	for (size_t i = 0; len && i < ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];

		if (*text != *kind->words || !take_len(&rest, kind->words, kind->len))
			continue;
		rpc->step = kind->step;
		rpc->server = kind->server;
		return kind->read(&rest, rpc);
	}
	return false;
}

bool dkl_rpc_text_wanted(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (*text == *kinds[i].words && !strncmp(text, kinds[i].words, kinds[i].len))
			return true;
	return false;
}

struct part dkl_user_part(struct part job)
{
	const char *end = job.p + job.len, *dot = job.len ? memchr(job.p, '.', job.len) : NULL;

	while (dot) {
		const char *next = memchr(dot + 1, '.', (size_t)(end - dot - 1)), *p = dot + 1;

		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p > dot + 1 && p == (next ? next : end))
			return (struct part){ dot + 1, (size_t)(p - dot - 1) };
		dot = next;
	}
	return (struct part){ job.p, 0 };
}

/* Length of "-OST0001". */
#define TARGET_NUMBER 8

struct part dkl_target_part(struct part device)
{
	static const char *const words[] = { "-OST", "-MDT" };

	for (size_t i = 0; i < ARRAY_SIZE(words) && device.len; i++) {
		const char *at = memmem(device.p, device.len, words[i], strlen(words[i]));

		if (at && device.p + device.len - at >= TARGET_NUMBER)
			return (struct part){ device.p, (size_t)(at + TARGET_NUMBER - device.p) };
	}
	return (struct part){ device.p, 0 };
}
