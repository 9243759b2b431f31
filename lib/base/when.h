/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses times as people write them, and formats a time for them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define DKT__NSEC_PER_SEC INT64_C(1000000000)

/*
 * Returns the time of day of a time of a trace's clock. wall is their difference, both in ns. The numbers
 * of a damaged file wrap around.
 */
static inline int64_t dkt__wall_time(uint64_t time, int64_t wall)
{
	return (int64_t)(time + (uint64_t)wall);
}

/* Adds a duration between foreign times, which wraps around for those of a damaged file. */
static inline void dkt__add_ns(int64_t *sum, int64_t ns)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)ns);
}

/*
 * Returns a time in ns. File systems have times that are too large for that, after the year 2262: those
 * become the largest number, and times before 1677 the smallest.
 */
static inline int64_t dkt__timespec_ns(const struct timespec *ts)
{
	int64_t ns;

	if (__builtin_mul_overflow(ts->tv_sec, DKT__NSEC_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, ts->tv_nsec, &ns))
		return ts->tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

/* Returns the time of the monotonic clock, in ns. */
static inline uint64_t dkt__monotonic_ns(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)dkt__timespec_ns(&ts);
}

/* Returns the time of day, in ns since the epoch. */
static inline int64_t dkt__wall_ns(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_REALTIME, &ts);
	return dkt__timespec_ns(&ts);
}

/* Times of a trace that begin again so far before, in ns, are of another boot; CPUs' clocks differ by less. */
#define DKT__RESTART_NS 1000000000

/*
 * Reads HH:MM[:SS[.frac]] (of today, local time), YYYY-MM-DD[ HH:MM[:SS[.frac]]], ISO 8601,
 * @SECONDS[.frac] or -TIME (before now, seconds without a unit) as ns since the epoch. -EINVAL.
 */
int dkt__parse_when(const char *text, int64_t *ns);

/* Room for a time of any year, with its NUL. */
#define DKT__WHEN_SIZE 32

/*
 * Formats seconds since the epoch as dkt__parse_when() reads them, YYYY-MM-DD HH:MM:SS in local time.
 * Returns false, and "", if that is too large for a date.
 */
bool dkt__format_when(int64_t seconds, char text[DKT__WHEN_SIZE]);
