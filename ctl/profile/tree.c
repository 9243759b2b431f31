/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the tree of a profile, from the outermost functions down or from the innermost ones up. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/profile/profile.h"
#include "lib/base/buf.h"

/* Deeper branches are not indented further. */
#define INDENT_MAX 15u

struct branch {
	const struct profile *profile;
	const struct profile_tree *tree;
	double least;
	struct rows *rows;
	uint32_t left_out; /* branches */
};

/* Where a node is printed. */
struct place {
	uint32_t depth, indent;
	bool begins; /* its parent has several branches */
	uint32_t branches; /* children that are large enough */
};

static bool is_large(const struct branch *branch, uint32_t node)
{
	for (int side = 0; side < PROFILE_SIDES; side++)
		if (branch->tree->nodes[0].total[side].weight &&
		    profile_share(branch->tree, (enum profile_side)side,
				  &branch->tree->nodes[node].total[side]) >= branch->least)
			return true;
	return false;
}

static void put_branch(const struct profile_view *view, struct branch *branch, uint32_t node,
		       const struct place *place)
{
	const struct profile_node *at = &branch->tree->nodes[node];
	const char *name = profile_names_text(&branch->profile->names, at->name);
	const uint32_t indent = DKT__MIN(place->indent, INDENT_MAX);
	/* A dash begins each of several branches. */
	const int spaces = (int)(2 * indent) - (place->begins ? 2 : 0);
	char *text __cleanup(free) =
		dkt__format("%*s%s%s", spaces, "", place->begins ? "- " : "", name);

	rows_add(branch->rows, profile_share_value(branch->profile, PROFILE_NOW, at->total),
		 profile_before_value(view, at->total),
		 profile_share_value(branch->profile, PROFILE_NOW, at->self),
		 val_number(at->total[PROFILE_NOW].samples), val_number(place->depth),
		 val_text(text), val_text(name),
		 val_text(profile_names_where(&branch->profile->names, at->name)));
}

static int put_branches(const struct profile_view *view, struct branch *branch)
{
	const struct profile_tree *tree = branch->tree;
	struct place *places __cleanup(free) = calloc(tree->n, sizeof(*places));
	bool deeper = true;

	if (!places)
		return -ENOMEM;
	for (uint32_t i = 1; i < tree->n; i++)
		places[tree->nodes[i].parent].branches += is_large(branch, i);
	for (uint32_t i = 0; (i = profile_tree_next(tree, 0, i, deeper));) {
		const uint32_t parent = tree->nodes[i].parent;

		deeper = is_large(branch, i);
		branch->left_out += !deeper;
		if (!deeper)
			continue;
		places[i].depth = places[parent].depth + 1;
		/* The only branch of a function is below it without an indent of its own. */
		places[i].begins = parent && places[parent].branches > 1;
		places[i].indent =
			places[parent].indent + places[i].begins + (places[i].depth == 2);
		put_branch(view, branch, i, &places[i]);
	}
	return 0;
}

static int put_tree(struct profile_view *view, const struct profile_tree *tree, struct out *out)
{
	static const struct column alone[] = {
		{ .key = "total", .type = COL_SHARE },
		{ .key = "before", .type = COL_SHARE, .flags = COL_DATA },
		{ .key = "self", .type = COL_SHARE },
		{ .key = "samples", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "depth", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "branch", .heading = "FUNCTION", .flags = COL_PEOPLE },
		{ .key = "function", .flags = COL_DATA },
		{ .key = "where", .flags = COL_DATA },
	};
	struct column columns[ARRAY_SIZE(alone)];
	struct branch branch = { .profile = view->profile, .tree = tree, .least = view->least };
	int err;

	memcpy(columns, alone, sizeof(alone));
	if (view->before)
		columns[1].flags = 0;
	if (tree != &view->profile->tree)
		columns[2].flags = COL_DATA;
	branch.rows = rows_new("tree", columns, ARRAY_SIZE(columns));
	if (!branch.rows)
		return -ENOMEM;
	err = put_branches(view, &branch);
	out_rows(out, branch.rows);
	out_json(out, "left_out", val_number(branch.left_out));
	if (branch.left_out && out->form == OUT_TEXT) {
		putchar('\n');
		out_line(out, "",
			 "Not shown: %" PRIu32 " branch%s with less than %g %%; --min 0 shows all.",
			 branch.left_out, branch.left_out == 1 ? "" : "es", 100 * view->least);
	}
	return err;
}

int profile_show_tree(struct profile_view *view, struct out *out)
{
	struct profile *profile = view->profile;
	struct profile_tree callers = { 0 }, *tree = &profile->tree;
	int err = profile_show_facts(view, out);

	if (!err && OPT(view->app, profile)->callers) {
		tree = &callers;
		err = profile_tree_init(&callers, PROFILE_NODES_MAX);
		if (!err)
			err = profile_tree_callers(&profile->tree, &callers);
	}
	if (!err)
		err = profile_tree_link(tree, profile_by_total, profile);
	if (!err)
		err = put_tree(view, tree, out);
	profile_tree_clear(&callers);
	return err;
}
