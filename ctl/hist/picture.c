/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures of hist: bars, and a flame graph of stacks. */
#include <inttypes.h>

#include "ctl/hist/view.h"
#include "ctl/out/svg.h"
#include "ctl/profile/flame.h"
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

/* The stacks of a table. */
struct stacks {
	struct profile_names names;
	struct profile_tree tree;
};

/* Adds "outer;inner". */
static int add_stack(struct stacks *stacks, const char *text, uint64_t hits)
{
	const struct profile_value value = { hits, hits };
	uint32_t at = 0;
	int err = 0;

	for (const char *p = text; err >= 0 && *p;) {
		const size_t len = strcspn(p, ";");
		const uint32_t name = profile_names_add(&stacks->names, PROFILE_KERNEL, p, len, "");

		err = name == UINT32_MAX ? -ENOMEM : profile_tree_down(&stacks->tree, &at, name);
		p += len + (p[len] == ';');
	}
	if (err < 0)
		return err;
	profile_value_add(&stacks->tree.nodes[at].self[PROFILE_NOW], &value);
	return 0;
}

static int add_stacks(struct dkt_ctx *ctx, const struct hist_view *view, struct stacks *stacks)
{
	const size_t n = hist_row_count(view);
	int err = profile_tree_init(&stacks->tree, PROFILE_NODES_MAX);

	for (size_t row = 0; !err && row < n; row++) {
		char *text __cleanup(free) = NULL;
		uint64_t hits;

		err = hist_view_stack(ctx, view, row, &text, &hits);
		if (!err)
			err = add_stack(stacks, text, hits);
	}
	if (err)
		return err;
	profile_tree_sum(&stacks->tree);
	return 0;
}

static int by_name(void *data, const struct profile_node *a, const struct profile_node *b)
{
	const struct stacks *stacks = data;

	return strcmp(profile_names_text(&stacks->names, a->name),
		      profile_names_text(&stacks->names, b->name));
}

static int draw(struct stacks *stacks, const char *origin, FILE *f)
{
	const uint64_t hits = stacks->tree.nodes[0].total[PROFILE_NOW].samples;
	char *desc __cleanup(free) = dkt__format("%s%s%" PRIu64 " %s in %" PRIu32 " functions",
						 origin ?: "", origin ? ": " : "", hits,
						 hits == 1 ? "hit" : "hits", stacks->tree.n - 1);
	const struct flame_picture picture = { .tree = &stacks->tree,
					       .names = &stacks->names,
					       .title = "Flame graph",
					       .desc = desc,
					       .unit = "hits" };
	int err = desc ? profile_tree_link(&stacks->tree, by_name, stacks) : -ENOMEM;

	return err ?: flame_draw(&picture, f);
}

int hist_view_flame(struct dkt_ctx *ctx, const struct hist_view *view, const char *origin, FILE *f)
{
	struct stacks stacks = { 0 };
	int err;

	profile_names_init(&stacks.names);
	err = add_stacks(ctx, view, &stacks);
	if (!err)
		err = draw(&stacks, origin, f);
	profile_tree_clear(&stacks.tree);
	profile_names_clear(&stacks.names);
	return err;
}
