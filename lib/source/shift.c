/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times of one clock on another. The rules for a guest's CPU and its host are those of trace-cmd
 * report: with a single sample only its offset is used, and the first and last two samples are
 * extrapolated.
 */
#include "lib/source/shift.h"

static int sample_cmp(const void *a, const void *b)
{
	const struct dkt__shift_sample *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

void dkt__shift_sort(struct dkt__shift *shift)
{
	uint32_t n = 0;

	if (shift->n)
		qsort(shift->samples, shift->n, sizeof(*shift->samples), sample_cmp);
	for (uint32_t i = 0; i < shift->n; i++)
		if (!n || shift->samples[i].time != shift->samples[n - 1].time)
			shift->samples[n++] = shift->samples[i];
	shift->n = n;
}

/* Returns the last sample before the time that has a successor. */
static const struct dkt__shift_sample *find(const struct dkt__shift *shift, uint64_t time)
{
	uint32_t low = 0, high = shift->n - 2;

	while (low < high) {
		uint32_t mid = low + (high - low + 1) / 2;

		if (shift->samples[mid].time <= time)
			low = mid;
		else
			high = mid - 1;
	}
	return &shift->samples[low];
}

uint64_t dkt__shift_time(const struct dkt__shift *shift, uint64_t time)
{
	const struct dkt__shift_sample *from;
	__int128 part, span;
	uint64_t offset;

	if (!shift->n)
		return time;
	if (shift->n == 1)
		return time + (uint64_t)shift->samples[0].offset;
	from = find(shift, time);
	offset = (uint64_t)from->offset;
	if (shift->interpolate) {
		span = (__int128)from[1].time - from->time;
		part = ((__int128)time - from->time) * ((__int128)from[1].offset - from->offset);
		offset += (uint64_t)((part + span / 2) / span);
	}
	return (uint64_t)(((unsigned __int128)time * from->scaling) >> from->fraction) + offset;
}

/* ---- a part of a merge ---- */

uint64_t dkt__to_part(const struct dkt__relation *relation, uint64_t ts)
{
	uint64_t low = 0, high = INT64_MAX;

	if (!relation->lines.n)
		return dkt__add_offset(ts, -relation->offset);
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (dkt__to_merged(relation, middle) < ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t dkt__last_of_part(const struct dkt__relation *relation, uint64_t ts)
{
	uint64_t next;

	if (!relation->lines.n)
		return dkt__add_offset(ts, -relation->offset);
	next = ts < INT64_MAX ? dkt__to_part(relation, ts + 1) : INT64_MAX;
	return next ? next - 1 : 0;
}
