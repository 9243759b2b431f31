/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of the streams of a source, with their errors. */
#include "lib/source/clock.h"

#include "lib/base/clock_at.h"

bool dkt__clock_valid(const struct dkt_source_clock *clock)
{
	for (size_t i = 0; i < clock->n_points; i++) {
		const struct dkt_clock_point *point = &clock->points[i];

		if ((i && point->time < point[-1].time) || point->error > DKT__CLOCK_MAX ||
		    point->own_error > DKT__CLOCK_MAX || point->offset > DKT__CLOCK_MAX ||
		    point->offset < -DKT__CLOCK_MAX)
			return false;
	}
	return true;
}

static int copy_points(const struct dkt_source_clock *from, struct dkt_clock_point **points)
{
	*points = calloc(from->n_points + 1, sizeof(**points));
	if (!*points)
		return -ENOMEM;
	if (from->n_points)
		memcpy(*points, from->points, from->n_points * sizeof(**points));
	return 0;
}

int dkt__clock_copy(const struct dkt_source_clock *from, struct dkt_source_clock *to)
{
	struct dkt_clock_point *points;
	int err = copy_points(from, &points);

	*to = *from;
	to->points = points;
	return err;
}

void dkt__clock_clear(struct dkt_source_clock *clock)
{
	free((void *)clock->points);
	clock->points = NULL;
	clock->n_points = 0;
}

/* ---- sums ---- */

/* The clock of a stream in its part, that of the part, and how times of the one become times of the other. */
struct merged_clock {
	const struct dkt_source_clock *its, *given;
	const struct dkt__relation *relation;
	bool same_host; /* that measured both */
};

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > DKT__CLOCK_MAX || b > DKT__CLOCK_MAX - a ? DKT__CLOCK_MAX : a + b;
}

static int64_t limit(int64_t offset)
{
	return DKT__MAX(DKT__MIN(offset, DKT__CLOCK_MAX), -DKT__CLOCK_MAX);
}

/* A clock that was set has two points at one time: the larger errors of both. */
static struct dkt_clock_point find(const struct dkt_source_clock *clock, uint64_t time)
{
	struct dkt_clock_point at = { .own_error = DKT__CLOCK_MAX };
	/* The first point that is not before the time. */
	const size_t first = time ? dkt__clock_after(clock->points, clock->n_points, time - 1) : 0;

	dkt__clock_at(clock->points, clock->n_points, time, &at);
	if (first < clock->n_points && clock->points[first].time == time) {
		at.error = DKT__MAX(at.error, clock->points[first].error);
		at.own_error = DKT__MAX(at.own_error, clock->points[first].own_error);
	}
	return at;
}

/* The sum of two points at one time, which is part_time in the part. */
static struct dkt_clock_point add(const struct merged_clock *m, struct dkt_clock_point its,
				  struct dkt_clock_point given, uint64_t time, uint64_t part_time)
{
	const uint64_t own = m->same_host && !m->given->n_points ? its.own_error :
								   sum(its.error, given.own_error);
	const int64_t more = limit((int64_t)(time - part_time));

	return (struct dkt_clock_point){ .time = time,
					 .offset = limit(its.offset + more),
					 .error = sum(its.error, m->given->exact ? 0 : given.error),
					 .own_error = own };
}

/* The points of both clocks and the bends between them, in order of time. */
struct walk {
	const struct merged_clock *m;
	size_t n_its, n_given, n_bends; /* those before the next ones */
	uint64_t part_time; /* of the last point */
};

static uint64_t next_of_its(const struct walk *walk)
{
	const struct dkt_source_clock *its = walk->m->its;

	return walk->n_its == its->n_points ?
		       UINT64_MAX :
		       dkt__to_merged(walk->m->relation, its->points[walk->n_its].time);
}

static uint64_t next_of_given(const struct walk *walk)
{
	const struct dkt_source_clock *given = walk->m->given;

	return walk->n_given == given->n_points ? UINT64_MAX : given->points[walk->n_given].time;
}

static uint64_t next_bend(const struct walk *walk)
{
	const struct dkt__shift *lines = &walk->m->relation->lines;

	return walk->n_bends == lines->n ?
		       UINT64_MAX :
		       dkt__to_merged(walk->m->relation, lines->samples[walk->n_bends].time);
}

/* Nothing is known before the first point and after the last one, where bends do not matter. */
static void skip_bends(struct walk *walk)
{
	const uint64_t first = DKT__MIN(next_of_its(walk), next_of_given(walk));

	while (walk->n_bends < walk->m->relation->lines.n && next_bend(walk) <= first)
		walk->n_bends++;
}

static bool has_next(const struct walk *walk)
{
	return walk->n_its < walk->m->its->n_points || walk->n_given < walk->m->given->n_points;
}

static struct dkt_clock_point step(struct walk *walk)
{
	const struct merged_clock *m = walk->m;
	const uint64_t its = next_of_its(walk), given = next_of_given(walk), bend = next_bend(walk);
	struct dkt_clock_point point;

	if (walk->n_its < m->its->n_points && its <= given && its <= bend) {
		const struct dkt_clock_point *at = &m->its->points[walk->n_its++];

		walk->part_time = at->time;
		point = add(m, *at, find(m->given, its), its, at->time);
		point.begins = at->begins;
		return point;
	}
	if (walk->n_given < m->given->n_points && given <= bend) {
		const struct dkt_clock_point *at = &m->given->points[walk->n_given++];

		walk->part_time = dkt__to_part(m->relation, given);
		point = add(m, find(m->its, walk->part_time), *at, given, walk->part_time);
		point.begins = at->begins;
		return point;
	}
	walk->part_time = m->relation->lines.samples[walk->n_bends++].time;
	return add(m, find(m->its, walk->part_time), find(m->given, bend), bend, walk->part_time);
}

static uint64_t middle(uint64_t a, uint64_t b)
{
	return a < b ? a + (b - a) / 2 : b;
}

static bool has_step(const struct dkt_source_clock *clock, uint64_t time)
{
	return dkt__clock_is_gap(clock->points, clock->n_points, time);
}

/* The largest errors between two times, in the middle. No point of the clock is between them. */
static struct dkt_clock_point find_worst(const struct dkt_source_clock *clock, uint64_t from,
					 uint64_t to)
{
	const struct dkt_clock_point a = find(clock, from), b = find(clock, to);
	struct dkt_clock_point worst = find(clock, middle(from, to));

	worst.error = DKT__MAX(worst.error, DKT__MAX(a.error, b.error));
	worst.own_error = DKT__MAX(worst.own_error, DKT__MAX(a.own_error, b.own_error));
	return worst;
}

/*
 * Returns the number of points. Where one clock has a step between two points, at any time, the other can have
 * its largest error at that time: a point in the middle has the sum.
 */
static size_t put_sums(const struct merged_clock *m, struct dkt_clock_point *points)
{
	struct walk walk = { .m = m };
	size_t nr = 0;

	skip_bends(&walk);
	while (has_next(&walk)) {
		const uint64_t part_before = walk.part_time, before = nr ? points[nr - 1].time : 0;
		struct dkt_clock_point point = step(&walk);
		const uint64_t part_between = middle(part_before, walk.part_time),
			       between = middle(before, point.time);

		if (nr && point.time > before)
			point.begins = has_step(m->its, part_between) ||
				       has_step(m->given, between);
		if (nr && point.begins && point.time > before && m->given->n_points) {
			points[nr] = add(m, find_worst(m->its, part_before, walk.part_time),
					 find_worst(m->given, before, point.time), between,
					 part_between);
			points[nr++].begins = true;
		}
		points[nr++] = point;
	}
	return nr;
}

int dkt__clock_merge(const struct dkt_source_clock *its, const struct dkt_source_clock *given,
		     uint32_t first, const struct dkt__relation *relation,
		     struct dkt_source_clock *to)
{
	/* Another host may have measured the clocks of a later part. */
	const struct merged_clock m = { its, given, relation, .same_host = !first };
	struct dkt_clock_point *points;

	if (its->exact)
		return dkt__clock_copy(given, to);
	*to = (struct dkt_source_clock){ .host = first + its->host };
	if (!its->n_points || (!given->exact && !given->n_points))
		return 0;
	points = calloc(its->n_points + given->n_points + relation->lines.n, 2 * sizeof(*points));
	if (!points)
		return -ENOMEM;
	to->points = points;
	to->n_points = put_sums(&m, points);
	return 0;
}
