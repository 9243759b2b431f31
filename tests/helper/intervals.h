/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of intervals, for tests. */
#pragma once

#include <dktrace/dktrace.h>

#include "tests/helper/check.h"

static inline struct dkt_latency all_of(struct dkt_intervals *pairs)
{
	struct dkt_latency latency;

	assert_int_equal(dkt_intervals_finish(pairs), 0);
	assert_int_equal(dkt_intervals_group(pairs, DKT_INTERVALS_ALL, &latency, sizeof(latency)),
			 0);
	return latency;
}

static inline struct dkt_intervals_info info_of(struct dkt_intervals *pairs)
{
	struct dkt_intervals_info info;

	dkt_intervals_info(pairs, &info, sizeof(info));
	return info;
}
