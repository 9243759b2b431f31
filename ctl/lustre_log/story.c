/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells in a sentence what is known of an incident. */
#include "ctl/lustre_log/story.h"

#include <inttypes.h>

#include "compat/lustre_log/opcode.h"
#include "compat/lustre_log/rpc_text.h"
#include "ctl/out/bar.h"

struct teller {
	const struct lustre *lustre;
	const struct incidents *incidents;
};

static const char *name(const struct teller *t, uint32_t number)
{
	return name_text(&t->incidents->locks.names, number);
}

/* Writes "TEXT 12.3 s before" if the time is known. */
static void put_before(FILE *f, const struct incident *incident, const char *text, uint64_t time)
{
	char apart[UNIT_SIZE];

	if (!time || time > incident->time)
		return;
	duration_text(incident->time - time, apart);
	fprintf(f, "%s %s before", text, apart);
}

/* Who has not given the lock back, if the client's file is there whether it has got the callback. */
static void put_holder(const struct teller *t, const struct incident *incident, FILE *f)
{
	if (!incident->held.has_client)
		return;
	fprintf(f, ", held for process %" PRIu32 " of %s", incident->held.pid,
		lustre_host(t->lustre, incident->held.client));
	if (incident->held.received)
		put_before(f, incident, ", which received the callback", incident->held.received);
	else if (incident->called)
		fputs(", which has not received the callback", f);
	put_before(f, incident, ", and gave the lock back", incident->held.returned);
}

/* A client writes "local" in place of its own NID. */
static const char *nid_or_host(const char *nid)
{
	return strcmp(nid, "local") != 0 ? nid : "this host";
}

static void put_lock(const struct teller *t, const struct incident *incident, FILE *f)
{
	fprintf(f, "; %slock 0x%" PRIx64, incident->waits ? "waits for " : "", incident->lock);
	if (incident->mode)
		fprintf(f, " %s", name(t, incident->mode));
	if (incident->res)
		fprintf(f, " of %s", name(t, incident->res));
	if (incident->waits)
		put_before(f, incident, ", asked for", incident->waiter_since);
	if (incident->holder)
		fprintf(f, ", which %s has", nid_or_host(name(t, incident->holder)));
	put_before(f, incident, ", called back", incident->called);
	put_holder(t, incident, f);
	if (!incident->waiter_since || incident->waits)
		return;
	fprintf(f, "; %s", incident->waiter ? name(t, incident->waiter) : "another lock");
	put_before(f, incident, " asked for it", incident->waiter_since);
}

static void put_opcode(FILE *f, uint32_t opcode, uint64_t xid)
{
	char text[OPCODE_TEXT_SIZE];

	dkl_opcode_text(opcode, text);
	fprintf(f, "%s x%" PRIu64, opcode == OPCODE_UNKNOWN ? "request" : text, xid);
}

static void put_request(const struct teller *t, const struct incident *incident, FILE *f)
{
	put_opcode(f, incident->opcode, incident->xid);
	if (incident->is_sent && incident->nid)
		fprintf(f, " to %s", name(t, incident->nid));
	put_before(f, incident,
		   incident->is_delayed ? ", which waits for the connection, begun" :
		   incident->is_sent    ? ", sent" :
					  ", begun",
		   incident->began);
}

char *story_text(const struct lustre *lustre, const struct incidents *incidents,
		 const struct incident *incident)
{
	const struct teller teller = { lustre, incidents }, *t = &teller;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (incident->xid)
		put_request(t, incident, f);
	if (incident->why)
		fprintf(f, "%s%s", incident->xid ? ": " : "", name(t, incident->why));
	if (incident->lock)
		put_lock(t, incident, f);
	if (incident->trace)
		fprintf(f, "; in %s", name(t, incident->trace));
	if (incident->heard && incident->heard_xid != incident->xid) {
		put_before(f, incident, "; last heard of", incident->heard);
		fputs(": ", f);
		put_opcode(f, incident->heard_opcode, incident->heard_xid);
	}
	put_before(f, incident, "; lost or evicted", incident->before);
	if (fclose(f))
		return NULL;
	/* Without a request and a reason it begins with the lock or the trace. */
	if (!strncmp(text, "; ", 2))
		memmove(text, text + 2, strlen(text + 2) + 1);
	return text;
}
