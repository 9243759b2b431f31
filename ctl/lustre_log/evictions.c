/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre evictions: the story before each eviction, timeout and reconnect. */
#include <inttypes.h>

#include "compat/lustre_log/incidents.h"
#include "compat/lustre_log/opcode.h"
#include "compat/lustre_log/rpc_text.h"
#include "ctl/lustre_log/lustre_log.h"
#include "ctl/out/bar.h"
#include "lib/base/buf.h"

struct view {
	struct lustre *lustre;
	struct incidents incidents;
};

static const char *name(const struct view *view, uint32_t number)
{
	return name_text(&view->incidents.locks.names, number);
}

/* ---- the story of one incident ---- */

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
static void put_holder(const struct view *view, const struct incident *incident, FILE *f)
{
	if (!incident->held.has_client)
		return;
	fprintf(f, ", held for process %" PRIu32 " of %s", incident->held.pid,
		lustre_host(view->lustre, incident->held.client));
	if (incident->held.received)
		put_before(f, incident, ", which received the callback", incident->held.received);
	else if (incident->called)
		fputs(", which has not received the callback", f);
	put_before(f, incident, ", and gave the lock back", incident->held.returned);
}

static void put_lock(const struct view *view, const struct incident *incident, FILE *f)
{
	fprintf(f, "; %slock 0x%" PRIx64, incident->waits ? "waits for " : "", incident->lock);
	if (incident->mode)
		fprintf(f, " %s", name(view, incident->mode));
	if (incident->res)
		fprintf(f, " of %s", name(view, incident->res));
	if (incident->waits)
		put_before(f, incident, ", asked for", incident->waiter_since);
	if (incident->holder)
		fprintf(f, ", which %s has", name(view, incident->holder));
	put_before(f, incident, ", called back", incident->called);
	put_holder(view, incident, f);
	if (!incident->waiter_since || incident->waits)
		return;
	fprintf(f, "; %s", incident->waiter ? name(view, incident->waiter) : "another lock");
	put_before(f, incident, " asked for it", incident->waiter_since);
}

static void put_opcode(FILE *f, uint32_t opcode, uint64_t xid)
{
	char text[OPCODE_TEXT_SIZE];

	dkl_opcode_text(opcode, text);
	fprintf(f, "%s x%" PRIu64, opcode == OPCODE_UNKNOWN ? "request" : text, xid);
}

/* Returns the story, which the caller frees; NULL: memory is out. */
static char *story(const struct view *view, const struct incident *incident)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (incident->xid) {
		put_opcode(f, incident->opcode, incident->xid);
		put_before(f, incident, ", begun", incident->began);
		fputs(": ", f);
	}
	fputs(name(view, incident->why), f);
	if (incident->lock)
		put_lock(view, incident, f);
	if (incident->heard && incident->heard_xid != incident->xid) {
		put_before(f, incident, "; last heard of", incident->heard);
		fputs(": ", f);
		put_opcode(f, incident->heard_opcode, incident->heard_xid);
	}
	put_before(f, incident, "; lost or evicted", incident->before);
	return fclose(f) ? NULL : text;
}

/* ---- the table ---- */

enum {
	TIME,
	CLOCK,
	HOST,
	EVENT,
	TARGET,
	NID,
	STORY,
	LOCK,
	CALLED,
	WAITER,
	XID,
	HEARD,
	LOST,
	HOLDER,
	RECEIVED,
	BEGAN,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
	[TIME] = { .key = "time" },
	[CLOCK] = LUSTRE_CLOCK,
	[HOST] = { .key = "host" },
	[EVENT] = { .key = "event" },
	[TARGET] = { .key = "target", .flags = COL_DATA },
	[NID] = { .key = "nid", .none = "-" },
	[STORY] = { .key = "story", .flags = COL_FOLD },
	[LOCK] = { .key = "lock", .type = COL_HEX, .flags = COL_DATA },
	[CALLED] = { .key = "called_back", .flags = COL_DATA },
	[WAITER] = { .key = "waiter", .flags = COL_DATA },
	[XID] = { .key = "xid", .type = COL_NUMBER, .flags = COL_DATA },
	[HEARD] = { .key = "last_heard", .flags = COL_DATA },
	[LOST] = { .key = "lost", .flags = COL_DATA },
	[HOLDER] = { .key = "held_for", .type = COL_NUMBER, .flags = COL_DATA },
	[RECEIVED] = { .key = "callback_received", .flags = COL_DATA },
	[BEGAN] = { .key = "began", .flags = COL_DATA },
};

static int add_incident(const struct view *view, const struct incident *incident, struct rows *rows)
{
	char *text __cleanup(free) = story(view, incident);

	if (!text)
		return -ENOMEM;
	rows_add(rows, lustre_time(incident->time), lustre_clock(view->lustre, incident->time),
		 val_text(lustre_host(view->lustre, incident->host)),
		 val_text(dkl_incident_name(incident->step)),
		 val_words(name(view, incident->target)), val_words(name(view, incident->nid)),
		 val_text(text), incident->lock ? val_number(incident->lock) : NULL,
		 lustre_time(incident->called), val_words(name(view, incident->waiter)),
		 incident->xid ? val_number(incident->xid) : NULL, lustre_time(incident->heard),
		 lustre_time(incident->before),
		 incident->held.has_client ? val_number(incident->held.pid) : NULL,
		 lustre_time(incident->held.received), lustre_time(incident->began));
	return 0;
}

static int print(const struct view *view, const struct lustre_order *order)
{
	const struct incidents *incidents = &view->incidents;
	struct column own[COLUMNS];
	struct rows *rows;
	struct out out;
	int err = 0;

	memcpy(own, columns, sizeof(own));
	own[HOST].flags = view->lustre->n_hosts > 1 ? 0 : COL_DATA;
	rows = rows_new("incidents", own, COLUMNS);
	print_begin(view->lustre->app, &out, 0);
	out_json(&out, "skipped", val_number(incidents->skipped));
	for (size_t i = 0; !err && i < incidents->n; i++)
		err = add_incident(view, &incidents->list[i], rows);
	lustre_put(view->lustre, &out, rows, OPT(view->lustre->app, lustre)->sort ? order : NULL,
		   0);
	return out_end(&out) ? -ENOMEM : err;
}

static int add_line(void *data, const struct log_line *line)
{
	return dkl_incidents_add(data, line);
}

static int add_gap(void *data, uint32_t host, const struct dkt_record *gap)
{
	struct incidents *incidents = data;

	(void)gap;
	dkl_locks_gap(&incidents->locks, host);
	return 0;
}

static int restart(void *data, uint32_t host)
{
	dkl_incidents_restart(data, host);
	return 0;
}

int lustre_evictions(struct lustre *lustre)
{
	struct view view = { .lustre = lustre };
	const struct lustre_sink sink = { add_line, add_gap, restart, &view.incidents };
	struct lustre_order order;
	int err = lustre_order_read(lustre->app, columns, COLUMNS, TIME, &order);

	if (err)
		return err;
	err = dkl_incidents_init(&view.incidents, lustre->app->ctx);
	if (!err)
		err = lustre_each(lustre, &sink);
	if (!err && !view.incidents.n)
		app_say("no client was evicted, no connection was lost, no request timed out, and no thread hung");
	if (!err && view.incidents.skipped)
		app_say("Lustre left out %" PRIu64 " messages that were like those before them",
			view.incidents.skipped);
	if (!err)
		err = print(&view, &order);
	dkl_incidents_clear(&view.incidents);
	return err;
}
