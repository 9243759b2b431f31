/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conditions of a flight recorder: an instance with only their events tells when one happens. */
#include "flight/watch.h"

#include "base/buf.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/parse.h"
#include "lustre/named.h"
#include "set/pairs.h"

/* Only the first record is of interest, and the kernel overwrites the rest. */
#define SIZE (UINT64_C(64) << 10)

/* For latencies: the records of the time until the next look. */
#define PAIRS_SIZE   (UINT64_C(8) << 20)
#define WAKE_PERCENT 50

/* Bytes of a reason. */
#define REASON_MAX 200

/* Sets up the events, and reads them as soon as a buffer is that full. */
static int watch_events(struct dkt_ctx *ctx, const char *log, const char *name, const char *events,
			unsigned int percent, uint64_t size, struct flight_watch *watch)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = percent);
	const struct wanted_words words = { .events = events };
	pid_t self = getpid();
	int err = flight_create(ctx, log, name, 0, &words, &watch->group);

	if (!err)
		err = dkt_instance_set_size(watch->group.in,
					    size * (uint64_t)dkt_instance_cpus(watch->group.in));
	/* Not an error: a kernel that cannot exclude the recorder lets it wake itself. */
	if (!err && dkt_instance_skip_pids(watch->group.in, &self, 1))
		dkt_log(ctx, DKT_LOG_INFO, "%s", dkt_error(ctx));
	return err ? err : dkt_source_live(watch->group.in, &opts, &watch->source);
}

int flight_watch_events(struct dkt_ctx *ctx, const char *log, const char *name, const char *events,
			struct flight_watch *watch)
{
	return watch_events(ctx, log, name, events, 0, SIZE, watch);
}

bool flight_read_latency(const char *text, char **pair, uint64_t *limit)
{
	const char *sign = strchr(text, '>'), *open = strchr(text, '[');
	const char *time;
	size_t len;

	*pair = NULL;
	*limit = 0;
	if (!sign || (open && open < sign))
		return false;
	len = (size_t)(sign - text);
	while (len && text[len - 1] == ' ')
		len--;
	*pair = strndup(text, len);
	time = sign + 1 + strspn(sign + 1, " ");
	/* A number without a unit would be a guess. */
	if (!*time || (*time && time[strlen(time) - 1] >= '0' && time[strlen(time) - 1] <= '9') ||
	    dkt__parse_time(time, 1, limit))
		*limit = 0;
	return true;
}

/* True if one of the globs "SYSTEM:NAME,..." is the event. */
static bool is_one(const char *globs, const struct dkt_event *event)
{
	char *copy __cleanup(free) = strdup(globs), *rest = copy, *one;

	while ((one = strsep(&rest, ","))) {
		char *name = strchr(one, ':');

		if (!name)
			continue;
		*name++ = '\0';
		if (!strcmp(one, dkt_event_system(event)) && dkt__glob(name, dkt_event_name(event)))
			return true;
	}
	return false;
}

static int add_roles(struct flight_watch *watch, const char *globs, unsigned int role)
{
	const struct wanted *wanted = watch->group.wanted;
	int err = 0;

	for (size_t i = 0; !err && i < wanted->n; i++)
		if (is_one(globs, wanted->list[i].event))
			err = dkt_pairs_event(watch->pairs, wanted->list[i].event, role);
	return err;
}

static int watch_row(struct dkt_ctx *ctx, const char *log, const char *name,
		     const struct latency_pair *row, struct flight_watch *watch)
{
	DKT_OPTS(dkt_pairs_opts, opts, .key = row->key);
	char *events __cleanup(free) = dkt__format("%s,%s", row->begin, row->end);
	int err = events ? dkt_pairs_new(ctx, &opts, &watch->pairs) : dkt__no_memory(ctx);

	if (!err)
		err = watch_events(ctx, log, name, events, WAKE_PERCENT, PAIRS_SIZE, watch);
	/* An event can have both roles. */
	if (!err && !strcmp(row->begin, row->end))
		return add_roles(watch, row->begin, DKT_PAIR_BEGIN | DKT_PAIR_END);
	if (!err)
		err = add_roles(watch, row->begin, DKT_PAIR_BEGIN);
	return err ? err : add_roles(watch, row->end, DKT_PAIR_END);
}

/* True if the kernel has all events of the pair. */
static bool has_row(struct dkt_ctx *ctx, const struct latency_pair *row)
{
	char *events __cleanup(free) = dkt__format("%s,%s", row->begin, row->end);
	struct named named = { 0 };
	bool has = events && !named_read(ctx, events, &named) && !named_check(ctx, &named);

	named_clear(&named);
	return has;
}

int flight_watch_latency(struct dkt_ctx *ctx, const char *log, const char *name, const char *pair,
			 uint64_t limit, struct flight_watch *watch)
{
	const struct latency_pair *row = latency_pair_find(pair, NULL);

	if (!row)
		return dkt_fail(ctx, -EINVAL,
				"'%s' is not a pair of events; 'dktrace latency' lists them", pair);
	if (!limit)
		return dkt_fail(ctx, -EINVAL, "%s: give a time with its unit, such as %s > 100ms",
				pair, pair);
	while (row && !has_row(ctx, row))
		row = latency_pair_find(pair, row);
	if (!row)
		return dkt_fail_in(ctx, -ENOENT, "pair '%s'", pair);
	watch->pair = row->name;
	watch->limit = limit;
	return watch_row(ctx, log, name, row, watch);
}

static char *reason_of(struct dkt_source *source, const struct dkt_record *record)
{
	struct dkt_buf *buf;
	char *reason = NULL;
	const char *text;
	size_t len;

	if (dkt_buf_new(&buf))
		return NULL;
	dkt_record_line(record, buf);
	text = dkt_buf_data(buf, &len);
	if (!dkt_buf_error(buf))
		reason = dkt__format("%s:%s by %s-%d: %.*s", dkt_event_system(record->event),
				     dkt_event_name(record->event), dkt_source_comm(source, record),
				     record->pid, (int)DKT__MIN(len, REASON_MAX), text);
	dkt_buf_free(buf);
	return reason;
}

/* Adds the record to the pairs. Sets *ns to the time of the pair that it ends; 0: it ends none. */
static int add_pair(struct flight_watch *watch, const struct dkt_record *record, uint64_t *ns)
{
	struct dkt_latency all = { 0 };
	int err = dkt_pairs_add(watch->pairs, watch->source, record);

	dkt_pairs_group(watch->pairs, 0, &all, sizeof(all));
	/* A gap cancels pairs, so that both can become smaller. */
	*ns = all.count > watch->count ? all.sum - watch->sum : 0;
	watch->count = all.count;
	watch->sum = all.sum;
	return err;
}

/* Looks whether the record is an incident. */
static int judge(struct flight_watch *watch, const struct dkt_record *record, uint64_t *n,
		 char **reason)
{
	uint64_t ns = 0;
	int err = watch->pairs ? add_pair(watch, record, &ns) : 0;

	if (err || (watch->pairs && ns <= watch->limit))
		return err;
	if (!record->event) {
		*n += record->lost == DKT_LOST_UNKNOWN ? 1 : record->lost;
		return 0;
	}
	++*n;
	if (!*reason && watch->pairs)
		*reason = dkt__format("%s took %.3f ms: %s-%d", watch->pair, (double)ns / 1e6,
				      dkt_source_comm(watch->source, record), record->pid);
	else if (!*reason)
		*reason = reason_of(watch->source, record);
	return 0;
}

int flight_watch_look(struct flight_watch *watch, uint64_t *n, char **reason)
{
	struct dkt_record record;
	int err = dkt_source_wait(watch->source, 0);

	*n = 0;
	*reason = NULL;
	err = err == -EINTR ? 0 : err;
	while (!err && !(err = dkt_source_next(watch->source, &record)))
		err = judge(watch, &record, n, reason);
	if (err > 0)
		err = dkt_source_done(watch->source);
	if (!err && *n && !*reason)
		*reason = strdup("the condition's records were lost");
	return err;
}

void flight_watch_close(struct flight_watch *watch)
{
	dkt_source_close(watch->source);
	dkt_pairs_free(watch->pairs);
	watch->source = NULL;
	watch->pairs = NULL;
	flight_close(&watch->group);
}
