/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the times of merged files can be off, and whether the order of two records is certain. */
#include "clock/bounds.h"

static struct clock_point find(const struct bounds *bounds, uint64_t ts)
{
	struct clock_point at = { .error = bounds->exact ? 0 : BOUNDS_UNKNOWN,
				  .own_error = BOUNDS_UNKNOWN };

	clock_at(bounds->points, bounds->n, ts, &at);
	if (bounds->exact)
		at.error = 0;
	return at;
}

uint64_t bounds_error(const struct bounds *bounds, uint64_t ts)
{
	return find(bounds, ts).error;
}

uint64_t bounds_worst(const struct bounds *bounds)
{
	uint64_t worst = 0;

	if (bounds->exact)
		return 0;
	for (size_t i = 0; i < bounds->n; i++)
		worst = DKT__MAX(worst, bounds->points[i].error);
	return bounds->n ? worst : BOUNDS_UNKNOWN;
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

	return !before->bounds || (error != BOUNDS_UNKNOWN && now->ts - before->ts > error);
}

bool bounds_order_add(struct bounds_order *order, const struct bounds *bounds, uint64_t ts,
		      uint64_t *error)
{
	const struct clock_point at = find(bounds, ts);
	const struct bounds_last now = { bounds, ts, at.error, at.own_error };

	if (order->last.bounds && order->last.bounds->host != bounds->host)
		order->other = order->last;
	order->last = now;
	*error = at.error;
	return is_certain(&order->other, &now);
}
