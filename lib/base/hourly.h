/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A limit of how often something may happen within an hour, whenever the hour begins. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hourly {
	size_t most;
	uint64_t *times; /* of those in the last hour, ns, the oldest first */
	size_t n;
};

/* Allows so many in an hour. Returns 0 or -ENOMEM. */
int dkt__hourly_init(struct hourly *hourly, size_t most);

/* Returns whether one more is allowed. now: ns, of a clock that never goes back. */
bool dkt__hourly_allows(struct hourly *hourly, uint64_t now);

/* Counts one, which dkt__hourly_allows() has allowed. */
void dkt__hourly_count(struct hourly *hourly, uint64_t now);

void dkt__hourly_clear(struct hourly *hourly);
