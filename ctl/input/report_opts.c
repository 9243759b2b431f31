/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the command line of report asks for. */
#include "input/report_opts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
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

/* "0-3,5"; *list is to be freed. */
static int read_ints(const char *option, const char *text, int most, int **list, size_t *n)
{
	int err = text ? dkt__parse_list(text, most, list, n) : 0;

	if (err == -ENOMEM)
		return app_usage("out of memory");
	return err ? app_usage("--%s: '%s' is no list of numbers such as 0-3,5", option, text) : 0;
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
	const char *point = text ? strchr(text, '.') : NULL;
	uint64_t ns;

	if (!text)
		return 0;
	time->around = !point || strlen(point + 1) <= DIGITS ? 500 : 0;
	time->wall = text[strspn(text, "0123456789.")] || dkt__parse_time(text, 1000000000, &ns) ||
		     ns > INT64_MAX;
	time->ns = time->wall ? 0 : (int64_t)ns;
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
	int64_t n = 1;

	if (text && dkt__parse_int(text, 1, MAX_JOBS, &n))
		return app_usage("--jobs: a number from 1 to %d", MAX_JOBS);
	*jobs = (int)n;
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
