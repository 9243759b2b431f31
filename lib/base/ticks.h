/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of the kernel's tracer that count something else than nanoseconds. */
#pragma once

#include <stdbool.h>
#include <string.h>

/* The name of such a clock in a file that says how many of its ticks are a nanosecond. */
#define DKT__CLOCK_CALIBRATED "tsc2nsec"

/* True for cycles, jiffies, and a number that each record has one more of. clock NULL: unknown. */
static inline bool dkt__clock_ticks(const char *clock)
{
	static const char *const names[] = { "counter", "uptime", "x86-tsc", "ppc-tb", "s390-tod" };

	for (size_t i = 0; clock && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(clock, names[i]))
			return true;
	return false;
}
