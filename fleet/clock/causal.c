/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Narrows clocks by causality.
 *
 * The bounds that are known of two hosts before, at any time, are marks of the offset like round trips. A pair
 * adds a mark with one bound: with the other host's clock as early or as late as it can be, the effect came no
 * earlier than the cause. Through all these marks lines are fitted as through trips. Where they say less than
 * what was known before, that stays.
 */
#include "fleet/clock/causal.h"

#include <math.h>

#include "fleet/clock/run.h"
#include "lib/base/memory.h"

/* One host narrows another, which narrows the next: more rounds find little. */
#define ROUNDS 4

/* The drift and its change are between two hosts of which each can have that of clock/run.h. */
#define PAIR_DRIFT_MAX (2 * CLOCK_DRIFT_MAX)
#define PAIR_WANDER    (2 * CLOCK_WANDER)

/* Offsets and errors that can be added up. */
#define SANE (INT64_MAX / 8)

/* ---- pairs as marks ---- */

/* Gets the bounds of the offset of a host at a time. False: nothing is known. */
static bool offset_at(const struct causal_host *host, uint64_t time, int64_t *least, int64_t *most)
{
	struct dkt_clock_point at = { 0 };

	if (!host->exact && !dkt__clock_at(host->points, host->n, time, &at))
		return false;
	if (llabs(at.offset) > 2 * SANE || at.error > 2 * SANE)
		return false;
	*least = at.offset - (int64_t)at.error;
	*most = at.offset + (int64_t)at.error;
	return true;
}

/* Finds what a pair says of one of its hosts. Returns 0, 1 if it says nothing new, or 2 if it is impossible. */
static int mark_of(const struct causal_host *hosts, const struct dkt__causal_pair *pair,
		   bool of_effect, struct clock_mark *mark)
{
	int64_t cause_least, cause_most, least, most;
	const int64_t apart = (int64_t)(pair->cause_time - pair->effect_time);

	if (pair->cause_time > CLOCK_TIME_MAX || pair->effect_time > CLOCK_TIME_MAX)
		return 1;
	if (!offset_at(&hosts[pair->cause], pair->cause_time, &cause_least, &cause_most) ||
	    !offset_at(&hosts[pair->effect], pair->effect_time, &least, &most))
		return 1;
	/* cause_time + its offset <= effect_time + its offset */
	if (apart + cause_least > most)
		return 2;
	*mark = (struct clock_mark){ .time = of_effect ? pair->effect_time : pair->cause_time,
				     .least = of_effect ? apart + cause_least : CLOCK_LEAST,
				     .most = of_effect ? CLOCK_MOST : most - apart };
	return of_effect ? mark->least <= least : mark->most >= cause_most;
}

static int compare_marks(const void *a, const void *b)
{
	const struct clock_mark *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Marks of one time become one, so that times differ. */
static size_t join(struct clock_mark *marks, size_t n)
{
	size_t to = 0;

	qsort(marks, n, sizeof(*marks), compare_marks);
	for (size_t i = 1; i < n; i++) {
		if (marks[i].time != marks[to].time) {
			marks[++to] = marks[i];
			continue;
		}
		marks[to].least = DKT__MAX(marks[to].least, marks[i].least);
		marks[to].most = DKT__MIN(marks[to].most, marks[i].most);
	}
	return n ? to + 1 : 0;
}

/* ---- the narrowest of what was known and what the marks say ---- */

/* Bounds of the offset at a time, as distances from the line of a run. */
struct edge {
	double least, most; /* by the marks */
	double old_least, old_most; /* what was known */
};

struct narrowing {
	const struct clock_run *run;
	double drift;
	bool begins; /* before the next point is a gap */
	struct dkt_clock_point *points;
	size_t n;
};

static struct edge edge_at(const struct causal_host *host, const struct clock_run *run,
			   const struct clock_cone *cones, size_t i, double drift, double wander)
{
	const double wider = clock_cone_wider(cones, run->n, i, wander);
	const double moved = drift * cones[i].time;
	int64_t least = 0, most = 0;

	offset_at(host, run->marks[i].time, &least, &most);
	return (struct edge){ .least = cones[i].least - wider,
			      .most = cones[i].most + wider,
			      .old_least = (double)(least - run->offset) - moved,
			      .old_most = (double)(most - run->offset) - moved };
}

static int put_point(struct narrowing *to, double time, const struct edge *edge)
{
	const double least = fmax(edge->least, edge->old_least);
	const double most = fmin(edge->most, edge->old_most);
	const double middle = (least + most) / 2 + to->drift * time;
	const struct dkt_clock_point point = { .time = to->run->time + (uint64_t)llround(time),
					       .offset = to->run->offset + llround(middle),
					       .error = (uint64_t)ceil(fmax(most - least, 0) / 2) +
							1,
					       .begins = to->begins };

	to->begins = false;
	/* Where two lines cross can be the time of a mark. */
	if (to->n && point.time <= to->points[to->n - 1].time)
		return 0;
	return dkt__append(to->points, to->n, point);
}

/* Where old and new bounds cross between two marks, the narrower of them bends: there is a point more. */
static int put_crossings(struct narrowing *to, const struct clock_cone *a,
			 const struct clock_cone *b, const struct edge *from,
			 const struct edge *until)
{
	const double before[] = { from->least - from->old_least, from->most - from->old_most };
	const double after[] = { until->least - until->old_least, until->most - until->old_most };
	double parts[2];
	size_t n = 0;
	int err = 0;

	for (int i = 0; i < 2; i++)
		if ((before[i] < 0 && after[i] > 0) || (before[i] > 0 && after[i] < 0))
			parts[n++] = before[i] / (before[i] - after[i]);
	if (n == 2 && parts[0] > parts[1]) {
		const double first = parts[1];

		parts[1] = parts[0];
		parts[0] = first;
	}
	for (size_t i = 0; !err && i < n; i++) {
		const double rest = 1 - parts[i];
		const struct edge edge = {
			.least = from->least * rest + until->least * parts[i],
			.most = from->most * rest + until->most * parts[i],
			.old_least = from->old_least * rest + until->old_least * parts[i],
			.old_most = from->old_most * rest + until->old_most * parts[i],
		};

		err = put_point(to, a->time * rest + b->time * parts[i], &edge);
	}
	return err;
}

static int put_run(const struct causal_host *host, const struct clock_run *run,
		   struct narrowing *to)
{
	struct clock_cone *cones __cleanup(free) = calloc(run->n, sizeof(*cones));
	double wander = PAIR_WANDER;
	struct edge last = { 0 };
	int err = cones ? 0 : -ENOMEM;

	if (!err)
		clock_run_cones(run, cones, &to->drift, &wander);
	to->run = run;
	to->begins = true;
	for (size_t i = 0; !err && i < run->n; i++) {
		const struct edge edge = edge_at(host, run, cones, i, to->drift, wander);
		const uint64_t before = i ? run->marks[i - 1].time : 0;

		/* In a gap nothing is between the two ends. */
		to->begins |= i && dkt__clock_is_gap(host->points, host->n,
						     before + (run->marks[i].time - before) / 2);
		if (i && !to->begins)
			err = put_crossings(to, &cones[i - 1], &cones[i], &last, &edge);
		if (!err)
			err = put_point(to, cones[i].time, &edge);
		last = edge;
	}
	return err;
}

/* ---- hosts ---- */

/* Narrows one host by marks, which are sorted and have those of its points. */
static int refit(struct causal_host *host, const struct clock_mark *marks, size_t n)
{
	struct narrowing to = { 0 };
	int err = 0;

	for (size_t from = 0; !err && from < n;) {
		const struct clock_run run =
			clock_run_longest(marks + from, n - from, PAIR_DRIFT_MAX);

		err = put_run(host, &run, &to);
		from += run.n;
	}
	if (err) {
		free(to.points);
		return err;
	}
	/* The first host's part of the error stays: it only becomes too large. */
	for (size_t i = 0; i < to.n; i++) {
		struct dkt_clock_point at = { 0 };

		dkt__clock_at(host->points, host->n, to.points[i].time, &at);
		to.points[i].own_error = at.own_error;
	}
	free(host->points);
	host->points = to.points;
	host->n = to.n;
	host->narrowed = true;
	return 0;
}

static bool is_sane(const struct causal_host *host)
{
	for (size_t i = 0; i < host->n; i++)
		if (llabs(host->points[i].offset) > SANE || host->points[i].error > SANE)
			return false;
	return true;
}

/* Returns 1 if pairs have narrowed the host. */
static int narrow_host(struct causal_host *hosts, uint32_t nr, const struct dkt__causal_pair *pairs,
		       size_t n_pairs, uint64_t *contradictory)
{
	struct causal_host *host = &hosts[nr];
	struct clock_mark *marks __cleanup(free) = calloc(host->n + n_pairs + 1, sizeof(*marks));
	size_t n = 0;

	if (!marks)
		return -ENOMEM;
	if (!is_sane(host))
		return 0;
	for (size_t i = 0; i < n_pairs; i++) {
		int said = 1;

		if (pairs[i].cause != pairs[i].effect &&
		    (pairs[i].cause == nr || pairs[i].effect == nr))
			said = mark_of(hosts, &pairs[i], pairs[i].effect == nr, &marks[n]);
		n += !said;
		*contradictory += said == 2;
	}
	if (!n)
		return 0;
	for (size_t i = 0; i < host->n; i++) {
		const struct dkt_clock_point *point = &host->points[i];

		marks[n++] = (struct clock_mark){ .time = point->time,
						  .least = point->offset - (int64_t)point->error,
						  .most = point->offset + (int64_t)point->error };
	}
	return refit(host, marks, join(marks, n)) ?: 1;
}

int causal_narrow(struct causal_host *hosts, size_t n_hosts, const struct dkt__causal_pair *pairs,
		  size_t n_pairs, uint64_t *contradictory)
{
	int err = 0;

	*contradictory = 0;
	for (int round = 0, more = 1; err >= 0 && more && round < ROUNDS; round++) {
		uint64_t wrong = 0;

		more = 0;
		for (uint32_t i = 0; err >= 0 && i < n_hosts; i++) {
			if (hosts[i].exact || !hosts[i].n)
				continue;
			err = narrow_host(hosts, i, pairs, n_pairs, &wrong);
			more |= err > 0;
		}
		*contradictory = DKT__MAX(*contradictory, wrong);
	}
	return DKT__MIN(err, 0);
}
