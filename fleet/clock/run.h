/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines through marks. Shared by the parts of the room. */
#pragma once

#include "fleet/clock/clock.h"

/* The drift of a line, in ns per ns: the kernel slews a clock by 500 ppm, and quartz adds less than that. */
#define CLOCK_DRIFT_MAX 1e-3

/*
 * How far the drift may be from that of the line, in ns per ns: an NTP client corrects the speed of a clock by
 * less once it runs evenly, and so does the warmth of a machine.
 */
#define CLOCK_WANDER 50e-6

/* A statement about the offset at one time: it is within these. */
struct clock_mark {
	uint64_t time;
	int64_t least, most;
};

/* For a mark that has no bound on this side; sums with offsets do not overflow. */
#define CLOCK_LEAST (INT64_MIN / 2)
#define CLOCK_MOST  (INT64_MAX / 2)

/* Marks in a row, relative to the first one, so that doubles are exact enough. */
struct clock_run {
	const struct clock_mark *marks;
	size_t n;
	uint64_t time;
	int64_t offset;
	double drift_max; /* of lines */
};

/* The bounds of the offset at one mark, without the drift of the line. */
struct clock_cone {
	double least, most;
	double time; /* since the run began */
};

/* Gets the longest run from a mark on that one line fits. */
struct clock_run clock_run_longest(const struct clock_mark *marks, size_t n, double drift_max);

/*
 * Finds the bounds at each mark of a run that one line fits, narrowed by all others. wander is that of the clock;
 * *drift is that of the line, and *wander grows by what is not known of it.
 */
void clock_run_cones(const struct clock_run *run, struct clock_cone *cones, double *drift,
		     double *wander);

/* Returns by how much the bounds widen in the middle between this mark and those beside it. */
double clock_cone_wider(const struct clock_cone *cones, size_t n, size_t i, double wander);

/* Finds points on lines of one host's clock. */
int clock_fit_marks(const struct clock_mark *marks, size_t n_marks, struct dkt_clock_point **points,
		    size_t *n);
