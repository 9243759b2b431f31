/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU time that this command itself uses. */
#include <sys/resource.h>

#include "ctl/app/live.h"
#include "ctl/top/top.h"

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

void top_cost(struct top_cost *cost)
{
	const struct top_cost before = *cost;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	cost->used = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
	cost->at = live_now();
	if (cost->at > before.at)
		cost->percent = 100 * (cost->used - before.used) / (cost->at - before.at);
}
