/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The offset between the clocks of a guest's CPU and its host, from samples in order of time. */
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
