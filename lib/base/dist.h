/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A distribution of durations, in memory that does not grow with their number. */
#pragma once

#include "lib/base/util.h"

/*
 * Row 0 counts each number below DIST_STEPS. Each further row is for the numbers between two powers
 * of two, in DIST_STEPS steps, so that a step is at most 1/128 as wide as its numbers are large.
 */
#define DIST_BITS  7
#define DIST_STEPS (1u << DIST_BITS)
#define DIST_ROWS  (64 - DIST_BITS + 1)

struct dkt__dist {
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint64_t *rows[DIST_ROWS]; /* DIST_STEPS counts each; NULL: all 0 */
};

static inline unsigned int dkt__dist_row(uint64_t v)
{
	return v < DIST_STEPS ? 0 : 64 - DIST_BITS - (unsigned int)__builtin_clzll(v);
}

int dkt__dist_add(struct dkt__dist *dist, uint64_t v);

/* Removes a number that was added. The minimum and maximum are then only as exact as their steps. */
void dkt__dist_remove(struct dkt__dist *dist, uint64_t v);

/* Adds all numbers of other. */
int dkt__dist_merge(struct dkt__dist *dist, const struct dkt__dist *other);

/* Returns the number that a part q of all numbers do not exceed, as the middle of its step. */
uint64_t dkt__dist_quantile(const struct dkt__dist *dist, double q);

/* Counts the numbers from 2^power up to 2^(power + 1) - 1; with power 0 also the zeros. */
uint64_t dkt__dist_power(const struct dkt__dist *dist, unsigned int power);

/*
 * The same for one of 2^n equal parts of that range. A number below 2^DIST_BITS counts in the part that
 * it belongs to.
 */
uint64_t dkt__dist_part(const struct dkt__dist *dist, unsigned int power, unsigned int part,
			unsigned int parts);
void dkt__dist_clear(struct dkt__dist *dist);
