/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The difference between the clocks of two far hosts, and between their wall clocks. */
#include "fleet/clock/clock.h"

/* Returns the time of a far host at which this host's clock is at near; its error is in *error. */
static uint64_t to_far(const struct dkt_clock_point *points, size_t n, uint64_t near,
		       uint64_t *error)
{
	struct dkt_clock_point at = { 0 };
	uint64_t far = near - (uint64_t)points[0].offset;

	/* The offset changes little between the guess and the time. */
	for (int i = 0; i < 3; i++) {
		dkt__clock_at(points, n, far, &at);
		far = near - (uint64_t)at.offset;
	}
	*error = at.error;
	return far;
}

/* The point at a time of the first host. */
static struct dkt_clock_point compose(const struct dkt_clock_point *from, size_t n_from,
				      const struct dkt_clock_point *to, size_t n_to, uint64_t time)
{
	struct dkt_clock_point at;
	uint64_t error;

	dkt__clock_at(from, n_from, time, &at);
	at.offset = (int64_t)(to_far(to, n_to, time + (uint64_t)at.offset, &error) - time);
	at.time = time;
	at.own_error = at.error;
	at.error += error;
	at.begins = false;
	return at;
}

static int compare_points(const void *a, const void *b)
{
	const struct dkt_clock_point *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* A time of the points, or the middle between one and the next: between two lines the error is largest. */
static uint64_t place(const struct dkt_clock_point *points, size_t n, size_t half)
{
	const uint64_t time = points[half / 2].time;

	return half % 2 && half / 2 + 1 < n ? time + (points[half / 2 + 1].time - time) / 2 : time;
}

/* Marks the points before which one of the clocks is between two lines. */
static void mark_gaps(const struct dkt_clock_point *from, size_t n_from,
		      const struct dkt_clock_point *to, size_t n_to, struct dkt_clock_point *list,
		      size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const uint64_t time = list[i - 1].time + (list[i].time - list[i - 1].time) / 2;
		const struct dkt_clock_point at = compose(from, n_from, to, n_to, time);

		list[i].begins = dkt__clock_is_gap(from, n_from, time) ||
				 dkt__clock_is_gap(to, n_to, time + (uint64_t)at.offset);
	}
}

/* The first time is one whose offset does not convert it to a time below 0. */
void clock_put_ends(struct dkt_clock_point *list, size_t n)
{
	list[0] = list[1];
	list[0].time = list[1].offset < 0 ? -(uint64_t)list[1].offset : 0;
	list[n + 1] = list[n];
	list[n + 1].begins = false;
	list[n + 1].time = DKT__MAX(list[n].time, CLOCK_TIME_MAX);
}

int clock_between(const struct dkt_clock_point *from, size_t n_from,
		  const struct dkt_clock_point *to, size_t n_to, struct dkt_clock_point **points,
		  size_t *n)
{
	struct dkt_clock_point *list = calloc(2 * (n_from + n_to) + 2, sizeof(*list)), at;
	uint64_t error;
	size_t nr = 1;

	*points = NULL;
	*n = 0;
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * n_from; i++)
		list[nr++] = compose(from, n_from, to, n_to, place(from, n_from, i));
	for (size_t i = 0; i < 2 * n_to; i++) {
		const uint64_t time = place(to, n_to, i);

		dkt__clock_at(to, n_to, time, &at);
		list[nr++] = compose(from, n_from, to, n_to,
				     to_far(from, n_from, time + (uint64_t)at.offset, &error));
	}
	/* Another host's clock may not have begun when this one's did. */
	for (size_t i = 1; i < nr;)
		if (list[i].time > CLOCK_TIME_MAX)
			list[i] = list[--nr];
		else
			i++;
	qsort(list + 1, nr - 1, sizeof(*list), compare_points);
	mark_gaps(from, n_from, to, n_to, list + 1, nr - 1);
	clock_put_ends(list, nr - 1);
	*points = list;
	*n = nr + 1;
	return 0;
}

int clock_walls(const struct clock *clock, const struct dkt_clock_point *points, size_t n,
		struct dkt_clock_point **walls, size_t *n_walls)
{
	struct dkt_clock_point *list = calloc(clock->n + 1, sizeof(*list));
	size_t nr = 0;

	*walls = list;
	for (size_t i = 0; list && i < clock->n; i++) {
		const struct clock_trip *trip = &clock->trips[i];
		const uint64_t time = clock_trip_time(trip) + (uint64_t)trip->far_wall;
		struct dkt_clock_point at = { 0 };

		/* A time that came twice, because the clock was set back, counts once. */
		if (time > CLOCK_TIME_MAX || (nr && time <= list[nr - 1].time))
			continue;
		dkt__clock_at(points, n, clock_trip_time(trip), &at);
		list[nr++] = (struct dkt_clock_point){ .time = time,
						       .offset = at.offset - trip->far_wall,
						       .error = at.error,
						       .begins = true };
	}
	*n_walls = nr;
	return list ? 0 : -ENOMEM;
}
