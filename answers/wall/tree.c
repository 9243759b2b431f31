/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the answer of the times of all threads: a tree of stacks, and sums by group and stack. */
#include <inttypes.h>

#include "answers/wall/walls.h"
#include "lib/base/buf.h"

/* Between the functions of a wait and those of its waker, as in FlameGraph's chain graphs. */
#define SEPARATOR "--"

/* ---- which threads are shown ---- */

static bool is_idle(const struct wall_thread *thread)
{
	return (double)thread->ns[WALL_SLEEPING] >= WALL_IDLE * (double)thread->all;
}

/*
 * In a recording of chosen threads, others are there only where they take turns with those: one of them is on a CPU
 * that it has left unseen.
 */
static bool is_partial(const struct wall *wall, const struct wall_thread *thread)
{
	if (!wall->breaks || wall->gaps || wall->turns)
		return false;
	return thread->breaks || (!thread->samples && (!thread->began || !thread->ended));
}

/* Threads without a name were only woken. */
static bool is_chosen(const struct wall *wall, const struct wall_thread *thread)
{
	return thread->all && thread->comm != UINT32_MAX &&
	       (!wall->opts.chosen ||
		wall->opts.chosen(wall->opts.data, thread->tid,
				  profile_names_text(&wall->profile.names, thread->comm)));
}

/* If all of them sleep, their sleep is the answer. */
static void choose_threads(struct wall *wall)
{
	struct wall_facts *facts = &wall->facts[wall->side];
	bool any = false;

	for (uint32_t i = 0; i < wall->n_threads; i++) {
		wall->threads[i].shown = is_chosen(wall, &wall->threads[i]);
		if (wall->threads[i].shown && is_partial(wall, &wall->threads[i])) {
			wall->threads[i].shown = false;
			facts->partial++;
		}
		any |= wall->threads[i].shown && !is_idle(&wall->threads[i]);
	}
	for (uint32_t i = 0; i < wall->n_threads; i++) {
		struct wall_thread *thread = &wall->threads[i];

		if (!thread->shown)
			continue;
		if (any && !wall->opts.idle && is_idle(thread)) {
			thread->shown = false;
			facts->idle++;
			continue;
		}
		facts->threads++;
		facts->ns += thread->all;
	}
}

/* ---- groups ---- */

static int go_down(struct wall *wall, enum profile_kind kind, const char *text, uint32_t *at)
{
	const uint32_t name = profile_names_add(&wall->profile.names, kind, text, strlen(text), "");

	return name == UINT32_MAX ? -ENOMEM : profile_tree_down(&wall->tree, at, name);
}

/* Finds the node of the thread's group, which has its name and ID as far as threads are told apart. */
static int find_group(struct wall *wall, const struct wall_thread *thread, uint32_t *at)
{
	char tid[32];
	int err = 0;

	*at = 0;
	if (wall->opts.by & PROFILE_BY_COMM)
		err = profile_tree_down(&wall->tree, at, thread->comm);
	snprintf(tid, sizeof(tid), "tid %" PRId32, thread->tid);
	if (!err && wall->opts.by & PROFILE_BY_TID)
		err = go_down(wall, PROFILE_GROUP, tid, at);
	return err;
}

static char *group_name(const struct wall *wall, const struct wall_thread *thread)
{
	const char *comm = profile_names_text(&wall->profile.names, thread->comm);

	if (!(wall->opts.by & PROFILE_BY_TID))
		return strdup(wall->opts.by & PROFILE_BY_COMM ? comm : "all threads");
	return wall->opts.by & PROFILE_BY_COMM ? dkt__format("%s %" PRId32, comm, thread->tid) :
						 dkt__format("%" PRId32, thread->tid);
}

static int add_group(struct wall *wall, const struct wall_thread *thread)
{
	struct wall_group *group;
	uint32_t at, entry;
	bool added;
	int err = find_group(wall, thread, &at);

	if (err)
		return err < 0 ? err : 0;
	entry = dkt__keymap_add(&wall->group_map, &(uint64_t){ at }, &added);
	group = entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(wall->groups, wall->n_groups, entry);
	if (!group)
		return -ENOMEM;
	if (added)
		group->name = group_name(wall, thread);
	group->threads++;
	group->all += thread->all;
	for (int i = 0; i < WALL_STATES; i++)
		group->ns[i] += thread->ns[i];
	return group->name ? 0 : -ENOMEM;
}

/* ---- stacks ---- */

/* The functions of a stack, the innermost first. */
struct path {
	uint32_t names[2048];
	uint32_t n;
};

static void read_path(const struct wall *wall, uint32_t node, struct path *path)
{
	const struct profile_tree *raw = &wall->profile.tree;

	for (path->n = 0; node && path->n < ARRAY_SIZE(path->names);
	     node = raw->nodes[node].parent) {
		const uint32_t nr = raw->nodes[node].name;
		const struct profile_name *name = &wall->profile.names.list[nr];

		/* The event of the record is that of its own function. */
		if (name->kind != PROFILE_GROUP && !(name->tracer && !path->n))
			path->names[path->n++] = nr;
	}
}

/* The wakers' functions follow the other way around, so that those that touch are next to each other. */
static int add_wakers(struct wall *wall, uint32_t chain, struct path *path, uint32_t *at)
{
	struct wall_waker waker;
	int err = 0;

	for (size_t i = 0; !err && !wall_waker(wall, chain, i, &waker); i++) {
		err = go_down(wall, PROFILE_WAKER, SEPARATOR, at);
		read_path(wall, waker.node, path);
		for (uint32_t j = 0; !err && j < path->n; j++)
			err = profile_tree_down(&wall->tree, at, path->names[j]);
		if (!err)
			err = profile_tree_down(&wall->tree, at, waker.name);
	}
	return err;
}

/* A stack keeps the waker that ended most of its time. */
static int add_stack(struct wall *wall, uint32_t node, enum wall_state state, uint32_t chain,
		     const struct wall_row *row)
{
	const uint64_t key[] = { (uint64_t)node << 32 | (uint64_t)state, chain };
	bool added;
	const uint32_t entry = dkt__keymap_add(&wall->stack_map, key, &added),
		       part = dkt__keymap_add(&wall->share_map, key, &added);
	struct wall_stack *stack;
	uint64_t *sum;

	if (entry == DKT__KEYMAP_NONE || part == DKT__KEYMAP_NONE)
		return -ENOMEM;
	stack = dkt__reach(wall->stacks, wall->n_stacks, entry);
	sum = dkt__reach(wall->shares, wall->n_shares, part);
	if (!stack || !sum)
		return -ENOMEM;
	stack->node = node;
	stack->state = state;
	stack->ns += row->ns;
	stack->times += row->times;
	*sum += row->ns;
	if (chain && *sum > stack->chain_ns) {
		stack->chain = chain;
		stack->chain_ns = *sum;
	}
	return 0;
}

/* Samples divide the time that their thread ran. */
static uint64_t ns_of(const struct wall_thread *thread, enum wall_state state,
		      const struct wall_row *row)
{
	if (state != WALL_RUNNING || !thread->samples)
		return row->ns;
	return (uint64_t)((double)thread->ns[WALL_RUNNING] * (double)row->times /
			  (double)thread->samples);
}

static int add_row(struct wall *wall, uint32_t entry, struct path *path)
{
	const uint64_t *key = dkt__keymap_key(&wall->row_map, entry);
	const struct wall_thread *thread = &wall->threads[key[0] >> 32];
	const enum wall_state state = (enum wall_state)(key[1] >> 32);
	const uint32_t chain = (uint32_t)key[1];
	struct wall_row row = wall->rows[entry];
	struct profile_value value;
	uint32_t at;
	int err;

	row.ns = ns_of(thread, state, &row);
	value = (struct profile_value){ DKT__MAX(row.times, UINT64_C(1)), row.ns };
	if (!thread->shown || !row.ns)
		return 0;
	err = find_group(wall, thread, &at);
	if (!err && wall->opts.by & PROFILE_BY_STATE)
		err = go_down(wall, PROFILE_STATE, wall_state_name(state), &at);
	read_path(wall, (uint32_t)key[0], path);
	while (!err && path->n--)
		err = profile_tree_down(&wall->tree, &at, path->names[path->n]);
	if (!err && wall->side == PROFILE_NOW)
		err = add_stack(wall, at, state, chain, &row);
	if (!err && wall->opts.wakers)
		err = add_wakers(wall, chain, path, &at);
	if (err < 0)
		return err;
	wall->facts[wall->side].cut += err == 1;
	profile_value_add(&wall->tree.nodes[at].self[wall->side], &value);
	return 0;
}

int wall_build(struct wall *wall)
{
	struct path *path __cleanup(free) = malloc(sizeof(*path));
	int err = path ? 0 : -ENOMEM;

	choose_threads(wall);
	for (uint32_t i = 0; !err && wall->side == PROFILE_NOW && i < wall->n_threads; i++)
		if (wall->threads[i].shown)
			err = add_group(wall, &wall->threads[i]);
	for (uint32_t i = 0; !err && i < wall->row_map.n; i++)
		err = add_row(wall, i, path);
	return err;
}
