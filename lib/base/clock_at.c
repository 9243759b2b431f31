/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offsets and errors of a clock between the points that are known, and beyond them. */
#include "lib/base/clock_at.h"

#include "lib/base/util.h"

/*
 * Beyond the last measurement: quartz of servers is specified at 50 ppm, and two of them can drift apart by
 * the sum, a part in so many.
 */
#define DRIFT_BEYOND 10000

static struct dkt_clock_point beyond(const struct dkt_clock_point *end, uint64_t time)
{
	const uint64_t away = time > end->time ? time - end->time : end->time - time;
	const uint64_t drift = away / DRIFT_BEYOND + (away % DRIFT_BEYOND > 0);

	return (struct dkt_clock_point){ .time = time,
					 .offset = end->offset,
					 .error = end->error + drift,
					 .own_error = end->own_error + drift };
}

/* The error at a part of the way from a to b, rounded up. */
static uint64_t error_between(uint64_t a, uint64_t b, uint64_t part, uint64_t all)
{
	const __int128 way = ((__int128)b - a) * part;

	return (uint64_t)(a + way / all + (way > 0 && way % all));
}

static int64_t offset_between(int64_t a, int64_t b, uint64_t part, uint64_t all)
{
	const __int128 way = ((__int128)b - a) * part, half = all / 2;

	return (int64_t)(a + (way + (way < 0 ? -half : half)) / all);
}

static struct dkt_clock_point between(const struct dkt_clock_point *a,
				      const struct dkt_clock_point *b, uint64_t time)
{
	const uint64_t part = time - a->time, all = b->time - a->time;

	return (struct dkt_clock_point){
		.time = time,
		.offset = offset_between(a->offset, b->offset, part, all),
		.error = error_between(a->error, b->error, part, all),
		.own_error = error_between(a->own_error, b->own_error, part, all),
	};
}

/* Between two lines a step or a change of drift came at some time, so each of the two may hold. */
static struct dkt_clock_point in_gap(const struct dkt_clock_point *a,
				     const struct dkt_clock_point *b, uint64_t time)
{
	const uint64_t step = (uint64_t)llabs(b->offset - a->offset);
	struct dkt_clock_point at = between(a, b, time);

	at.error = DKT__MAX(a->error, b->error) + step;
	at.own_error = DKT__MAX(a->own_error, b->own_error) + step;
	return at;
}

size_t dkt__clock_after(const struct dkt_clock_point *points, size_t n, uint64_t time)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (points[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool dkt__clock_at(const struct dkt_clock_point *points, size_t n, uint64_t time,
		   struct dkt_clock_point *at)
{
	const size_t after = dkt__clock_after(points, n, time);

	if (!n)
		return false;
	if (!after)
		*at = beyond(&points[0], time);
	else if (after == n)
		*at = beyond(&points[n - 1], time);
	else if (!points[after].begins)
		*at = between(&points[after - 1], &points[after], time);
	else
		*at = in_gap(&points[after - 1], &points[after], time);
	return true;
}

bool dkt__clock_is_gap(const struct dkt_clock_point *points, size_t n, uint64_t time)
{
	const size_t after = dkt__clock_after(points, n, time);

	return after && after < n && points[after].begins;
}
