/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws a tree of call stacks as a flame graph. */
#include "ctl/profile/flame.h"

#include <inttypes.h>

#include "answers/wall/state.h"
#include "ctl/out/svg.h"
#include "ctl/profile/profile.h"
#include "lib/base/buf.h"

#define TOP       68.0
#define WIDTH     1200.0
#define MARGIN    16.0
#define NARROWEST 0.5 /* frames that are not drawn */

struct fire {
	const struct flame_picture *picture;
	FILE *f;
	double scale; /* of a weight */
	double bottom; /* of the lowest row */
	double *x; /* of each node */
	uint32_t *depth; /* of each node */
};

static uint64_t weight_of(const struct fire *fire, uint32_t node)
{
	return fire->picture->tree->nodes[node].total[PROFILE_NOW].weight;
}

static bool is_wide(const struct fire *fire, uint32_t node)
{
	return (double)weight_of(fire, node) * fire->scale >= NARROWEST;
}

/* Sets the places of all frames that are wide enough. Returns the rows that they take. */
static uint32_t place_frames(struct fire *fire)
{
	const struct profile_node *nodes = fire->picture->tree->nodes;
	uint32_t rows = 1;
	bool deeper = true;

	fire->x[0] = MARGIN;
	for (uint32_t i = 0; (i = profile_tree_next(fire->picture->tree, 0, i, deeper));) {
		const uint32_t parent = nodes[i].parent;

		deeper = is_wide(fire, i);
		/* The first of its sisters sets where the others begin. */
		if (nodes[parent].child == i) {
			double x = fire->x[parent];

			for (uint32_t j = i; j; j = nodes[j].next) {
				fire->x[j] = x;
				x += (double)weight_of(fire, j) * fire->scale;
			}
		}
		fire->depth[i] = fire->depth[parent] + 1;
		if (deeper)
			rows = DKT__MAX(rows, fire->depth[i] + 1);
	}
	return rows;
}

static double share(const struct fire *fire, enum profile_side side, uint32_t node)
{
	const struct profile_tree *tree = fire->picture->tree;

	return profile_share(tree, side, &tree->nodes[node].total[side]);
}

/* "vfs_read: 120 samples, 12.00 %", and how that has changed */
static char *tip_of(const struct fire *fire, const char *name, uint32_t node)
{
	const double now = 100 * share(fire, PROFILE_NOW, node),
		     before = 100 * share(fire, PROFILE_BEFORE, node);
	const uint64_t weight = weight_of(fire, node);

	if (fire->picture->compares)
		return dkt__format("%s: %" PRIu64 " %s, %.2f %%, before %.2f %%: %+.2f", name,
				   weight, fire->picture->unit, now, before, now - before);
	return dkt__format("%s: %" PRIu64 " %s, %.2f %%", name, weight, fire->picture->unit, now);
}

/* The state of the group that the frame is in; WALL_STATES: it is in none. */
static enum wall_state state_of(const struct fire *fire, uint32_t node)
{
	const struct profile_tree *tree = fire->picture->tree;
	const struct profile_names *names = fire->picture->names;

	for (; node; node = tree->nodes[node].parent)
		if (names->list[tree->nodes[node].name].kind == PROFILE_STATE)
			return wall_state_named(profile_names_text(names, tree->nodes[node].name));
	return WALL_STATES;
}

/* Waits have the colours of their states; what runs, those of functions. */
static bool color_of_state(const struct fire *fire, uint32_t node, char color[SVG_COLOR_SIZE])
{
	static const char *const colors[WALL_STATES] = {
		[WALL_RUNNABLE] = "#f2c14e", [WALL_DISK] = "#5b8fd9",   [WALL_LOCK] = "#b07cc6",
		[WALL_NETWORK] = "#4fb3a5",  [WALL_MEMORY] = "#d97ba6", [WALL_SLEEPING] = "#c3ccd4",
		[WALL_OTHER] = "#a89b8c",
	};
	const enum wall_state state = state_of(fire, node);

	if (state == WALL_STATES || !colors[state])
		return false;
	snprintf(color, SVG_COLOR_SIZE, "%s", colors[state]);
	return true;
}

static void color_of(const struct fire *fire, const char *name, uint32_t node,
		     char color[SVG_COLOR_SIZE])
{
	const struct profile_tree *tree = fire->picture->tree;

	if (fire->picture->compares)
		svg_change(share(fire, PROFILE_NOW, node) - share(fire, PROFILE_BEFORE, node),
			   color);
	else if (color_of_state(fire, node, color))
		return;
	else if (!node ||
		 profile_kind_groups(fire->picture->names->list[tree->nodes[node].name].kind))
		snprintf(color, SVG_COLOR_SIZE, SVG_LINE);
	else if (fire->picture->names->list[tree->nodes[node].name].kind == PROFILE_KERNEL)
		svg_cool(name, strlen(name), color);
	else
		svg_flame(name, strlen(name), color);
}

static int put_frame(const struct fire *fire, uint32_t node)
{
	const struct profile_tree *tree = fire->picture->tree;
	const char *name = node ? profile_names_text(fire->picture->names, tree->nodes[node].name) :
				  "all";
	const double width = (double)weight_of(fire, node) * fire->scale;
	const double down = fire->depth[node] * SVG_ROW;
	const double y = fire->picture->down ? TOP + down : fire->bottom - down;
	char *tip __cleanup(free) = tip_of(fire, name, node);
	char color[SVG_COLOR_SIZE];

	if (!tip)
		return -ENOMEM;
	color_of(fire, name, node, color);
	svg_rect(fire->f, fire->x[node], y, DKT__MAX(width - 0.5, 0.5), SVG_ROW - 1, color, tip);
	if (width > 4 * SVG_CHAR)
		svg_text(fire->f, fire->x[node] + 3, y + 13, SVG_START, SVG_TEXT, width - 6, name);
	return 0;
}

static int put_frames(const struct fire *fire)
{
	bool deeper = true;
	int err = put_frame(fire, 0);

	for (uint32_t i = 0; !err && (i = profile_tree_next(fire->picture->tree, 0, i, deeper));) {
		deeper = is_wide(fire, i);
		if (deeper)
			err = put_frame(fire, i);
	}
	return err;
}

int flame_draw(const struct flame_picture *picture, FILE *f)
{
	const struct profile_tree *tree = picture->tree;
	double *x __cleanup(free) = calloc(tree->n, sizeof(*x));
	uint32_t *depth __cleanup(free) = calloc(tree->n, sizeof(*depth));
	struct fire fire = { .picture = picture, .f = f, .x = x, .depth = depth };
	const uint64_t all = tree->nodes[0].total[PROFILE_NOW].weight;
	double height = 0;
	int err = 0;

	if (!x || !depth)
		return -ENOMEM;
	fire.scale = (WIDTH - 2 * MARGIN) / (double)(all ? all : 1);
	if (all)
		height = place_frames(&fire) * SVG_ROW;
	fire.bottom = TOP + height - SVG_ROW;
	svg_begin(f, WIDTH, TOP + height + (all ? MARGIN : 0), picture->title, picture->desc);
	if (all)
		err = put_frames(&fire);
	return svg_end(f) ?: err;
}
