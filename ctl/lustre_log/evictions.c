/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre evictions: the story before each eviction, timeout and reconnect. */
#include <inttypes.h>

#include "compat/lustre_log/peers.h"
#include "ctl/lustre_log/story.h"

struct view {
	struct lustre *lustre;
	struct incidents incidents;
};

static const char *name(const struct view *view, uint32_t number)
{
	return name_text(&view->incidents.locks.names, number);
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
	char *text __cleanup(free) = story_text(view->lustre, &view->incidents, incident);

	if (!text)
		return -ENOMEM;
	rows_add(rows, lustre_time(view->lustre, incident->time),
		 lustre_clock(view->lustre, incident->time),
		 val_text(lustre_host(view->lustre, incident->host)),
		 val_text(dkl_incident_name(incident->step)),
		 val_words(name(view, incident->target)), val_words(name(view, incident->nid)),
		 val_text(text), incident->lock ? val_number(incident->lock) : NULL,
		 lustre_time(view->lustre, incident->called),
		 val_words(name(view, incident->waiter)),
		 incident->xid ? val_number(incident->xid) : NULL,
		 lustre_time(view->lustre, incident->heard),
		 lustre_time(view->lustre, incident->before),
		 incident->held.has_client ? val_number(incident->held.pid) : NULL,
		 lustre_time(view->lustre, incident->held.received),
		 lustre_time(view->lustre, incident->began));
	return 0;
}

/* ---- the peers ---- */

static void put_peers(const struct view *view, const struct peers *peers, struct out *out)
{
	const struct column own[] = {
		{ .key = "peer" },
		{ .key = "host", .flags = lustre_host_flags(view->lustre) },
		{ .key = "lost", .type = COL_NUMBER },
		{ .key = "renewed", .type = COL_NUMBER },
		{ .key = "still_lost", .type = COL_NUMBER, .heading = "STILL LOST" },
		{ .key = "timeouts", .type = COL_NUMBER },
		{ .key = "refused", .type = COL_NUMBER, .flags = COL_SPARE },
		{ .key = "bulk_errors", .type = COL_NUMBER, .flags = COL_SPARE },
		{ .key = "longest_down", .type = COL_DURATION, .heading = "LONGEST DOWN" },
		{ .key = "in_a_minute", .type = COL_NUMBER, .heading = "IN A MINUTE" },
		{ .key = "first", .flags = COL_SPARE },
		{ .key = "last", .flags = COL_SPARE },
	};
	static const struct lustre_order by_lost = { .column = 2, .descending = true };
	struct rows *rows = rows_new("peers", own, ARRAY_SIZE(own));

	for (uint32_t i = 0; i < peers->map.n_values; i++) {
		const struct peer *peer = dkt__keyed_at(&peers->map, i);

		if (peer->lost || peer->back || peer->timeouts || peer->refused || peer->bulk)
			rows_add(rows, val_words(name(view, peer->nid)),
				 val_text(lustre_host(view->lustre, peer->host)),
				 val_number(peer->lost), val_number(peer->back),
				 val_number(peer->still), val_number(peer->timeouts),
				 val_number(peer->refused), val_number(peer->bulk),
				 peer->down ? val_number(peer->down) : NULL, val_number(peer->most),
				 lustre_time(view->lustre, peer->first),
				 lustre_time(view->lustre, peer->last));
	}
	lustre_put(view->lustre, out, rows, &by_lost, 0);
}

/* Several peers at once: the reason is what they have in common. */
static void tell_storm(const struct view *view, const struct peers *peers)
{
	if (peers->storm < 3)
		return;
	app_say("%s: %zu peers lost or renewed their connections within one minute: look for what they"
		" have in common, such as a server or a switch",
		lustre_host(view->lustre, peers->storm_host), peers->storm);
}

static int print_peers(const struct view *view, struct out *out)
{
	struct peers peers;
	int err = dkl_peers_count(&peers, &view->incidents);

	if (!err) {
		put_peers(view, &peers, out);
		tell_storm(view, &peers);
	}
	dkl_peers_clear(&peers);
	return err;
}

static int print(const struct view *view, const struct lustre_order *order)
{
	const struct incidents *incidents = &view->incidents;
	struct column own[COLUMNS];
	struct rows *rows;
	struct out out;
	int err = 0;

	memcpy(own, columns, sizeof(own));
	own[HOST].flags = lustre_host_flags(view->lustre);
	rows = rows_new("incidents", own, COLUMNS);
	print_begin(view->lustre->app, &out, 0);
	out_json(&out, "skipped", val_number(incidents->skipped));
	for (size_t i = 0; !err && i < incidents->n; i++)
		err = add_incident(view, &incidents->list[i], rows);
	lustre_put(view->lustre, &out, rows, OPT(view->lustre->app, lustre)->sort ? order : NULL,
		   0);
	if (!err)
		err = print_peers(view, &out);
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
	const struct lustre_sink sink = { add_line, add_gap, restart, NULL, &view.incidents };
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
