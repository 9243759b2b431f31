/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intervals that count only within others, the outer ones. */
#include "lib/intervals/within.h"

#include "lib/event.h"

/* The keys of an event's records. */
struct within_event {
	bool begins_outer, begins_inner;
	struct dkt__key outer[PAIRS_KEYS];
	struct dkt__key inner[PAIRS_KEYS];
};

/* The outer intervals of one key that have begun. */
struct within_open {
	uint64_t n;
	uint64_t since; /* when there was none before, ns */
	struct pair_within *within; /* what the last one is itself within, and where; NULL: nothing */
	struct pair_place place;
};

struct pair_within {
	struct pair_keys keys; /* begin: those of outer records, end: those of inner ones */
	struct within_event *events; /* by event slot */
	size_t n_events;
	struct dkt__keyed open; /* of struct within_open */
	struct dkt__intern strings;
	struct dkt_intervals *outer; /* one for each way to measure, linked by next */
};

/* ---- the outer intervals ---- */

static bool has_events(const struct dkt_interval *interval, struct dkt_event *const *events,
		       size_t n)
{
	return dkt__interval_roles_of(interval, events, n) ==
	       (DKT_INTERVAL_BEGIN | DKT_INTERVAL_END);
}

bool dkt__interval_is_whole(const struct dkt_interval *interval, struct dkt_event *const *events,
			    size_t n)
{
	const struct dkt_interval *outer = interval->outer;

	while (outer && !dkt__interval_is_whole(outer, events, n))
		outer = outer->next;
	return has_events(interval, events, n) && (outer || !interval->outer);
}

const struct dkt_interval *dkt__interval_outer(const struct dkt_interval *interval,
					       struct dkt_event *const *events, size_t n)
{
	const struct dkt_interval *outer = interval->outer;

	while (outer && (outer->calls || !dkt__interval_is_whole(outer, events, n)))
		outer = outer->next;
	return outer;
}

/* Binds the fields by which inner intervals find the outer one. */
static int bind_begins(struct pair_within *within, struct dkt_ctx *ctx,
		       const struct dkt_intervals *pairs, struct dkt_event *const *events, size_t n,
		       bool is_outer)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		const size_t slot = events[i]->slot;
		struct within_event *event;

		if (slot >= pairs->n_events || !(pairs->events[slot].roles & DKT_INTERVAL_BEGIN))
			continue;
		event = dkt__reach(within->events, within->n_events, slot);
		if (!event)
			return dkt__no_memory(ctx);
		for (uint32_t k = 0; !err && k < within->keys.n; k++)
			err = is_outer ? dkt__key_bind(ctx, events[i], &within->keys.list[k].begin,
						       &event->outer[k]) :
					 dkt__key_bind(ctx, events[i], &within->keys.list[k].end,
						       &event->inner[k]);
		event->begins_outer |= is_outer;
		event->begins_inner |= !is_outer;
	}
	return err;
}

/* The list takes the new one also if it fails. A way for calls that this machine does not have is left out. */
static int add_way(struct pair_within *within, struct dkt_ctx *ctx, const struct dkt_interval *way,
		   struct dkt_event *const *events, size_t n)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = way->match);
	char *calls __cleanup(free) = NULL;
	struct dkt_intervals *outer = NULL;
	int err = way->calls ? dkt__interval_calls_filter(ctx, way, way->calls, &calls) : 0;

	if (err == -ENOENT) {
		free(dkt__error_take(ctx));
		return 0;
	}
	if (!err && calls)
		err = dkt_expr_new(ctx, calls, NULL, &opts.filter);
	if (!err)
		err = dkt_intervals_new(ctx, &opts, &outer);
	if (err) {
		dkt_expr_free(opts.filter);
		return err;
	}
	outer->own_filter = opts.filter;
	outer->next = within->outer;
	within->outer = outer;
	err = dkt_intervals_bind(outer, way, events, n);
	if (!err)
		err = bind_begins(within, ctx, outer, events, n, true);
	dkt__intervals_nest(outer, outer->within, within);
	return err;
}

int dkt__intervals_within(struct dkt_intervals *pairs, const struct dkt_interval *interval,
			  struct dkt_event *const *events, size_t n)
{
	struct pair_within *within;
	int err;

	if (!interval->outer)
		return 0;
	within = calloc(1, sizeof(*within));
	if (!within)
		return dkt__no_memory(pairs->ctx);
	/* Events can be bound once more. */
	dkt__within_free(pairs->within);
	dkt__intervals_nest(pairs, within, pairs->inner);
	err = dkt__pair_keys_parse(pairs->ctx, interval->within_match, &within->keys);
	within->open.size = sizeof(struct within_open);
	within->open.keys.n_words = within->keys.n;
	for (const struct dkt_interval *way = interval->outer; !err && way; way = way->next)
		if (dkt__interval_is_whole(way, events, n))
			err = add_way(within, pairs->ctx, way, events, n);
	if (!err && !within->outer)
		err = dkt_fail(pairs->ctx, -ENOENT, "no event of '%s', within which '%s' counts",
			       interval->within, interval->name);
	return err ? err : bind_begins(within, pairs->ctx, pairs, events, n, false);
}

void dkt__within_free(struct pair_within *within)
{
	if (!within)
		return;
	while (within->outer) {
		struct dkt_intervals *outer = within->outer;

		within->outer = outer->next;
		dkt_intervals_free(outer);
	}
	dkt__keyed_clear(&within->open);
	dkt__intern_clear(&within->strings);
	free(within->events);
	free(within);
}

/* ---- records ---- */

int dkt__within_add(struct pair_within *within, struct dkt_source *source,
		    const struct dkt_record *record)
{
	int err = 0;

	for (struct dkt_intervals *outer = within->outer; !err && outer; outer = outer->next)
		err = dkt_intervals_add(outer, source, record);
	return err;
}

static bool load(struct pair_within *within, const struct dkt__key *keys, struct dkt_source *source,
		 const struct dkt_record *record, uint64_t words[PAIRS_KEYS])
{
	for (uint32_t i = 0; i < within->keys.n; i++)
		if (!dkt__key_load(&keys[i], source, record, &within->strings, &words[i]))
			return false;
	return true;
}

static const struct within_event *event_of(const struct pair_within *within,
					   const struct dkt_record *record)
{
	const size_t slot = record->event->slot;

	return slot < within->n_events ? &within->events[slot] : NULL;
}

/* Outer intervals of a key, if one lasts, and so does what it is itself within. */
static const struct within_open *find(const struct pair_within *within, const uint64_t *words)
{
	const struct within_open *open = dkt__keyed_find(&within->open, words);

	return !open || !open->within || dkt__within_lasts(open->within, &open->place) ? open :
											 NULL;
}

bool dkt__within_finds(struct pair_within *within, struct dkt_source *source,
		       const struct dkt_record *record, struct pair_place *place)
{
	const struct within_event *event = event_of(within, record);
	const struct within_open *open = NULL;

	*place = (struct pair_place){ 0 };
	if (event && event->begins_inner &&
	    load(within, event->inner, source, record, place->words))
		open = find(within, place->words);
	place->since = open ? open->since : 0;
	return open;
}

bool dkt__within_lasts(const struct pair_within *within, const struct pair_place *place)
{
	const struct within_open *open = find(within, place->words);

	return open && open->since == place->since;
}

void dkt__within_end(struct dkt_intervals *outer, struct pair_nested *nested)
{
	struct dkt__keyed *all = &outer->inner->open;
	struct within_open *open = nested->is_outer ? dkt__keyed_find(all, nested->key) : NULL;

	nested->is_outer = false;
	if (open && !--open->n)
		dkt__keyed_remove(all, nested->key);
}

int dkt__within_begin(struct dkt_intervals *outer, struct dkt_source *source,
		      const struct dkt_record *record, struct pair_nested *nested, bool known)
{
	struct pair_within *within = outer->inner;
	const struct within_event *event = event_of(within, record);
	struct within_open *open;
	bool added;

	if (known)
		dkt__within_end(outer, nested);
	nested->is_outer = false;
	if (!event || !event->begins_outer ||
	    !load(within, event->outer, source, record, nested->key))
		return 0;
	open = dkt__keyed_add(&within->open, nested->key, &added);
	if (!open)
		return -ENOMEM;
	if (added)
		*open = (struct within_open){ .since = record->ts };
	open->n++;
	open->within = outer->within;
	open->place = nested->place;
	nested->is_outer = true;
	return 0;
}

void dkt__within_forget(struct dkt_intervals *outer)
{
	dkt__keymap_empty(&outer->inner->open.keys);
}
