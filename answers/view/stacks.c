/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call stacks of a page: how often each was recorded, and how long processes slept in it. */
#include "answers/view/stacks.h"

/* ---- processes that do not run ---- */

static struct stack_off *find_off(struct stacks *stacks, size_t part, int32_t pid, bool create)
{
	uint64_t key = (uint64_t)part << 32 | (uint32_t)pid;
	bool added = false;
	uint32_t nr = create ? dkt__keymap_add(&stacks->off_map, &key, &added) :
			       dkt__keymap_find(&stacks->off_map, &key);

	if (nr == DKT__KEYMAP_NONE)
		return NULL;
	return dkt__reach(stacks->off, stacks->n_off, nr);
}

static void add_slept(struct stacks *stacks, uint32_t node, uint64_t from, uint64_t ns)
{
	stacks->profile.tree.nodes[node].self[PROFILE_NOW].weight += ns;
	if (!stacks->err)
		stacks->err = slices_add_span(&stacks->slices, node, from, from + ns);
}

static int add_switch(struct stacks *stacks, const struct rates_event *event,
		      const struct dkt_record *record)
{
	int32_t prev = (int32_t)dkt_record_int(record, event->sched.prev_pid);
	int32_t next = (int32_t)dkt_record_int(record, event->sched.next_pid);
	struct stack_off *off = next ? find_off(stacks, event->part, next, false) : NULL;

	if (off && off->since) {
		if (off->node)
			add_slept(stacks, off->node, off->since, record->ts - off->since);
		else
			off->slept = record->ts - off->since;
		off->since = off->slept ? off->since : 0;
	}
	if (!prev)
		return 0;
	off = find_off(stacks, event->part, prev, true);
	if (!off)
		return -ENOMEM;
	*off = (struct stack_off){ .event = record->event, .since = record->ts };
	return 0;
}

/* Counts the stack in its slice. If it is that of a sched_switch, the process sleeps in it. */
static void add_counted(void *data, const struct profile_counted *counted)
{
	struct stacks *stacks = data;
	struct stack_off *off = find_off(stacks, counted->part, counted->tid, false);

	if (!stacks->err)
		stacks->err = slices_add(&stacks->slices, counted->node, counted->ts);
	if (!off || off->event != counted->event || off->since != counted->ts)
		return;
	add_slept(stacks, counted->node, off->since, off->slept);
	*off = (struct stack_off){ .event = off->event,
				   .since = off->slept ? 0 : off->since,
				   .node = counted->node };
}

/* A switch may be lost: nobody is known to sleep. */
static void forget_off(struct stacks *stacks)
{
	dkt__keymap_empty(&stacks->off_map);
	if (stacks->n_off)
		memset(stacks->off, 0, stacks->n_off * sizeof(*stacks->off));
}

/* ---- records ---- */

int stacks_init(struct stacks *stacks)
{
	const struct profile_opts opts = { .by = PROFILE_BY_EVENT | PROFILE_BY_COMM,
					   .weigh = PROFILE_BY_CALLER,
					   .counted = add_counted,
					   .data = stacks };

	*stacks = (struct stacks){ .off_map.n_words = 1 };
	return profile_init(&stacks->profile, &opts);
}

void stacks_clear(struct stacks *stacks)
{
	profile_clear(&stacks->profile);
	slices_clear(&stacks->slices);
	dkt__keymap_clear(&stacks->off_map);
	free(stacks->off);
}

int stacks_add(struct stacks *stacks, const struct rates_event *event, const struct pipeline *p,
	       size_t part, struct dkt_source *source, const struct dkt_record *record)
{
	int err = event && event->sched.prev_pid ? add_switch(stacks, event, record) : 0;

	if (!err)
		err = profile_add(&stacks->profile, p->parts[part].ctx, (uint32_t)part, source,
				  record);
	if (!event)
		forget_off(stacks);
	return err ? err : stacks->err;
}

int stacks_finish(struct stacks *stacks)
{
	const int err = profile_end(&stacks->profile);

	return err ? err : stacks->err;
}

/* ---- small nodes ---- */

#define SMALLEST 10000

struct folding {
	struct stacks_folded *folded;
	uint32_t other; /* the name of nodes that are left out */
};

static bool is_small(const struct profile_tree *tree, uint32_t node)
{
	const struct profile_value *all = &tree->nodes[0].total[PROFILE_NOW],
				   *of = &tree->nodes[node].total[PROFILE_NOW];

	return node && of->samples <= all->samples / SMALLEST &&
	       of->weight <= all->weight / SMALLEST;
}

static uint32_t fold_node(void *data, const struct profile_tree *tree, uint32_t node)
{
	struct folding *folding = data;

	if (!is_small(tree, node))
		return tree->nodes[node].name;
	folding->folded->nodes++;
	if (is_small(tree, tree->nodes[node].parent))
		return PROFILE_SKIP;
	profile_value_add(&folding->folded->value, &tree->nodes[node].total[PROFILE_NOW]);
	return folding->other;
}

/* Sets places to the node that each node becomes. */
static int fold_nodes(struct stacks *stacks, struct stacks_folded *folded, uint32_t **places)
{
	static const char name[] = "(other)";
	struct profile_tree *tree = &stacks->profile.tree, small = { 0 };
	struct folding folding = { .folded = folded };
	int err;

	folding.other =
		profile_names_add(&stacks->profile.names, PROFILE_GROUP, name, strlen(name), "");
	err = folding.other == UINT32_MAX ? -ENOMEM : profile_tree_init(&small, tree->most);
	if (!err)
		err = profile_tree_rename(tree, fold_node, &folding, &small, places);
	if (err) {
		profile_tree_clear(&small);
		return err;
	}
	profile_tree_clear(tree);
	*tree = small;
	return 0;
}

int stacks_fold(struct stacks *stacks, const struct stacks_most *most, struct stacks_folded *folded)
{
	uint32_t *places __cleanup(free) = NULL;
	int err = 0;

	*folded = (struct stacks_folded){ 0 };
	if (stacks->profile.tree.n - 1 > most->nodes)
		err = fold_nodes(stacks, folded, &places);
	return err ? err : slices_finish(&stacks->slices, places, most->slices);
}
