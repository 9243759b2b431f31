/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the rows of a ready-made pair that can be measured with the events that exist. */
#include "compat/lustre/mask.h"
#include "ctl/app/groups.h"
#include "ctl/input/live_args.h"
#include "ctl/latency/latency.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

/* True if a row of that name can be measured. */
static bool is_usable(struct latency *latency, const char *name)
{
	const struct dkt_interval *pair = dkt_interval_find(latency->app->ctx, name);
	struct latency_set set;
	bool usable = false;

	for (; !usable && pair; pair = pair->next) {
		usable = !latency_find(latency->ctx, pair, !latency->app->input, &set) &&
			 set.usable;
		latency_set_clear(&set);
	}
	return usable;
}

int latency_list(struct latency *latency)
{
	const char *none = latency->app->input ? " (the file does not have the events)" :
						 " (this kernel does not have the events)";
	const struct dkt_interval *list;
	size_t n;
	int err = dkt_interval_list(latency->app->ctx, &list, &n);

	if (err)
		return err;
	printf("Ready-made pairs:\n");
	for (size_t i = 0; i < n; i++)
		if (dkt_interval_find(latency->app->ctx, list[i].name) == &list[i])
			printf("  %-12s %s%s\n", list[i].name, list[i].about,
			       is_usable(latency, list[i].name) ? "" : none);
	return 0;
}

struct dkt_interval latency_override(const struct latency *latency, const struct dkt_interval *row)
{
	struct dkt_interval pair = *row;
	const struct app *app = latency->app;
	const struct latency_options *given = OPT(app, latency);

	if (given->match)
		pair.match = given->match;
	if (given->keys)
		pair.keys = strcmp(given->keys, "none") != 0 ? given->keys : NULL;
	return pair;
}

/* A pair of some calls has a filter, beside that of the user. */
static int add_calls(struct latency_set *set, struct dkt_ctx *ctx, const char *filter)
{
	char *calls __cleanup(free) = NULL;
	char *both __cleanup(free) = NULL;
	int err = dkt__interval_calls_filter(ctx, &set->pair, set->pair.calls, &calls);

	if (err)
		return err;
	both = filter ? dkt__format("(%s) && (%s)", filter, calls) : strdup(calls);
	return both ? dkl_mask_expr(ctx, both, &set->filter) : -ENOMEM;
}

static int bind_within(struct latency_set *set, struct dkt_ctx *ctx)
{
	struct dkt_event **events __cleanup(free) = calloc(set->n + 1, sizeof(*events));

	for (size_t i = 0; events && i < set->n; i++)
		events[i] = set->events[i].event;
	return events ? dkt__intervals_within(set->pairs, &set->pair, events, set->n) :
			dkt__with_words(ctx, -ENOMEM);
}

int latency_set_open(struct latency_set *set, struct dkt_ctx *ctx, const char *filter,
		     struct dkt_intervals_opts *opts)
{
	int err = set->pair.calls ? add_calls(set, ctx, filter) : 0;

	if (err)
		return err;
	if (set->filter)
		opts->filter = set->filter;
	opts->key = set->pair.match;
	opts->by = set->pair.keys;
	err = dkt_intervals_new(ctx, opts, &set->pairs);
	for (size_t i = 0; !err && i < set->n_pair; i++)
		err = dkt_intervals_event(set->pairs, set->events[i].event,
					  i < set->n_begin ? DKT_INTERVAL_BEGIN : DKT_INTERVAL_END);
	return err ? err : bind_within(set, ctx);
}

static int set_up_pairs(struct latency *latency, struct latency_set *set, int slowest)
{
	DKT_OPTS(dkt_intervals_opts, opts, .slowest = (uint32_t)slowest, .skip = getpid());
	int err;

	/* For a live recording in user space, the kernel filters the records. */
	opts.filter = latency->app->input || OPT(latency->app, latency)->kernel ? latency->filter :
										  NULL;
	if (latency->picture) {
		set->map = calloc(1, sizeof(*set->map));
		if (!set->map)
			return -ENOMEM;
		opts.pair = latency_map_add;
		opts.data = set->map;
	}
	err = latency_set_open(set, latency->ctx,
			       opts.filter ? OPT(latency->app, select)->filter : NULL, &opts);
	/* One of the events must have the fields of the condition. */
	for (size_t i = 0; !err && latency->filter && i < set->n_pair; i++) {
		err = dkt_expr_check(latency->filter, set->events[i].event);
		if (err != -ENOENT)
			return err;
	}
	return err;
}

/* Adds the row to the sets if it can be measured; otherwise *unusable gets it. */
static int try_row(struct latency *latency, const struct dkt_interval *row, int slowest,
		   struct latency_set *unusable)
{
	struct dkt_interval pair = latency_override(latency, row);
	struct latency_set *set = &latency->sets[latency->n];
	int err = latency_find(latency->ctx, &pair, !latency->app->input, set);

	if (!err && !set->usable) {
		latency_set_clear(unusable);
		*unusable = *set;
		*set = (struct latency_set){ 0 };
		return 0;
	}
	if (!err)
		err = set_up_pairs(latency, set, slowest);
	/* The filter may have fields that only another row's events have. */
	if (err == -ENOENT && latency->n) {
		latency_set_clear(set);
		return 0;
	}
	latency->n += !err;
	if (err)
		latency_set_clear(set);
	return err;
}

/* A live recording measures one row: the first with all its events, otherwise the first. */
static void keep_one(struct latency *latency)
{
	size_t best = 0;

	while (best < latency->n && latency->sets[best].missing)
		best++;
	if (best == latency->n)
		best = 0;
	for (size_t i = 0; i < latency->n; i++)
		if (i != best)
			latency_set_clear(&latency->sets[i]);
	latency->sets[0] = latency->sets[best];
	if (best)
		latency->sets[best] = (struct latency_set){ 0 };
	latency->n = 1;
}

/* A file may have records of any row; a live recording needs only one with all its events. */
static bool has_enough(const struct latency *latency)
{
	return latency->n == LATENCY_SETS ||
	       (latency->n && !latency->app->input && !latency->sets[latency->n - 1].missing);
}

int latency_choose(struct latency *latency, int slowest)
{
	const char *name = latency->pair.name;
	const struct dkt_interval *row = name ? dkt_interval_find(latency->app->ctx, name) :
						&latency->pair;
	struct latency_set unusable = { 0 };
	int err, first = 0;

	err = live_args_filter(latency->app, latency->ctx, &latency->filter);
	for (; !err && row && !has_enough(latency); row = row->next) {
		if (row->calls && !latency->app->input)
			continue;
		err = try_row(latency, row, slowest, &unusable);
		/* Another row may have the fields of --match, --keys and --filter. */
		if (err == -ENOENT && row->next) {
			first = err;
			err = 0;
		}
	}
	if (!err && !latency->n)
		err = first ? first :
			      latency_fail_missing(latency->ctx, &unusable, latency->source);
	latency_set_clear(&unusable);
	if (!err && !latency->app->input)
		keep_one(latency);
	return err;
}

struct latency_set *latency_chosen(struct latency *latency)
{
	struct latency_set *pairs = NULL, *records = NULL;
	struct dkt_intervals_info info;

	for (size_t i = 0; i < latency->n; i++) {
		struct latency_set *set = &latency->sets[i];

		dkt_intervals_info(set->pairs, &info, sizeof(info));
		/* Without its first event it can measure a part of what another row measures. */
		if (info.pairs && !set->needed && !set->missing)
			return set;
		if (!pairs && info.pairs)
			pairs = set;
		if (!records && (info.begins || info.ends))
			records = set;
	}
	return pairs ?: records ?: &latency->sets[0];
}
