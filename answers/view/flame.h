/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree of a flame graph: call stacks that begin with the same functions share their nodes. */
#pragma once

#include "answers/view/stacks.h"

struct flame_node {
	const char *name; /* not terminated; lives as long as the stacks */
	size_t len;
	uint64_t count; /* records with stacks that begin so */
	uint64_t off; /* ns that processes slept in them */
	struct flame_node *child, *last; /* the first and the last one */
	struct flame_node *next; /* beside it, with the same parent */
};

struct flame {
	struct flame_node root; /* without a name: the totals */
	size_t n; /* nodes */
	size_t folded; /* nodes that flame_fold() has removed */
	uint64_t folded_count, folded_off; /* their parts of the totals */
	struct dkt__arena nodes;
};

/* Call it after stacks_finish(). Clear the flame in either case. */
int flame_make(struct flame *flame, const struct stacks *stacks);
/*
 * If there are more than max nodes, those with less than a 10,000th of the totals become one node
 * "(other)" for each parent. The counts of all others stay as they are.
 */
int flame_fold(struct flame *flame, size_t max);
void flame_clear(struct flame *flame);
