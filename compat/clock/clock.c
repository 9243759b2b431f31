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
#include "clock/clock.h"

#include <math.h>

/* Trips that are kept; when there are more, every second one goes. */
#define TRIPS_MAX 512

/* The drift of a line, in ns per ns: the kernel slews a clock by 500 ppm, and quartz adds less than that. */
#define DRIFT_MAX 1e-3

/*
 * Beyond the last measurement: quartz of servers is specified at 50 ppm, and two of them can drift apart by
 * the sum.
 */
#define DRIFT_BEYOND 100e-6

/*
 * How far the drift may be from that of the line, in ns per ns: an NTP client corrects the speed of a clock by
 * less once it runs evenly, and so does the warmth of a machine.
 */
#define WANDER 50e-6

/* Steps of a search for the best drift; each takes a third off the interval. */
#define STEPS 100

/* ---- trips ---- */

/* How far the clocks can drift apart while the far host holds the answer back, to that time. */
static int64_t trip_drift(const struct clock_trip *trip)
{
	return (int64_t)((double)(trip->far_sent - trip->far_received) / 2 * DRIFT_MAX) + 1;
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

/* The trip of a pair that took longer says less. The first and the last bound the time. */
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
	    trip->received < trip->sent || trip->far_sent < trip->far_received ||
	    (last && (trip->far_received < last->far_sent || trip->sent < last->sent)) ||
	    trip_width(trip) < 0)
		return -EPROTO;
	if (!clock->trips)
		clock->trips = calloc(TRIPS_MAX, sizeof(*clock->trips));
	if (!clock->trips)
		return -ENOMEM;
	if (clock->n == TRIPS_MAX)
		thin(clock);
	clock->trips[clock->n++] = *trip;
	return 0;
}

void clock_free(struct clock *clock)
{
	free(clock->trips);
	*clock = (struct clock){ 0 };
}

/* ---- lines ---- */

/* Trips in a row, relative to the first one, so that doubles are exact enough. */
struct run {
	const struct clock_trip *trips;
	size_t n;
	uint64_t time;
	int64_t offset;
};

/* Gets the least and the most offset at the run's beginning of lines of that drift. No line fits if least > most. */
static void bounds(const struct run *run, double drift, double *least, double *most)
{
	*least = -HUGE_VAL;
	*most = HUGE_VAL;
	for (size_t i = 0; i < run->n; i++) {
		const struct clock_trip *trip = &run->trips[i];
		const double moved = drift * (double)(int64_t)(clock_trip_time(trip) - run->time);

		*least = fmax(*least, (double)(trip_least(trip) - run->offset) - moved);
		*most = fmin(*most, (double)(trip_most(trip) - run->offset) - moved);
	}
}

/* Returns how far the lines of that drift can be shifted; negative: none fits. It is concave in the drift. */
static double room(const struct run *run, double drift)
{
	double least, most;

	bounds(run, drift, &least, &most);
	return most - least;
}

/* Returns the drift with the most room. */
static double best_drift(const struct run *run)
{
	double low = -DRIFT_MAX, high = DRIFT_MAX;

	for (int i = 0; i < STEPS && high - low > 1e-16; i++) {
		const double third = (high - low) / 3, a = low + third, b = high - third;

		if (room(run, a) < room(run, b))
			low = a;
		else
			high = b;
	}
	return (low + high) / 2;
}

/* Finds the drifts of lines that are possible: from one that is, outwards. False: none is. */
static bool find_drifts(const struct run *run, double *low, double *high)
{
	const double inside = best_drift(run);

	if (room(run, inside) < 0)
		return false;
	for (int end = -1; end <= 1; end += 2) {
		double in = inside, out = end * DRIFT_MAX;

		for (int i = 0; i < STEPS && room(run, out) < 0; i++) {
			const double middle = (in + out) / 2;

			if (room(run, middle) < 0)
				out = middle;
			else
				in = middle;
		}
		/* The drift beyond the last one that is possible, to be on the safe side. */
		*(end < 0 ? low : high) = out;
	}
	return true;
}

static struct run run_of(const struct clock *clock, size_t from, size_t n)
{
	const struct clock_trip *first = &clock->trips[from];

	return (struct run){
		.trips = first, .n = n, .time = clock_trip_time(first), .offset = trip_least(first)
	};
}

/* Returns how many trips from this one on fit one line. A longer run fits only if a shorter one does. */
static size_t longest_run(const struct clock *clock, size_t from)
{
	size_t fits = 1, no = clock->n - from + 1;
	double low, high;

	while (no - fits > 1) {
		/* First the whole rest, which usually fits. */
		const size_t n = no == clock->n - from + 1 ? no - 1 : fits + (no - fits) / 2;
		const struct run run = run_of(clock, from, n);

		if (find_drifts(&run, &low, &high))
			fits = n;
		else
			no = n;
	}
	return fits;
}

/* The bounds of the offset at one trip, without the drift of the line. */
struct cone {
	double least, most;
	double time; /* since the run began */
};

/* Narrows the bounds at each trip by those of its neighbours, which widen with the distance. */
static void narrow(struct cone *cones, size_t n, double wander)
{
	for (size_t i = 1; i < n; i++) {
		const double wider = wander * (cones[i].time - cones[i - 1].time);

		cones[i].least = fmax(cones[i].least, cones[i - 1].least - wider);
		cones[i].most = fmin(cones[i].most, cones[i - 1].most + wider);
	}
	for (size_t i = n - 1; i-- > 0;) {
		const double wider = wander * (cones[i + 1].time - cones[i].time);

		cones[i].least = fmax(cones[i].least, cones[i + 1].least - wider);
		cones[i].most = fmin(cones[i].most, cones[i + 1].most + wider);
	}
}

/* The longer of the times to the trips beside this one. */
static double gap_at(const struct cone *cones, size_t n, size_t i)
{
	const double before = i ? cones[i].time - cones[i - 1].time : 0;
	const double after = i + 1 < n ? cones[i + 1].time - cones[i].time : 0;

	return fmax(before, after);
}

/* In the middle between two trips the bounds are wider than at both, by half of what they widen. */
static struct clock_point point_of(const struct run *run, const struct cone *cones, size_t i,
				   double drift, double wander)
{
	const double middle = (cones[i].most + cones[i].least) / 2 + drift * cones[i].time;
	const double error =
		fmax(cones[i].most - cones[i].least, 0) / 2 + wander * gap_at(cones, run->n, i) / 2;

	/* The numbers are rounded, so one more on each side. */
	return (struct clock_point){ .time = clock_trip_time(&run->trips[i]),
				     .offset = run->offset + llround(middle),
				     .error = (uint64_t)ceil(error) + 1,
				     .begins = !i };
}

/* Adds a point for each of n trips on one line. */
static int add_line(const struct clock *clock, size_t from, size_t n, struct clock_point **points,
		    size_t *n_points)
{
	const struct run run = run_of(clock, from, n);
	struct cone *cones = calloc(n, sizeof(*cones));
	double low = -DRIFT_MAX, high = DRIFT_MAX, drift, wander;
	int err = cones ? 0 : -ENOMEM;

	/* The drift of the line is known only within these. */
	find_drifts(&run, &low, &high);
	drift = (low + high) / 2;
	wander = WANDER + (high - low) / 2;
	for (size_t i = 0; !err && i < n; i++) {
		const struct clock_trip *trip = &run.trips[i];
		const double time = (double)(int64_t)(clock_trip_time(trip) - run.time);

		cones[i] = (struct cone){
			.time = time,
			.least = (double)(trip_least(trip) - run.offset) - drift * time,
			.most = (double)(trip_most(trip) - run.offset) - drift * time,
		};
	}
	if (!err)
		narrow(cones, n, wander);
	for (size_t i = 0; !err && i < n; i++)
		err = dkt__append(*points, *n_points, point_of(&run, cones, i, drift, wander));
	free(cones);
	return err;
}

int clock_fit(const struct clock *clock, struct clock_point **points, size_t *n)
{
	int err = clock->n ? 0 : -ENODATA;

	*points = NULL;
	*n = 0;
	for (size_t from = 0, length; !err && from < clock->n; from += length) {
		length = longest_run(clock, from);
		err = add_line(clock, from, length, points, n);
	}
	if (!err)
		return 0;
	free(*points);
	*points = NULL;
	*n = 0;
	return err;
}

/* ---- times ---- */

static struct clock_point beyond(const struct clock_point *end, uint64_t time)
{
	const uint64_t away = time > end->time ? time - end->time : end->time - time;

	const uint64_t drift = (uint64_t)ceil((double)away * DRIFT_BEYOND);

	return (struct clock_point){ .time = time,
				     .offset = end->offset,
				     .error = end->error + drift,
				     .own_error = end->own_error + drift };
}

static struct clock_point between(const struct clock_point *a, const struct clock_point *b,
				  uint64_t time)
{
	const double part = (double)(time - a->time) / (double)(b->time - a->time);
	const double offset = (double)(b->offset - a->offset) * part;
	const double error = (double)a->error + ((double)b->error - (double)a->error) * part;
	const double own =
		(double)a->own_error + ((double)b->own_error - (double)a->own_error) * part;

	return (struct clock_point){ .time = time,
				     .offset = a->offset + llround(offset),
				     .error = (uint64_t)ceil(error),
				     .own_error = (uint64_t)ceil(own) };
}

/* Between two lines a step or a change of drift came at some time, so each of the two may hold. */
static struct clock_point in_gap(const struct clock_point *a, const struct clock_point *b,
				 uint64_t time)
{
	const uint64_t step = (uint64_t)llabs(b->offset - a->offset);
	struct clock_point at = between(a, b, time);

	at.error = DKT__MAX(a->error, b->error) + step;
	at.own_error = DKT__MAX(a->own_error, b->own_error) + step;
	return at;
}

/* Returns the first point after the time, or n. */
static size_t find_after(const struct clock_point *points, size_t n, uint64_t time)
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

bool clock_at(const struct clock_point *points, size_t n, uint64_t time, struct clock_point *at)
{
	const size_t after = find_after(points, n, time);

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

bool clock_is_gap(const struct clock_point *points, size_t n, uint64_t time)
{
	const size_t after = find_after(points, n, time);

	return after && after < n && points[after].begins;
}
