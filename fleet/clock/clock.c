/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The difference between the clocks of two hosts.
 *
 * Each trip bounds the offset at one moment: the far host's time was read after the question was sent and
 * before the answer came. Between two trips nothing is known but that the drift of clocks changes little. So
 * a line is looked for that is within the bounds of as many trips in a row as possible; where no line is,
 * the drift has changed, or somebody has set a clock, and another line begins. The offset itself need not be
 * on the line: from each trip on, in both directions, its bounds widen by what the drift may wander. The
 * narrowest of all these bounds is stated.
 */
#include "fleet/clock/clock.h"

#include "fleet/clock/run.h"
#include "lib/base/memory.h"

/* Trips that are kept; when there are more, every second one goes. */
#define TRIPS_MAX 512

/* ---- trips ---- */

/* How far the clocks can drift apart while the far host holds the answer back, to that time. */
static int64_t trip_drift(const struct clock_trip *trip)
{
	return (int64_t)((double)(trip->far_sent - trip->far_received) / 2 * CLOCK_DRIFT_MAX) + 1;
}

/* The bounds of the offset. */
static int64_t trip_least(const struct clock_trip *trip)
{
	return (int64_t)(trip->sent - trip->far_received - (uint64_t)trip_drift(trip));
}

static int64_t trip_most(const struct clock_trip *trip)
{
	return (int64_t)(trip->received - trip->far_sent + (uint64_t)trip_drift(trip));
}

static int64_t trip_width(const struct clock_trip *trip)
{
	return trip_most(trip) - trip_least(trip);
}

/*
 * The trip of a pair that took longer says less. The first and the last bound the time. More than half of the
 * trips stay, as dkt__append() wants it.
 */
static void thin(struct clock *clock)
{
	size_t n = 1;

	for (size_t i = 1; i + 2 < clock->n; i += 2) {
		const bool first = trip_width(&clock->trips[i]) <= trip_width(&clock->trips[i + 1]);

		clock->trips[n++] = clock->trips[first ? i : i + 1];
	}
	clock->trips[n++] = clock->trips[clock->n - 1];
	clock->n = n;
}

int clock_add(struct clock *clock, const struct clock_trip *trip)
{
	const struct clock_trip *last = clock->n ? &clock->trips[clock->n - 1] : NULL;

	if (trip->received > CLOCK_TIME_MAX || trip->far_sent > CLOCK_TIME_MAX ||
	    trip->far_wall > CLOCK_WALL_MAX || trip->far_wall < -CLOCK_WALL_MAX ||
	    trip->received < trip->sent || trip->far_sent < trip->far_received ||
	    (last && (trip->far_received < last->far_sent || trip->sent < last->sent)) ||
	    trip_width(trip) < 0)
		return -EPROTO;
	if (clock->n == TRIPS_MAX)
		thin(clock);
	return dkt__append(clock->trips, clock->n, *trip);
}

void clock_free(struct clock *clock)
{
	free(clock->trips);
	*clock = (struct clock){ 0 };
}

/* ---- lines ---- */

int clock_fit(const struct clock *clock, struct dkt_clock_point **points, size_t *n)
{
	struct clock_mark *marks __cleanup(free) = calloc(clock->n + 1, sizeof(*marks));

	*points = NULL;
	*n = 0;
	if (!marks)
		return -ENOMEM;
	for (size_t i = 0; i < clock->n; i++)
		marks[i] = (struct clock_mark){ .time = clock_trip_time(&clock->trips[i]),
						.least = trip_least(&clock->trips[i]),
						.most = trip_most(&clock->trips[i]) };
	return clock->n ? clock_fit_marks(marks, clock->n, points, n) : -ENODATA;
}
