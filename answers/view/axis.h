/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A time axis of bins, for records whose range of times is not known before they are read. When a
 * time lies behind the last bin, each bin becomes twice as wide.
 */
#pragma once

#include "lib/base/dist.h"

#define AXIS_BINS 1024u

struct axis {
	bool begun;
	uint64_t origin, last; /* of the times so far, ns */
	unsigned int shift; /* a bin is 2^shift ns wide */
};

/* Returns the bin of a time; the first time is the origin. An earlier time counts as the origin. */
uint32_t axis_bin(struct axis *axis, uint64_t ts);

/* Counts over an axis. The bins are as wide as the axis's were when it was last used. */
struct series {
	unsigned int shift;
	uint64_t total;
	uint64_t counts[AXIS_BINS];
};

/* Adds the bins together until they are as wide as those of the axis. */
void series_fold(struct series *series, const struct axis *axis);

/* bin is what axis_bin() returned last. */
static inline void series_add(struct series *series, const struct axis *axis, uint32_t bin,
			      uint64_t n)
{
	if (dkt__unlikely(series->shift != axis->shift))
		series_fold(series, axis);
	series->counts[bin] += n;
	series->total += n;
}

/* Adds to each bin the ns of it that lie between the two times. */
void series_add_span(struct series *series, struct axis *axis, uint64_t from, uint64_t to);

/* ---- durations over time ---- */

/* A column of a heat map is this many bins of the axis. */
#define HEAT_SHIFT   2
#define HEAT_COLUMNS (AXIS_BINS >> HEAT_SHIFT)

struct heat {
	unsigned int shift; /* as in struct series */
	struct dkt__dist columns[HEAT_COLUMNS];
};

/* Adds a duration that ended at a time; cancelled takes it away again. */
int heat_add(struct heat *heat, struct axis *axis, uint64_t end, uint64_t ns, bool cancelled);
int heat_fold(struct heat *heat, const struct axis *axis);
void heat_clear(struct heat *heat);
