/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a flight recorder measures latencies: the kernel does, or the recorder reads all records. */
#include "recording/flight/measure.h"

#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/named.h"
#include "compat/lustre/select.h"
#include "compat/lustre_log/rpc_times.h"
#include "compat/set/filters.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/inside.h"

/* The records of the time until the next look, when the recorder reads all of them. */
#define READ_SIZE    (UINT64_C(8) << 20)
#define READ_PERCENT 50

bool flight_read_latency(const char *text, char **latency, uint64_t *limit)
{
	const char *sign = strchr(text, '>'), *open = strchr(text, '[');
	const char *time;
	size_t len;

	*latency = NULL;
	*limit = 0;
	if (!sign || (open && open < sign))
		return false;
	len = (size_t)(sign - text);
	while (len && text[len - 1] == ' ')
		len--;
	*latency = strndup(text, len);
	time = sign + 1 + strspn(sign + 1, " ");
	/* A number without a unit would be a guess. */
	if (!*time || (time[strlen(time) - 1] >= '0' && time[strlen(time) - 1] <= '9') ||
	    dkt__parse_time(time, 1, limit))
		*limit = 0;
	return true;
}

/* ---- pairs of events ---- */

/* Makes the pairs of the row's events, which the group has. *events: all of them. */
static int make_pairs(struct flight_watch *watch, const struct dkt_interval *row, const char *by,
		      struct dkt_intervals **pairs, struct dkt_event ***events)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = row->match, .by = by, .filter = watch->filter,
		 .skip = row->per_task ? getpid() : 0);
	const struct wanted *wanted = watch->group.wanted;
	int err = dkt_intervals_new(watch->ctx, &opts, pairs);

	*events = calloc(wanted->n + 1, sizeof(**events));
	if (!err && !*events)
		err = dkt__no_memory(watch->ctx);
	for (size_t i = 0; !err && i < wanted->n; i++)
		(*events)[i] = wanted->list[i].event;
	return err ? err : dkt_intervals_bind(*pairs, row, *events, wanted->n);
}

/*
 * Lets the kernel pair the events, so that only slow pairs wake the recorder. The kernel's table never
 * drops a key, so this is unsuitable for keys that are always new.
 */
static int start_in_kernel(struct flight_watch *watch, const char *log, const char *name,
			   const struct dkt_interval *row)
{
	char *prefix __cleanup(free) = flight_watch_prefix(log, name);
	struct dkt_event **events __cleanup(free) = NULL;
	struct dkt_intervals *pairs = NULL;
	struct dkt_event *slow = NULL;
	int err = prefix ? dkt_instance_own_group(watch->ctx, prefix, &watch->slow) :
			   dkt__no_memory(watch->ctx);

	if (!err)
		err = make_pairs(watch, row, watch->calls ? dkt__interval_call_field(row) : NULL,
				 &pairs, &events);
	if (!err)
		err = dkt_intervals_watch(pairs, watch->group.in, events, watch->group.wanted->n,
					  watch->limit, watch->slow);
	dkt_intervals_free(pairs);
	if (!err)
		slow = dkt_event_find(watch->ctx, "synthetic", watch->slow);
	watch->lat = slow ? dkt_event_field(slow, "lat") : NULL;
	watch->by = slow && watch->calls ? dkt_event_field(slow, "by") : NULL;
	return err || watch->lat ? err : -ENOENT;
}

/* Gets the events of the pair and of what it is within, which the caller frees. NULL: the kernel lacks those of that. */
static int row_events(struct dkt_ctx *ctx, const struct dkt_interval *row, char **globs)
{
	char *text __cleanup(free) = dkt__format("%s,%s", row->begin, row->end);
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(ctx, &all, &n);

	*globs = NULL;
	while (!err && text && row->outer) {
		char *more;

		row = dkt__interval_outer(row, all, n);
		if (!row)
			return 0;
		more = dkt__format("%s,%s,%s", text, row->begin, row->end);
		free(text);
		text = more;
	}
	if (err)
		return err;
	*globs = text;
	text = NULL;
	return *globs ? 0 : dkt__no_memory(ctx);
}

/* True if the kernel has all events of the pair. */
static bool has_row(struct dkt_ctx *ctx, const struct dkt_interval *row)
{
	char *events __cleanup(free) = NULL;
	struct named named = { 0 };
	bool has = !row_events(ctx, row, &events) && events &&
		   !dkl_named_read(ctx, events, &named) && !dkl_named_check(ctx, &named);

	dkl_named_clear(&named);
	return has;
}

int flight_takes_filter(struct dkt_ctx *ctx, const char *events, const char *filter, bool *takes)
{
	struct dkt_expr *expr = NULL;
	struct named named = { 0 };
	struct dkt_event *const *all;
	size_t n = 0;
	int err;

	*takes = false;
	if (!filter)
		return 0;
	err = dkl_mask_expr(ctx, filter, &expr);
	if (!err)
		err = dkl_named_read(ctx, events, &named);
	if (!err)
		err = dkt_events(ctx, &all, &n);
	for (size_t i = 0; !err && !*takes && i < n; i++)
		*takes = dkl_named_has(&named, all[i], false) && !dkt_expr_check(expr, all[i]);
	dkl_named_clear(&named);
	dkt_expr_free(expr);
	return err;
}

/* Gets the filter of the row's events: the calls, and who makes them. NULL: none. The caller frees it. */
static int make_filter(struct flight_watch *watch, const struct dkt_interval *row,
		       const char *events, const char *latency, const struct wanted_words *who,
		       char **filter)
{
	struct filter_wish wish = {
		.words = SELECT_ALL, .expr = who->filter, .comm = who->comms, .cpus = who->cpus
	};
	char *calls __cleanup(free) = NULL;
	char *text __cleanup(free) = NULL;
	bool takes;
	int err = flight_takes_filter(watch->ctx, events, who->filter, &takes);

	*filter = NULL;
	if (!err && !takes)
		wish.expr = NULL;
	if (!err)
		err = dkl_filters_text(watch->ctx, &wish, &text);
	if (!err && watch->calls)
		err = dkt__interval_calls_filter(watch->ctx, row, latency, &calls);
	if (err || (!text && !calls))
		return err;
	*filter = dkt__format("%s%s%s%s", text ? text : "", text && calls ? " && (" : "",
			      calls ? calls : "", text && calls ? ")" : "");
	return *filter ? 0 : dkt__no_memory(watch->ctx);
}

/* The kernel's own lists of threads do not apply to what it measures, and it does not know what lasts. */
static bool kernel_can(const struct dkt_interval *row, const struct wanted_words *who)
{
	return row->few_keys && !row->outer && !who->pids;
}

static int try_kernel(struct flight_watch *watch, const char *log, const char *name,
		      const struct dkt_interval *row, const char *globs, const char *filter)
{
	const struct wanted_words words = { .events = globs };
	int err = filter ? dkl_mask_expr(watch->ctx, filter, &watch->filter) : 0;

	if (!err)
		err = flight_create_bare(watch->ctx, log, name, 0, &words, &watch->group);
	if (!err)
		err = start_in_kernel(watch, log, name, row);
	watch->way = "the kernel measures, and records only the slow ones";
	return err;
}

static int start_row(struct flight_watch *watch, const char *log, const char *name,
		     const struct dkt_interval *row, const char *latency,
		     const struct wanted_words *who)
{
	const bool calls = !strcmp(row->name, DKT__CALLS);
	char *globs __cleanup(free) = NULL;
	char *filter __cleanup(free) = NULL;
	struct wanted_words words = { .pids = who->pids, .children = who->children };
	struct dkt_event **events __cleanup(free) = NULL;
	int err = row_events(watch->ctx, row, &globs);

	watch->name = row->name;
	watch->calls = calls;
	if (err)
		return err;
	words.events = globs;
	err = make_filter(watch, row, globs, latency, who, &filter);
	if (!err && kernel_can(row, who)) {
		err = try_kernel(watch, log, name, row, globs, filter);
		if (!err || err == -EINTR || err == -ENOMEM)
			return err;
		/* It has no histograms, or refuses these. */
		err = flight_watch_clear(watch, log);
		watch->name = row->name;
		watch->calls = calls;
	}
	/* The kernel filters: the recorder may not know the names of programs. */
	words.filter = filter;
	if (!err)
		err = flight_create(watch->ctx, log, name, 0, &words, &watch->group);
	if (!err)
		err = make_pairs(watch, row, NULL, &watch->pairs, &events);
	watch->way = "the recorder reads and pairs all its records";
	if (!err && watch->group.wanted->n == 2 && strcmp(row->begin, row->end) != 0)
		watch->begin = events[dkt_interval_roles(row, events[0]) == DKT_INTERVAL_END];
	return err ? err : flight_watch_read(watch, READ_PERCENT, READ_SIZE);
}

/* ---- Lustre's messages ---- */

static int start_rpcs(struct flight_watch *watch, const char *log, const char *name)
{
	const bool event = dkt_event_find(watch->ctx, "lustre_debug", "lustre_debug_msg") != NULL;
	const struct wanted_words words = {
		.classes = RPC_TIMES_CLASS,
		.sources = "lustre",
		.filter = event ? RPC_TIMES_FILTER("msg") : RPC_TIMES_FILTER("fmt"),
	};
	int err;

	if (!dkl_lustre_is_loaded())
		return dkt_fail(watch->ctx, -ENOENT, "'" RPC_TIMES_NAME "': Lustre is not loaded");
	watch->name = RPC_TIMES_NAME;
	watch->way = "the recorder reads and pairs Lustre's messages of " RPC_TIMES_CLASS;
	err = flight_create(watch->ctx, log, name, 0, &words, &watch->group);
	if (!err)
		err = dkl_rpc_times_new(watch->ctx, &watch->rpcs);
	return err ? err : flight_watch_read(watch, READ_PERCENT, READ_SIZE);
}

/* ---- all ---- */

int flight_measure_start(struct dkt_ctx *ctx, struct flight_watch *watch, const char *log,
			 const char *name, const char *latency, const struct wanted_words *who)
{
	const char *pair = dkt_interval_find(ctx, latency) ? latency : DKT__CALLS;
	const struct dkt_interval *row = dkt_interval_find(ctx, pair), *list;
	size_t n;
	int err;

	if (!strcmp(latency, RPC_TIMES_NAME))
		return start_rpcs(watch, log, name);
	err = dkt_interval_list(ctx, &list, &n);
	if (err)
		return dkt_fail(watch->ctx, err, "%s", dkt_error(ctx));
	while (row && (row->calls || !has_row(watch->ctx, row)))
		row = row->next;
	return row ? start_row(watch, log, name, row, latency, who) :
		     dkt__fail_in(watch->ctx, -ENOENT, "pair '%s'", pair);
}

/* Adds the record to the pairs. Sets *ns to the time of the pair that it ends; 0: it ends none. */
static int add_pair(struct flight_watch *watch, const struct dkt_record *record, uint64_t *ns)
{
	struct dkt_latency all = { 0 };
	int err = dkt_intervals_add(watch->pairs, watch->source, record);

	*ns = 0;
	if (record->event && record->event == watch->begin)
		return err;
	dkt_intervals_group(watch->pairs, 0, &all, sizeof(all));
	/* A gap cancels pairs, so that both can become smaller. */
	*ns = all.count > watch->count ? all.sum - watch->sum : 0;
	watch->count = all.count;
	watch->sum = all.sum;
	return err;
}

int flight_measure(struct flight_watch *watch, const struct dkt_record *record, uint64_t *ns)
{
	*ns = 0;
	if (watch->pairs)
		return add_pair(watch, record, ns);
	if (watch->rpcs)
		return dkl_rpc_times_add(watch->rpcs, record, ns);
	if (record->event)
		*ns = (uint64_t)dkt_record_int(record, watch->lat);
	return 0;
}
