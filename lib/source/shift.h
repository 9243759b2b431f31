/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The offset between the clocks of a guest's CPU and its host, from samples in order of time. */
#pragma once

#include "ctx.h"

/* The values that apply from that time of the guest on. */
struct dkt__shift_sample {
	uint64_t time;
	int64_t offset; /* to add */
	uint64_t scaling; /* of what was recorded: times this */
	uint32_t fraction; /* and by so many bits to the right, less than 64 */
};

struct dkt__shift {
	struct dkt__shift_sample *samples;
	uint32_t n;
	bool interpolate; /* offsets between two samples lie on the line through them */
};

/* Puts the samples, of which several may have one time, in order. */
void dkt__shift_sort(struct dkt__shift *shift);

/* The host's time. */
uint64_t dkt__shift_time(const struct dkt__shift *shift, uint64_t time);
