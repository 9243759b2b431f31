/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the latencies in the records of a daemon: the ready-made pairs, and Lustre's RPCs. */
#include "recording/daemon/pairing.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/lustre/class.h"
#include "compat/lustre/message.h"
#include "compat/lustre_log/rpc_times.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* Records after which the histograms are shown, also if there are more. */
#define SHOW_EACH (1u << 16)

/* How often the file is looked at, in ms. */
#define LOOK_MS 500

/* The pairs of a kind whose begin is in these classes. */
struct set {
	struct dkt_intervals *pairs;
	struct pairing *in;
	unsigned int kind;
	uint32_t classes;
};

struct pairing {
	const struct pairing_opts *opts;
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct dkt_event *const *events; /* of the file so far */
	size_t n_events;
	struct class_map *map;
	struct set **sets;
	size_t n;
	struct rpc_times *rpcs; /* NULL: there are no messages */
	struct dkt_event **messages;
	size_t n_messages;
	uint32_t rpc_classes;
	struct histograms *found; /* so far, with those of earlier segments */
	bool last; /* the file has ended, so this look is the last */
};

/* ---- the events ---- */

/* Calls fn for the first pair of each name of which the events have both sides, and so of what it is within. */
static int each_kind(struct dkt_ctx *ctx, struct dkt_event *const *events, size_t n,
		     int (*fn)(void *data, unsigned int kind, const struct dkt_interval *pair),
		     void *data)
{
	const struct dkt_interval *list;
	size_t n_list;
	int err = dkt_interval_list(ctx, &list, &n_list);

	/* Pairs of one name are one kind, that of their first row. */
	for (size_t i = 0; !err && i < n_list; i++) {
		const struct dkt_interval *pair =
			dkt_interval_find(ctx, list[i].name) == &list[i] ? &list[i] : NULL;

		while (pair && (pair->calls || !dkt__interval_is_whole(pair, events, n)))
			pair = pair->next;
		if (pair)
			err = fn(data, HISTOGRAM_PAIRS + (unsigned int)i, pair);
	}
	return err;
}

static int found(void *data, unsigned int kind, const struct dkt_interval *pair)
{
	(void)data;
	(void)kind;
	(void)pair;
	return 1;
}

bool pairing_has(struct dkt_ctx *ctx, const struct wanted *wanted)
{
	struct dkt_event **events __cleanup(free) = calloc(wanted->n + 1, sizeof(*events));
	bool messages = false;

	for (size_t i = 0; events && i < wanted->n; i++) {
		events[i] = wanted->list[i].event;
		messages |= dkl_message_is(events[i]);
	}
	return events && (messages || each_kind(ctx, events, wanted->n, found, NULL) > 0);
}

/* A dkt_event_fn; data: the context with the intervals. */
static bool wants(void *data, struct dkt_event *event)
{
	const struct dkt_interval *list;
	bool wanted = dkl_message_is(event);
	size_t n;

	if (dkt_interval_list(data, &list, &n))
		return wanted;
	for (size_t i = 0; !wanted && i < n; i++)
		wanted = dkt_interval_roles(&list[i], event);
	return wanted;
}

static uint32_t classes_of(const struct pairing *p, struct dkt_event *event)
{
	return dkl_class_map_event(p->map, event)->classes;
}

/* ---- the pairs ---- */

static int add_latency(void *data, uint64_t end, uint64_t ns, bool cancelled)
{
	const struct set *set = data;

	(void)end;
	histograms_add(set->in->found, set->kind, set->classes, ns, cancelled);
	return 0;
}

static int new_set(struct pairing *p, unsigned int kind, const char *key, uint32_t classes,
		   struct set **set)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = key, .pair = add_latency);
	int err;

	for (size_t i = 0; i < p->n; i++)
		if (p->sets[i]->kind == kind && p->sets[i]->classes == classes) {
			*set = p->sets[i];
			return 0;
		}
	*set = calloc(1, sizeof(**set));
	if (!*set || dkt__append(p->sets, p->n, *set)) {
		free(*set);
		return dkt__no_memory(p->ctx);
	}
	**set = (struct set){ .in = p, .kind = kind, .classes = classes };
	opts.data = *set;
	err = dkt_intervals_new(p->ctx, &opts, &(*set)->pairs);
	histograms_know(p->found, kind, classes);
	return err;
}

/*
 * The ends of a set are those of its own classes, if there are any: the entry of a call in one class and the
 * exit of one in another are not a pair.
 */
static int add_ends(struct pairing *p, const struct set *set, const struct dkt_interval *pair)
{
	bool own = false;
	int err = 0;

	for (size_t i = 0; i < p->n_events; i++)
		own |= dkt_interval_roles(pair, p->events[i]) & DKT_INTERVAL_END &&
		       classes_of(p, p->events[i]) == set->classes;
	for (size_t i = 0; !err && i < p->n_events; i++)
		if (dkt_interval_roles(pair, p->events[i]) & DKT_INTERVAL_END &&
		    (!own || classes_of(p, p->events[i]) == set->classes))
			err = dkt_intervals_event(set->pairs, p->events[i], DKT_INTERVAL_END);
	return err;
}

/* Adds a set for each combination of classes that events have which begin the pair. */
static int add_kind(void *data, unsigned int kind, const struct dkt_interval *pair)
{
	struct pairing *p = data;
	const size_t first = p->n;
	struct set *set;
	int err = 0;

	for (size_t i = 0; !err && i < p->n_events; i++) {
		if (!(dkt_interval_roles(pair, p->events[i]) & DKT_INTERVAL_BEGIN))
			continue;
		err = new_set(p, kind, pair->match, classes_of(p, p->events[i]), &set);
		if (!err)
			err = dkt_intervals_event(set->pairs, p->events[i], DKT_INTERVAL_BEGIN);
	}
	for (size_t i = first; !err && i < p->n; i++) {
		err = add_ends(p, p->sets[i], pair);
		if (!err)
			err = dkt__intervals_within(p->sets[i]->pairs, pair, p->events,
						    p->n_events);
	}
	return err;
}

static void unbind(struct pairing *p)
{
	for (size_t i = 0; i < p->n; i++) {
		dkt_intervals_free(p->sets[i]->pairs);
		free(p->sets[i]);
	}
	free(p->sets);
	p->sets = NULL;
	p->n = 0;
	dkl_rpc_times_free(p->rpcs);
	p->rpcs = NULL;
	free(p->messages);
	p->messages = NULL;
	p->n_messages = 0;
	dkl_class_map_free(p->map);
	p->map = NULL;
}

static int add_messages(struct pairing *p)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (dkl_message_is(p->events[i]) &&
		    dkt__append(p->messages, p->n_messages, p->events[i]))
			return dkt__no_memory(p->ctx);
	if (!p->n_messages)
		return 0;
	histograms_know(p->found, HISTOGRAM_RPC, p->rpc_classes);
	return dkl_rpc_times_new(p->ctx, &p->rpcs);
}

/* Finds the events of the file. If it has new ones, pairs that have begun are not counted. */
static int bind(struct pairing *p)
{
	const size_t before = p->n_events;
	int err = dkt_events(p->ctx, &p->events, &p->n_events);

	if (err || before == p->n_events)
		return err;
	unbind(p);
	err = dkl_class_map_open(p->ctx, NULL, &p->map);
	if (!err)
		err = each_kind(p->opts->intervals, p->events, p->n_events, add_kind, p);
	return err ? err : add_messages(p);
}

/* ---- the records ---- */

static bool is_message(const struct pairing *p, const struct dkt_event *event)
{
	for (size_t i = 0; i < p->n_messages; i++)
		if (p->messages[i] == event)
			return true;
	return false;
}

static int add(struct pairing *p, const struct dkt_record *record, pid_t self)
{
	uint64_t ns = 0;
	int err = 0;

	if (record->event && record->pid == self)
		return 0;
	for (size_t i = 0; !err && i < p->n; i++)
		err = dkt_intervals_add(p->sets[i]->pairs, p->source, record);
	if (!err && p->rpcs && (!record->event || is_message(p, record->event)))
		err = dkl_rpc_times_add(p->rpcs, record, &ns);
	if (ns)
		histograms_add(p->found, HISTOGRAM_RPC, p->rpc_classes, ns, false);
	return err;
}

/* Waits until it is time to look again. Returns false if nothing more can come. */
static bool goes_on(struct pairing *p)
{
	struct pollfd alive = { .fd = p->opts->alive };

	if (p->last)
		return false;
	p->last = poll(&alive, 1, LOOK_MS) > 0;
	return true;
}

static int read_all(struct pairing *p)
{
	const pid_t self = getpid();
	struct dkt_record record;
	uint64_t n = 0;
	int next, err = bind(p);

	while (!err && (next = dkt_source_next(p->source, &record)) != DKT_NEXT_END) {
		if (next < 0)
			return next;
		if (next == DKT_NEXT_RECORD)
			err = add(p, &record, self);
		if (next == DKT_NEXT_LATER || !(++n % SHOW_EACH))
			histograms_publish(p->found, p->opts->shared);
		if (next != DKT_NEXT_LATER)
			continue;
		/* A daemon that was killed leaves a file without an end. */
		if (!goes_on(p))
			break;
		err = bind(p);
	}
	histograms_publish(p->found, p->opts->shared);
	return err;
}

/* Opens the file as soon as it has records. Each try takes a new context. Returns 1 if no records came. */
static int open_file(struct pairing *p)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_GROWS);
	int rest = -1, err;

	do {
		dkt_ctx_free(p->ctx);
		err = dkt_ctx_new(NULL, &p->ctx);
		if (!err)
			err = dkt_source_pipe(p->ctx, p->opts->file, &opts, &rest, &p->source);
	} while (err == -EAGAIN && goes_on(p));
	/* The daemon ended before it had written the beginning of its file. */
	dkt__closep(&rest);
	return err == -EAGAIN ? 1 : err;
}

int pairing_run(struct dkt_ctx *ctx, const struct pairing_opts *opts)
{
	struct histograms *found __cleanup(free) = malloc(sizeof(*found));
	struct pairing p = { .opts = opts, .found = found };
	const int class = dkl_mask_bit(MASK_DEBUG, RPC_TIMES_CLASS, strlen(RPC_TIMES_CLASS));
	int err;

	if (!found)
		return dkt__no_memory(ctx);
	*found = *opts->shared;
	p.rpc_classes = class < 0 ? 0 : UINT32_C(1) << class;
	err = open_file(&p);
	if (!err)
		err = dkt_source_select(p.source, wants, opts->intervals);
	if (!err)
		err = read_all(&p);
	if (err < 0)
		dkt_fail(ctx, err, "%s", p.ctx ? dkt_error(p.ctx) : strerror(-err));
	unbind(&p);
	dkt_source_close(p.source);
	dkt_ctx_free(p.ctx);
	return DKT__MIN(err, 0);
}
