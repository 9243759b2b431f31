/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist: when a table is printed, in which form, and beside which earlier one. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "app/live.h"
#include "app/rights.h"
#include "hist/hist.h"

/* What the table could not take is told with what would help. */
static void say_dropped(const struct dkt_table *table, int size)
{
	const struct dkt_table_info *info = dkt_table_info(table);
	unsigned int now = size ? (unsigned int)size : 2048, want = now;

	while (want < info->n_rows + info->dropped && want < 131072)
		want *= 2;
	if (info->dropped)
		fprintf(stderr, "dktrace: %" PRIu64 " hits had no room in the table: --size %u\n",
			info->dropped, want > now ? want : now);
	if (info->bad)
		fprintf(stderr, "dktrace: %" PRIu64 " rows made no sense\n", info->bad);
}

/* Lines of a table beside its rows: names of columns, rows left out, a blank one, the sum, the cursor. */
#define OTHER_LINES 5

/* No table of --watch is taller than the terminal, the last one neither. */
static void fit_screen(struct hist *hist, struct hist_view *view, bool last)
{
	const struct app *app = hist->app;
	size_t lines = screen_lines();

	/* Programs read CSV, JSON and folded stacks, which need no table. */
	if (!lines || app->json || app->csv || app->folded)
		return;
	if (!last) {
		screen_begin(&hist->screen, !hist->command);
		screen_clear(&hist->screen);
	}
	lines = lines > OTHER_LINES ? lines - OTHER_LINES : 1;
	if (!view->top || view->top > lines)
		view->top = lines;
}

int hist_show(struct hist *hist, struct dkt_table *table, bool last)
{
	struct hist_view view = { .table = table,
				  .top = (size_t)hist->top,
				  .sort = hist->app->sort };
	int err = dkt_table_sort(table, hist->app->sort);

	if (!err && hist->app->diff) {
		if (!hist->before)
			hist->before = hist_load(hist->ctx, hist->app->diff,
						 rights_file(hist->app, hist->app->diff) - 1,
						 table);
		err = hist->before ? 0 : -EINVAL;
	}
	if (err)
		return err;
	view.before = hist->before;
	if (hist->every > 0 && !hist->app->diff)
		view.seconds = live_now() - hist->last;
	if (hist->every > 0 || (last && hist->watched))
		fit_screen(hist, &view, last);
	err = hist->app->folded && !hist->app->json && !hist->app->csv ?
		      hist_view_folded(hist->ctx, &view) :
		      hist_view_print(hist->app, &view);
	fflush(stdout);
	if (last)
		say_dropped(table, hist->size);
	return err;
}

int hist_refresh(struct hist *hist, hist_read_fn read)
{
	struct dkt_table *table;
	int err;

	/* It ends as by Ctrl-C. */
	if (screen_quit(&hist->screen))
		raise(SIGINT);
	if (hist->every <= 0 || live_now() - hist->last < hist->every)
		return 0;
	err = read(hist, &table);
	if (err)
		return err;
	err = hist_show(hist, table, false);
	if (!err && !hist->app->diff) {
		json_object_put(hist->before);
		hist->before = hist_remember(table);
	}
	if (!err && !isatty(STDOUT_FILENO))
		putchar('\n');
	hist->last = live_now();
	dkt_table_free(table);
	return err;
}

int hist_finish(struct hist *hist, hist_read_fn read)
{
	struct dkt_table *table;
	int err = read(hist, &table);

	hist->watched = hist->screen.on;
	screen_end(&hist->screen);
	if (err)
		return err;
	/* The last table stands for all of it. */
	if (!hist->app->diff) {
		json_object_put(hist->before);
		hist->before = NULL;
	}
	hist->every = 0;
	err = hist_show(hist, table, true);
	dkt_table_free(table);
	return err;
}
