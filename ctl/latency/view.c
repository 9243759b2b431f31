/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How latency's groups are shown: in which order, how many, and again and again with --watch. */
#include <signal.h>
#include <unistd.h>

#include "app/opt.h"
#include "latency/latency.h"

/* Lines of a table beside its groups: names of columns, all groups, rows left out, the cursor. */
#define OTHER_LINES 4

int latency_view_read(struct latency_view *view, const struct app *app, char **command)
{
	const char *option = app->watch ? "watch" : app->sort ? "sort" : app->top ? "top" : NULL;
	int rc;

	if (app->kernel && option)
		return app_usage("latency: the kernel's table is shown once, whole, in order of"
				 " groups and times; --kernel or --%s",
				 option);
	rc = opt_watch(app, command, &view->every);
	view->keys = !command;
	if (!rc)
		rc = opt_number("top", app->top, &view->top);
	return rc ? rc : latency_sort_read(app->sort, &view->sort);
}

bool latency_view_due(struct latency_view *view)
{
	/* It ends as by Ctrl-C. */
	if (screen_quit(&view->screen))
		raise(SIGINT);
	if (view->every <= 0 || live_now() - view->last < view->every)
		return false;
	view->last = live_now();
	return true;
}

/* No table of --watch is taller than the terminal. */
static void fit_screen(struct latency_view *view, struct latency_report *report)
{
	size_t lines = screen_lines();

	if (!lines)
		return;
	screen_begin(&view->screen, view->keys);
	screen_clear(&view->screen);
	lines = lines > OTHER_LINES ? lines - OTHER_LINES : 1;
	if (!report->top || report->top > lines)
		report->top = lines;
}

int latency_view_print(struct latency_view *view, struct latency_report *report, bool last)
{
	const struct app *app = report->app;
	bool table = !app->json && !app->csv;
	int err;

	report->sort = view->sort;
	report->top = (size_t)view->top;
	report->table_only = !last;
	if (last)
		screen_end(&view->screen);
	else if (table)
		fit_screen(view, report);
	if (app->json)
		err = latency_print_json(report, stdout);
	else if (app->csv)
		err = latency_print_csv(report, stdout);
	else
		err = latency_print(report, stdout);
	/* Where nothing is drawn over, tables are apart. */
	if (!err && !last && !isatty(STDOUT_FILENO))
		putchar('\n');
	fflush(stdout);
	return err;
}
