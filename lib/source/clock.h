/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of the streams of a source, with their errors. */
#pragma once

#include "lib/source/shift.h"

/*
 * The limit of offsets and errors, so that sums and differences of two do not overflow. An error of so much,
 * 146 years, says nothing.
 */
#define DKT__CLOCK_MAX (INT64_MAX / 2)

/* True if the points are in order of time, and within the limit. */
bool dkt__clock_valid(const struct dkt_source_clock *clock);

/* Copies a clock with its points. */
int dkt__clock_copy(const struct dkt_source_clock *from, struct dkt_source_clock *to);
void dkt__clock_clear(struct dkt_source_clock *clock);

/*
 * Finds the clock that a stream has in a merged source, the errors of which are the sums of two. its: that in
 * the source of its part; given: that of the part, whose host is a stream of the merged source. first: the
 * first stream of the part.
 */
int dkt__clock_merge(const struct dkt_source_clock *its, const struct dkt_source_clock *given,
		     uint32_t first, const struct dkt__relation *relation,
		     struct dkt_source_clock *to);
