/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the times of merged files can be off, and whether the order of two records is certain. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/util.h"

/* A record whose successors are judged. */
struct bounds_last {
	const struct dkt_source_clock *clock; /* NULL: no record has come yet */
	uint64_t ts, error, own_error;
};

/* The last record, and the last one before it of another host. Zeroed at the beginning. */
struct bounds_order {
	struct bounds_last last, other;
};

/* An error that nobody knows. */
#define BOUNDS_UNKNOWN UINT64_MAX

/* Returns how far a time of the stream can be off, in ns, or BOUNDS_UNKNOWN. */
uint64_t dkl_bounds_error(const struct dkt_source_clock *clock, uint64_t ts);

/* The times of the first and the last record. */
struct bounds_range {
	uint64_t first, last;
	bool any; /* there is a record */
};

/* Takes the next record. */
static inline void bounds_range_add(struct bounds_range *range, uint64_t ts)
{
	range->first = range->any ? DKT__MIN(range->first, ts) : ts;
	range->last = range->any ? DKT__MAX(range->last, ts) : ts;
	range->any = true;
}

/* Returns the largest error of the stream: at its measurements, the first record and the last one. */
uint64_t dkl_bounds_worst(const struct dkt_source_clock *clock, const struct bounds_range *range);

/*
 * Takes the next record. Sets *error as dkl_bounds_error() does. Returns true if it is certain that the record came
 * after the last one of another host.
 */
bool dkl_bounds_order_add(struct bounds_order *order, const struct dkt_source_clock *clock,
			  uint64_t ts, uint64_t *error);
