/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The relation of the times of a part of a merge to those of the merged source. */
#pragma once

#include "lib/source/shift.h"

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
