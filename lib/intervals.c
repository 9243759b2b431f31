/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of records, a begin and an end, and the time between them. */
#include "lib/intervals.h"
#include "lib/event.h"
#include "lib/intervals/within.h"

/* ---- options ---- */

int dkt__pair_keys_parse(struct dkt_ctx *ctx, const char *text, struct pair_keys *keys)
{
	const char *p = text, *why;
	size_t at = 0;

	while (keys->n < PAIRS_KEYS) {
		size_t len = strcspn(p, ","), left = strcspn(p, ",=");
		struct pair_key *key = &keys->list[keys->n];
		int err = dkt__key_parse(p, left, &key->begin, &why, &at);

		key->end = key->begin;
		if (!err && left < len) {
			p += left + 1;
			len -= left + 1;
			err = dkt__key_parse(p, len, &key->end, &why, &at);
		}
		if (!err && (key->begin.mod || key->end.mod)) {
			why = "a key cannot have a modifier";
			err = -EINVAL;
		}
		if (err)
			return dkt__fail_at(ctx, err, "key", text, (size_t)(p - text) + at, "%s",
					    why);
		keys->n++;
		p += len;
		if (!*p)
			return 0;
		p++;
	}
	return dkt__fail_at(ctx, -EINVAL, "key", text, (size_t)(p - text), "more than %d fields",
			    PAIRS_KEYS);
}

/* A request is known by more than one field, which are all that its key can have. */
static int check_request(struct dkt_intervals *pairs, const char *text)
{
	for (uint32_t i = 0; i < pairs->keys.n; i++)
		pairs->requests |= !strcmp(pairs->keys.list[i].begin.name, DKT__REQUEST_KEY) ||
				   !strcmp(pairs->keys.list[i].end.name, DKT__REQUEST_KEY);
	if (!pairs->requests || !strcmp(text, DKT__REQUEST_KEY))
		return 0;
	return dkt__fail_at(pairs->ctx, -EINVAL, "key", text, 0,
			    DKT__REQUEST_KEY " is a whole key, which takes no other field");
}

static int parse_by(struct dkt_intervals *pairs, const char *text)
{
	const char *why;
	size_t at;
	int err = dkt__key_parse(text, strlen(text), &pairs->by, &why, &at);

	if (!err && pairs->by.mod >= MOD_STACKTRACE) {
		why = "cannot group by a stack, a percentage or a graph";
		err = -EINVAL;
	}
	pairs->grouped = true;
	return err ? dkt__fail_at(pairs->ctx, err, "by", text, at, "%s", why) : 0;
}

int dkt_intervals_new(struct dkt_ctx *ctx, const struct dkt_intervals_opts *opts,
		      struct dkt_intervals **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx);

	struct dkt_intervals_opts all;
	struct dkt_intervals *pairs;
	int err = dkt__opts_take(ctx, dkt_intervals_opts, &all, opts);

	if (!err && !all.key)
		err = dkt_fail(ctx, -EINVAL, "the pairs have no key");
	if (err)
		return err;
	pairs = calloc(1, sizeof(*pairs));
	if (!pairs)
		return dkt__no_memory(ctx);
	pairs->ctx = ctx;
	pairs->filter = all.filter;
	pairs->skip = all.skip;
	pairs->pair = all.pair;
	pairs->data = all.data;
	pairs->n_slow_max = all.slowest;
	err = dkt__pair_keys_parse(ctx, all.key, &pairs->keys);
	if (!err)
		err = check_request(pairs, all.key);
	if (!err && all.by)
		err = parse_by(pairs, all.by);
	pairs->open.requests = pairs->requests;
	pairs->open.all.size = sizeof(struct pair_begun);
	pairs->open.all.keys.n_words = pairs->requests ? DKT__REQUEST_WORDS : pairs->keys.n;
	pairs->groups.n_words = 1;
	if (!err && all.slowest) {
		pairs->slow = calloc((size_t)all.slowest + 1, sizeof(*pairs->slow));
		err = pairs->slow ? 0 : dkt__no_memory(ctx);
	}
	if (err) {
		dkt_intervals_free(pairs);
		return err;
	}
	*out = pairs;
	return 0;
}

void dkt__intervals_nest(struct dkt_intervals *pairs, struct pair_within *within,
			 struct pair_within *inner)
{
	pairs->within = within;
	pairs->inner = inner;
	pairs->nested = within || inner;
	if (pairs->nested)
		pairs->open.all.size = sizeof(struct pair_nested);
}

/* Removes all but the first n of the slowest pairs. */
static void slow_cut(struct dkt_intervals *pairs, uint32_t n)
{
	for (uint32_t i = n; i < pairs->n_slow; i++) {
		free(pairs->slow[i].begin.bytes);
		free(pairs->slow[i].end.bytes);
		pairs->slow[i] = (struct pair_slow){ 0 };
	}
	pairs->n_slow = n;
}

static struct pair_begun *begun_at(const struct dkt_intervals *pairs, uint32_t entry)
{
	return dkt__keyed_at(&pairs->open.all, entry);
}

void dkt_intervals_free(struct dkt_intervals *pairs)
{
	if (!pairs)
		return;
	for (uint32_t i = 0; i < pairs->n_groups; i++) {
		free(pairs->group[i].name);
		dkt__dist_clear(&pairs->group[i].dist);
	}
	for (uint32_t i = 0; i < pairs->open.all.n_values; i++)
		free(begun_at(pairs, i)->kept.bytes);
	slow_cut(pairs, 0);
	dkt__dist_clear(&pairs->all);
	free(pairs->kernel_by[0]);
	free(pairs->kernel_by[1]);
	free(pairs->slow);
	free(pairs->group);
	free(pairs->events);
	free(pairs->recent);
	dkt__open_clear(&pairs->open);
	dkt__keymap_clear(&pairs->groups);
	dkt__intern_clear(&pairs->strings);
	dkt__within_free(pairs->within);
	dkt_expr_free(pairs->own_filter);
	free(pairs);
}

static int bind_keys(struct dkt_intervals *pairs, struct dkt_event *event, unsigned int roles,
		     struct pair_event *side)
{
	const char *lacks = pairs->requests ? dkt__request_find(event, &side->request) : NULL;
	int err = 0;

	if (lacks)
		return dkt_fail(pairs->ctx, -ENOENT,
				"%s:%s has no field '%s', which a " DKT__REQUEST_KEY " needs",
				event->system, event->name, lacks);
	if (pairs->requests)
		return 0;
	for (uint32_t i = 0; !err && roles & DKT_INTERVAL_BEGIN && i < pairs->keys.n; i++)
		err = dkt__key_bind(pairs->ctx, event, &pairs->keys.list[i].begin, &side->begin[i]);
	for (uint32_t i = 0; !err && roles & DKT_INTERVAL_END && i < pairs->keys.n; i++)
		err = dkt__key_bind(pairs->ctx, event, &pairs->keys.list[i].end, &side->end[i]);
	return err;
}

/* Either all begin events have the group's field, or none has it and all end events do. */
static int bind_by(struct dkt_intervals *pairs, struct dkt_event *event, unsigned int roles,
		   struct pair_event *side)
{
	int err = dkt__key_bind(pairs->ctx, event, &pairs->by, &side->by);

	side->has_by = !err;
	if (err != 0 && err != -ENOENT)
		return err;
	if (!(roles & DKT_INTERVAL_BEGIN))
		return pairs->by_begin ? 0 : err;
	if (pairs->begins && side->has_by != pairs->by_begin)
		return dkt_fail(pairs->ctx, -ENOENT,
				"some of the events that begin have no field '%s'", pairs->by.name);
	pairs->by_begin = side->has_by;
	return 0;
}

/* The filter must fit one of the two sides. */
static int bind_filter(struct dkt_intervals *pairs, struct dkt_event *event, unsigned int roles,
		       struct pair_event *side)
{
	int err = dkt__expr_check_match(pairs->filter, event);

	side->filtered = !err;
	pairs->fits |= side->filtered;
	if (err == -ENOENT && (roles & DKT_INTERVAL_BEGIN || pairs->fits))
		return 0;
	return err;
}

int dkt_intervals_event(struct dkt_intervals *pairs, struct dkt_event *event, unsigned int roles)
{
	dkt__needs(pairs ? pairs->ctx : NULL, pairs && event);

	struct pair_event *side;
	int err = dkt__flags_check(pairs->ctx, "dkt_intervals_event", roles,
				   DKT_INTERVAL_BEGIN | DKT_INTERVAL_END);

	if (err)
		return err;
	side = dkt__reach(pairs->events, pairs->n_events, event->slot);
	err = side ? bind_keys(pairs, event, roles, side) : dkt__no_memory(pairs->ctx);
	if (!err && pairs->grouped)
		err = bind_by(pairs, event, roles, side);
	if (!err && pairs->filter)
		err = bind_filter(pairs, event, roles, side);
	if (err)
		return err;
	side->roles |= roles;
	pairs->begins |= roles & DKT_INTERVAL_BEGIN;
	return 0;
}

/* ---- copies of records ---- */

static int keep_record(struct kept_record *kept, const struct dkt_record *record)
{
	if (kept->room < record->size) {
		uint8_t *bytes = realloc(kept->bytes, record->size);

		if (!bytes)
			return -ENOMEM;
		kept->bytes = bytes;
		kept->room = record->size;
	}
	memcpy(kept->bytes, record->data, record->size);
	kept->record = *record;
	return 0;
}

/* ---- groups ---- */

static int group_name(struct dkt_intervals *pairs, struct dkt_source *source,
		      const struct dkt_record *record, const struct dkt__key *key, uint64_t value,
		      struct pair_group *group)
{
	char room[DKT__COMM_ROOM];
	struct dkt_buf buf = { 0 };
	uint32_t len;

	if (key->kind == KEY_STRING || key->kind == KEY_COMM)
		dkt_buf_str(&buf, dkt__interned(&pairs->strings, value, &len));
	else
		dkt__key_text(pairs->ctx, &pairs->by, &key->names, key->is_signed, value,
			      pairs->by.mod == MOD_EXECNAME ?
				      dkt__key_comm(key, source, record, value, room) :
				      NULL,
			      &buf);
	dkt__buf_add(&buf, "", 1);
	if (buf.err)
		free(buf.data);
	group->name = buf.err ? NULL : buf.data;
	group->is_number = key->kind != KEY_STRING && key->kind != KEY_COMM && !key->names.step &&
			   !key->names.is_device &&
			   (pairs->by.mod == MOD_NONE || pairs->by.mod == MOD_DEC ||
			    pairs->by.mod == MOD_USECS);
	group->is_signed = key->is_signed;
	group->number = value;
	return dkt__with_words(pairs->ctx, buf.err);
}

/* Finds or creates the group of a record. */
static int find_group(struct dkt_intervals *pairs, struct dkt_source *source,
		      const struct dkt_record *record, const struct dkt__key *key, uint32_t *group)
{
	uint64_t value = 0;
	bool added;
	struct pair_near *near;
	int err;

	if (!dkt__key_load(key, source, record, &pairs->strings, &value))
		value = 0;
	near = &pairs->near[value % PAIRS_NEAR];
	*group = near->entry - 1;
	if (dkt__likely(near->entry && near->value == value))
		return 0;
	*group = dkt__keymap_add(&pairs->groups, &value, &added);
	if (*group == DKT__KEYMAP_NONE)
		return dkt__no_memory(pairs->ctx);
	*near = (struct pair_near){ .value = value, .entry = *group + 1 };
	if (!added)
		return 0;
	err = dkt__append(pairs->group, pairs->n_groups, (struct pair_group){ 0 });
	return err ? dkt__no_memory(pairs->ctx) :
		     group_name(pairs, source, record, key, value, &pairs->group[*group]);
}

/* ---- pairing ---- */

/* *sectors: those of a request. */
static bool load_keys(struct dkt_intervals *pairs, struct dkt_source *source,
		      const struct pair_event *event, const struct dkt__key *keys,
		      const struct dkt_record *record, uint64_t *words, uint64_t *sectors)
{
	*sectors = pairs->requests ? dkt__request_read(&event->request, record, words) : 0;
	if (pairs->requests)
		return true;
	for (uint32_t i = 0; i < pairs->keys.n; i++)
		if (!dkt__key_load(&keys[i], source, record, &pairs->strings, &words[i]))
			return false;
	return true;
}

/*
 * Passes the record to the outer intervals, which it may begin as well. Sets *counts to true if what it begins here
 * is within one of them.
 */
static __attribute__((noinline)) int begin_within(struct dkt_intervals *pairs,
						  struct dkt_source *source,
						  const struct dkt_record *record, bool *counts)
{
	int err = pairs->within ? dkt__within_add(pairs->within, source, record) : 0;

	*counts = !err && (!pairs->within ||
			   dkt__within_finds(pairs->within, source, record, &pairs->place));
	return err;
}

/* Keeps what else is to be known of one that is within others, or that others are within. */
static __attribute__((noinline)) int begin_nested(struct dkt_intervals *pairs,
						  struct dkt_source *source,
						  const struct dkt_record *record,
						  struct pair_begun *begun, bool known)
{
	struct pair_nested *nested = (struct pair_nested *)begun;

	nested->place = pairs->place;
	if (!pairs->inner)
		return 0;
	if (pairs->forgotten != pairs->open.forgotten)
		dkt__within_forget(pairs);
	pairs->forgotten = pairs->open.forgotten;
	return dkt__within_begin(pairs, source, record, nested, known);
}

static int begin(struct dkt_intervals *pairs, struct dkt_source *source,
		 const struct pair_event *event, const struct dkt_record *record)
{
	uint64_t words[PAIRS_KEYS], sectors;
	struct pair_begun *begun;
	bool again, counts;
	int err = 0;

	if (dkt__unlikely(pairs->nested)) {
		err = begin_within(pairs, source, record, &counts);
		if (err || !counts)
			return err;
	}
	pairs->info.begins++;
	if (!load_keys(pairs, source, event, event->begin, record, words, &sectors))
		return 0;
	begun = dkt__open_begin(&pairs->open, words, record->ts, sectors, &again);
	if (!begun)
		return dkt__no_memory(pairs->ctx);
	if (dkt__unlikely(pairs->nested))
		err = begin_nested(pairs, source, record, begun, again);
	begun->group = 0;
	if (!err && pairs->by_begin)
		err = find_group(pairs, source, record, &event->by, &begun->group);
	if (!err && pairs->n_slow_max)
		err = keep_record(&begun->kept, record);
	return dkt__with_words(pairs->ctx, err);
}

/* Keeps the pair if it is one of the slowest; they are sorted, the slowest first. */
static int keep_slow(struct dkt_intervals *pairs, struct pair_begun *begun,
		     const struct dkt_record *record, uint64_t ns)
{
	struct pair_slow spare, *slow = pairs->slow;
	struct kept_record swap;
	uint32_t i;

	if (pairs->n_slow < pairs->n_slow_max)
		pairs->n_slow++;
	i = pairs->n_slow - 1;
	spare = slow[i];
	spare.ns = ns;
	if (keep_record(&spare.end, record)) {
		slow[i] = spare;
		return dkt__no_memory(pairs->ctx);
	}
	/* The saved begin moves, and its place gets the memory of the pair that falls out. */
	swap = spare.begin;
	spare.begin = begun->kept;
	begun->kept = swap;
	for (; i && slow[i - 1].ns < ns; i--)
		slow[i] = slow[i - 1];
	slow[i] = spare;
	return 0;
}

/* Remembers a recent pair: a gap that is reported later may have begun before the pair ended. */
static int remember(struct dkt_intervals *pairs, uint64_t ns, uint64_t end, uint32_t group)
{
	if (dkt__unlikely(!pairs->recent)) {
		pairs->recent = calloc(PAIRS_RECENT, sizeof(*pairs->recent));
		if (!pairs->recent)
			return dkt__no_memory(pairs->ctx);
	}
	pairs->recent[pairs->info.pairs % PAIRS_RECENT] =
		(struct pair_recent){ .ns = ns, .end = end, .group = group };
	pairs->info.pairs++;
	pairs->n_recent += pairs->n_recent < PAIRS_RECENT;
	return 0;
}

/* take_open() for those that are within others, or that others are within. */
static __attribute__((noinline)) struct pair_begun *
take_nested(struct dkt_intervals *pairs, const uint64_t *words, uint64_t sectors)
{
	const uint64_t unbegun = pairs->open.unbegun;
	struct pair_nested *nested;
	void *cut;
	bool part;

	nested = dkt__open_end(&pairs->open, words, sectors, &part, &cut);
	if (pairs->inner && cut)
		dkt__within_end(pairs, cut);
	if (pairs->inner && nested)
		dkt__within_end(pairs, nested);
	/* An interval that began outside of all outer ones ends here, too; it does not count. */
	if (pairs->within && !nested)
		pairs->open.unbegun = unbegun;
	else
		pairs->info.ends += !part;
	if (!nested || !pairs->within || dkt__within_lasts(pairs->within, &nested->place))
		return (struct pair_begun *)nested;
	pairs->cut++;
	return NULL;
}

/* Returns what the record ends, or NULL. */
static struct pair_begun *take_open(struct dkt_intervals *pairs, struct dkt_source *source,
				    const struct pair_event *event, const struct dkt_record *record)
{
	uint64_t words[PAIRS_KEYS], sectors;
	struct pair_begun *begun = NULL;
	bool part = false;

	if (load_keys(pairs, source, event, event->end, record, words, &sectors)) {
		if (dkt__unlikely(pairs->nested))
			return take_nested(pairs, words, sectors);
		begun = dkt__open_end(&pairs->open, words, sectors, &part, NULL);
	} else {
		pairs->open.unbegun++;
	}
	pairs->info.ends += !part;
	return begun;
}

static int end(struct dkt_intervals *pairs, struct dkt_source *source,
	       const struct pair_event *event, const struct dkt_record *record)
{
	struct pair_begun *begun = take_open(pairs, source, event, record);
	uint32_t group;
	uint64_t ns;
	int err = 0;

	if (!begun)
		return 0;
	group = begun->group;
	ns = record->ts - begun->begun.ts;
	if (pairs->grouped && !pairs->by_begin)
		err = find_group(pairs, source, record, &event->by, &group);
	if (!err && group >= pairs->n_groups)
		err = dkt__append(pairs->group, pairs->n_groups, (struct pair_group){ 0 });
	if (!err)
		err = dkt__dist_add(&pairs->group[group].dist, ns);
	if (!err)
		err = remember(pairs, ns, record->ts, group);
	if (!err && pairs->n_slow_max &&
	    (pairs->n_slow < pairs->n_slow_max || ns > pairs->slow[pairs->n_slow - 1].ns))
		err = keep_slow(pairs, begun, record, ns);
	if (!err && pairs->pair)
		err = pairs->pair(pairs->data, record->ts, ns, false);
	return dkt__with_words(pairs->ctx, err);
}

/* ---- gaps ---- */

/* Cancels the pairs that ended after since: a begin or end between theirs may be lost. */
static int cancel_since(struct dkt_intervals *pairs, uint64_t since)
{
	uint32_t n = 0;
	int err = 0;

	while (!err && pairs->n_recent) {
		struct pair_recent *recent = &pairs->recent[(pairs->info.pairs - 1) % PAIRS_RECENT];

		if (recent->end <= since)
			break;
		dkt__dist_remove(&pairs->group[recent->group].dist, recent->ns);
		pairs->info.pairs--;
		pairs->info.spanned++;
		pairs->n_recent--;
		if (pairs->pair)
			err = pairs->pair(pairs->data, recent->end, recent->ns, true);
	}
	for (uint32_t i = 0; i < pairs->n_slow; i++) {
		struct pair_slow *slow = &pairs->slow[i];

		if (slow->end.record.ts <= since) {
			struct pair_slow swap = pairs->slow[n];

			pairs->slow[n++] = *slow;
			*slow = swap;
		}
	}
	slow_cut(pairs, n);
	return dkt__with_words(pairs->ctx, err);
}

static int gap(struct dkt_intervals *pairs, const struct dkt_record *record)
{
	pairs->info.gaps++;
	pairs->info.spanned += dkt__open_drop(&pairs->open);
	if (pairs->inner)
		dkt__within_forget(pairs);
	return cancel_since(pairs, record->cpu < PAIRS_CPUS ? pairs->last[record->cpu] : 0);
}

/* Returns what the record is to these, or NULL. */
static const struct pair_event *event_of(struct dkt_intervals *pairs, struct dkt_source *source,
					 const struct dkt_record *record)
{
	const struct pair_event *event =
		record->event->slot < pairs->n_events ? &pairs->events[record->event->slot] : NULL;

	if (!event || !event->roles)
		return NULL;
	if (event->filtered &&
	    !dkt_expr_match(pairs->filter, record, source ? dkt_source_comm(source, record) : NULL))
		return NULL;
	return event;
}

static int add_outer(struct dkt_intervals *pairs, struct dkt_source *source,
		     const struct dkt_record *record)
{
	return dkt__unlikely(pairs->within) ? dkt__within_add(pairs->within, source, record) : 0;
}

int dkt_intervals_add(struct dkt_intervals *pairs, struct dkt_source *source,
		      const struct dkt_record *record)
{
	dkt__needs(pairs ? pairs->ctx : NULL, pairs && record);

	const struct pair_event *event;
	int err = 0;

	if (dkt__unlikely(!record->event)) {
		err = gap(pairs, record);
		return err ? err : add_outer(pairs, source, record);
	}
	if (record->cpu < PAIRS_CPUS)
		pairs->last[record->cpu] = record->ts;
	event = event_of(pairs, source, record);
	if (!event)
		return add_outer(pairs, source, record);
	/* A record that is both ends the pair before. */
	if (event->roles & DKT_INTERVAL_END)
		err = end(pairs, source, event, record);
	if (err)
		return err;
	return event->roles & DKT_INTERVAL_BEGIN ? begin(pairs, source, event, record) :
						   add_outer(pairs, source, record);
}
