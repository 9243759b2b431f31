/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times between the segments of a directory in which nothing was recorded. */
#pragma once

#include "recording/record/segments.h"

/* The time between a segment and the one before it. */
struct gaps_edge {
	bool gap; /* segments are gone */
	bool pause; /* the kernel did not record all the time */
};

/* Times of day, in ns. */
struct gaps_one {
	int64_t from; /* the end of the recording before; 0: unknown */
	int64_t to;
	uint64_t before; /* the number of the segment that follows */
	bool gone; /* segments are gone, with an unknown number of records */
};

struct gaps {
	struct gaps_one *list;
	size_t n;
	int64_t first; /* when the first recording began; 0: unknown */
	int64_t end; /* when the last recording ended; 0: it has not, or that is unknown */
};

/* Returns when a segment began: by its first record, or by its name. */
int64_t gaps_began(const struct segment *segment);

/* Sets an edge for each segment, and all gaps. -ENOMEM. Free the gaps in either case. */
int gaps_find(const struct segments *segments, struct gaps_edge *edges, struct gaps *gaps);
void gaps_free(struct gaps *gaps);

/* True if it is in the time from since until before until. INT64_MIN and INT64_MAX: no bound. */
bool gaps_is_within(const struct gaps_one *gap, int64_t since, int64_t until);

/*
 * Reports on standard error the times from since until before until in which nothing was recorded.
 * Returns true if there was one.
 */
bool gaps_report(const struct gaps *gaps, const char *path, int64_t since, int64_t until);
