/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A distribution of durations, in memory that does not grow with their number. */
#include "lib/base/dist.h"

/* All numbers of a row above the first have the same highest bit, so the next bits are the step. */
static unsigned int step_of(unsigned int row, uint64_t v)
{
	return (unsigned int)(row ? v >> (row - 1) : v) & (DIST_STEPS - 1);
}

static uint64_t *row_counts(struct dkt__dist *dist, unsigned int row)
{
	if (dkt__unlikely(!dist->rows[row]))
		dist->rows[row] = calloc(DIST_STEPS, sizeof(uint64_t));
	return dist->rows[row];
}

int dkt__dist_add(struct dkt__dist *dist, uint64_t v)
{
	unsigned int row = dkt__dist_row(v);
	uint64_t *counts = row_counts(dist, row);

	if (!counts)
		return -ENOMEM;
	counts[step_of(row, v)]++;
	if (v < dist->min || !dist->count)
		dist->min = v;
	if (v > dist->max)
		dist->max = v;
	dist->sum += v;
	dist->count++;
	return 0;
}

/* Returns the middle of a step's numbers. */
static uint64_t step_middle(unsigned int row, unsigned int step)
{
	if (!row)
		return step;
	return ((uint64_t)(DIST_STEPS | step) << (row - 1)) +
	       (((UINT64_C(1) << (row - 1)) - 1) / 2);
}

static bool same_step(uint64_t a, uint64_t b)
{
	unsigned int row = dkt__dist_row(a);

	return row == dkt__dist_row(b) && step_of(row, a) == step_of(row, b);
}

void dkt__dist_remove(struct dkt__dist *dist, uint64_t v)
{
	unsigned int row = dkt__dist_row(v);
	uint64_t *count = dist->rows[row] ? &dist->rows[row][step_of(row, v)] : NULL;

	if (!count || !*count)
		return;
	dist->sum -= v;
	dist->count--;
	if (--*count)
		return;
	if (!dist->count) {
		dist->min = dist->max = 0;
		return;
	}
	if (same_step(v, dist->max)) {
		dist->max = UINT64_MAX;
		dist->max = dkt__dist_quantile(dist, 1);
	}
	if (same_step(v, dist->min)) {
		dist->min = 0;
		dist->min = dkt__dist_quantile(dist, 0);
	}
}

int dkt__dist_merge(struct dkt__dist *dist, const struct dkt__dist *other)
{
	for (unsigned int row = 0; row < DIST_ROWS; row++) {
		uint64_t *counts = other->rows[row] ? row_counts(dist, row) : NULL;

		if (other->rows[row] && !counts)
			return -ENOMEM;
		for (unsigned int step = 0; counts && step < DIST_STEPS; step++)
			counts[step] += other->rows[row][step];
	}
	if (other->count && (!dist->count || other->min < dist->min))
		dist->min = other->min;
	dist->max = DKT__MAX(dist->max, other->max);
	dist->count += other->count;
	dist->sum += other->sum;
	return 0;
}

uint64_t dkt__dist_quantile(const struct dkt__dist *dist, double q)
{
	uint64_t rank = (uint64_t)(q * (double)dist->count), seen = 0, v;

	/* Round up. */
	if ((double)rank < q * (double)dist->count || !rank)
		rank++;
	for (unsigned int row = 0; row < DIST_ROWS; row++) {
		for (unsigned int step = 0; dist->rows[row] && step < DIST_STEPS; step++) {
			seen += dist->rows[row][step];
			if (seen < rank)
				continue;
			v = step_middle(row, step);
			return DKT__MAX(dist->min, DKT__MIN(v, dist->max));
		}
	}
	return dist->max;
}

uint64_t dkt__dist_part(const struct dkt__dist *dist, unsigned int power, unsigned int part,
			unsigned int parts)
{
	unsigned int row = power < DIST_BITS ? 0 : power - DIST_BITS + 1;
	/* Row 0 has a step for each number, and 0 is with 1. */
	unsigned int from = row || !power ? 0 : 1u << power;
	unsigned int steps = row ? DIST_STEPS : (2u << power) - from;
	uint64_t sum = 0;

	if (row >= DIST_ROWS || !dist->rows[row])
		return 0;
	for (unsigned int i = steps * part / parts; i < steps * (part + 1) / parts; i++)
		sum += dist->rows[row][from + i];
	return sum;
}

uint64_t dkt__dist_power(const struct dkt__dist *dist, unsigned int power)
{
	return dkt__dist_part(dist, power, 0, 1);
}

void dkt__dist_clear(struct dkt__dist *dist)
{
	for (unsigned int row = 0; row < DIST_ROWS; row++)
		free(dist->rows[row]);
	*dist = (struct dkt__dist){ 0 };
}
