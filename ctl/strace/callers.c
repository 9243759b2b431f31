/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions from which system calls are made, with the calls and times of each stack. */
#include <inttypes.h>

#include "answers/profile/frames.h"
#include "ctl/app/print.h"
#include "ctl/profile/live.h"
#include "ctl/profile/stacks.h"
#include "ctl/strace/strace.h"
#include "lib/base/parse.h"

/* Stacks that are remembered. */
#define CACHE_BITS 12

/* Rows of the table, unless --top tells another number. */
#define TOP 10

/* A stack that was found before. */
struct cached {
	uint64_t hash; /* 0: none */
	uint32_t node;
};

struct strace_callers {
	struct profile_round
		round; /* the calls, and below them their callers from the outermost on */
	struct profile_frames frames; /* of a file */
	bool sampled; /* the calls are there by number; their counts are those of samples */
	struct cached cache[1 << CACHE_BITS];
};

int strace_callers_new(struct strace_callers **made)
{
	struct strace_callers *callers = calloc(1, sizeof(*callers));

	*made = callers;
	if (!callers)
		return -ENOMEM;
	profile_frames_init(&callers->frames, &callers->round.names);
	return profile_round_init(&callers->round);
}

void strace_callers_free(struct strace_callers *callers)
{
	if (!callers)
		return;
	profile_frames_clear(&callers->frames);
	profile_round_clear(&callers->round);
	free(callers);
}

/* ---- counting ---- */

/* A program that the thread executes later has other functions at the same addresses. */
static uint64_t hash_of(const struct strace_origin *origin, const struct call *call)
{
	const struct call_stack *stack = &call->stacks->user;
	uint64_t hash = dkt__mix((uint64_t)(uint32_t)call->tid << 32 | (uint32_t)call->number,
				 (uint64_t)origin->executed << 32 | origin->index);

	for (uint32_t i = 0; i < stack->n; i++)
		hash = dkt__mix(hash, stack->frames[i]);
	return hash ?: 1;
}

/* The number of the function's name. */
static uint32_t find_name(struct strace_callers *callers, const struct strace_origin *origin,
			  const struct call *call, uint64_t address)
{
	struct profile_names *names = &callers->round.names;
	struct map_place place;

	if (!origin->maps)
		return profile_frames_find(&callers->frames, origin->ctx, origin->index, address,
					   true);
	if (!maps_find(origin->maps, call->tid, address, &place))
		return profile_names_unknown(names, PROFILE_USER, "", 0);
	/* A version, as in "read@GLIBC_2.2.5", is no part of the name. */
	return place.function ? profile_names_add(names, PROFILE_USER, place.function,
						  strcspn(place.function, "@"), place.module) :
				profile_names_unknown(names, PROFILE_USER, place.module,
						      strlen(place.module));
}

static int down(struct strace_callers *callers, uint32_t name, uint32_t *node)
{
	return name == UINT32_MAX ? -ENOMEM : profile_tree_down(&callers->round.tree, node, name);
}

/* Returns 1 if there is no more room for new stacks: *node has the outermost functions. */
static int find_node(struct strace_callers *callers, const struct strace_origin *origin,
		     const struct call *call, uint32_t *node)
{
	const struct call_stack *stack = &call->stacks->user;
	char text[STRACE_CALL];
	const char *name = strace_call_name(call->kind, call->number, text);
	int err = down(callers,
		       profile_names_add(&callers->round.names, PROFILE_GROUP, name, strlen(name),
					 ""),
		       node);

	for (uint32_t i = stack->n; !err && i; i--)
		err = down(callers, find_name(callers, origin, call, stack->frames[i - 1]), node);
	return err;
}

int strace_callers_add(struct strace_callers *callers, const struct strace_origin *origin,
		       const struct call *call)
{
	const struct profile_value value = {
		.samples = 1, .weight = call->state == CALL_ENDED ? call->end - call->begin : 0
	};
	struct cached *cached;
	uint32_t node = 0;
	uint64_t hash;
	int err = 0;

	if (!call->stacks || !call->stacks->user.n)
		return 0;
	hash = hash_of(origin, call);
	cached = &callers->cache[hash >> (64 - CACHE_BITS)];
	if (cached->hash == hash)
		node = cached->node;
	else
		err = find_node(callers, origin, call, &node);
	if (err < 0)
		return err;
	*cached = (struct cached){ hash, node };
	profile_value_add(&callers->round.tree.nodes[node].self[PROFILE_NOW], &value);
	return 0;
}

/* ---- the table ---- */

static const struct column columns[] = {
	{ .key = "call" },
	{ .key = "share", .type = COL_SHARE },
	{ .key = "count", .type = COL_NUMBER },
	{ .key = "total", .type = COL_DURATION },
	{ .key = "stack", .flags = COL_FOLD | COL_PEOPLE },
	{ .key = "functions", .type = COL_LIST, .flags = COL_DATA },
};

/* A stack with what is known of it. */
struct shown {
	uint32_t node;
	const char *call;
	double count, total; /* of samples: what their share in the calls makes */
};

struct table {
	struct shown *list;
	size_t n;
	double all; /* the sum of total */
};

/* The group of the stack. */
static uint32_t call_of(const struct profile_tree *tree, uint32_t node)
{
	while (tree->nodes[node].parent)
		node = tree->nodes[node].parent;
	return node;
}

/* Sums up the samples of each call, by its node. */
static uint64_t *sum_calls(const struct profile_tree *tree, const uint32_t *list, size_t n)
{
	uint64_t *sums = calloc(tree->n, sizeof(*sums));

	for (size_t i = 0; sums && i < n; i++)
		sums[call_of(tree, list[i])] += tree->nodes[list[i]].self[PROFILE_NOW].weight;
	return sums;
}

/* False: the call was not chosen. */
static bool estimate(const struct strace_callers *callers, const struct strace_summary *summary,
		     const uint64_t *sums, struct shown *shown)
{
	const struct profile_tree *tree = &callers->round.tree;
	const uint32_t call = call_of(tree, shown->node);
	const double share = (double)tree->nodes[shown->node].self[PROFILE_NOW].weight /
			     (double)DKT__MAX(sums[call], UINT64_C(1));
	struct strace_measured measured;
	int64_t number;

	if (dkt__parse_int(shown->call, INT32_MIN, INT32_MAX, &number) ||
	    !strace_summary_find(summary, (int)number, &measured))
		return false;
	shown->call = measured.call;
	shown->count = share * (double)measured.count;
	shown->total = share * (double)measured.total;
	return true;
}

static int by_total(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	if (x->total < y->total || x->total > y->total)
		return x->total > y->total ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Free the list. -ENOMEM. */
static int make_table(const struct strace_callers *callers, const struct strace_summary *summary,
		      struct table *table)
{
	const struct profile_tree *tree = &callers->round.tree;
	size_t n;
	uint32_t *list __cleanup(free) = profile_stacks_hottest(tree, &n);
	uint64_t *sums __cleanup(free) = list ? sum_calls(tree, list, n) : NULL;

	*table = (struct table){ .list = sums ? calloc(n + 1, sizeof(*table->list)) : NULL };
	for (size_t i = 0; table->list && i < n; i++) {
		const struct profile_value *value = &tree->nodes[list[i]].self[PROFILE_NOW];
		const uint32_t name = tree->nodes[call_of(tree, list[i])].name;
		struct shown shown = { .node = list[i],
				       .call = profile_names_text(&callers->round.names, name),
				       .count = (double)value->samples,
				       .total = (double)value->weight };

		if (callers->sampled && !estimate(callers, summary, sums, &shown))
			continue;
		table->all += shown.total;
		table->list[table->n++] = shown;
	}
	if (table->list)
		qsort(table->list, table->n, sizeof(*table->list), by_total);
	return table->list ? 0 : -ENOMEM;
}

static void add_row(const struct strace_callers *callers, const struct table *table, size_t i,
		    struct rows *rows)
{
	const struct profile_round *round = &callers->round;
	const struct shown *shown = &table->list[i];

	rows_add(rows, val_text(shown->call),
		 table->all > 0 ? json_object_new_double(shown->total / table->all) : NULL,
		 val_number((uint64_t)(shown->count + 0.5)),
		 val_number((uint64_t)(shown->total + 0.5)),
		 profile_stack_words(&round->names, &round->tree, shown->node, false),
		 profile_stack_list(&round->names, &round->tree, shown->node, false));
}

int strace_callers_print(const struct strace_callers *callers, const struct strace_summary *summary,
			 struct out *out, size_t top)
{
	struct table table;
	struct rows *rows;
	int err = make_table(callers, summary, &table);

	if (err)
		return err;
	rows = rows_new("stacks", columns, ARRAY_SIZE(columns));
	top = top ?: out->form == OUT_TEXT ? TOP : SIZE_MAX;
	for (size_t i = 0; i < table.n && i < top; i++)
		add_row(callers, &table, i, rows);
	out_rows(out, rows);
	if (table.n > top)
		out_line(out, "", "(%zu more stacks)", table.n - top);
	if (callers->sampled) {
		out_json(out, "stack_samples", val_number(callers->round.samples));
		out_line(out, "",
			 "Counts and times of stacks are shares of those of the calls, by %" PRIu64
			 " sampled calls.",
			 callers->round.samples);
	}
	free(table.list);
	return 0;
}

struct profile_round *strace_callers_round(struct strace_callers *callers)
{
	callers->sampled = true;
	return &callers->round;
}
