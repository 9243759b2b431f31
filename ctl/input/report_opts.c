/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the command line of report asks for. */
#include "input/report_opts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/when.h"

/* More of them at once only get in each other's way. */
#define MAX_JOBS 64

/* The most CPUs that Linux can be built for. */
#define MAX_CPU 8191

/* ---- lists ---- */

/* Cuts "a,b c" into words. */
static int split(const char *text, struct report_words *words)
{
	char *word, *save = NULL;

	if (!text)
		return 0;
	words->text = strdup(text);
	words->list = calloc(strlen(text) / 2 + 2, sizeof(*words->list));
	if (!words->text || !words->list)
		return app_usage("out of memory");
	for (word = strtok_r(words->text, ", ", &save); word; word = strtok_r(NULL, ", ", &save))
		words->list[words->n++] = word;
	return 0;
}

static bool read_int(const char **p, int most, int *value)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(*p, &end, 10);
	if (errno || end == *p || **p < '0' || **p > '9' || v > most)
		return false;
	*p = end;
	*value = (int)v;
	return true;
}

/* "0-3,5"; *list is to be freed. */
static int read_ints(const char *option, const char *text, int most, int **list, size_t *n)
{
	const char *p = text;
	int first, last;

	if (!text)
		return 0;
	do {
		bool good = read_int(&p, most, &first);
		int *more;

		last = first;
		if (good && *p == '-') {
			p++;
			good = read_int(&p, most, &last) && last >= first;
		}
		if (!good || last - first > MAX_CPU || (*p && *p != ','))
			return app_usage("--%s: '%s' is no list of numbers such as 0-3,5", option,
					 text);
		more = reallocarray(*list, *n + (size_t)(last - first) + 1, sizeof(**list));
		if (!more)
			return app_usage("out of memory");
		*list = more;
		while (first <= last)
			(*list)[(*n)++] = first++;
	} while (*p++);
	return 0;
}

static int read_events(const char *text, struct report_words *events)
{
	int rc = split(text, events);
	size_t i;

	for (i = 0; !rc && i < events->n; i++) {
		const char *words = report_glob_check(events->list[i]);

		if (words)
			rc = app_usage("--event: '%s': %s", events->list[i], words);
	}
	return rc;
}

/* ---- times ---- */

/* Times are printed with so many digits of a second. */
#define DIGITS 6

/* SECONDS[.frac] of the file's clock, as the trace style prints it, or a time of day. */
static int read_time(const char *option, const char *text, struct report_time *time)
{
	const char *p = text;
	int64_t seconds = 0, part = 0;
	int n = 0;

	if (!text)
		return 0;
	for (; *p >= '0' && *p <= '9' && seconds < INT32_MAX; p++)
		seconds = seconds * 10 + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && n < 9; p++, n++)
			part = part * 10 + (*p - '0');
	time->around = n <= DIGITS ? 500 : 0;
	for (; n < 9; n++)
		part *= 10;
	time->wall = *p || p == text;
	time->ns = seconds * 1000000000 + part;
	if (time->wall && dkt__parse_when(text, &time->ns))
		return app_usage(
			"--%s: '%s' is not a time: SECONDS of the file's clock, HH:MM[:SS],"
			" 'YYYY-MM-DD HH:MM[:SS]', @SECONDS, -N[smhd]",
			option, text);
	return 0;
}

static int to_clock(struct dkt_ctx *ctx, const struct dkt_source_info *info, const char *option,
		    const struct report_time *time, uint64_t *ns)
{
	if (time->wall && !info->has_wall)
		return dkt_fail(
			ctx, -EINVAL,
			"--%s: the file does not know times of day; give seconds of its clock",
			option);
	*ns = (uint64_t)(time->ns - (time->wall ? info->wall : 0));
	return 0;
}

int report_args_times(struct report_args *args, struct dkt_ctx *ctx,
		      const struct dkt_source_info *info)
{
	struct dkt_source_opts *opts = &args->source;
	int err = 0;

	if (args->since.ns)
		err = to_clock(ctx, info, "since", &args->since, &opts->since);
	if (!err && args->until.ns)
		err = to_clock(ctx, info, "until", &args->until, &opts->until);
	/* What is printed with one of the times belongs to the window, too. */
	if (opts->since > (uint64_t)args->since.around)
		opts->since -= (uint64_t)args->since.around;
	if (opts->until)
		opts->until += args->until.around ? (uint64_t)args->until.around : 1;
	return err;
}

/* ---- all of it ---- */

static int read_style(const struct app *app, struct report_args *args)
{
	struct dkt_style_info info;
	struct dkt__guess guess;

	args->report.style = app->style ? app->style : "trace";
	if (style_find(args->report.style, &info))
		return app_usage("--style: '%s' is none; see dktrace-styles(7)%s", app->style,
				 style_guess(&guess, app->style));
	if (info.traits & DKT_STYLE_FILES && !app->output)
		return app_usage("--style %s: name the directory for its files", info.name);
	if (info.traits & DKT_STYLE_BINARY && !app->output && isatty(STDOUT_FILENO))
		return app_usage("--style %s: not for a terminal; name a file", info.name);
	if (info.traits & DKT_STYLE_ORDER)
		args->jobs = 1;
	return 0;
}

static int read_jobs(const char *text, int *jobs)
{
	*jobs = 1;
	if (text && (!read_int(&text, MAX_JOBS, jobs) || *text || !*jobs))
		return app_usage("--jobs: a number from 1 to %d", MAX_JOBS);
	return 0;
}

int report_args_read(const struct app *app, struct report_args *args)
{
	int rc;

	*args = (struct report_args){ .source.sz = sizeof(args->source) };
	rc = read_jobs(app->jobs, &args->jobs);
	if (!rc)
		rc = read_style(app, args);
	if (!rc)
		rc = read_ints("cpu", app->cpu, MAX_CPU, &args->cpus, &args->source.n_cpus);
	if (!rc)
		rc = read_ints("pid", app->pid, INT32_MAX, &args->pids, &args->report.n_pids);
	if (!rc)
		rc = read_events(app->events, &args->events);
	if (!rc)
		rc = split(app->fields, &args->fields);
	if (!rc)
		rc = read_time("since", app->since, &args->since);
	if (!rc)
		rc = read_time("until", app->until, &args->until);
	args->report.events = args->events.list;
	args->report.n_events = args->events.n;
	args->report.fields = args->fields.list;
	args->report.n_fields = args->fields.n;
	args->source.cpus = args->cpus;
	args->report.pids = args->pids;
	args->report.filter = app->filter;
	if (app_has_instance(app) && !strcmp(app->instance, "all"))
		args->source.flags = DKT_SOURCE_ALL;
	else if (app_has_instance(app))
		args->source.buffer = app->instance;
	args->report.streams = args->source.flags & DKT_SOURCE_ALL;
	return rc;
}

void report_args_clear(struct report_args *args)
{
	free(args->events.text);
	free(args->events.list);
	free(args->fields.text);
	free(args->fields.list);
	free(args->cpus);
	free(args->pids);
}
