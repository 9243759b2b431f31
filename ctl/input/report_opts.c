/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which records the command line asks for, and how they are printed. */
#include "input/report_opts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* More of them at once only get in each other's way. */
#define MAX_JOBS 64

int report_args_window(struct report_args *args, struct dkt_ctx *ctx,
		       const struct dkt_source_info *info)
{
	return selection_window(&args->selection, ctx, info, &args->source.since,
				&args->source.until);
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
	int64_t number = 1;

	if (text && dkt__parse_int(text, 1, MAX_JOBS, &number))
		return app_usage("--jobs: a number from 1 to %d", MAX_JOBS);
	*jobs = (int)number;
	return 0;
}

/* Names with commas or blanks between. */
static int read_fields(const char *text, struct names *fields)
{
	char *copy __cleanup(free) = text ? strdup(text) : NULL;
	char *save = NULL;
	int err = text && !copy ? -ENOMEM : 0;

	for (char *word = copy ? strtok_r(copy, ", ", &save) : NULL; word && !err;
	     word = strtok_r(NULL, ", ", &save))
		err = names_add(fields, word);
	return err ? app_usage("out of memory") : 0;
}

int selection_args_read(struct app *app, struct selection *selection)
{
	const struct selection_words words = { .classes = app->types,
					       .subsystems = app->subsystems,
					       .events = app->events,
					       .pids = app->pid,
					       .comms = app->comm,
					       .cpus = app->cpu,
					       .since = app->since,
					       .until = app->until,
					       .filter = app->filter,
					       .rate = app->rate };

	return selection_read(app->ctx, &words, selection) ? app_usage("%s", dkt_error(app->ctx)) :
							     0;
}

int report_args_read(struct app *app, struct report_args *args)
{
	int rc;

	*args = (struct report_args){ .source.sz = sizeof(args->source) };
	rc = read_jobs(app->jobs, &args->jobs);
	if (!rc)
		rc = read_style(app, args);
	if (!rc)
		rc = selection_args_read(app, &args->selection);
	if (!rc)
		rc = read_fields(app->fields, &args->fields);
	args->report.selection = &args->selection;
	args->report.fields = (const char *const *)args->fields.list;
	args->report.n_fields = args->fields.n;
	args->source.cpus = args->selection.cpus;
	args->source.n_cpus = args->selection.n_cpus;
	/* Records are counted in their order. */
	if (args->selection.rate.limited)
		args->jobs = 1;
	/* All buffers of a file, if nobody asks for one of them. */
	if (app_has_instance(app) && strcmp(app->instance, "all"))
		args->source.buffer = app->instance;
	else
		args->source.flags = DKT_SOURCE_ALL;
	args->report.streams = args->source.flags & DKT_SOURCE_ALL;
	return rc;
}

void report_args_clear(struct report_args *args)
{
	selection_clear(&args->selection);
	names_clear(&args->fields);
}
