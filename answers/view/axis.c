/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A time axis whose bins become wider, and what is counted over it. */
#include "answers/view/axis.h"

/* The width of the first bins: about 1 us. */
#define FIRST_SHIFT 10

uint32_t axis_bin(struct axis *axis, uint64_t ts)
{
	uint64_t since;

	if (dkt__unlikely(!axis->begun))
		*axis = (struct axis){
			.begun = true, .origin = ts, .last = ts, .shift = FIRST_SHIFT
		};
	since = ts > axis->origin ? ts - axis->origin : 0;
	while (dkt__unlikely(since >> axis->shift >= AXIS_BINS))
		axis->shift++;
	axis->last = DKT__MAX(axis->last, ts);
	return (uint32_t)(since >> axis->shift);
}

void series_fold(struct series *series, const struct axis *axis)
{
	/* An empty series takes the width as it is. */
	if (!series->total)
		series->shift = axis->shift;
	for (; series->shift < axis->shift; series->shift++) {
		for (uint32_t i = 0; i < AXIS_BINS / 2; i++)
			series->counts[i] = series->counts[2 * i] + series->counts[2 * i + 1];
		memset(series->counts + AXIS_BINS / 2, 0, sizeof(series->counts) / 2);
	}
}

void series_add_span(struct series *series, struct axis *axis, uint64_t from, uint64_t to)
{
	uint32_t last = axis_bin(axis, to), bin;
	uint64_t end;

	from = DKT__MAX(from, axis->origin);
	bin = axis_bin(axis, from);
	for (; from < to; from = end, bin++) {
		end = bin == last ? to : axis->origin + ((uint64_t)(bin + 1) << axis->shift);
		series_add(series, axis, bin, DKT__MIN(end, to) - from);
	}
}

/* ---- durations over time ---- */

static int merge(struct heat *heat, uint32_t to, uint32_t from)
{
	struct dkt__dist *source = &heat->columns[from];
	int err = 0;

	if (to == from)
		return 0;
	if (!heat->columns[to].count) {
		dkt__dist_clear(&heat->columns[to]);
		heat->columns[to] = *source;
		*source = (struct dkt__dist){ 0 };
		return 0;
	}
	if (source->count)
		err = dkt__dist_merge(&heat->columns[to], source);
	dkt__dist_clear(source);
	return err;
}

int heat_fold(struct heat *heat, const struct axis *axis)
{
	int err = 0;

	if (!heat->shift)
		heat->shift = axis->shift;
	for (; !err && heat->shift < axis->shift; heat->shift++)
		for (uint32_t i = 0; !err && i < HEAT_COLUMNS; i++)
			err = merge(heat, i / 2, i);
	return err;
}

int heat_add(struct heat *heat, struct axis *axis, uint64_t end, uint64_t ns, bool cancelled)
{
	struct dkt__dist *column = &heat->columns[axis_bin(axis, end) >> HEAT_SHIFT];
	int err = heat_fold(heat, axis);

	if (cancelled) {
		dkt__dist_remove(column, ns);
		return err;
	}
	return err ? err : dkt__dist_add(column, ns);
}

void heat_clear(struct heat *heat)
{
	for (uint32_t i = 0; i < HEAT_COLUMNS; i++)
		dkt__dist_clear(&heat->columns[i]);
}
