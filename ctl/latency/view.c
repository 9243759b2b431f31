/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows latency's groups: sorted, limited in number, and again and again with --watch. */
#include "ctl/app/groups.h"
#include "ctl/app/order.h"
#include "ctl/app/print.h"
#include "ctl/latency/latency.h"

/* In the order of the table's columns. */
const char *const latency_columns[] = { "name", "count", "min", "p50",   "p90",
					"p99",  "p99.9", "max", "total", NULL };

#define BY_TOTAL (ARRAY_SIZE(latency_columns) - 2)

/* Lines beside the groups: the headings, the row for all, "more rows", the cursor. */
#define OTHER_LINES 4

/* ---- order ---- */

static int no_column(const char *text, size_t len)
{
	struct dkt__guess guess;
	char names[128] = "";
	size_t used = 0;

	dkt__guess_start(&guess, text, len);
	for (size_t i = 0; latency_columns[i]; i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 latency_columns[i]);
		dkt__guess_try(&guess, latency_columns[i]);
	}
	return app_usage("--sort: '%.*s' is not a column; the columns are %s%s", (int)len, text,
			 names, dkt__guess_words(&guess));
}

static int read_sort(const char *text, struct latency_sort *sort)
{
	size_t i, len;

	*sort = (struct latency_sort){ .column = BY_TOTAL, .descending = true };
	if (!text)
		return 0;
	len = order_read(text, &sort->descending);
	for (i = 0; latency_columns[i]; i++)
		if (strlen(latency_columns[i]) == len && !strncmp(latency_columns[i], text, len))
			break;
	if (!latency_columns[i])
		return no_column(text, len);
	sort->column = (unsigned int)i;
	return 0;
}

/* ---- the view ---- */

int latency_view_read(struct latency_view *view, const struct app *app, char **command)
{
	const struct latency_options *given = OPT(app, latency);
	const char *option = OPT(app, watch)->watch ? "watch" :
			     given->sort            ? "sort" :
			     OPT(app, print)->top   ? "top" :
						      NULL;
	int rc;

	if (given->kernel && option)
		return app_usage(
			"latency: cannot combine --kernel with --%s: the kernel's table is printed"
			" once, complete, in order of groups and times",
			option);
	rc = watch_read(&view->watch, app, command);
	if (!rc)
		rc = opt_number("top", OPT(app, print)->top, &view->top);
	return rc ? rc : read_sort(given->sort, &view->sort);
}

int latency_view_print(struct latency_view *view, struct latency_report *report, bool last)
{
	const struct app *app = report->app;
	int err;

	report->sort = view->sort;
	report->top = (size_t)view->top;
	report->table_only = !last;
	if (last) {
		screen_end(&view->watch.screen);
	} else if (!OPT(app, print)->json && !OPT(app, print)->csv) {
		watch_clear(&view->watch);
		report->top = watch_fit(report->top, OTHER_LINES);
	}
	err = latency_print(report);
	if (!err && !last)
		watch_shown();
	fflush(stdout);
	return err;
}
