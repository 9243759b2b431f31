/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call stacks of a page: how often each was recorded, and how long processes slept in it. */
#pragma once

#include "answers/profile/profile.h"
#include "answers/view/rates.h"
#include "answers/view/slices.h"

/* A process that does not run. */
struct stack_off {
	const struct dkt_event *event; /* the sched_switch at which it stopped */
	uint64_t since;
	uint64_t slept; /* it runs again, but its stack is not complete yet; 0: it does not */
	uint32_t node; /* of its stack; 0: unknown */
};

struct stacks {
	/* By event and program. The weight of a node is the ns that processes slept in it. */
	struct profile profile;
	struct slices slices; /* of the same nodes */
	int err; /* of the slices */
	struct dkt__keymap off_map; /* by part and process */
	struct stack_off *off;
	uint32_t n_off;
};

/* The stacks do not move from then on. Clear them in either case. */
int stacks_init(struct stacks *stacks);
void stacks_clear(struct stacks *stacks);

/* event: as rates_add() sets it. part: of the record or gap. */
int stacks_add(struct stacks *stacks, const struct rates_event *event, const struct pipeline *p,
	       size_t part, struct dkt_source *source, const struct dkt_record *record);

/* After the last record. */
int stacks_finish(struct stacks *stacks);

/* The nodes that stacks_fold() has left out, and their part of the whole. */
struct stacks_folded {
	uint32_t nodes;
	struct profile_value value;
};

/* How much of the stacks a page has. */
struct stacks_most {
	uint32_t nodes;
	size_t slices;
};

/*
 * If there are more nodes, those with less than a 10,000th of the totals become one node "(other)" for
 * each parent. The counts of all others stay as they are. Ends the slices, too. -ENOMEM.
 */
int stacks_fold(struct stacks *stacks, const struct stacks_most *most,
		struct stacks_folded *folded);
