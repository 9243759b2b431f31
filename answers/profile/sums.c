/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares, and the sums of a profile by function. */
#include "answers/profile/profile.h"

double profile_share(const struct profile_tree *tree, enum profile_side side,
		     const struct profile_value *value)
{
	const uint64_t all = tree->nodes[0].total[side].weight;

	return all ? (double)value->weight / (double)all : 0;
}

uint64_t profile_unknown(const struct profile *profile)
{
	const struct profile_tree *tree = &profile->tree;
	uint64_t samples = 0;

	for (uint32_t i = 1; i < tree->n; i++)
		if (profile->names.list[tree->nodes[i].name].unknown)
			samples += tree->nodes[i].self[PROFILE_NOW].samples;
	return samples;
}

int profile_by_name(void *data, const struct profile_node *a, const struct profile_node *b)
{
	const struct profile *profile = data;

	return strcmp(profile_names_text(&profile->names, a->name),
		      profile_names_text(&profile->names, b->name));
}

/* Nodes that are only in the earlier profile come last. */
int profile_by_total(void *data, const struct profile_node *a, const struct profile_node *b)
{
	for (int side = 0; side < PROFILE_SIDES; side++)
		if (a->total[side].weight != b->total[side].weight)
			return a->total[side].weight > b->total[side].weight ? -1 : 1;
	return profile_by_name(data, a, b);
}

/* ---- functions ---- */

static void add_values(struct profile_value *to, const struct profile_value *from)
{
	for (int side = 0; side < PROFILE_SIDES; side++)
		profile_value_add(&to[side], &from[side]);
}

/* Walks the tree; within counts how often a function is on the way to the node. */
static void walk(const struct profile_tree *tree, struct profile_sum *sums, uint32_t *within)
{
	uint32_t node = 0, next;

	while (true) {
		next = tree->nodes[node].child;
		/* Leave the nodes that have no more. */
		while (!next && node) {
			within[tree->nodes[node].name]--;
			next = tree->nodes[node].next;
			node = tree->nodes[node].parent;
		}
		if (!next)
			return;
		node = next;
		add_values(sums[tree->nodes[node].name].self, tree->nodes[node].self);
		if (!within[tree->nodes[node].name]++)
			add_values(sums[tree->nodes[node].name].total, tree->nodes[node].total);
	}
}

int profile_sums(const struct profile *profile, struct profile_sum **list, size_t *n)
{
	const struct profile_names *names = &profile->names;
	struct profile_sum *sums = calloc(names->n + 1, sizeof(*sums));
	uint32_t *within __cleanup(free) = calloc(names->n + 1, sizeof(*within));

	*list = sums;
	*n = 0;
	if (!sums || !within)
		return -ENOMEM;
	walk(&profile->tree, sums, within);
	for (uint32_t i = 0; i < names->n; i++) {
		struct profile_sum sum = sums[i];

		sum.name = i;
		if (!profile_kind_groups(names->list[i].kind) &&
		    names->list[i].kind != PROFILE_WAKER &&
		    (sum.total[PROFILE_NOW].samples || sum.total[PROFILE_BEFORE].samples))
			sums[(*n)++] = sum;
	}
	return 0;
}
