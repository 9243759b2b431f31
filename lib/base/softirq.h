/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of softirqs. */
#pragma once

#include "lib/base/util.h"

/* Returns the name of a softirq by its number, in the order of include/linux/interrupt.h; NULL: unknown. */
static inline const char *dkt__softirq_name(uint64_t vec)
{
	static const char *const names[] = {
		"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU",
	};

	return vec < ARRAY_SIZE(names) ? names[vec] : NULL;
}
