/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of call stacks: those that begin with the same functions share their nodes. */
#include "answers/profile/tree.h"

int profile_tree_init(struct profile_tree *tree, uint32_t most)
{
	*tree = (struct profile_tree){ .most = most, .children.n_words = 1 };
	return dkt__append(tree->nodes, tree->n, (struct profile_node){ 0 });
}

void profile_tree_clear(struct profile_tree *tree)
{
	free(tree->nodes);
	dkt__keymap_clear(&tree->children);
}

void profile_tree_empty(struct profile_tree *tree)
{
	dkt__keymap_empty(&tree->children);
	tree->nodes[0] = (struct profile_node){ 0 };
	tree->n = 1;
}

int profile_tree_down(struct profile_tree *tree, uint32_t *at, uint32_t name)
{
	const uint64_t key = (uint64_t)*at << 32 | name;
	struct profile_node node = { .parent = *at, .name = name };
	bool added;
	uint32_t entry;

	entry = tree->n < tree->most ? dkt__keymap_add(&tree->children, &key, &added) :
				       dkt__keymap_find(&tree->children, &key);
	if (entry == DKT__KEYMAP_NONE)
		return tree->n < tree->most ? -ENOMEM : 1;
	/* The root has no entry. */
	*at = entry + 1;
	if (*at < tree->n)
		return 0;
	if (!dkt__append(tree->nodes, tree->n, node))
		return 0;
	dkt__keymap_remove(&tree->children, &key);
	return -ENOMEM;
}

void profile_tree_sum(struct profile_tree *tree)
{
	for (uint32_t i = 0; i < tree->n; i++)
		memcpy(tree->nodes[i].total, tree->nodes[i].self, sizeof(tree->nodes[i].total));
	for (uint32_t i = tree->n; --i;)
		for (int side = 0; side < PROFILE_SIDES; side++)
			profile_value_add(&tree->nodes[tree->nodes[i].parent].total[side],
					  &tree->nodes[i].total[side]);
}

/* ---- children ---- */

struct order {
	const struct profile_tree *tree;
	profile_order_fn fn;
	void *data;
};

static int by_order(const void *a, const void *b, void *data)
{
	const struct order *order = data;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct profile_node *p = &order->tree->nodes[i], *q = &order->tree->nodes[j];

	if (p->parent != q->parent)
		return p->parent < q->parent ? -1 : 1;
	return order->fn(order->data, p, q) ?: (i < j ? -1 : i > j);
}

int profile_tree_link(struct profile_tree *tree, profile_order_fn order, void *data)
{
	uint32_t *sorted __cleanup(free) = calloc(tree->n, sizeof(*sorted));
	struct order by = { tree, order, data };

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->n; i++) {
		sorted[i] = i;
		tree->nodes[i].child = tree->nodes[i].next = 0;
	}
	qsort_r(sorted + 1, tree->n - 1, sizeof(*sorted), by_order, &by);
	for (uint32_t i = tree->n; --i;) {
		struct profile_node *node = &tree->nodes[sorted[i]];

		node->next = tree->nodes[node->parent].child;
		tree->nodes[node->parent].child = sorted[i];
	}
	return 0;
}

uint32_t profile_tree_next(const struct profile_tree *tree, uint32_t top, uint32_t node,
			   bool deeper)
{
	if (deeper && tree->nodes[node].child)
		return tree->nodes[node].child;
	for (; node != top; node = tree->nodes[node].parent)
		if (tree->nodes[node].next)
			return tree->nodes[node].next;
	return 0;
}

uint32_t profile_tree_depth(const struct profile_tree *tree, uint32_t node)
{
	uint32_t n = 0;

	for (; node; node = tree->nodes[node].parent)
		n++;
	return n;
}

uint32_t profile_tree_below(const struct profile_tree *tree, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t i = node; (i = profile_tree_next(tree, node, i, true));)
		n++;
	return n;
}

/* ---- other trees of the same stacks ---- */

static bool ends_stacks(const struct profile_node *node)
{
	uint64_t samples = 0;

	for (int side = 0; side < PROFILE_SIDES; side++)
		samples += node->self[side].samples;
	return samples;
}

static void add_self(struct profile_node *to, const struct profile_node *from)
{
	for (int side = 0; side < PROFILE_SIDES; side++)
		profile_value_add(&to->self[side], &from->self[side]);
}

int profile_tree_rename(const struct profile_tree *from, profile_name_fn name, void *data,
			struct profile_tree *to, uint32_t **places)
{
	/* Their nodes there; a stopped one's has the highest bit. */
	const uint32_t stopped = UINT32_C(1) << 31;
	uint32_t *nodes __cleanup(free) = calloc(from->n, sizeof(*nodes));
	int err = nodes ? 0 : -ENOMEM;

	for (uint32_t i = 0; err >= 0 && i < from->n; i++) {
		uint32_t at = i ? nodes[from->nodes[i].parent] : 0, called = PROFILE_SKIP;

		if (i && !(at & stopped))
			called = name(data, from, i);
		if (called == PROFILE_STOP)
			at |= stopped;
		else if (called != PROFILE_SKIP)
			err = profile_tree_down(to, &at, called);
		nodes[i] = at;
		if (err >= 0)
			add_self(&to->nodes[at & ~stopped], &from->nodes[i]);
	}
	if (err < 0)
		return err;
	profile_tree_sum(to);
	if (!places)
		return 0;
	for (uint32_t i = 0; i < from->n; i++)
		nodes[i] &= ~stopped;
	*places = nodes;
	nodes = NULL;
	return 0;
}

int profile_tree_callers(const struct profile_tree *from, struct profile_tree *to)
{
	int err = 0;

	for (uint32_t i = 0; err >= 0 && i < from->n; i++) {
		uint32_t at = 0;

		if (!ends_stacks(&from->nodes[i]))
			continue;
		for (uint32_t node = i; !err && node; node = from->nodes[node].parent)
			err = profile_tree_down(to, &at, from->nodes[node].name);
		if (err < 0)
			return err;
		err = 0;
		add_self(&to->nodes[at], &from->nodes[i]);
	}
	profile_tree_sum(to);
	return 0;
}
