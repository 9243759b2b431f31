/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tournament tree: finds which of many runs has the oldest record. A changed leaf costs one node
 * per level, at positions that do not depend on the data, without a branch.
 */
#pragma once

#include "lib/base/util.h"

#define WINNERS_NONE UINT64_MAX

struct winners {
	/* Node 1 is the winner; the leaves begin at n_leaves. Key and tag are separate arrays,
	 * because compilers move pairs through vector registers, which is slow. */
	uint64_t *key; /* WINNERS_NONE: the leaf is empty */
	uint64_t *tag; /* order and leaf; the lower tag wins if keys are equal */
	uint32_t *free_leaf;
	uint32_t n_leaves; /* a power of two, or 0 */
	uint32_t n_free;
};

/* Returns the key of the winner, or WINNERS_NONE if all leaves are empty. */
static inline uint64_t winners_key(const struct winners *tree)
{
	return tree->n_leaves ? tree->key[1] : WINNERS_NONE;
}

static inline uint32_t winners_leaf(const struct winners *tree)
{
	return (uint32_t)tree->tag[1];
}

static inline void winners_set(struct winners *tree, uint32_t leaf, uint64_t key, uint32_t order)
{
	uint64_t *keys = tree->key, *tags = tree->tag, tag = (uint64_t)order << 32 | leaf;
	uint32_t at = leaf + tree->n_leaves;

	keys[at] = key;
	tags[at] = tag;
	for (; at > 1; at /= 2) {
		uint64_t other_key = keys[at ^ 1], other_tag = tags[at ^ 1];
		bool wins = (other_key < key) | ((other_key == key) & (other_tag < tag));

		key = wins ? other_key : key;
		tag = wins ? other_tag : tag;
		keys[at / 2] = key;
		tags[at / 2] = tag;
	}
}

/* Doubles the number of leaves, and keeps the numbers of the existing leaves. */
static inline int winners_grow(struct winners *tree)
{
	uint32_t n = tree->n_leaves ? tree->n_leaves * 2 : 1;
	uint64_t *key = malloc(2 * n * sizeof(*key)), *tag = malloc(2 * n * sizeof(*tag));
	uint32_t *free_leaf = realloc(tree->free_leaf, n * sizeof(*free_leaf));
	struct winners old = *tree;

	if (free_leaf)
		tree->free_leaf = free_leaf;
	if (!key || !tag || !free_leaf) {
		free(key);
		free(tag);
		return -ENOMEM;
	}
	memset(key, 0xff, 2 * n * sizeof(*key));
	memset(tag, 0xff, 2 * n * sizeof(*tag));
	tree->key = key;
	tree->tag = tag;
	tree->n_leaves = n;
	for (uint32_t i = 0; i < old.n_leaves; i++)
		winners_set(tree, i, old.key[old.n_leaves + i],
			    (uint32_t)(old.tag[old.n_leaves + i] >> 32));
	for (uint32_t i = old.n_leaves; i < n; i++)
		tree->free_leaf[tree->n_free++] = i;
	free(old.key);
	free(old.tag);
	return 0;
}

/* Adds a key, and stores the number of its leaf. */
static inline int winners_add(struct winners *tree, uint64_t key, uint32_t order, uint32_t *leaf)
{
	int err = tree->n_free ? 0 : winners_grow(tree);

	if (err)
		return err;
	*leaf = tree->free_leaf[--tree->n_free];
	winners_set(tree, *leaf, key, order);
	return 0;
}

static inline void winners_remove(struct winners *tree, uint32_t leaf)
{
	winners_set(tree, leaf, WINNERS_NONE, UINT32_MAX);
	tree->free_leaf[tree->n_free++] = leaf;
}

static inline void winners_clear(struct winners *tree)
{
	free(tree->key);
	free(tree->tag);
	free(tree->free_leaf);
	*tree = (struct winners){ 0 };
}
