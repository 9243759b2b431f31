/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of one clock on another: of a guest's CPU on its host's, of a part of a merge on the merged one. */
#pragma once

#include "lib/ctx.h"

/* The values from that time of the guest on. */
struct dkt__shift_sample {
	uint64_t time;
	int64_t offset; /* to add */
	uint64_t scaling; /* factor for the recorded time */
	uint32_t fraction; /* then shifted right by this number of bits, below 64 */
};

struct dkt__shift {
	struct dkt__shift_sample *samples;
	uint32_t n;
	bool interpolate; /* interpolate offsets between samples */
};

/* Sorts the samples; several may have the same time. */
void dkt__shift_sort(struct dkt__shift *shift);

/* Converts a guest's time to the host's. */
uint64_t dkt__shift_time(const struct dkt__shift *shift, uint64_t time);

/* ---- a part of a merge ---- */

/* The relation of the times of the part to those of the merged source. */
struct dkt__relation {
	int64_t offset; /* to add to the times of the part */
	struct dkt__shift lines; /* in place of offset, if it has samples */
};

/* Shifts a time; a time before the clock's start becomes its start. */
static inline uint64_t dkt__add_offset(uint64_t ts, int64_t offset)
{
	if (offset < 0 && ts < -(uint64_t)offset)
		return 0;
	return ts + (uint64_t)offset;
}

/* Converts a time of the part to the merged clock. Later times do not become earlier. */
static inline uint64_t dkt__to_merged(const struct dkt__relation *relation, uint64_t ts)
{
	uint64_t time;

	if (!relation->lines.n)
		return dkt__add_offset(ts, relation->offset);
	time = dkt__shift_time(&relation->lines, ts);
	return time > INT64_MAX && ts <= INT64_MAX ? 0 : time;
}

/* Returns the first time of the part that is not before a time of the merged clock. */
uint64_t dkt__to_part(const struct dkt__relation *relation, uint64_t ts);

/* Returns the last time of the part that is not after a time of the merged clock. */
uint64_t dkt__last_of_part(const struct dkt__relation *relation, uint64_t ts);
