/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A limit of how often something may happen within an hour. */
#include "lib/base/hourly.h"

#include "lib/base/util.h"
#include "lib/base/when.h"

#define HOUR (3600 * (uint64_t)DKT__NSEC_PER_SEC)

int dkt__hourly_init(struct hourly *hourly, size_t most)
{
	*hourly = (struct hourly){ .most = most, .times = calloc(most + 1, sizeof(uint64_t)) };
	return hourly->times ? 0 : -ENOMEM;
}

bool dkt__hourly_allows(struct hourly *hourly, uint64_t now)
{
	size_t old = 0;

	while (old < hourly->n && now - hourly->times[old] >= HOUR)
		old++;
	hourly->n -= old;
	memmove(hourly->times, hourly->times + old, hourly->n * sizeof(*hourly->times));
	return hourly->n < hourly->most;
}

void dkt__hourly_count(struct hourly *hourly, uint64_t now)
{
	hourly->times[hourly->n++] = now;
}

void dkt__hourly_clear(struct hourly *hourly)
{
	free(hourly->times);
	*hourly = (struct hourly){ 0 };
}
