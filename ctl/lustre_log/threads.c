/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre threads: what each thread works on and waits for when the files end. */
#include "compat/lustre_log/waits.h"

#include <inttypes.h>

#include "ctl/lustre_log/story.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

enum {
	AGE,
	THREAD,
	PID,
	HOST,
	WAITS,
	NID,
	STORY,
	SINCE,
	OPCODE,
	XID,
	LOCK,
	TRACE,
	SERVER,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
	[AGE] = { .key = "age", .type = COL_DURATION },
	[THREAD] = { .key = "thread", .none = "-" },
	[PID] = { .key = "pid", .type = COL_NUMBER },
	[HOST] = { .key = "host" },
	[WAITS] = { .key = "waits_for", .heading = "WAITS FOR", .none = "-" },
	[NID] = { .key = "nid", .flags = COL_DATA },
	[STORY] = { .key = "story", .flags = COL_FOLD },
	[SINCE] = { .key = "since", .flags = COL_DATA },
	[OPCODE] = { .key = "opcode", .flags = COL_DATA },
	[XID] = { .key = "xid", .type = COL_NUMBER, .flags = COL_DATA },
	[LOCK] = { .key = "lock", .type = COL_HEX, .flags = COL_DATA },
	[TRACE] = { .key = "trace", .flags = COL_DATA },
	[SERVER] = { .key = "server", .flags = COL_DATA },
};

struct view {
	struct lustre *lustre;
	struct waits waits;
	struct lustre_order order;
};

static const char *name(const struct view *view, uint32_t number)
{
	return name_text(&view->waits.incidents.locks.names, number);
}

/* "ll_ost00_001:4711 of oss1": the thread that works on the request. The caller frees it; NULL: none does. */
static char *server_of(const struct view *view, const struct thread_wait *wait)
{
	return wait->has_server ?
		       dkt__format("%s:%" PRId32 " of %s", name(view, wait->server_name),
				   wait->server_pid, lustre_host(view->lustre, wait->server_host)) :
		       NULL;
}

static int add_row(const struct view *view, const struct thread_wait *wait, struct rows *rows)
{
	const struct incident *story = &wait->story;
	char *text __cleanup(free) = story_text(view->lustre, &view->waits.incidents, story);
	char *server __cleanup(free) = server_of(view, wait);
	char *whole __cleanup(free) =
		server ? dkt__format("%s; %s works on it", text ?: "", server) : NULL;

	if (!text || (wait->has_server && !whole))
		return -ENOMEM;
	rows_add(rows, val_number(wait->now - DKT__MIN(wait->since, wait->now)),
		 val_words(name(view, wait->name)), val_number((uint64_t)wait->pid),
		 val_text(lustre_host(view->lustre, wait->host)), val_text(wait->waits_for),
		 val_words(name(view, story->nid)), val_text(whole ?: text),
		 lustre_time(view->lustre, wait->since),
		 story->xid ? lustre_opcode(story->opcode) : NULL,
		 story->xid ? val_number(story->xid) : NULL,
		 story->lock ? val_number(story->lock) : NULL, val_words(name(view, story->trace)),
		 val_text(server));
	return 0;
}

static int print(struct view *view, const struct thread_wait *list, size_t n)
{
	struct column own[COLUMNS];
	struct rows *rows;
	struct out out;
	int err = 0;

	memcpy(own, columns, sizeof(own));
	own[HOST].flags = lustre_host_flags(view->lustre);
	rows = rows_new("threads", own, COLUMNS);
	print_begin(view->lustre->app, &out, 0);
	for (size_t i = 0; !err && i < n; i++)
		err = add_row(view, &list[i], rows);
	lustre_put(view->lustre, &out, rows, &view->order, 0);
	return out_end(&out) ? -ENOMEM : err;
}

/* Says on stderr what the files lack. */
static void tell(const struct view *view, size_t n)
{
	if (!n)
		app_say("no thread works on a request or waits for a lock or a reply when the files"
			" end");
	if (!view->waits.incidents.locks.messages)
		app_say("no messages about locks: set debug=+dlmtrace before the log is made");
	if (!view->waits.incidents.threads.n_values)
		app_say("no messages about requests: set debug=+rpctrace before the log is made");
}

static int add_line(void *data, const struct log_line *line)
{
	return dkl_waits_add(data, line);
}

static int add_gap(void *data, uint32_t host, const struct dkt_record *gap)
{
	(void)gap;
	dkl_waits_gap(data, host);
	return 0;
}

static int restart(void *data, uint32_t host)
{
	dkl_waits_restart(data, host);
	return 0;
}

static int add_record(void *data, uint32_t host, const struct dkt_record *record, const char *comm)
{
	(void)comm;
	return dkl_waits_record(data, host, record);
}

int lustre_threads(struct lustre *lustre)
{
	struct view view = { .lustre = lustre };
	const struct lustre_sink sink = { add_line, add_gap, restart, add_record, &view.waits };
	struct thread_wait *list __cleanup(free) = NULL;
	size_t n = 0;
	int err = lustre_order_read(lustre->app, columns, COLUMNS, AGE, &view.order);

	if (err)
		return err;
	err = dkl_waits_init(&view.waits, lustre->app->ctx);
	if (!err)
		err = lustre_each(lustre, &sink);
	if (!err)
		err = dkl_waits_list(&view.waits, &list, &n);
	if (!err) {
		tell(&view, n);
		err = print(&view, list, n);
	}
	dkl_waits_clear(&view.waits);
	return err;
}
