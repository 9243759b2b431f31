/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: takes a ready-made count in place of events and fields. */
#include "compat/set/counts.h"
#include "compat/apply/rules.h"
#include "compat/lustre/select.h"
#include "ctl/app/groups.h"
#include "ctl/hist/hist.h"
#include "ctl/input/args.h"

/* True if the kernel or the file has the events of the row. */
static bool is_usable(struct dkt_ctx *ctx, const struct class_map *map, const struct count *row)
{
	struct select *select = NULL;
	bool usable = !dkl_select_new(ctx, map, row->events, &select) &&
		      !dkl_select_check(ctx, select);

	dkl_select_free(select);
	return usable;
}

/* The user's own fields take the place of those of the row, and the user's filter joins its filter. */
static int take(struct hist *hist, const struct count *row)
{
	struct app *app = hist->app;
	struct hist_options *given = OPT_CHANGE(app, hist);
	const char **filter = &OPT_CHANGE(app, select)->filter;
	struct conditions both = { 0 };
	int err = 0;

	hist->selection = row->events;
	if (!given->keys) {
		given->keys = row->keys;
		given->vals = given->vals ? given->vals : row->vals;
	}
	if (!row->filter || !*filter) {
		*filter = row->filter ? row->filter : *filter;
		return 0;
	}
	err = dkl_conditions_add(&both, row->filter);
	if (!err)
		err = dkl_conditions_add(&both, *filter);
	if (!err)
		err = dkt__strings_take(&app->joined, both.text);
	*filter = both.text;
	return err;
}

int hist_take_count(struct hist *hist, const struct class_map *map)
{
	const char *name = hist->selection;
	const struct count *row = dkl_count_find(name, NULL);
	const struct count *first = row;

	while (row && !is_usable(hist->ctx, map, row))
		row = dkl_count_find(name, row);
	if (row)
		return take(hist, row);
	if (!first)
		return 0;
	if (!hist->app->input)
		return dkt_fail(hist->ctx, -ENOENT, "%s: this kernel has no event %s", name,
				first->events);
	return dkt_fail(hist->ctx, -ENOENT,
			"%s: the file has no event %s; to record it: dktrace record -e '%s'", name,
			first->events, first->events);
}
