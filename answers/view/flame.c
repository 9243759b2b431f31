/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a tree of the texts of stacks. */
#include "answers/view/flame.h"

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

static void append(struct flame_node *node, struct flame_node *child)
{
	child->next = NULL;
	*(node->last ? &node->last->next : &node->child) = child;
	node->last = child;
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
	append(node, child);
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

/* ---- small nodes ---- */

#define SMALLEST 10000

static bool is_small(const struct flame *flame, const struct flame_node *node)
{
	return node->count <= flame->root.count / SMALLEST &&
	       node->off <= flame->root.off / SMALLEST;
}

static size_t nodes_of(const struct flame_node *node)
{
	size_t n = 1;

	for (const struct flame_node *child = node->child; child; child = child->next)
		n += nodes_of(child);
	return n;
}

static void fold_into(struct flame *flame, struct flame_node *other, const struct flame_node *node)
{
	size_t n = nodes_of(node);

	other->count += node->count;
	other->off += node->off;
	flame->n -= n;
	flame->folded += n;
	flame->folded_count += node->count;
	flame->folded_off += node->off;
}

static int fold_children(struct flame *flame, struct flame_node *node)
{
	static const char name[] = "(other)";
	struct flame_node *next = node->child, *other = NULL;
	int err = 0;

	node->child = node->last = NULL;
	for (struct flame_node *child = next; !err && child; child = next) {
		next = child->next;
		if (!is_small(flame, child)) {
			append(node, child);
			err = fold_children(flame, child);
			continue;
		}
		if (!other)
			other = dkt__arena_alloc(&flame->nodes, sizeof(*other));
		if (!other)
			return -ENOMEM;
		fold_into(flame, other, child);
	}
	if (!err && other) {
		other->name = name;
		other->len = strlen(name);
		append(node, other);
		flame->n++;
	}
	return err;
}

int flame_fold(struct flame *flame, size_t max)
{
	return flame->n > max ? fold_children(flame, &flame->root) : 0;
}

void flame_clear(struct flame *flame)
{
	dkt__arena_free(&flame->nodes);
}
