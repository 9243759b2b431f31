/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offsets and errors of a clock between the points that are known, and beyond them. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * Gets the offset and the errors at a time. Outside of all lines the errors grow with the distance. False:
 * there are no points.
 */
bool dkt__clock_at(const struct dkt_clock_point *points, size_t n, uint64_t time,
		   struct dkt_clock_point *at);

/* Returns the number of the first point after the time, or n. */
size_t dkt__clock_after(const struct dkt_clock_point *points, size_t n, uint64_t time);

/* True if the time is between two lines. */
bool dkt__clock_is_gap(const struct dkt_clock_point *points, size_t n, uint64_t time);

/* Something on one host came before something on another. */
struct dkt__causal_pair {
	uint32_t cause, effect; /* hosts */
	uint64_t cause_time, effect_time; /* on the clocks of their hosts */
};
