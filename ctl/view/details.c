/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data of the page about processes, CPUs and call stacks. */
#include "ctl/view/view.h"

/* Processes beyond these are only summed up. */
#define TABLE_MAX  500
#define SERIES_MAX 40

/* ---- processes and CPUs ---- */

static int by_time(const void *a, const void *b)
{
	const struct task *p = *(const struct task *const *)a, *q = *(const struct task *const *)b;

	if (p->ns != q->ns)
		return p->ns < q->ns ? 1 : -1;
	return p->records < q->records ? 1 : -(p->records > q->records);
}

static struct json_object *task_json(const struct view *view, const struct task *task, bool series)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "pid", json_object_new_int(task->pid));
	json_object_object_add(object, "comm", val_text(task->comm));
	json_object_object_add(object, "file", view_file_json(view, task->part));
	json_object_object_add(object, "records", val_number(task->records));
	json_object_object_add(object, "runs", val_number(task->runs));
	json_object_object_add(object, "ns", val_number(task->ns));
	if (series && task->busy)
		json_object_object_add(object, "busy", view_wide_json(task->busy));
	return object;
}

/* Sets rank[task] to its row in the table, from 0, or UINT32_MAX. */
static struct json_object *list_json(const struct view *view, uint32_t *rank)
{
	const struct tasks *tasks = &view->tasks;
	const struct task **sorted __cleanup(free) = calloc(tasks->n + 1, sizeof(*sorted));
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; sorted && i < tasks->n; i++)
		sorted[i] = &tasks->list[i];
	if (sorted)
		qsort(sorted, tasks->n, sizeof(*sorted), by_time);
	for (uint32_t i = 0; sorted && i < tasks->n; i++) {
		rank[sorted[i] - tasks->list] = i < TABLE_MAX ? i : UINT32_MAX;
		if (i < TABLE_MAX)
			json_object_array_add(list, task_json(view, sorted[i], i < SERIES_MAX));
	}
	return list;
}

static struct json_object *cpus_json(const struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < view->tasks.n_cpus; i++) {
		const struct task_cpu *cpu = &view->tasks.cpus[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "cpu", val_number(cpu->cpu));
		json_object_object_add(object, "file", view_file_json(view, cpu->part));
		json_object_object_add(object, "ns", val_number(cpu->busy ? cpu->busy->total : 0));
		if (cpu->busy)
			json_object_object_add(object, "busy", view_wide_json(cpu->busy));
		json_object_array_add(list, object);
	}
	return list;
}

/* A run: CPU, process by its row in the table or null, beginning, end. */
static struct json_object *run_json(const struct view *view, const struct task_run *run,
				    const uint32_t *rank)
{
	struct json_object *object = json_object_new_array();
	uint32_t row = rank[run->task];

	json_object_array_add(object, val_number(run->cpu));
	json_object_array_add(object, row != UINT32_MAX ? val_number(row) : NULL);
	json_object_array_add(object, view_time_json(view, run->from));
	json_object_array_add(object, view_time_json(view, run->to));
	return object;
}

struct json_object *view_tasks_json(const struct view *view)
{
	const struct tasks *tasks = &view->tasks;
	uint32_t *rank __cleanup(free) = calloc(tasks->n + 1, sizeof(*rank));
	struct json_object *o = json_object_new_object(), *runs = json_object_new_array();

	if (rank)
		json_object_object_add(o, "list", list_json(view, rank));
	json_object_object_add(o, "n", val_number(tasks->n));
	json_object_object_add(o, "cpus", cpus_json(view));
	for (uint32_t i = 0; rank && i < tasks->n_runs; i++)
		json_object_array_add(runs, run_json(view, &tasks->runs[i], rank));
	json_object_object_add(o, "runs", runs);
	json_object_object_add(o, "n_runs", val_number(tasks->n_all_runs));
	return o;
}

/* ---- stacks ---- */

/* A larger tree gets nodes "(other)". */
#define LARGE_TREE 20000

/* More counts by time would make the page larger by some MB: their slices become longer. */
#define MANY_SLICES 200000

/* How often a stack ended in the node, or the ns asleep there, by slice: numbers of slices, and what each has. */
static struct json_object *slices_json(const struct slices *slices, size_t at, bool asleep)
{
	struct json_object *list = NULL;

	for (size_t i = at; i < slices->n && slices->list[i].node == slices->list[at].node; i++) {
		const uint64_t value = asleep ? slices->list[i].weight : slices->list[i].samples;

		if (!value)
			continue;
		if (!list)
			list = json_object_new_array();
		json_object_array_add(list, val_number(slices->list[i].nr));
		json_object_array_add(list, val_number(value));
	}
	return list;
}

static size_t slices_of(const struct slices *slices, uint32_t node)
{
	size_t from = 0, to = slices->n;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (slices->list[middle].node < node)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* How often stacks were recorded in each slice. */
static struct json_object *heat_json(const struct slices *slices)
{
	struct json_object *heat = json_object_new_object(), *list = json_object_new_array();
	const uint32_t n = slices_all(slices);

	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(list, val_number(slices->all[i]));
	json_object_object_add(heat, "slice", val_number(SLICE_NS << slices->all_shift));
	json_object_object_add(heat, "counts", list);
	return heat;
}

/* A node: name, count, ns asleep, children, count by slice, ns asleep by slice. */
static struct json_object *node_json(const struct stacks *stacks, uint32_t node)
{
	const struct profile *profile = &stacks->profile;
	const struct profile_node *nodes = profile->tree.nodes;
	const size_t at = slices_of(&stacks->slices, node);
	const struct profile_value *total = &nodes[node].total[PROFILE_NOW];
	struct json_object *object = json_object_new_array(), *children = json_object_new_array();

	json_object_array_add(
		object,
		val_text(node ? profile_names_text(&profile->names, nodes[node].name) : ""));
	json_object_array_add(object, val_number(total->samples));
	json_object_array_add(object, val_number(total->weight));
	for (uint32_t child = nodes[node].child; child; child = nodes[child].next)
		json_object_array_add(children, node_json(stacks, child));
	json_object_array_add(object, children);
	if (at < stacks->slices.n && stacks->slices.list[at].node == node) {
		json_object_array_add(object, slices_json(&stacks->slices, at, false));
		json_object_array_add(object, slices_json(&stacks->slices, at, true));
	}
	return object;
}

struct json_object *view_stacks_json(struct view *view)
{
	struct profile *profile = &view->stacks.profile;
	struct json_object *o = json_object_new_object();
	const struct stacks_most most = { .nodes = LARGE_TREE, .slices = MANY_SLICES };
	const struct slices *slices = &view->stacks.slices;
	struct stacks_folded folded;
	int err = stacks_fold(&view->stacks, &most, &folded);

	if (!err)
		err = profile_tree_link(&profile->tree, profile_by_name, profile);
	if (!err && profile->tree.n > 1)
		json_object_object_add(o, "tree", node_json(&view->stacks, 0));
	if (slices->n)
		json_object_object_add(o, "slice", val_number(SLICE_NS << slices->shift));
	json_object_object_add(o, "origin", view_time_json(view, slices->origin));
	json_object_object_add(o, "heat", heat_json(slices));
	json_object_object_add(o, "nodes", val_number(profile->tree.n - 1));
	json_object_object_add(o, "folded", val_number(folded.nodes));
	json_object_object_add(o, "folded_count", val_number(folded.value.samples));
	json_object_object_add(o, "folded_off", val_number(folded.value.weight));
	json_object_object_add(o, "cut", val_number(profile->facts[PROFILE_NOW].cut));
	return o;
}
