/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples over time, by the second and by the fiftieth of it: a heat map. */
#include "answers/profile/heat.h"

void profile_heat_init(struct profile_heat *heat)
{
	*heat = (struct profile_heat){ .map.n_words = 1 };
}

void profile_heat_clear(struct profile_heat *heat)
{
	dkt__keymap_clear(&heat->map);
	free(heat->samples);
}

int profile_heat_add(struct profile_heat *heat, uint64_t ts)
{
	uint64_t key, *samples;
	uint32_t entry;
	bool added;

	if (!heat->any)
		heat->origin = ts;
	heat->any = true;
	key = (ts - heat->origin) / PROFILE_HEAT_NS;
	if (ts < heat->origin || (heat->map.n >= PROFILE_HEAT_MAX &&
				  dkt__keymap_find(&heat->map, &key) == DKT__KEYMAP_NONE)) {
		heat->left_out++;
		return 0;
	}
	entry = dkt__keymap_add(&heat->map, &key, &added);
	samples = entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(heat->samples, heat->n, entry);
	if (!samples)
		return -ENOMEM;
	heat->seconds = DKT__MAX(heat->seconds, key / PROFILE_HEAT_ROWS + 1);
	heat->most = DKT__MAX(heat->most, ++*samples);
	return 0;
}

int profile_heat_cell(const struct profile_heat *heat, uint32_t i, struct profile_cell *cell)
{
	uint64_t key;

	if (i >= heat->n)
		return 1;
	key = *dkt__keymap_key(&heat->map, i);
	*cell = (struct profile_cell){ .second = key / PROFILE_HEAT_ROWS,
				       .row = (uint32_t)(key % PROFILE_HEAT_ROWS),
				       .samples = heat->samples[i] };
	return 0;
}
