/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of call stacks: those that begin with the same functions share their nodes. */
#pragma once

#include "lib/base/keymap.h"

/* The profile that is shown, and an earlier one. */
enum profile_side {
	PROFILE_NOW,
	PROFILE_BEFORE,
	PROFILE_SIDES,
};

struct profile_value {
	uint64_t samples;
	uint64_t weight; /* the sum of their periods */
};

/* Its number is its index; a parent has a lower one than its children, and the root has 0. */
struct profile_node {
	uint32_t parent;
	uint32_t name; /* a number of the caller's; that of the root is unused */
	uint32_t child, next; /* the first child, and the next one of its parent; 0: none */
	struct profile_value self[PROFILE_SIDES]; /* of the stacks that end here */
	struct profile_value total[PROFILE_SIDES]; /* of all that go through it */
};

struct profile_tree {
	struct profile_node *nodes;
	uint32_t n;
	uint32_t most; /* nodes */
	struct dkt__keymap children; /* by parent and name */
};

/* The nodes of a profile, at most: 600 MB. */
#define PROFILE_NODES_MAX (1u << 22)

/* Clear it in either case. */
int profile_tree_init(struct profile_tree *tree, uint32_t most);
void profile_tree_clear(struct profile_tree *tree);

/* Removes all nodes but the root. */
void profile_tree_empty(struct profile_tree *tree);

/*
 * Goes from the node *at to its child of that name, which is created if necessary. Returns 0; 1: the tree
 * is full, and *at stays; or -ENOMEM.
 */
int profile_tree_down(struct profile_tree *tree, uint32_t *at, uint32_t name);

/* Adds to what ends in a node. */
static inline void profile_value_add(struct profile_value *to, const struct profile_value *value)
{
	to->samples += value->samples;
	to->weight += value->weight;
}

/* Once all stacks are added: sets the totals. */
void profile_tree_sum(struct profile_tree *tree);

/* Returns less than 0 if a comes before b. */
typedef int (*profile_order_fn)(void *data, const struct profile_node *a,
				const struct profile_node *b);

/* Sets the lists of children, in that order. -ENOMEM. */
int profile_tree_link(struct profile_tree *tree, profile_order_fn order, void *data);

/* Results of a profile_name_fn that are no names. */
#define PROFILE_SKIP UINT32_MAX /* the node is left out; its children go to its parent */
#define PROFILE_STOP (UINT32_MAX - 1) /* the node and all below it are counted in its parent */

/* Returns the name that a node gets in another tree. */
typedef uint32_t (*profile_name_fn)(void *data, const struct profile_tree *tree, uint32_t node);

/*
 * Fills an empty tree with the stacks of another one under other names; equal ones are merged. places: set to the
 * node there of each node, which the caller frees; NULL: not wanted. -ENOMEM.
 */
int profile_tree_rename(const struct profile_tree *from, profile_name_fn name, void *data,
			struct profile_tree *to, uint32_t **places);

/*
 * Fills an empty tree with the same stacks from the innermost function out: a child is the caller of its parent.
 * -ENOMEM.
 */
int profile_tree_callers(const struct profile_tree *from, struct profile_tree *to);

/* Returns the number of nodes from below the root to this one. */
uint32_t profile_tree_depth(const struct profile_tree *tree, uint32_t node);

/* Returns how many nodes are below the node. Needs the lists of children. */
uint32_t profile_tree_below(const struct profile_tree *tree, uint32_t node);

/*
 * Returns the node after this one in a walk through all below top, parents before children; 0: it was the
 * last one. deeper false: skips what is below the node. Needs the lists of children.
 */
uint32_t profile_tree_next(const struct profile_tree *tree, uint32_t top, uint32_t node,
			   bool deeper);
