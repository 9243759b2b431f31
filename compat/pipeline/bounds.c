/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the times of merged files can be off, and whether the order of two records is certain. */
#include "compat/pipeline/bounds.h"

#include "lib/base/clock_at.h"

static struct dkt_clock_point find(const struct dkt_source_clock *clock, uint64_t ts)
{
	struct dkt_clock_point at = { .error = clock->exact ? 0 : BOUNDS_UNKNOWN,
				      .own_error = BOUNDS_UNKNOWN };

	dkt__clock_at(clock->points, clock->n_points, ts, &at);
	if (clock->exact)
		at.error = 0;
	return at;
}

uint64_t dkl_bounds_error(const struct dkt_source_clock *clock, uint64_t ts)
{
	return find(clock, ts).error;
}

uint64_t dkl_bounds_worst(const struct dkt_source_clock *clock, const struct bounds_range *range)
{
	uint64_t worst = 0;

	if (clock->exact)
		return 0;
	if (!clock->n_points)
		return BOUNDS_UNKNOWN;
	for (size_t i = 0; i < clock->n_points; i++)
		worst = DKT__MAX(worst, clock->points[i].error);
	if (range->any)
		worst = DKT__MAX(worst, DKT__MAX(dkl_bounds_error(clock, range->first),
						 dkl_bounds_error(clock, range->last)));
	return worst;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > BOUNDS_UNKNOWN - b ? BOUNDS_UNKNOWN : a + b;
}

/*
 * Two hosts are as far apart as both are from the clock that all are merged on, or from that of the host which
 * measured them: the smaller sum holds.
 */
static bool is_certain(const struct bounds_last *before, const struct bounds_last *now)
{
	const uint64_t error =
		DKT__MIN(sum(before->error, now->error), sum(before->own_error, now->own_error));

	return !before->clock || (error != BOUNDS_UNKNOWN && now->ts - before->ts > error);
}

bool dkl_bounds_order_add(struct bounds_order *order, const struct dkt_source_clock *clock,
			  uint64_t ts, uint64_t *error)
{
	const struct dkt_clock_point at = find(clock, ts);
	const struct bounds_last now = { clock, ts, at.error, at.own_error };

	if (order->last.clock && order->last.clock->host != clock->host)
		order->other = order->last;
	order->last = now;
	*error = at.error;
	return is_certain(&order->other, &now);
}
