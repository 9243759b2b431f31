/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits the records of a class per second, when they are read. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/mask.h"

/* Begins as all zeroes: no limit. */
struct rate {
	uint32_t limited; /* classes that have a limit */
	uint32_t most[MASK_BITS];
	uint32_t seen[MASK_BITS]; /* in the second */
	int64_t second[MASK_BITS];
	uint64_t left_out;
};

/*
 * Reads NAME=N, with commas between; each N is at least 1. -EINVAL: bad is where the first begins
 * that is none.
 */
int rate_parse(const char *text, struct rate *rate, const char **bad);

/*
 * Whether a record of these classes at that time (ns) is still within the limit; counts it. One of
 * several limited classes counts as the first of them.
 */
bool rate_takes(struct rate *rate, uint32_t types, int64_t time);

/* Says on standard error how many were left out so far, if some were; they are counted anew then. */
void rate_tell(struct rate *rate, const char *self);
