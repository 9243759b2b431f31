/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws a profile: a flame graph, an icicle, or a heat map. */
#include <inttypes.h>

#include "ctl/out/bar.h"
#include "ctl/out/origin.h"
#include "ctl/out/svg.h"
#include "ctl/profile/flame.h"
#include "ctl/profile/profile.h"
#include "lib/base/buf.h"
#include "lib/base/when.h"

/* ---- flame graphs ---- */

/* Words about what a picture shows, which the caller frees. */
static char *describe(const struct profile_view *view)
{
	const struct profile_facts *facts = &view->profile->facts[PROFILE_NOW];
	char *origin __cleanup(free) = origin_text(view->info, facts->first, facts->last);
	char *words __cleanup(free) = profile_words(view, PROFILE_NOW);

	if (!words)
		return NULL;
	return dkt__format("%s%s%s", origin ?: "", origin ? ": " : "", words);
}

static int write_flame(const struct profile_view *view, bool down, FILE *f)
{
	struct profile *profile = view->profile;
	char *desc __cleanup(free) = describe(view);
	char *title __cleanup(free) =
		view->before ?
			dkt__format("Flame graph of %s: red has grown since %s, blue shrunk",
				    view->path, view->before) :
			strdup(view->wall ? "Flame graph of wall-clock time" : "Flame graph");
	struct flame_picture picture = { .tree = &profile->tree,
					 .names = &profile->names,
					 .title = title,
					 .desc = desc,
					 .unit = profile_unit(profile),
					 .down = down,
					 .compares = view->before };
	int err = title && desc ? profile_tree_link(&profile->tree, profile_by_name, profile) :
				  -ENOMEM;

	return err ?: flame_draw(&picture, f);
}

int profile_write_flame(const struct profile_view *view, FILE *f)
{
	return write_flame(view, false, f);
}

int profile_write_icicle(const struct profile_view *view, FILE *f)
{
	return write_flame(view, true, f);
}

/* ---- heat maps ---- */

#define TOP    68.0
#define LEFT   64.0
#define RIGHT  24.0
#define CELL_H 7.0
#define FOOT   32.0

/* The columns together are about so wide, and a column is no wider and no narrower than: */
#define COLUMNS_WIDTH 1100.0
#define CELL_MAX      16.0
#define CELL_MIN      2.0

struct map {
	const struct profile_heat *heat;
	uint64_t seconds; /* of a column */
	uint64_t columns;
	double width; /* of a column */
	uint64_t *cells; /* by column and row */
	uint64_t most; /* of them */
};

/* Long recordings have several seconds in a column. */
static int make_map(struct map *map, const struct profile_heat *heat)
{
	const uint64_t room = (uint64_t)(COLUMNS_WIDTH / CELL_MIN);
	struct profile_cell cell;

	map->heat = heat;
	map->seconds = (heat->seconds + room - 1) / room;
	map->columns = heat->seconds / map->seconds + (heat->seconds % map->seconds != 0);
	map->width = COLUMNS_WIDTH / (double)map->columns;
	map->width = DKT__MIN(map->width, CELL_MAX);
	map->cells = calloc(map->columns * PROFILE_HEAT_ROWS, sizeof(*map->cells));
	if (!map->cells)
		return -ENOMEM;
	for (uint32_t i = 0; !profile_heat_cell(heat, i, &cell); i++) {
		uint64_t *at =
			&map->cells[cell.second / map->seconds * PROFILE_HEAT_ROWS + cell.row];

		*at += cell.samples;
		map->most = DKT__MAX(map->most, *at);
	}
	return 0;
}

/* Time on the trace's clock, as --since takes it. */
static void time_of(const struct map *map, uint64_t column, uint32_t row, char text[UNIT_SIZE])
{
	time_text(map->heat->origin + column * map->seconds * (uint64_t)DKT__NSEC_PER_SEC +
			  row * PROFILE_HEAT_NS,
		  text);
}

/* Rows go up, as time does in FlameScope. */
static int put_cell(const struct map *map, uint64_t column, uint32_t row, FILE *f)
{
	const uint64_t n = map->cells[column * PROFILE_HEAT_ROWS + row];
	char *tip __cleanup(free) = NULL, from[UNIT_SIZE], color[SVG_COLOR_SIZE];

	if (!n)
		return 0;
	time_of(map, column, row, from);
	tip = dkt__format("%s: %" PRIu64 " sample%s", from, n, n == 1 ? "" : "s");
	if (!tip)
		return -ENOMEM;
	svg_heat(n, map->most, color);
	svg_rect(f, LEFT + (double)column * map->width,
		 TOP + (PROFILE_HEAT_ROWS - 1 - row) * CELL_H,
		 map->width - (map->width > 4 ? 0.5 : 0), CELL_H - 0.5, color, tip);
	return 0;
}

static void put_axes(const struct map *map, FILE *f)
{
	const double bottom = TOP + PROFILE_HEAT_ROWS * CELL_H;
	const uint64_t each = DKT__MAX((uint64_t)(100 / map->width), UINT64_C(1));
	char text[UNIT_SIZE];

	svg_text(f, LEFT - 8, bottom, SVG_END, SVG_SOFT, 0, "0 ms");
	svg_text(f, LEFT - 8, TOP + PROFILE_HEAT_ROWS * CELL_H / 2 + 4, SVG_END, SVG_SOFT, 0,
		 "500 ms");
	svg_text(f, LEFT - 8, TOP + 9, SVG_END, SVG_SOFT, 0, "1 s");
	for (uint64_t column = 0; column < map->columns; column += each) {
		time_of(map, column, 0, text);
		svg_text(f, LEFT + (double)column * map->width, bottom + 20, SVG_START, SVG_SOFT, 0,
			 text);
	}
}

static char *describe_heat(const struct profile_view *view, const struct map *map)
{
	char *words __cleanup(free) = describe(view);
	char columns[40], left_out[64] = "";

	if (view->profile->heat.left_out)
		snprintf(left_out, sizeof(left_out), "; %" PRIu64 " later samples are not shown",
			 view->profile->heat.left_out);
	if (map->seconds == 1)
		snprintf(columns, sizeof(columns), "a second");
	else
		snprintf(columns, sizeof(columns), "%" PRIu64 " seconds", map->seconds);
	return words ? dkt__format("%s; a column is %s, at most %" PRIu64 " samples in 20 ms%s",
				   words, columns, map->most, left_out) :
		       NULL;
}

int profile_write_heat(const struct profile_view *view, FILE *f)
{
	struct map map = { 0 };
	int err = make_map(&map, &view->profile->heat);
	char *desc __cleanup(free) = err ? NULL : describe_heat(view, &map);

	if (!err && !desc)
		err = -ENOMEM;
	if (!err) {
		svg_begin(f, LEFT + COLUMNS_WIDTH + RIGHT, TOP + PROFILE_HEAT_ROWS * CELL_H + FOOT,
			  "Heat map: samples by second, and by the time within it", desc);
		put_axes(&map, f);
	}
	for (uint64_t column = 0; !err && column < map.columns; column++)
		for (uint32_t row = 0; !err && row < PROFILE_HEAT_ROWS; row++)
			err = put_cell(&map, column, row, f);
	free(map.cells);
	return err ?: svg_end(f);
}
