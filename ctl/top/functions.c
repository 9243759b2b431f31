/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot functions: samples of the CPUs, which are taken only while their panel is shown. */
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* Enough for the samples of some seconds. */
#define RING_SIZE (UINT64_C(64) << 10)

/* How long a frame waits for names: that of the screen must not stop. */
#define WAIT_MS       300
#define BATCH_WAIT_MS 20000

/* ---- sampling ---- */

/* Keeps the words of the context as the reason. */
static void fail(struct top *top)
{
	struct top_functions *functions = &top->functions;

	free(functions->reason);
	functions->reason = strdup(dkt_error(top->app->ctx));
	profile_live_close(functions->live);
	functions->live = NULL;
}

void top_functions_open(struct top *top)
{
	const struct profile_live_opts opts = { .callers = DKT__CALLERS_FP,
						.ring_size = RING_SIZE };

	if (profile_live_open(top->app->ctx, &opts, &top->functions.live))
		fail(top);
}

void top_functions_want(struct top *top, bool wanted)
{
	struct top_functions *functions = &top->functions;

	if (wanted == functions->wanted)
		return;
	functions->wanted = wanted;
	functions->late = false;
	profile_round_clear(&functions->round);
	functions->round = (struct profile_round){ 0 };
	functions->n = 0;
	if (!functions->live)
		return;
	if (!wanted)
		profile_live_stop(functions->live);
	else if (profile_live_start(functions->live))
		fail(top);
}

void top_functions_step(struct top *top)
{
	struct top_functions *functions = &top->functions;

	if (functions->live && functions->wanted && profile_live_step(functions->live))
		fail(top);
}

/* ---- the functions of a round ---- */

/* The name of the program, which the stack is below. */
static uint32_t program_of(const struct profile_tree *tree, uint32_t node)
{
	while (tree->nodes[node].parent)
		node = tree->nodes[node].parent;
	return tree->nodes[node].name;
}

static struct top_function *find_function(struct top_functions *functions, struct dkt__keymap *map,
					  uint32_t node)
{
	const struct profile_round *round = &functions->round;
	const uint32_t name = round->tree.nodes[node].name;
	const uint32_t program = program_of(&round->tree, node);
	const uint64_t key = (uint64_t)program << 32 | name;
	bool added;
	const uint32_t entry = dkt__keymap_add(map, &key, &added);

	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (added && dkt__append(functions->list, functions->n,
				 (struct top_function){ .name = name, .program = program }))
		return NULL;
	return &functions->list[entry];
}

static int sum_functions(struct top_functions *functions)
{
	const struct profile_tree *tree = &functions->round.tree;
	struct dkt__keymap map = { .n_words = 1 };
	int err = 0;

	free(functions->list);
	functions->list = NULL;
	functions->n = 0;
	functions->weight = 0;
	for (uint32_t i = 1; !err && i < tree->n; i++) {
		const struct profile_value *value = &tree->nodes[i].self[PROFILE_NOW];
		struct top_function *function = value->samples ? find_function(functions, &map, i) :
								 NULL;

		if (!value->samples)
			continue;
		if (!function) {
			err = -ENOMEM;
			break;
		}
		profile_value_add(&function->value, value);
		functions->weight += value->weight;
	}
	dkt__keymap_clear(&map);
	return err;
}

int top_functions_take(struct top *top)
{
	struct top_functions *functions = &top->functions;
	struct profile_round round = { 0 };
	int err;

	if (!functions->wanted || !functions->live)
		return 0;
	err = profile_round_init(&round);
	if (!err)
		err = profile_live_take(functions->live, top->process,
					OPT(top->app, top)->batch || OPT(top->app, print)->json ?
						BATCH_WAIT_MS :
						WAIT_MS,
					&round);
	functions->late = err == -EAGAIN;
	if (err || top->paused) {
		profile_round_clear(&round);
		if (err && err != -EAGAIN && err != -ENOMEM)
			fail(top);
		return err == -ENOMEM ? err : 0;
	}
	functions->lost = round.lost - functions->all_lost;
	functions->all_lost = round.lost;
	profile_round_clear(&functions->round);
	functions->round = round;
	return sum_functions(functions);
}

void top_functions_close(struct top *top)
{
	struct top_functions *functions = &top->functions;

	profile_live_close(functions->live);
	profile_round_clear(&functions->round);
	free(functions->list);
	free(functions->reason);
	*functions = (struct top_functions){ 0 };
}

char *top_functions_title(const struct top *top)
{
	const struct top_functions *functions = &top->functions;
	const char *title = top_panels[TOP_FUNCTIONS].title;

	if (functions->reason)
		return dkt__format("%s: %s", title, functions->reason);
	if (functions->late)
		return dkt__format("%s: their names are still read", title);
	if (functions->lost)
		return dkt__format("%s, of %llu samples, which lost %llu", title,
				   (unsigned long long)functions->round.samples,
				   (unsigned long long)functions->lost);
	return dkt__format("%s, of %llu samples", title,
			   (unsigned long long)functions->round.samples);
}

/* ---- the stacks of a function ---- */

struct rows *top_functions_stacks(const struct top *top, const struct top_function *function,
				  size_t n)
{
	static const struct column columns[] = {
		{ .key = "share", .type = COL_SHARE },
		{ .key = "stack", .flags = COL_FOLD | COL_PEOPLE },
		{ .key = "functions", .type = COL_LIST, .flags = COL_DATA },
	};
	const struct profile_round *round = &top->functions.round;
	size_t all;
	uint32_t *list __cleanup(free) = profile_stacks_hottest(&round->tree, &all);
	struct rows *rows = list ? rows_new("stacks", columns, ARRAY_SIZE(columns)) : NULL;

	for (size_t i = 0; rows && i < all && rows_count(rows) < n; i++) {
		const struct profile_node *node = &round->tree.nodes[list[i]];

		if (node->name != function->name ||
		    program_of(&round->tree, list[i]) != function->program)
			continue;
		rows_add(rows,
			 json_object_new_double(
				 (double)node->self[PROFILE_NOW].weight /
				 (double)DKT__MAX(function->value.weight, UINT64_C(1))),
			 profile_stack_words(&round->names, &round->tree, list[i], false),
			 profile_stack_list(&round->names, &round->tree, list[i], false));
	}
	return rows;
}
