/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the names of panels and columns. */
#include "ctl/top/top.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

#define ASCENDING  ".ascending"
#define DESCENDING ".descending"

int top_read_panels(const struct top *top, const char *text, unsigned int *panels)
{
	const struct app *app = top->app;
	char *copy __cleanup(free) = strdup(text ? text : ""), *save = NULL;

	*panels = text ? 0 : (1u << N_TOP_PANELS) - 1;
	if (!text && !top->intervals.n)
		*panels &= ~(1u << TOP_INTERVALS);
	/* Samples cost more than what is counted anyway. */
	if (!text)
		*panels &= ~(1u << TOP_FUNCTIONS);
	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save)) {
		int nr = app_find_row(app, word, top_panels, N_TOP_PANELS, sizeof(top_panels[0]));

		if (nr < 0)
			return EXIT_USAGE;
		*panels |= 1u << nr;
	}
	return *panels ? 0 :
			 app_usage("--panel: give the names of panels, such as processes,disks");
}

static int no_interval(struct top *top, const char *word)
{
	const struct dkt_interval *list;
	struct dkt__guess guess;
	size_t n;

	if (dkt_interval_list(top->app->ctx, &list, &n))
		return app_fail(top->app);
	dkt__interval_guess(top->app->ctx, &guess, word);
	return app_usage(
		"--interval: '%s' is not a ready-made pair%s; 'dktrace latency' lists them", word,
		dkt__guess_words(&guess));
}

int top_read_intervals(struct top *top, const char *text)
{
	char *copy __cleanup(free) = strdup(text ? text : ""), *save = NULL;

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save)) {
		if (!dkt_interval_find(top->app->ctx, word))
			return no_interval(top, word);
		if (!dkt__strings_has(&top->intervals, word) &&
		    dkt__strings_add(&top->intervals, word)) {
			dkt__with_words(top->app->ctx, -ENOMEM);
			return app_fail(top->app);
		}
	}
	return text && !top->intervals.n ?
		       app_usage(
			       "--interval: give the names of ready-made pairs, such as fsync,jbd2") :
		       0;
}

static bool cut(char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	if (len < n || strcmp(text + len - n, end) != 0)
		return false;
	text[len - n] = '\0';
	return true;
}

static int no_column(const char *word)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, word, strlen(word));
	for (size_t nr = 0; nr < N_TOP_PANELS; nr++)
		for (size_t i = 0; i < top_panels[nr].n; i++)
			dkt__guess_try(&guess, top_panels[nr].columns[i].out.key);
	return app_usage("--sort: '%s' is not a column%s; 'man dktrace-top' lists them", word,
			 dkt__guess_words(&guess));
}

int top_read_sort(struct top *top, const char *text)
{
	char *word __cleanup(free) = strdup(text ? text : "");
	bool ascending, found = false;

	for (size_t nr = 0; nr < N_TOP_PANELS; nr++)
		top->sort[nr] = top_panels[nr].sort;
	if (!text || !word)
		return 0;
	ascending = cut(word, ASCENDING);
	if (!ascending)
		cut(word, DESCENDING);
	for (size_t nr = 0; nr < N_TOP_PANELS; nr++)
		for (size_t i = 0; i < top_panels[nr].n; i++)
			if (!(top_panels[nr].columns[i].out.flags & COL_DATA) &&
			    !strcmp(top_panels[nr].columns[i].out.key, word)) {
				top->sort[nr] = (struct top_sort){ i, ascending };
				found = true;
			}
	return found ? 0 : no_column(word);
}
