/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clocks of several hosts, narrowed by causality: a message is received after it was sent. Times are those of
 * each host, and all hosts are related to a common clock, each with an error.
 */
#pragma once

#include "fleet/clock/clock.h"

struct causal_host {
	struct dkt_clock_point *points; /* to the common clock; replaced. NULL: see exact */
	size_t n;
	bool exact; /* its clock is the common one; false: nothing is known of it */
	bool narrowed; /* the points were replaced */
};

/*
 * Narrows the points of hosts. The error at no point grows. Pairs that say the impossible are left out, and
 * counted in *contradictory. -ENOMEM.
 */
int causal_narrow(struct causal_host *hosts, size_t n_hosts, const struct dkt__causal_pair *pairs,
		  size_t n_pairs, uint64_t *contradictory);

/*
 * Pairs that are kept: of each cause and effect the one that says most in a span of time. Memory is bounded:
 * spans become longer.
 */
struct causal_kept;

/* room: the most pairs that are kept. NULL: memory is out. */
struct causal_kept *causal_kept_new(size_t room);

/* apart: how much later the effect is by what is known, the less the better. */
int causal_kept_add(struct causal_kept *kept, const struct dkt__causal_pair *pair, int64_t apart);

/* Gets the pairs, which are valid until the next call. */
const struct dkt__causal_pair *causal_kept_pairs(const struct causal_kept *kept, size_t *n);
void causal_kept_free(struct causal_kept *kept);
