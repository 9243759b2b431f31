/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: prints a table when it is due, in the chosen form, beside an earlier one if asked. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/privileges.h"
#include "ctl/hist/hist.h"
#include "ctl/out/origin.h"

/* Reports hits that did not fit into the table, and a size that is large enough. */
static void report_uncounted(const struct dkt_table *table, int size)
{
	const struct dkt_table_info *info = dkt_table_info(table);
	unsigned int now = size ? (unsigned int)size : 2048, want = now;

	while (want < info->n_rows + info->dropped && want < 131072)
		want *= 2;
	if (info->dropped)
		app_say("%" PRIu64 " hits did not fit into the table; use --size %u", info->dropped,
			want > now ? want : now);
	if (info->bad)
		app_say("%" PRIu64 " rows were invalid", info->bad);
}

/* Lines beside the rows: the headings, "more rows", an empty line, the sum, the cursor. */
#define OTHER_LINES 5

static int print_picture(const struct hist *hist, const struct hist_view *view, bool folded)
{
	char *origin __cleanup(free) = NULL;

	if (hist->source)
		origin = origin_text(dkt_source_info(hist->source), hist->first, hist->last);
	else if (hist->in)
		origin = origin_here(hist->begun);
	return folded ? hist_view_flame(hist->ctx, view, origin, stdout) :
			hist_view_bars(view, origin, stdout);
}

static int print_table(const struct hist *hist, const struct hist_view *view, bool folded)
{
	if (hist->picture)
		return print_picture(hist, view, folded);
	return folded ? hist_view_folded(hist->ctx, view) : hist_view_print(hist->app, view);
}

int hist_show(struct hist *hist, struct dkt_table *table, bool last)
{
	const struct app *app = hist->app;
	const struct hist_options *given = OPT(app, hist);
	bool folded = given->folded && !OPT(app, print)->json && !OPT(app, print)->csv;
	bool text = !folded && !hist->picture && !OPT(app, print)->json && !OPT(app, print)->csv;
	struct hist_view view = { .table = table,
				  .top = (size_t)hist->top,
				  .sort = given->sort,
				  .source = hist->source };
	int err = dkt_table_sort(table, given->sort);

	hist->app->wrong = err == -ENOENT || err == -EINVAL;
	if (!err && given->diff) {
		if (!hist->before)
			hist->before = hist_load(hist->ctx, given->diff,
						 privileges_file(hist->app, given->diff) - 1,
						 table);
		err = hist->before ? 0 : -EINVAL;
	}
	if (err)
		return err;
	view.before = hist->before;
	if (!last && !given->diff)
		view.seconds = hist->watch.seconds;
	if (!last && text)
		watch_clear(&hist->watch);
	if (text && (!last || hist->watched))
		view.top = watch_fit(view.top, OTHER_LINES);
	err = print_table(hist, &view, folded);
	fflush(stdout);
	if (last)
		report_uncounted(table, hist->size);
	return err;
}

int hist_refresh(struct hist *hist)
{
	struct dkt_table *table;
	int err;

	if (!watch_due(&hist->watch))
		return 0;
	err = dkt_hist_read(hist->hist, hist->in, &table);
	if (err)
		return err;
	err = hist_show(hist, table, false);
	if (!err && !OPT(hist->app, hist)->diff) {
		json_object_put(hist->before);
		hist->before = hist_remember(table);
	}
	if (!err)
		watch_shown();
	dkt_table_free(table);
	return err;
}

int hist_finish(struct hist *hist)
{
	struct dkt_table *table;
	int err = dkt_hist_read(hist->hist, hist->in, &table);

	hist->watched = hist->watch.screen.on;
	screen_end(&hist->watch.screen);
	if (err)
		return err;
	/* The last table shows the sums of the whole run, not what changed since the last refresh. */
	if (!OPT(hist->app, hist)->diff) {
		json_object_put(hist->before);
		hist->before = NULL;
	}
	err = hist_show(hist, table, true);
	dkt_table_free(table);
	return err;
}
