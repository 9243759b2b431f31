/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A distribution of durations, in memory that does not grow with their number. */
#pragma once

#include "ctx.h"

/*
 * Numbers below 2^DIST_BITS are counted one by one, and above each power of two that many steps:
 * a step is at most 1/128 of the numbers in it.
 */
#define DIST_BITS  7
#define DIST_STEPS (1u << DIST_BITS)
#define DIST_ROWS  (64 - DIST_BITS + 1)

struct dkt__dist {
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint64_t *rows[DIST_ROWS]; /* of DIST_STEPS counts; NULL: none in it */
};

static inline unsigned int dkt__dist_row(uint64_t v)
{
	return v < DIST_STEPS ? 0 : 64 - DIST_BITS - (unsigned int)__builtin_clzll(v);
}

int dkt__dist_add(struct dkt__dist *dist, uint64_t v);

/* Takes back one that was added. The least and most are then known as well as their steps. */
void dkt__dist_remove(struct dkt__dist *dist, uint64_t v);

/* Adds all that is in another one. */
int dkt__dist_merge(struct dkt__dist *dist, const struct dkt__dist *other);

/* The number that a part q of all do not exceed, in the middle of its step. */
uint64_t dkt__dist_quantile(const struct dkt__dist *dist, double q);

/* How many are from 2^power up to but not 2^(power + 1); power 0: and 0. */
uint64_t dkt__dist_power(const struct dkt__dist *dist, unsigned int power);
void dkt__dist_clear(struct dkt__dist *dist);
