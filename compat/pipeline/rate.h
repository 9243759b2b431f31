/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits the records of a class per second, when they are read. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/mask.h"

/* All zero: no limit. */
struct rate {
	uint32_t limited; /* classes that have a limit */
	uint32_t most[MASK_BITS];
	uint32_t seen[MASK_BITS]; /* records in the current second */
	int64_t second[MASK_BITS];
	uint64_t dropped;
};

/*
 * Parses NAME=N, separated by commas; each N is at least 1. -EINVAL: *bad is the first invalid
 * item.
 */
int dkl_rate_parse(const char *text, struct rate *rate, const char **bad);

/*
 * True if a record of these classes at that time (ns) is within the limit; counts it. A record of
 * several limited classes counts for the first of them.
 */
bool dkl_rate_takes(struct rate *rate, uint32_t classes, int64_t time);

/* Reports the number of dropped records on standard error, if any, and restarts the count. */
void dkl_rate_report(struct rate *rate, const char *self);
