/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of the streams of a source, with their errors. */
#include "source/clock.h"

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

int dkt__clock_merge(const struct dkt_source_clock *its, const struct dkt_source_clock *given,
		     uint32_t first, struct dkt_source_clock *to)
{
	struct dkt_clock_point *points;
	int err;

	*to = (struct dkt_source_clock){ .host = its->exact ? given->host : first + its->host };
	/* The sum of two lines of errors is not stated. */
	if (!given->exact || given->n_points)
		return 0;
	err = copy_points(its, &points);
	/* Another host may have measured the clocks of this part. */
	for (size_t i = 0; !err && first && i < its->n_points; i++)
		points[i].own_error = DKT__CLOCK_MAX;
	to->exact = its->exact;
	to->points = points;
	to->n_points = err ? 0 : its->n_points;
	return err;
}
