/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines through marks: as few as possible, each of a drift that changes little. */
#include "fleet/clock/run.h"

#include <math.h>

/* Steps of a search for the best drift; each takes a third off the interval. */
#define STEPS 100

/* Returns the time of a mark since the run began. */
static double time_of(const struct clock_run *run, size_t i)
{
	return (double)(int64_t)(run->marks[i].time - run->time);
}

/* Gets the least and the most offset at the run's beginning of lines of that drift. No line fits if least > most. */
static void bounds(const struct clock_run *run, double drift, double *least, double *most)
{
	*least = -HUGE_VAL;
	*most = HUGE_VAL;
	for (size_t i = 0; i < run->n; i++) {
		const double moved = drift * time_of(run, i);

		*least = fmax(*least, (double)(run->marks[i].least - run->offset) - moved);
		*most = fmin(*most, (double)(run->marks[i].most - run->offset) - moved);
	}
}

/* Returns how far the lines of that drift can be shifted; negative: none fits. It is concave in the drift. */
static double room(const struct clock_run *run, double drift)
{
	double least, most;

	bounds(run, drift, &least, &most);
	return most - least;
}

/* Returns the drift with the most room. */
static double best_drift(const struct clock_run *run)
{
	double low = -run->drift_max, high = run->drift_max;

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
static bool find_drifts(const struct clock_run *run, double *low, double *high)
{
	const double inside = best_drift(run);

	if (room(run, inside) < 0)
		return false;
	for (int end = -1; end <= 1; end += 2) {
		double in = inside, out = end * run->drift_max;

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

/* A longer run fits only if a shorter one does. */
struct clock_run clock_run_longest(const struct clock_mark *marks, size_t n, double drift_max)
{
	struct clock_run run = {
		.marks = marks, .n = 1, .time = marks->time, .drift_max = drift_max
	};
	size_t fits = 1, no = n + 1;
	double low, high;

	run.offset = marks->least == CLOCK_LEAST ? marks->most : marks->least;
	while (no - fits > 1) {
		/* First the whole rest, which usually fits. */
		run.n = no == n + 1 ? n : fits + (no - fits) / 2;
		if (find_drifts(&run, &low, &high))
			fits = run.n;
		else
			no = run.n;
	}
	run.n = fits;
	return run;
}

/* Narrows the bounds at each mark by those of its neighbours, which widen with the distance. */
static void narrow(struct clock_cone *cones, size_t n, double wander)
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

void clock_run_cones(const struct clock_run *run, struct clock_cone *cones, double *drift,
		     double *wander)
{
	double low = -run->drift_max, high = run->drift_max;

	/* The drift of the line is known only within these. */
	find_drifts(run, &low, &high);
	*drift = (low + high) / 2;
	*wander += (high - low) / 2;
	for (size_t i = 0; i < run->n; i++) {
		const double time = time_of(run, i), moved = *drift * time;

		cones[i] = (struct clock_cone){
			.time = time,
			.least = (double)(run->marks[i].least - run->offset) - moved,
			.most = (double)(run->marks[i].most - run->offset) - moved,
		};
	}
	narrow(cones, run->n, *wander);
}

double clock_cone_wider(const struct clock_cone *cones, size_t n, size_t i, double wander)
{
	const double before = i ? cones[i].time - cones[i - 1].time : 0;
	const double after = i + 1 < n ? cones[i + 1].time - cones[i].time : 0;

	return wander * fmax(before, after) / 2;
}

/* ---- one host ---- */

/* In the middle between two marks the bounds are wider than at both. */
static struct dkt_clock_point point_of(const struct clock_run *run, const struct clock_cone *cones,
				       size_t i, double drift, double wander)
{
	const double middle = (cones[i].most + cones[i].least) / 2 + drift * cones[i].time;
	const double error = fmax(cones[i].most - cones[i].least, 0) / 2 +
			     clock_cone_wider(cones, run->n, i, wander);

	/* The numbers are rounded, so one more on each side. */
	return (struct dkt_clock_point){ .time = run->marks[i].time,
					 .offset = run->offset + llround(middle),
					 .error = (uint64_t)ceil(error) + 1,
					 .begins = !i };
}

/* Adds a point for each mark on one line. */
static int add_line(const struct clock_run *run, struct dkt_clock_point **points, size_t *n_points)
{
	struct clock_cone *cones = calloc(run->n, sizeof(*cones));
	double drift, wander = CLOCK_WANDER;
	int err = cones ? 0 : -ENOMEM;

	if (!err)
		clock_run_cones(run, cones, &drift, &wander);
	for (size_t i = 0; !err && i < run->n; i++)
		err = dkt__append(*points, *n_points, point_of(run, cones, i, drift, wander));
	free(cones);
	return err;
}

int clock_fit_marks(const struct clock_mark *marks, size_t n_marks, struct dkt_clock_point **points,
		    size_t *n)
{
	int err = 0;

	for (size_t from = 0; !err && from < n_marks;) {
		const struct clock_run run =
			clock_run_longest(marks + from, n_marks - from, CLOCK_DRIFT_MAX);

		err = add_line(&run, points, n);
		from += run.n;
	}
	if (!err)
		return 0;
	free(*points);
	*points = NULL;
	*n = 0;
	return err;
}
