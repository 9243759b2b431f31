/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree of a flame graph: call stacks that begin with the same functions share their nodes. */
#pragma once

#include "picture/stacks.h"

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
	struct dkt__arena nodes;
};

/* Call it after stacks_finish(). Clear the flame in either case. */
int flame_make(struct flame *flame, const struct stacks *stacks);
void flame_clear(struct flame *flame);
