/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of day by which old files are deleted: a clock that is set wrong must not delete them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All zeros at first. */
struct age_clock {
	bool known;
	int64_t offset; /* from the time since boot to the time of day, ns */
	int64_t trusted; /* the same, without steps that have not lasted yet */
	uint64_t stepped; /* when the last step was seen, in ns since boot */
};

/*
 * Returns the time of day in ns, but a step forwards counts only once it has lasted for a day: it makes
 * files look old, and whoever set the clock may correct it.
 */
int64_t age_now(struct age_clock *clock);

/* The same for given times of day and since boot, in ns. */
int64_t age_at(struct age_clock *clock, int64_t wall, uint64_t boot);
