/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures of hist: bars, and a flame graph of stacks. */
#include <inttypes.h>

#include "answers/view/flame.h"
#include "ctl/hist/view.h"
#include "ctl/out/svg.h"
#include "lib/base/buf.h"

#define TOP 68.0

/* ---- bars ---- */

#define WIDTH    840.0
#define NUMBER   90.0 /* room for the number after a bar */
#define ROWS_MAX 40

/* Returns the row's keys; the caller frees the text. NULL: out of memory. */
static char *keys_of(const struct hist_view *view, size_t row)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	char *text = NULL;

	for (size_t i = 0; i < info->n_keys; i++) {
		char *key __cleanup(free) = hist_words(view, row, i);
		char *before __cleanup(free) = text;

		text = key ? dkt__format("%s%s%s", before ? before : "", before ? "  " : "", key) :
			     NULL;
		if (!text)
			return NULL;
	}
	return text;
}

/* "hitcount by prev_comm, next_comm" */
static char *title_of(const struct dkt_table_info *info, size_t bar)
{
	char *text = dkt__format("%s by", info->columns[bar]->name);

	for (size_t i = 0; text && i < info->n_keys; i++) {
		char *before __cleanup(free) = text;

		text = dkt__format("%s%s %s", before, i ? "," : "", info->columns[i]->name);
	}
	return text;
}

static char *desc_of(const struct dkt_table_info *info, const char *origin, size_t shown_rows)
{
	char more[40] = "";

	if (shown_rows < info->n_rows)
		snprintf(more, sizeof(more), "; not shown: %zu", info->n_rows - shown_rows);
	return dkt__format("%s%s%" PRIu64 " hits in %zu row%s, %" PRIu64 " did not fit%s",
			   origin ?: "", origin ? ": " : "", info->hits, info->n_rows,
			   info->n_rows == 1 ? "" : "s", info->dropped, more);
}

int hist_view_bars(const struct hist_view *view, const char *origin, FILE *f)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	size_t bar = hist_bar_column(view, info), most_rows = view->top ? view->top : ROWS_MAX;
	size_t n = DKT__MIN(info->n_rows, most_rows);
	char *title __cleanup(free) = title_of(info, bar),
		    *desc __cleanup(free) = desc_of(info, origin, n);
	const double left = WIDTH * 0.36;
	uint64_t most = 1;

	if (!title || !desc)
		return -ENOMEM;
	svg_begin(f, WIDTH, TOP + (double)n * SVG_ROW + 16, title, desc);
	for (size_t row = 0; row < n; row++)
		most = DKT__MAX(most, dkt_table_value(view->table, row, bar));
	for (size_t row = 0; row < n; row++) {
		uint64_t value = dkt_table_value(view->table, row, bar);
		double width = (WIDTH - left - NUMBER) * (double)value / (double)most;
		char *keys __cleanup(free) = keys_of(view, row);
		double y = TOP + (double)row * SVG_ROW;
		char number[24];

		if (!keys)
			return -ENOMEM;
		snprintf(number, sizeof(number), "%" PRIu64, value);
		svg_text(f, left - 8, y + 13, SVG_END, SVG_TEXT, left - 24, keys);
		if (value)
			svg_rect(f, left, y + 2, DKT__MAX(width, 1.0), SVG_ROW - 4, SVG_BLUE, keys);
		svg_text(f, left + width + 6, y + 13, SVG_START, SVG_TEXT, 0, number);
	}
	return svg_end(f);
}

/* ---- a flame graph ---- */

#define FLAME_WIDTH 1200.0
#define MARGIN      16.0
#define NARROWEST   0.5 /* frames that are not drawn */

struct fire {
	FILE *f;
	double scale; /* of a count */
	uint64_t total;
	double height;
};

static unsigned int depth_of(const struct flame_node *node)
{
	unsigned int most = 0;

	for (const struct flame_node *child = node->child; child; child = child->next)
		most = DKT__MAX(most, depth_of(child));
	return most + 1;
}

static void put_frame(const struct fire *fire, const struct flame_node *node, double x,
		      unsigned int depth)
{
	double width = (double)node->count * fire->scale, y = TOP + depth * SVG_ROW;
	char *name __cleanup(free) =
		strndup(node->name ? node->name : "all", node->name ? node->len : 3);
	char color[SVG_COLOR_SIZE], *tip __cleanup(free) = NULL;

	if (width < NARROWEST || !name)
		return;
	tip = dkt__format("%s: %" PRIu64 ", %.2f %%", name, node->count,
			  100.0 * (double)node->count / (double)fire->total);
	svg_flame(name, strlen(name), color);
	svg_rect(fire->f, x, y, DKT__MAX(width - 0.5, 0.5), SVG_ROW - 1, color, tip);
	if (width > 4 * SVG_CHAR)
		svg_text(fire->f, x + 3, y + 13, SVG_START, SVG_TEXT, width - 6, name);
	for (const struct flame_node *child = node->child; child; child = child->next) {
		put_frame(fire, child, x, depth + 1);
		x += (double)child->count * fire->scale;
	}
}

static int put_fire(const struct flame *flame, const char *origin, FILE *f)
{
	struct fire fire = { .f = f, .total = flame->root.count };
	char *desc __cleanup(free) = dkt__format("%s%s%" PRIu64 " %s in %zu functions",
						 origin ?: "", origin ? ": " : "", fire.total,
						 fire.total == 1 ? "hit" : "hits", flame->n);

	if (!desc)
		return -ENOMEM;
	fire.scale = (FLAME_WIDTH - 2 * MARGIN) / (double)(fire.total ? fire.total : 1);
	fire.height = fire.total ? depth_of(&flame->root) * SVG_ROW + MARGIN : 0;
	svg_begin(f, FLAME_WIDTH, TOP + fire.height, "Flame graph", desc);
	if (fire.total)
		put_frame(&fire, &flame->root, MARGIN, 0);
	return svg_end(f);
}

int hist_view_flame(struct dkt_ctx *ctx, const struct hist_view *view, const char *origin, FILE *f)
{
	struct stacks stacks = { 0 };
	struct flame flame = { 0 };
	size_t n = hist_row_count(view);
	int err = 0;

	for (size_t row = 0; !err && row < n; row++) {
		struct stack_count count = { 0 };

		err = hist_view_stack(ctx, view, row, &count.text, &count.count);
		if (!err)
			err = dkt__append(stacks.counts, stacks.n_counts, count);
	}
	if (!err)
		err = flame_make(&flame, &stacks);
	if (!err)
		err = put_fire(&flame, origin, f);
	flame_clear(&flame);
	stacks_clear(&stacks);
	return err;
}
