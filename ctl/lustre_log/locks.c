/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre locks: how long locks wait, for whom, how long callbacks take, and who blocks whom in a dump. */
#include <inttypes.h>

#include "compat/lustre_log/lock_dump.h"
#include "compat/lustre_log/locks.h"
#include "ctl/lustre_log/lustre_log.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"

/* Resources in the table of conflicts, unless --top says otherwise. */
#define USUAL_TOP 10

enum { NS, PHASE, COUNT, MIN, P50, P90, P99, MAX, TOTAL, COLUMNS };

static const struct column table_columns[COLUMNS] = {
	[NS] = { .key = "namespace" },
	[PHASE] = { .key = "phase" },
	[COUNT] = { .key = "count", .type = COL_NUMBER },
	[MIN] = { .key = "min", .type = COL_DURATION, .flags = COL_SPARE },
	[P50] = { .key = "p50", .type = COL_DURATION },
	[P90] = { .key = "p90", .type = COL_DURATION, .flags = COL_SPARE },
	[P99] = { .key = "p99", .type = COL_DURATION },
	[MAX] = { .key = "max", .type = COL_DURATION },
	[TOTAL] = { .key = "total", .type = COL_DURATION },
};

static const char *const phase_names[LOCK_PHASES] = {
	[LOCK_WAIT] = "grant", [LOCK_CALLBACK] = "callback",   [LOCK_TO_CLIENT] = "to client",
	[LOCK_KEPT] = "kept",  [LOCK_TO_SERVER] = "to server",
};

struct view {
	struct lustre *lustre;
	struct locks locks;
	struct lock_dump dump;
	struct lustre_order order;
};

static struct json_object *name(const struct view *view, uint32_t number)
{
	return val_words(name_text(&view->locks.names, number));
}

/* "client.dk/4711": the process that holds the lock. The client's file has to be there. */
static struct json_object *held_by(const struct view *view, const struct lock_pair *held)
{
	char *text __cleanup(free) =
		held->has_client ? dkt__format("%s/%" PRIu32,
					       lustre_host(view->lustre, held->client), held->pid) :
				   NULL;

	return text ? val_text(text) : NULL;
}

/* True if both sides of one of the locks are in the files. */
static bool any_held(const struct locks *locks)
{
	for (size_t i = 0; i < locks->n_longest; i++)
		if (locks->longest[i].held.has_client)
			return true;
	return false;
}

/* ---- tables ---- */

static void put_phases(const struct view *view, struct out *out)
{
	struct rows *rows = rows_new("phases", table_columns, COLUMNS);

	for (size_t i = 0; i < view->locks.n_groups; i++)
		for (size_t j = 0; j < LOCK_PHASES; j++) {
			const struct lock_group *group = &view->locks.groups[i];
			const struct dkt__dist *dist = &group->phases[j];

			if (dist->count)
				rows_add(rows, name(view, group->ns), val_text(phase_names[j]),
					 val_number(dist->count), val_number(dist->min),
					 val_number(dkt__dist_quantile(dist, 0.5)),
					 val_number(dkt__dist_quantile(dist, 0.9)),
					 val_number(dkt__dist_quantile(dist, 0.99)),
					 val_number(dist->max), val_number(dist->sum));
		}
	lustre_put(view->lustre, out, rows, &view->order, 0);
}

static void put_conflicts(const struct view *view, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "conflicts", .type = COL_NUMBER },
		{ .key = "wait", .type = COL_DURATION },
		{ .key = "max", .type = COL_DURATION },
		{ .key = "last_holder", .heading = "LAST HOLDER", .none = "-" },
		{ .key = "host", .flags = COL_DATA },
		{ .key = "resource" },
	};
	static const struct lustre_order by_wait = { .column = 1, .descending = true };
	struct rows *rows = rows_new("conflicts", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < view->locks.n_res; i++) {
		const struct lock_res *res = &view->locks.res[i];

		if (res->conflicts)
			rows_add(rows, val_number(res->conflicts), val_number(res->wait),
				 val_number(res->longest), name(view, res->holder),
				 val_text(lustre_host(view->lustre, res->host)),
				 name(view, res->res));
	}
	lustre_put(view->lustre, out, rows, &by_wait, USUAL_TOP);
}

static void put_longest(const struct view *view, struct out *out)
{
	const unsigned int both = any_held(&view->locks) ? 0 : COL_DATA;
	const struct column columns[] = {
		{ .key = "longest_wait", .type = COL_DURATION, .heading = "LONGEST" },
		{ .key = "waiter", .none = "-" },
		{ .key = "for_holder", .heading = "WAITED FOR", .none = "-" },
		{ .key = "held_by", .flags = both, .heading = "HELD BY", .none = "-" },
		{ .key = "kept", .type = COL_DURATION, .flags = both, .none = "-" },
		{ .key = "mode", .none = "-" },
		{ .key = "granted", .flags = COL_SPARE },
		{ .key = "handle", .type = COL_HEX, .flags = COL_DATA },
		{ .key = "host", .flags = COL_DATA },
		{ .key = "namespace", .flags = COL_DATA },
		{ .key = "callback_sent", .flags = COL_DATA },
		{ .key = "callback_received", .flags = COL_DATA },
		{ .key = "returned", .flags = COL_DATA },
		{ .key = "resource" },
	};
	struct rows *rows = rows_new("longest", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < view->locks.n_longest; i++) {
		const struct lock_conflict *conflict = &view->locks.longest[i];
		const struct lock_pair *held = &conflict->held;

		rows_add(rows, val_number(conflict->wait), name(view, conflict->waiter),
			 name(view, conflict->holder), held_by(view, held),
			 held->received && held->returned > held->received ?
				 val_number(held->returned - held->received) :
				 NULL,
			 name(view, conflict->mode), lustre_time(view->lustre, conflict->until),
			 val_number(conflict->handle),
			 val_text(lustre_host(view->lustre, conflict->host)),
			 name(view, conflict->ns), lustre_time(view->lustre, held->sent),
			 lustre_time(view->lustre, held->received),
			 lustre_time(view->lustre, held->returned), name(view, conflict->res));
	}
	out_rows(out, rows);
}

static int put_unfinished(const struct view *view, struct out *out, size_t *n)
{
	static const struct column columns[] = {
		{ .key = "still", .heading = "STILL" },
		{ .key = "for", .type = COL_DURATION },
		{ .key = "nid", .none = "-" },
		{ .key = "mode", .none = "-" },
		{ .key = "handle", .type = COL_HEX },
		{ .key = "host", .flags = COL_DATA },
		{ .key = "namespace", .flags = COL_DATA },
		{ .key = "since", .flags = COL_DATA },
		{ .key = "held_by", .flags = COL_DATA },
		{ .key = "resource", .none = "-" },
	};
	struct rows *rows = rows_new("unfinished", columns, ARRAY_SIZE(columns));
	const struct lock **list = NULL;
	int err = dkl_locks_unfinished(&view->locks, &list, n);

	for (size_t i = 0; !err && i < *n && i < (size_t)view->lustre->slowest; i++) {
		const struct lock_pair held = dkl_locks_held(&view->locks, list[i]);

		rows_add(rows, val_text(lock_waits(list[i]) ? "waits" : "called back"),
			 val_number(view->locks.last - lock_since(list[i])),
			 name(view, list[i]->nid), name(view, list[i]->mode),
			 val_number(list[i]->handle),
			 val_text(lustre_host(view->lustre, list[i]->host)),
			 name(view, list[i]->ns), lustre_time(view->lustre, lock_since(list[i])),
			 held_by(view, &held), name(view, list[i]->res));
	}
	free(list);
	out_rows(out, rows);
	return err;
}

/* ---- dumps of namespaces ---- */

/* Returns "10.0.0.2@tcp, 10.0.0.3@tcp and 4 more", which the caller frees; NULL: memory is out. */
static char *waiters(const struct view *view, const struct lock_block *block)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < LOCK_BLOCK_FIRST && i < block->n_waiters; i++)
		fprintf(f, "%s%s", i ? ", " : "", name_text(&view->locks.names, block->waiters[i]));
	if (f && block->n_waiters > LOCK_BLOCK_FIRST)
		fprintf(f, " and %" PRIu32 " more", block->n_waiters - LOCK_BLOCK_FIRST);
	return dkt__text_end(f, 0, &text) ? NULL : text;
}

static int add_block(const struct view *view, const struct lock_block *block, struct rows *rows)
{
	char *text __cleanup(free) = waiters(view, block);

	if (!text)
		return -ENOMEM;
	rows_add(rows, val_number(block->n_waiters), name(view, block->nid),
		 name(view, block->mode), block->pid ? val_number(block->pid) : NULL,
		 block->known ? val_text(block->granted ? "granted" : "waits") : NULL,
		 val_text(text), block->known ? val_number(block->handle) : NULL,
		 val_text(lustre_host(view->lustre, block->host)), name(view, block->ns),
		 lustre_time(view->lustre, block->time), name(view, block->res));
	return 0;
}

static int put_blocks(const struct view *view, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "blocks", .type = COL_NUMBER },
		{ .key = "blocker", .none = "-" },
		{ .key = "mode", .none = "-" },
		{ .key = "pid", .type = COL_NUMBER, .none = "-" },
		{ .key = "state", .none = "-" },
		{ .key = "waiters" },
		{ .key = "handle", .type = COL_HEX, .flags = COL_DATA },
		{ .key = "host", .flags = COL_DATA },
		{ .key = "namespace", .flags = COL_DATA },
		{ .key = "dumped", .flags = COL_DATA },
		{ .key = "resource" },
	};
	static const struct lustre_order by_waiters = { .column = 0, .descending = true };
	struct rows *rows = rows_new("blocks", columns, ARRAY_SIZE(columns));
	int err = 0;

	for (size_t i = 0; !err && i < view->dump.n; i++)
		if (dkl_lock_dump_is_last(&view->dump, &view->dump.list[i]))
			err = add_block(view, &view->dump.list[i], rows);
	if (!err && view->dump.locks && !rows_count(rows))
		app_say("in the last dump of each resource no lock waits");
	lustre_put(view->lustre, out, rows, &by_waiters, USUAL_TOP);
	return err;
}

/* ---- the report ---- */

static void tell(const struct view *view, size_t unfinished)
{
	lustre_tell(view->dump.cut, "resource",
		    "dumped without all its granted locks; ldlm.dump_granted_max sets how many");
	lustre_tell(unfinished, "lock", "without an answer or a grant at the end");
	lustre_tell(view->locks.expired, "callback", "not answered in time: see lustre evictions");
	lustre_tell(view->locks.spanned, "lock",
		    "left out, because records were lost during a wait or callback");
	lustre_tell(view->locks.cut, "lock",
		    "left out, because a host was started again, or its clock set back, meanwhile");
}

static int print(const struct view *view)
{
	struct out out;
	size_t unfinished = 0;
	int err;

	print_begin(view->lustre->app, &out, 0);
	err = put_blocks(view, &out);
	put_phases(view, &out);
	put_conflicts(view, &out);
	put_longest(view, &out);
	if (!err)
		err = put_unfinished(view, &out, &unfinished);
	out_json(&out, "messages", val_number(view->locks.messages));
	out_json(&out, "dumped_locks", val_number(view->dump.locks));
	out_json(&out, "all_conflicts", val_number(view->locks.conflicts));
	out_json(&out, "expired", val_number(view->locks.expired));
	out_json(&out, "not_ended", val_number(unfinished));
	out_json(&out, "spanned", val_number(view->locks.spanned));
	out_json(&out, "restarted", val_number(view->locks.cut));
	if (!err)
		tell(view, unfinished);
	return out_end(&out) ? -ENOMEM : err;
}

/* ---- records ---- */

bool lustre_locks_wanted(const char *text)
{
	return dkl_lock_text_wanted(text) || dkl_lock_dump_wanted(text);
}

static int add_line(void *data, const struct log_line *line)
{
	struct view *view = data;
	const struct lock *lock;
	bool dumped;
	int err = dkl_lock_dump_add(&view->dump, line, &dumped);

	return err || dumped ? dkt__with_words(view->lustre->app->ctx, err) :
			       dkl_locks_add(&view->locks, line, &lock);
}

static int add_gap(void *data, uint32_t host, const struct dkt_record *gap)
{
	struct view *view = data;

	(void)gap;
	dkl_locks_gap(&view->locks, host);
	return 0;
}

static int restart(void *data, uint32_t host)
{
	struct view *view = data;

	dkl_locks_restart(&view->locks, host);
	return 0;
}

int lustre_locks(struct lustre *lustre)
{
	struct view view = { .lustre = lustre };
	const struct lustre_sink sink = { add_line, add_gap, restart, NULL, &view };
	int err = lustre_order_read(lustre->app, table_columns, COLUMNS, TOTAL, &view.order);

	if (err)
		return err;
	err = dkl_locks_init(&view.locks, lustre->app->ctx, (size_t)lustre->slowest);
	dkl_lock_dump_init(&view.dump, &view.locks.names);
	if (!err)
		err = lustre_each(lustre, &sink);
	if (!err)
		err = dkt__with_words(lustre->app->ctx, dkl_lock_dump_end(&view.dump));
	if (!err && !view.locks.messages && !view.dump.locks)
		app_say("no messages about locks: set debug=+dlmtrace before the log is made");
	if (!err)
		err = print(&view);
	dkl_lock_dump_clear(&view.dump);
	dkl_locks_clear(&view.locks);
	return err;
}
