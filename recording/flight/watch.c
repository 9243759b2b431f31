/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conditions of a flight recorder: an instance with only their events tells when one happens. */
#include "recording/flight/watch.h"

#include "compat/apply/rules.h"
#include "compat/lustre/event_names.h"
#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/message/reader.h"
#include "compat/lustre/message/search.h"
#include "compat/lustre_log/rpc_times.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"
#include "recording/flight/measure.h"

/* Only the first record is of interest, and the kernel overwrites the rest. */
#define SIZE (UINT64_C(64) << 10)

/* Bytes of a reason. */
#define REASON_MAX 200

/* A condition on the text of Lustre's messages: the kernel tests their formats and arguments. */
#define MESSAGE "message"

/* Moves the message of the watch's own context to the recorder's. */
static int pass_error(struct dkt_ctx *ctx, const struct flight_watch *watch, int err)
{
	return err ? dkt_fail(ctx, err, "%s", dkt_error(watch->ctx)) : 0;
}

bool flight_watch_reads(const struct flight_watch *watch)
{
	return watch->pairs || watch->rpcs;
}

char *flight_watch_prefix(const char *log, const char *name)
{
	return dkt__format("%s-flight-%s", log, name);
}

/* ---- messages of Lustre ---- */

const char *flight_message_words(const char *condition)
{
	const size_t len = strlen(MESSAGE);

	if (strncmp(condition, MESSAGE, len) != 0 || condition[len] != ' ')
		return NULL;
	return condition + len + strspn(condition + len, " ");
}

/* Adds the condition of the search to the event's filter. -ENOENT: the event cannot have the words. */
static int restrict_event(struct wanted_event *one, const struct search *search)
{
	struct conditions all = { 0 };
	char *found __cleanup(free) = NULL;
	int err = dkl_search_condition(search, one->event, &found);

	if (!err && one->filter)
		err = dkl_conditions_add(&all, one->filter);
	if (!err)
		err = dkl_conditions_add(&all, found);
	if (err) {
		free(all.text);
		return err;
	}
	free(one->filter);
	one->filter = all.text;
	return 0;
}

/* Leaves the events that can have the words. */
static int restrict_events(struct wanted *wanted, const struct search *search)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < wanted->n; i++) {
		struct wanted_event *one = &wanted->list[i];
		int lacks = err ? err : restrict_event(one, search);

		if (lacks == -ENOENT) {
			free(one->filter);
			continue;
		}
		err = lacks;
		wanted->list[kept++] = *one;
	}
	wanted->n = kept;
	return dkt__with_words(wanted->ctx, err);
}

/*
 * Records the messages that have the words, as dkl_search_new() takes them. The error is in the watch's own
 * context. -ENOENT: Lustre is not loaded, or its messages have no events.
 */
static int start_messages(struct flight_watch *watch, const char *log, const char *name,
			  const char *words)
{
	const struct wanted_words messages = { .classes = "all", .sources = "lustre" };
	struct search search;
	int err;

	if (!dkl_lustre_is_loaded())
		return dkt_fail(watch->ctx, -ENOENT, "'" MESSAGE "': Lustre is not loaded");
	err = dkl_search_modules(watch->ctx, words, &search);
	if (!err)
		err = flight_create_bare(watch->ctx, log, name, 0, &messages, &watch->group);
	if (!err)
		err = restrict_events(watch->group.wanted, &search);
	if (!err)
		err = flight_enable(&watch->group);
	watch->way = "the kernel compares formats and strings of Lustre's messages";
	if (!err) {
		watch->text = strdup(search.glob);
		err = watch->text ? 0 : dkt__no_memory(watch->ctx);
	}
	dkl_search_clear(&search);
	return err;
}

/* ---- setting up ---- */

static int open_context(struct dkt_ctx *ctx, struct flight_watch *watch)
{
	int err = dkt_tracefs_open(ctx, 0);
	DKT_OPTS(dkt_ctx_opts, opts, .root = err ? NULL : dkt_tracefs_dir(ctx));

	return err ? err : dkt__with_words(ctx, dkt_ctx_new(&opts, &watch->ctx));
}

int flight_watch_read(struct flight_watch *watch, unsigned int percent, uint64_t size)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = percent);
	struct dkt_instance *in = watch->group.in;
	pid_t self = getpid();
	int err = dkt_instance_set_size(in, size * (uint64_t)dkt_instance_n_cpus(in));

	/* Not an error: a kernel that cannot exclude the recorder lets it wake itself. */
	if (!err)
		dkt__instance_set_skipped_pids(in, &self, 1);
	if (!err)
		err = dkl_message_reader_new(watch->ctx, &watch->messages);
	return err ? err : dkt_source_live(in, &opts, &watch->source);
}

int flight_watch_events(struct dkt_ctx *ctx, const char *log, const char *name, const char *events,
			const struct wanted_words *who, struct flight_watch *watch)
{
	struct wanted_words words = { .events = events,
				      .filter = who->filter,
				      .comms = who->comms,
				      .pids = who->pids,
				      .children = who->children,
				      .cpus = who->cpus };
	int err = open_context(ctx, watch);
	bool takes;

	if (err)
		return err;
	err = flight_takes_filter(watch->ctx, events, who->filter, &takes);
	if (!err && !takes)
		words.filter = NULL;
	if (!err)
		err = flight_create(watch->ctx, log, name, 0, &words, &watch->group);
	watch->way = "the kernel tests each record";
	if (!err)
		err = flight_watch_read(watch, 0, SIZE);
	return pass_error(ctx, watch, err);
}

int flight_watch_message(struct dkt_ctx *ctx, const char *log, const char *name, const char *words,
			 struct flight_watch *watch)
{
	int err = open_context(ctx, watch);

	if (err)
		return err;
	err = start_messages(watch, log, name, words);
	if (!err)
		err = flight_watch_read(watch, 0, SIZE);
	return pass_error(ctx, watch, err);
}

int flight_watch_latency(struct dkt_ctx *ctx, const char *log, const char *name,
			 const char *latency, uint64_t limit, const struct wanted_words *who,
			 struct flight_watch *watch)
{
	int err = open_context(ctx, watch);

	if (err)
		return err;
	watch->limit = limit;
	err = flight_measure_start(ctx, watch, log, name, latency, who);
	/* The recorder's own reads start with the records from now on. */
	if (!err && !watch->source)
		err = flight_watch_read(watch, 0, SIZE);
	if (!err && watch->group.wanted->notes)
		dkt__log(ctx, DKT_LOG_WARN, "--when: %s", watch->group.wanted->notes);
	return pass_error(ctx, watch, err);
}

/* ---- looking ---- */

/* Describes the record: a message of Lustre by its text, others by their event and its fields. */
static char *reason_of(struct flight_watch *watch, const struct dkt_record *record)
{
	char *event __cleanup(free) = NULL;
	const struct message *message = dkl_message_reader_get(watch->messages, record->event);
	struct dkt_buf *buf;
	char *reason = NULL;
	const char *text;
	size_t len;

	if (dkt_buf_new(&buf))
		return NULL;
	if (message) {
		event = strdup("message");
		dkl_message_put_text(message, record, buf);
	} else {
		event = dkl_event_full_name(record->event);
		dkt__record_line(record, buf);
	}
	text = dkt_buf_data(buf, &len);
	while (len && text[len - 1] == '\n')
		len--;
	if (event && !dkt_buf_error(buf))
		reason = dkt__format("%s by %s-%d: %.*s", event,
				     dkt_source_comm(watch->source, record), record->pid,
				     (int)DKT__MIN(len, REASON_MAX), text);
	dkt_buf_free(buf);
	return reason;
}

static char *slow_reason(struct flight_watch *watch, const struct dkt_record *record, uint64_t ns)
{
	const char *call = watch->calls ? dkt__interval_call_name(watch->ctx, record, watch->by) :
					  NULL;

	return dkt__format("%s took %.3f ms: %s-%d", call ? call : watch->name, (double)ns / 1e6,
			   dkt_source_comm(watch->source, record), record->pid);
}

/* Each table reads the clock for itself, so their times of one call are about the same. */
static bool is_same(const struct flight_slow *a, const struct flight_slow *b)
{
	return a->ns && a->pid == b->pid && a->end - a->ns < b->end && b->end - b->ns < a->end;
}

/*
 * Returns whether the twin has told of the call, which forgets that; otherwise this watch remembers it. A
 * thread makes one call after the other.
 */
static bool is_told(struct flight_watch *watch, struct flight_watch *twin,
		    const struct flight_slow *slow)
{
	for (size_t i = 0; twin && i < FLIGHT_TOLD; i++)
		if (is_same(&twin->told[i], slow)) {
			twin->told[i].ns = 0;
			return true;
		}
	watch->told[watch->n_told++ % FLIGHT_TOLD] = *slow;
	return false;
}

/* The kernel cannot see which of a message's words are arguments; the text of its record has these alone. */
static bool has_text(struct flight_watch *watch, const struct dkt_record *record)
{
	const struct message *message = dkl_message_reader_get(watch->messages, record->event);

	return !message || dkl_message_has(message, record, watch->text);
}

static void add_incident(struct flight_watch *watch, const struct dkt_record *record, uint64_t ns,
			 struct flight_found *found)
{
	if (watch->text && !has_text(watch, record))
		return;
	found->n++;
	found->last = DKT__MAX(found->last, record->ts);
	if (!found->reason && watch->name)
		found->reason = slow_reason(watch, record, ns);
	else if (!found->reason)
		found->reason = reason_of(watch, record);
}

/*
 * A condition can hold for several records of a message, which are one incident, or for some of them
 * only.
 */
static void add_left(struct flight_watch *watch, struct flight_found *found)
{
	struct dkt_record record;

	while (dkl_message_reader_left(watch->messages, &record))
		add_incident(watch, &record, 0, found);
}

/* Looks whether the record is an incident. */
static int judge(struct flight_watch *watch, struct flight_watch *twin,
		 const struct dkt_record *record, struct flight_found *found)
{
	uint64_t ns = 0;
	int err = watch->name ? flight_measure(watch, record, &ns) : 0;
	const struct flight_slow slow = { .pid = record->pid, .ns = ns, .end = record->ts };

	/* Records of a latency that are lost tell nothing, unless they are those of slow ones. */
	if (err || (watch->name && ns <= watch->limit && (record->event || !watch->lat)))
		return err;
	if (!record->event) {
		found->n += record->lost == DKT_LOST_UNKNOWN ? 1 : record->lost;
		found->last = UINT64_MAX;
		return 0;
	}
	if (watch->lat && is_told(watch, twin, &slow))
		return 0;
	if (watch->name || !dkl_message_reader_keep(watch->messages, record))
		add_incident(watch, record, ns, found);
	return 0;
}

int flight_watch_look(struct dkt_ctx *ctx, struct flight_watch *watch, struct flight_watch *twin,
		      struct flight_found *found)
{
	struct dkt_record record;
	int err = dkt_source_wait(watch->source, 0);

	*found = (struct flight_found){ 0 };
	err = err == -EINTR ? 0 : err;
	while (!err && !(err = dkt_source_next(watch->source, &record)))
		err = judge(watch, twin, &record, found);
	add_left(watch, found);
	if (err > 0)
		err = dkt_source_done(watch->source);
	if (!err && found->n && !found->reason)
		found->reason = strdup("the condition's records were lost");
	return pass_error(ctx, watch, err);
}

/* ---- removing ---- */

int flight_watch_clear(struct flight_watch *watch, const char *log)
{
	char *name __cleanup(free) = watch->group.name ? strdup(watch->group.name) : NULL;
	int err = 0;

	dkt_source_close(watch->source);
	dkt_intervals_free(watch->pairs);
	dkt_expr_free(watch->filter);
	dkl_rpc_times_free(watch->rpcs);
	dkl_message_reader_free(watch->messages);
	flight_close(&watch->group);
	if (name)
		err = flight_remove(watch->ctx, log, name);
	/* The instance's triggers use the synthetic event, so it goes after it. */
	if (!err && watch->slow)
		err = dkt_probe_remove(watch->ctx, "synthetic", watch->slow);
	dkl_wanted_free(watch->group.wanted);
	free(watch->slow);
	free(watch->text);
	*watch = (struct flight_watch){ .ctx = watch->ctx, .limit = watch->limit };
	/* A failure came before the event was created, or the kernel has no such events. */
	return err == -ENOENT || err == -EOPNOTSUPP ? 0 : err;
}

int flight_watch_remove(struct dkt_ctx *ctx, const char *log, struct flight_watch *watch)
{
	int err = watch->ctx ? pass_error(ctx, watch, flight_watch_clear(watch, log)) : 0;

	dkt_ctx_free(watch->ctx);
	watch->ctx = NULL;
	return err;
}

int flight_watch_remove_left(struct dkt_ctx *ctx, const char *log, const char *name)
{
	char *prefix __cleanup(free) = flight_watch_prefix(log, name);
	int err = prefix ? flight_remove(ctx, log, name) : dkt__no_memory(ctx);

	return err ? err : dkt__instance_sweep(ctx, prefix, NULL);
}
