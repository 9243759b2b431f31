/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre rpc: how long RPCs take, which are slow, which did not end. */
#include <inttypes.h>
#include <string.h>

#include "compat/lustre_log/rpcs.h"
#include "ctl/lustre_log/lustre_log.h"
#include "lib/base/buf.h"
#include "lib/base/errno_names.h"

enum { GROUP, PHASE, COUNT, MIN, P50, P90, P99, MAX, TOTAL, COLUMNS };

static const struct column table_columns[COLUMNS] = {
	[GROUP] = { .key = "group", .none = "-" },
	[PHASE] = { .key = "phase" },
	[COUNT] = { .key = "count", .type = COL_NUMBER },
	[MIN] = { .key = "min", .type = COL_DURATION, .flags = COL_SPARE },
	[P50] = { .key = "p50", .type = COL_DURATION },
	[P90] = { .key = "p90", .type = COL_DURATION, .flags = COL_SPARE },
	[P99] = { .key = "p99", .type = COL_DURATION },
	[MAX] = { .key = "max", .type = COL_DURATION },
	[TOTAL] = { .key = "total", .type = COL_DURATION },
};

static const char *const phase_names[RPC_PHASES] = {
	[RPC_WAIT] = "queue",       [RPC_SERVICE] = "service", [RPC_BULK_TIME] = "bulk",
	[RPC_REPLY_TIME] = "reply", [RPC_NETWORK] = "network", [RPC_TOTAL] = "client",
};

const char *const lustre_rpc_groups[] = { "opcode", "nid",    "job",  "thread", "client",
					  "user",   "target", "none", NULL };

static const char *const headings[] = {
	[RPC_BY_OPCODE] = "OPCODE", [RPC_BY_NID] = "NID",       [RPC_BY_JOB] = "JOB",
	[RPC_BY_THREAD] = "THREAD", [RPC_BY_CLIENT] = "CLIENT", [RPC_BY_USER] = "USER",
	[RPC_BY_TARGET] = "TARGET", [RPC_BY_NONE] = "RPCS",
};

#define HEADING_SIZE 32

struct view {
	struct lustre *lustre;
	struct rpcs rpcs;
	enum rpc_by by[RPC_KEYS];
	char heading[HEADING_SIZE]; /* of the groups */
	struct lustre_order order;
};

/* ---- cells ---- */

static struct json_object *name(const struct view *view, uint32_t number)
{
	return val_words(name_text(&view->rpcs.names, number));
}

static struct json_object *key_name(const struct view *view, const struct rpc_group *group,
				    size_t i)
{
	if (view->by[i] == RPC_BY_OPCODE)
		return lustre_opcode(group->keys[i]);
	return view->by[i] == RPC_BY_NONE ? val_text("all") : name(view, group->keys[i]);
}

/* Two names have a space between; "-" stands for one that is unknown. */
static struct json_object *group_name(const struct view *view, const struct rpc_group *group)
{
	struct json_object *first = key_name(view, group, 0), *second;
	const char *a = json_object_get_string(first), *b;
	char *both __cleanup(free) = NULL;

	if (view->by[1] == RPC_BY_NONE)
		return first;
	second = key_name(view, group, 1);
	b = json_object_get_string(second);
	both = dkt__format("%s %s", a ? a : "-", b ? b : "-");
	json_object_put(first);
	json_object_put(second);
	return val_words(both);
}

static struct json_object *phase_time(const struct rpc *rpc, enum rpc_phase phase)
{
	return rpc->has[phase] ? val_number(rpc->phases[phase]) : NULL;
}

/* ---- tables ---- */

static void add_phases(const struct view *view, struct rows *rows, const struct rpc_group *group)
{
	for (size_t i = 0; i < RPC_PHASES; i++) {
		const struct dkt__dist *dist = &group->phases[i];

		if (!dist->count)
			continue;
		rows_add(rows, group_name(view, group), val_text(phase_names[i]),
			 val_number(dist->count), val_number(dist->min),
			 val_number(dkt__dist_quantile(dist, 0.5)),
			 val_number(dkt__dist_quantile(dist, 0.9)),
			 val_number(dkt__dist_quantile(dist, 0.99)), val_number(dist->max),
			 val_number(dist->sum));
	}
}

/* The time that the group took: of clients, otherwise of servers. */
static uint64_t group_sum(const struct rpc_group *group)
{
	return group->phases[RPC_TOTAL].count ?
		       group->phases[RPC_TOTAL].sum :
		       group->phases[RPC_WAIT].sum + group->phases[RPC_SERVICE].sum;
}

static int compare_groups(const void *a, const void *b)
{
	uint64_t x = group_sum(*(const struct rpc_group *const *)a);
	uint64_t y = group_sum(*(const struct rpc_group *const *)b);

	return x > y ? -1 : x < y;
}

/* Without --sort, the phases of a group stay together; the groups that took longest are first. */
static int put_groups(struct view *view, struct out *out)
{
	const struct rpcs *rpcs = &view->rpcs;
	const struct rpc_group **all __cleanup(free) = calloc(rpcs->n_groups + 1, sizeof(*all));
	struct column columns[COLUMNS];
	size_t n = rpcs->n_groups;
	struct rows *rows;

	if (!all)
		return -ENOMEM;
	memcpy(columns, table_columns, sizeof(columns));
	columns[GROUP].heading = view->heading;
	rows = rows_new("groups", columns, COLUMNS);
	for (size_t i = 0; i < n; i++)
		all[i] = &rpcs->groups[i];
	if (n)
		qsort(all, n, sizeof(*all), compare_groups);
	for (size_t i = 0; i < n; i++)
		add_phases(view, rows, all[i]);
	lustre_put(view->lustre, out, rows,
		   OPT(view->lustre->app, lustre)->sort ? &view->order : NULL, 0);
	return 0;
}

/* Counts of what went wrong, for the groups in which something did. */
static void put_trouble(const struct view *view, struct out *out)
{
	struct column columns[] = {
		{ .key = "group", .heading = view->heading, .none = "-" },
		{ .key = "timeouts", .type = COL_NUMBER },
		{ .key = "resends", .type = COL_NUMBER },
		{ .key = "early_replies", .type = COL_NUMBER, .heading = "EARLY" },
		{ .key = "network_errors", .type = COL_NUMBER, .heading = "NET ERRORS" },
		{ .key = "bulk_errors", .type = COL_NUMBER, .heading = "BULK ERRORS" },
		{ .key = "late", .type = COL_NUMBER },
		{ .key = "dropped", .type = COL_NUMBER },
		{ .key = "aborted", .type = COL_NUMBER },
		{ .key = "errors", .type = COL_NUMBER, .heading = "RC < 0" },
	};
	struct rows *rows = rows_new("trouble", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < view->rpcs.n_groups; i++) {
		const struct rpc_group *group = &view->rpcs.groups[i];
		const uint64_t *steps = group->steps;
		uint64_t resends = steps[RPC_RESENDING] + group->resent,
			 any = resends + group->errors;

		for (size_t j = RPC_TIMED_OUT; j < RPC_MENTIONED; j++)
			any += steps[j];
		if (!any)
			continue;
		rows_add(rows, group_name(view, group), val_number(steps[RPC_TIMED_OUT]),
			 val_number(resends), val_number(steps[RPC_EARLY_REPLY]),
			 val_number(steps[RPC_NETWORK_ERROR]), val_number(steps[RPC_BULK]),
			 val_number(steps[RPC_LATE]), val_number(steps[RPC_DROPPED]),
			 val_number(steps[RPC_ABORTED]), val_number(group->errors));
	}
	out_rows(out, rows);
}

/* With which errors they failed. In Lustre's messages errors have the numbers of x86. */
static void put_failures(const struct view *view, struct out *out)
{
	struct column columns[] = {
		{ .key = "group", .heading = view->heading, .none = "-" },
		{ .key = "error", .none = "-" },
		{ .key = "rc", .type = COL_NUMBER, .heading = "RC" },
		{ .key = "count", .type = COL_NUMBER },
	};
	struct rows *rows = rows_new("failures", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < view->rpcs.n_groups; i++) {
		const struct rpc_group *group = &view->rpcs.groups[i];

		for (size_t j = 0; j < group->n_failures; j++) {
			const struct rpc_failure *failure = &group->failures[j];
			const char *name = failure->rc > -512 ? dkt__errno_name((int)-failure->rc) :
								NULL;

			rows_add(rows, group_name(view, group), val_text(name),
				 json_object_new_int64(failure->rc), val_number(failure->count));
		}
	}
	out_rows(out, rows);
}

static void put_slowest(const struct view *view, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "slowest_xid", .type = COL_NUMBER },
		{ .key = "opcode", .none = "-" },
		{ .key = "queue", .type = COL_DURATION, .none = "-" },
		{ .key = "service", .type = COL_DURATION, .none = "-" },
		{ .key = "network", .type = COL_DURATION, .none = "-" },
		{ .key = "client", .type = COL_DURATION, .none = "-" },
		{ .key = "nid", .none = "-" },
		{ .key = "job", .flags = COL_DATA },
		{ .key = "thread", .flags = COL_DATA },
		{ .key = "rc", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "began", .flags = COL_DATA },
	};
	struct rows *rows = rows_new("slowest", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < view->rpcs.n_slowest; i++) {
		const struct rpc *rpc = &view->rpcs.slowest[i];
		uint64_t began = rpc->sent     ? rpc->sent :
				 rpc->arrived  ? rpc->arrived :
				 rpc->handling ? rpc->handling :
						 rpc->handled;

		rows_add(rows, val_number(rpc->xid), lustre_opcode(rpc->opcode),
			 phase_time(rpc, RPC_WAIT), phase_time(rpc, RPC_SERVICE),
			 phase_time(rpc, RPC_NETWORK), phase_time(rpc, RPC_TOTAL),
			 name(view, rpc->nid), name(view, rpc->job), name(view, rpc->thread),
			 json_object_new_int64(rpc->rc), lustre_time(view->lustre, began));
	}
	out_rows(out, rows);
}

static int put_unfinished(const struct view *view, struct out *out, size_t *n)
{
	static const struct column columns[] = {
		{ .key = "unfinished_xid", .type = COL_NUMBER },
		{ .key = "opcode", .none = "-" },
		{ .key = "state" },
		{ .key = "for", .type = COL_DURATION },
		{ .key = "since" },
		LUSTRE_CLOCK,
		{ .key = "nid", .none = "-" },
		{ .key = "job", .flags = COL_DATA },
		{ .key = "thread", .flags = COL_DATA },
	};
	struct rows *rows = rows_new("unfinished", columns, ARRAY_SIZE(columns));
	const struct rpc **list = NULL;
	int err = dkl_rpcs_unfinished(&view->rpcs, &list, n);

	for (size_t i = 0; !err && i < *n && i < (size_t)view->lustre->slowest; i++)
		rows_add(rows, val_number(list[i]->xid), lustre_opcode(list[i]->opcode),
			 val_text(dkl_rpc_state(list[i])),
			 val_number(view->rpcs.last - dkl_rpc_since(list[i])),
			 lustre_time(view->lustre, dkl_rpc_since(list[i])),
			 lustre_clock(view->lustre, dkl_rpc_since(list[i])),
			 name(view, list[i]->nid), name(view, list[i]->job),
			 name(view, list[i]->thread));
	free(list);
	out_rows(out, rows);
	return err;
}

/* ---- the report ---- */

/* Tells on stderr what the tables do not count. */
static void tell(const struct view *view, size_t unfinished)
{
	const struct rpcs *rpcs = &view->rpcs;

	lustre_tell(unfinished, "request", "did not end");
	lustre_tell(rpcs->no_begin, "request", "ended that did not begin in the log");
	lustre_tell(rpcs->spanned, "request",
		    "left out, because records were lost while under way");
	lustre_tell(rpcs->cut, "request",
		    "left out, because a host was started again, or its clock set back, meanwhile");
	lustre_tell(rpcs->backwards, "request", "ended before the beginning: a clock was set back");
	lustre_tell(rpcs->reused, "XID", "used again");
	lustre_tell(rpcs->forgotten, "request", "without an end forgotten: there are too many");
	if (view->lustre->n_files > 1 && !rpcs->joined)
		app_say("no request has both sides in the files, so that no network time is known");
}

static void put_counts(const struct view *view, struct out *out, size_t unfinished)
{
	const struct rpcs *rpcs = &view->rpcs;

	out_json(out, "messages", val_number(rpcs->messages));
	out_json(out, "joined", val_number(rpcs->joined));
	out_json(out, "not_ended", val_number(unfinished));
	out_json(out, "not_begun", val_number(rpcs->no_begin));
	out_json(out, "spanned", val_number(rpcs->spanned));
	out_json(out, "restarted", val_number(rpcs->cut));
	out_json(out, "backwards", val_number(rpcs->backwards));
	out_json(out, "reused", val_number(rpcs->reused));
	out_json(out, "forgotten", val_number(rpcs->forgotten));
}

static int print(struct view *view)
{
	struct out out;
	size_t unfinished = 0;
	int err;

	print_begin(view->lustre->app, &out, 0);
	err = put_groups(view, &out);
	put_trouble(view, &out);
	put_failures(view, &out);
	put_slowest(view, &out);
	if (!err)
		err = put_unfinished(view, &out, &unfinished);
	put_counts(view, &out, unfinished);
	if (!err)
		tell(view, unfinished);
	return out_end(&out) ? -ENOMEM : err;
}

/* ---- records ---- */

static int add_line(void *data, const struct log_line *line)
{
	return dkl_rpcs_add(data, line);
}

static int add_gap(void *data, uint32_t host, const struct dkt_record *gap)
{
	(void)gap;
	dkl_rpcs_gap(data, host);
	return 0;
}

static int restart(void *data, uint32_t host)
{
	dkl_rpcs_restart(data, host);
	return 0;
}

static int read_by(struct view *view)
{
	const struct app *app = view->lustre->app;
	char *words __cleanup(free) =
		strdup(OPT(app, lustre)->keys ? OPT(app, lustre)->keys : "opcode"),
		    *rest = words;
	size_t n = 0;

	view->by[1] = RPC_BY_NONE;
	for (char *word; rest && (word = strsep(&rest, ",")); n++) {
		int nr = app_find_row(app, word, lustre_rpc_groups,
				      ARRAY_SIZE(lustre_rpc_groups) - 1,
				      sizeof(*lustre_rpc_groups));

		if (nr < 0)
			return EXIT_USAGE;
		if (n == RPC_KEYS || (n && (nr == RPC_BY_NONE || view->by[0] == RPC_BY_NONE)))
			return app_usage("--keys: give one or two of these, or none alone");
		view->by[n] = (enum rpc_by)nr;
	}
	snprintf(view->heading, sizeof(view->heading), "%s%s%s", headings[view->by[0]],
		 n > 1 ? " " : "", n > 1 ? headings[view->by[1]] : "");
	return lustre_order_read(app, table_columns, COLUMNS, TOTAL, &view->order);
}

/* Prints the whole story of one request. */
static int print_xid(struct lustre *lustre)
{
	const char *text = OPT(lustre->app, lustre)->xid + (*OPT(lustre->app, lustre)->xid == 'x');
	char word[32];
	uint64_t xid;

	if (dkt__parse_u64(text, DKT__DEC, &xid))
		return app_usage("--xid: '%s' is not a number", OPT(lustre->app, lustre)->xid);
	snprintf(word, sizeof(word), "x%" PRIu64, xid);
	return lustre_print_about(lustre, word);
}

int lustre_rpc(struct lustre *lustre)
{
	struct view view = { .lustre = lustre };
	const struct lustre_sink sink = { add_line, add_gap, restart, NULL, &view.rpcs };
	int err = read_by(&view);

	if (err || OPT(lustre->app, lustre)->xid)
		return err ? err : print_xid(lustre);
	err = dkl_rpcs_init(&view.rpcs, lustre->app->ctx, view.by, (size_t)lustre->slowest);
	if (!err)
		err = lustre_each(lustre, &sink);
	if (!err)
		err = dkl_rpcs_finish(&view.rpcs);
	if (!err && !view.rpcs.messages)
		app_say("no messages about requests: set debug=+rpctrace before the log is made");
	if (!err)
		err = print(&view);
	dkl_rpcs_clear(&view.rpcs);
	return err;
}
