/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ready-made intervals that no thread has, or that count only within others: several can be open at once, so that
 * each is a slice on a lane of its interval, as a request is on one of its disk.
 */
#include "lib/event.h"
#include "lib/inside.h"
#include "lib/style/perfetto.h"

/* ---- the events ---- */

/* The roles of the event; one that is drawn already begins nothing (enum dkt_interval_role). */
static uint32_t roles_of(const struct dkt_interval *interval, const struct dkt_event *event)
{
	const uint32_t roles = dkt_interval_roles(interval, event);
	const bool is_drawn = roles & DKT_INTERVAL_BEGIN &&
			      (dkt__pair_is_known(event) || dkt__sched_number(event));

	return is_drawn ? roles & ~(uint32_t)DKT_INTERVAL_BEGIN : roles;
}

static size_t get_events(struct dkt_ctx *ctx, struct dkt_event *const **all)
{
	size_t n;

	if (!dkt_events(ctx, all, &n))
		return n;
	free(dkt__error_take(ctx));
	return 0;
}

/*
 * True if the kernel has events of both sides, so that slices end. Those of a text come with its records, too late
 * for what is to be known before.
 */
static bool has_events(struct dkt_ctx *ctx, const struct dkt_interval *interval)
{
	struct dkt_event *const *all;
	const size_t n = get_events(ctx, &all);
	uint32_t roles = 0;

	if (interval->outer && !dkt__interval_is_whole(interval, all, n))
		return false;
	for (size_t i = 0; i < n; i++)
		roles |= roles_of(interval, all[i]);
	return !n || roles == (DKT_INTERVAL_BEGIN | DKT_INTERVAL_END);
}

/* True if no earlier one of the name can be drawn. */
static bool is_first(struct dkt_ctx *ctx, const struct dkt_interval *interval)
{
	const struct dkt_interval *first = dkt_interval_find(ctx, interval->name);

	while (first && first != interval && !has_events(ctx, first))
		first = first->next;
	return first == interval && has_events(ctx, interval);
}

/* Binds the fields of the key. An event that lacks one has no role. */
static int bind(struct dkt_style *style, struct dkt_event *event,
		const struct dkt_interval *interval, unsigned int sides, struct interval_role *role)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = interval->match);
	struct dkt_intervals *pairs;
	int err = dkt_intervals_new(event->ctx, &opts, &pairs);

	if (!err)
		err = dkt_intervals_event(pairs, event, sides);
	if (!err) {
		role->side = pairs->events[event->slot];
		role->n_keys = pairs->keys.n;
		role->requests = pairs->requests;
		role->name = dkt__style_keep(style, interval->name, strlen(interval->name));
		err = role->name ? 0 : -ENOMEM;
	}
	dkt_intervals_free(pairs);
	if (err && err != -ENOMEM)
		free(dkt__error_take(event->ctx));
	return err;
}

static int add_role(struct dkt_style *style, const struct interval_role *role,
		    struct interval_roles *roles)
{
	struct interval_role *list = dkt__style_alloc(style, (roles->n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	if (roles->n)
		memcpy(list, roles->list, roles->n * sizeof(*list));
	list[roles->n++] = *role;
	roles->list = list;
	return 0;
}

/* ---- within others ---- */

/* True if it is within what the event begins or ends, however deep. */
static bool is_within(const struct dkt_interval *interval, const struct dkt_event *event)
{
	for (const struct dkt_interval *outer = interval->outer; outer; outer = outer->next)
		if (dkt_interval_roles(outer, event) || is_within(outer, event))
			return true;
	return false;
}

static int open_nested(struct nested_lane *lane, const struct dkt_interval *interval)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = interval->match);
	struct dkt_event *const *all;
	const size_t n = get_events(lane->ctx, &all);
	int err = dkt_intervals_new(lane->ctx, &opts, &lane->pairs);

	if (!err)
		err = dkt_intervals_bind(lane->pairs, interval, all, n);
	if (!err)
		return 0;
	dkt_intervals_free(lane->pairs);
	lane->pairs = NULL;
	free(dkt__error_take(lane->ctx));
	return err == -ENOMEM ? err : 0;
}

/* *pairs: those of the interval, made at its first event; NULL: it cannot be measured. */
static int get_nested(struct nested_lanes *all, struct dkt_ctx *ctx,
		      const struct dkt_interval *interval, uint32_t nr,
		      struct dkt_intervals **pairs)
{
	struct nested_lane lane = { .ctx = ctx, .nr = nr };
	int err;

	*pairs = NULL;
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i].nr == nr && all->list[i].ctx == ctx) {
			*pairs = all->list[i].pairs;
			return 0;
		}
	err = open_nested(&lane, interval);
	if (!err)
		err = dkt__append(all->list, all->n, lane);
	if (err)
		dkt_intervals_free(lane.pairs);
	*pairs = err ? NULL : lane.pairs;
	return err;
}

int dkt__nested_lost(struct nested_lanes *nested, const struct dkt_record *record)
{
	int err = 0;

	for (size_t i = 0; !err && i < nested->n; i++)
		if (nested->list[i].pairs)
			err = dkt_intervals_add(nested->list[i].pairs, NULL, record);
	return err;
}

void dkt__nested_clear(struct nested_lanes *nested)
{
	for (size_t i = 0; i < nested->n; i++)
		dkt_intervals_free(nested->list[i].pairs);
	free(nested->list);
}

/* True if the record begins the interval, which takes it. */
static bool begins_nested(const struct interval_role *role, const struct dkt_record *record)
{
	const uint64_t before = role->nested->info.begins;

	return !dkt_intervals_add(role->nested, NULL, record) && role->nested->info.begins > before;
}

/* ---- all roles ---- */

/* Slices of a thread are on its own track, if they count anywhere. */
static bool has_lane(const struct dkt_interval *interval)
{
	return !interval->calls && (interval->within || !interval->per_task);
}

static int find_role(struct dkt_style *style, struct dkt_event *event,
		     const struct dkt_interval *interval, struct nested_lanes *nested,
		     struct interval_role *role)
{
	const uint32_t sides = roles_of(interval, event);
	int err = 0;

	role->side.roles = 0;
	role->nested = NULL;
	if (!has_lane(interval) || (!sides && !is_within(interval, event)) ||
	    !is_first(event->ctx, interval))
		return -ENOENT;
	if (interval->within)
		err = get_nested(nested, event->ctx, interval, role->nr, &role->nested);
	if (err || (interval->within && !role->nested))
		return err ? err : -ENOENT;
	return sides ? bind(style, event, interval, sides, role) : 0;
}

int dkt__lane_roles(struct dkt_style *style, struct dkt_event *event, struct nested_lanes *nested,
		    struct interval_roles *roles)
{
	struct interval_role role = { 0 };
	const struct dkt_interval *list;
	size_t n;
	int err = dkt_interval_list(event->ctx, &list, &n);

	for (; err != -ENOMEM && role.nr < n; role.nr++) {
		err = find_role(style, event, &list[role.nr], nested, &role);
		if (!err)
			err = add_role(style, &role, roles);
	}
	return err == -ENOMEM ? err : 0;
}

/* ---- the records ---- */

static bool load_key(const struct interval_role *role, const struct dkt__key *keys,
		     const struct dkt_record *record, struct dkt__intern *strings,
		     uint64_t key[LANE_WORDS], uint64_t *sectors)
{
	memset(key, 0, LANE_WORDS * sizeof(*key));
	*sectors = 0;
	if (role->requests)
		*sectors = dkt__request_read(&role->side.request, record, key);
	for (uint32_t i = 0; !role->requests && i < role->n_keys; i++)
		if (!dkt__key_load(&keys[i], NULL, record, strings, &key[i]))
			return false;
	return true;
}

struct track *dkt__interval_end(struct tracks *tracks, const struct interval_role *role,
				const struct dkt_record *record, struct dkt__intern *strings,
				bool *part)
{
	uint64_t key[LANE_WORDS], sectors;
	struct track *track;
	bool is_new;

	*part = false;
	if (!(role->side.roles & DKT_INTERVAL_END) ||
	    !load_key(role, role->side.end, record, strings, key, &sectors))
		return NULL;
	track = dkt__track_lane(tracks, TRACK_INTERVAL, record->stream, role->nr, key, false,
				&is_new);
	if (!track)
		return NULL;
	*part = sectors < track->left;
	/* The second word of a request's key is its sector. */
	track->key[1] += *part ? sectors : 0;
	track->left -= *part ? sectors : 0;
	track->busy = *part;
	return track;
}

struct track *dkt__interval_begin(struct tracks *tracks, const struct interval_role *role,
				  const struct dkt_record *record, struct dkt__intern *strings,
				  bool *is_new)
{
	uint64_t key[LANE_WORDS], sectors;
	struct track *track;

	if (role->nested && !begins_nested(role, record))
		return NULL;
	if (!(role->side.roles & DKT_INTERVAL_BEGIN) ||
	    !load_key(role, role->side.begin, record, strings, key, &sectors))
		return NULL;
	track = dkt__track_lane(tracks, TRACK_INTERVAL, record->stream, role->nr, key, true,
				is_new);
	if (!track)
		return NULL;
	track->busy = true;
	memcpy(track->key, key, sizeof(track->key));
	track->left = sectors;
	return track;
}
