/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the times of merged files can be off, and whether the order of two records is certain. */
#pragma once

#include "clock/clock.h"

/* The times of one file. */
struct bounds {
	const struct clock_point *points; /* in order of merged times */
	size_t n; /* 0: see exact */
	bool exact; /* the file has the clock that all are merged on; false: nobody knows how far they are off */
	size_t host; /* files of one host have one clock */
};

/* A record whose successors are judged. */
struct bounds_last {
	const struct bounds *bounds; /* NULL: no record has come yet */
	uint64_t ts, error, own_error;
};

/* The last record, and the last one before it of another host. Zeroed at the beginning. */
struct bounds_order {
	struct bounds_last last, other;
};

/* An error that nobody knows. */
#define BOUNDS_UNKNOWN UINT64_MAX

/* Returns how far a merged time of the file can be off, in ns, or BOUNDS_UNKNOWN. */
uint64_t bounds_error(const struct bounds *bounds, uint64_t ts);

/* Returns the largest error of the file. */
uint64_t bounds_worst(const struct bounds *bounds);

/*
 * Takes the next record. Sets *error as bounds_error() does. Returns true if it is certain that the record came
 * after the last one of another host.
 */
bool bounds_order_add(struct bounds_order *order, const struct bounds *bounds, uint64_t ts,
		      uint64_t *error);
