/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words about where and when the records of a picture are from. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * Returns "oss7, 2026-11-25 03:12:55 to 2026-11-25 03:12:58", which the caller frees: the host, and the times of
 * the records from first to last; what the source does not know is left out. NULL: it knows neither.
 */
char *origin_text(const struct dkt_source_info *info, uint64_t first, uint64_t last);

/* The same of what the kernel of this machine counts, from the time of day since, in ns, up to now. */
char *origin_here(uint64_t since);

/* Returns the clock time "03:12:55.250", which the caller frees. NULL: the source does not know it. */
char *origin_clock(const struct dkt_source_info *info, uint64_t time);
