/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples over time, by the second and by the fiftieth of it: a heat map. */
#pragma once

#include "lib/base/keymap.h"

#define PROFILE_HEAT_ROWS 50u
#define PROFILE_HEAT_NS   UINT64_C(20000000)

/* The cells of a heat map, at most: 11 hours. */
#define PROFILE_HEAT_MAX 2000000u

struct profile_cell {
	uint64_t second; /* since the first sample */
	uint32_t row; /* fiftieths of a second */
	uint64_t samples;
};

struct profile_heat {
	uint64_t origin; /* the time of the first sample */
	bool any;
	uint64_t seconds; /* that the samples take */
	uint64_t most; /* the samples in the cell that has most */
	uint64_t left_out; /* samples in more than PROFILE_HEAT_MAX cells, or before the first one */
	struct dkt__keymap map;
	uint64_t *samples; /* by entry of map */
	uint32_t n;
};

void profile_heat_init(struct profile_heat *heat);
void profile_heat_clear(struct profile_heat *heat);

/* Counts a sample. -ENOMEM. */
int profile_heat_add(struct profile_heat *heat, uint64_t ts);

/* Gets the i-th cell, in any order. Returns 0, or 1 after the last. */
int profile_heat_cell(const struct profile_heat *heat, uint32_t i, struct profile_cell *cell);
