/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The difference between the clocks of two hosts, from round trips: a question is sent and its answer comes
 * back, so the far host's clock was read between two readings of ours. Nothing else is assumed of the
 * network. All times are of CLOCK_MONOTONIC, in ns.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/clock_at.h"
#include "lib/base/util.h"

/* The latest time, 73 years after a boot: sums and differences of such times are numbers of 64 bits. */
#define CLOCK_TIME_MAX (INT64_MAX / 4)

/* The largest difference of a wall clock, 146 years: an offset and this host's own can be added to it. */
#define CLOCK_WALL_MAX (INT64_MAX / 2)

struct clock_trip {
	uint64_t sent, received; /* this host: when the question went and the answer came */
	uint64_t far_received,
		far_sent; /* the far host: when the question came and the answer went */
	int64_t far_wall; /* CLOCK_REALTIME minus CLOCK_MONOTONIC there */
};

/*
 * A struct dkt_clock_point is a point of a line: at its time of the far host, add the offset to get this
 * host's, which is certain within its error. own_error is of clock_between(): the first host's part of it.
 */

struct clock {
	struct clock_trip *trips; /* in order of time */
	size_t n;
};

/* The time of the far host that the bounds of a trip are for. */
static inline uint64_t clock_trip_time(const struct clock_trip *trip)
{
	return trip->far_received + (trip->far_sent - trip->far_received) / 2;
}

/*
 * Adds a trip after those before it. Memory is bounded: of neighbours, the trip that says less is dropped.
 * -EPROTO: the far host's times go backwards, or are not valid; -ENOMEM.
 */
int clock_add(struct clock *clock, const struct clock_trip *trip);
void clock_free(struct clock *clock);

/*
 * Fits lines through the trips: as few as possible, each of a drift that changes little. Sets *points to
 * points on them in order of time; between two points of a line offset and error are linear. The caller
 * frees them. -ENODATA: there are no trips; -ENOMEM.
 */
int clock_fit(const struct clock *clock, struct dkt_clock_point **points, size_t *n);

/*
 * Finds the offsets of the far host's CLOCK_REALTIME, in order of its times; points are those of clock_fit().
 * It can have been set between any two trips. The caller frees the list. -ENOMEM.
 */
int clock_walls(const struct clock *clock, const struct dkt_clock_point *points, size_t n,
		struct dkt_clock_point **walls, size_t *n_walls);

/*
 * Finds the offsets from the clock of one far host to that of another, with the errors of both, as points in
 * order of the first host's time. Beyond them they stay as they are. The caller frees the points. -ENOMEM.
 */
int clock_between(const struct dkt_clock_point *from, size_t n_from,
		  const struct dkt_clock_point *to, size_t n_to, struct dkt_clock_point **points,
		  size_t *n);

/* Makes list[1] to list[n] go on with their offsets before and after: sets list[0] and list[n + 1]. */
void clock_put_ends(struct dkt_clock_point *list, size_t n);
