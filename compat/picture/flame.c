/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a tree of the texts of stacks. */
#include "picture/flame.h"

/* A frame ends before all characters, so that the frames of a node are beside each other. */
static unsigned int rank(char c)
{
	return c == ';' ? 1 : (unsigned char)c;
}

static int stack_cmp(const void *a, const void *b)
{
	const char *p = (*(const struct stack_count *const *)a)->text;
	const char *q = (*(const struct stack_count *const *)b)->text;

	for (; *p && *p == *q; p++, q++)
		;
	return (int)rank(*p) - (int)rank(*q);
}

static struct flame_node *add_child(struct flame *flame, struct flame_node *node, const char *name,
				    size_t len)
{
	struct flame_node *child = node->last;

	if (child && child->len == len && !memcmp(child->name, name, len))
		return child;
	child = dkt__arena_alloc(&flame->nodes, sizeof(*child));
	if (!child)
		return NULL;
	child->name = name;
	child->len = len;
	if (node->last)
		node->last->next = child;
	else
		node->child = child;
	node->last = child;
	flame->n++;
	return child;
}

static int add_stack(struct flame *flame, const struct stack_count *stack)
{
	struct flame_node *node = &flame->root;
	const char *p = stack->text;

	for (;;) {
		size_t len = strcspn(p, ";");

		node->count += stack->count;
		node->off += stack->off;
		if (!*p)
			return 0;
		node = add_child(flame, node, p, len);
		if (!node)
			return -ENOMEM;
		p += len + (p[len] == ';');
	}
}

int flame_make(struct flame *flame, const struct stacks *stacks)
{
	const struct stack_count **sorted __cleanup(free) =
		calloc(stacks->n_counts + 1, sizeof(*sorted));
	size_t n = 0;
	int err = sorted ? 0 : -ENOMEM;

	*flame = (struct flame){ 0 };
	for (uint32_t i = 0; !err && i < stacks->n_counts; i++)
		if (stacks->counts[i].text)
			sorted[n++] = &stacks->counts[i];
	if (!err)
		qsort(sorted, n, sizeof(*sorted), stack_cmp);
	for (size_t i = 0; !err && i < n; i++)
		err = add_stack(flame, sorted[i]);
	return err;
}

void flame_clear(struct flame *flame)
{
	dkt__arena_free(&flame->nodes);
}
