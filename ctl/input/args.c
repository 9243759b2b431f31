/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options that select records and their output format. */
#include "ctl/input/args.h"

#include "answers/sql/database.h"
#include "compat/io/say.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "lib/base/parse.h"

#define MAX_JOBS 64

/* ---- output ---- */

/* Returns "legacy, trace or json"; the caller frees it. */
static char *style_names(void)
{
	struct dkt_style_info info, next;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; f && !dkl_style_get(i, &info); i++)
		fprintf(f, "%s%s",
			!i                          ? "" :
			dkl_style_get(i + 1, &next) ? " or " :
						      ", ",
			info.name);
	return f && !fclose(f) ? text : NULL;
}

static int read_style(const struct app *app, const char *file, const char *usual,
		      struct dkt_style_info *style)
{
	const char *text = OPT(app, sink)->style ? OPT(app, sink)->style : usual;
	char *names __cleanup(free) = NULL;
	struct dkt__guess guess;

	if (dkl_style_find(text, style)) {
		names = style_names();
		return app_usage("--style: unknown style '%s'; use %s%s", text, names ? names : "",
				 dkl_style_guess(&guess, text));
	}
	if (style->traits & DKT_STYLE_FILES && !file)
		return app_usage("--style %s: name the directory for its files", style->name);
	if (style->traits & DKT_STYLE_BINARY && !file && isatty(STDOUT_FILENO))
		return app_usage("--style %s: not for a terminal; name a file", style->name);
	return 0;
}

static int read_format(const struct app *app, const char *file, const char *format,
		       struct sink_opts *opts)
{
	struct dkt__guess guess;

	if (OPT(app, sink)->style)
		return app_usage("cannot combine --format with --style");
	if (!format)
		return app_usage("%s: the name does not tell the format; give --format", file);
	if (!strcmp(format, database_writer.name))
		opts->writer = &database_writer;
	else if (dkl_sink_kind(format, opts))
		return app_usage("--format: unknown format '%s'; use trace.dat, trace.dat-6, sqlite"
				 " or a style%s",
				 format, dkl_sink_guess(&guess, format));
	if (opts->writer && (app->command->flags & (CMD_FORMAT | CMD_NAMES)) != CMD_FORMAT)
		return app_usage("--format %s: only convert and merge write it", format);
	if (!file)
		return app_usage("--format: name the file to write");
	opts->whole = true;
	return 0;
}

/* Ignores errors: the code that needs the classes reports them. */
static void read_classes(const struct app *app, struct record_args *args, bool needed)
{
	if (needed && !args->classes)
		dkl_class_map_load(app->ctx, &args->classes);
}

/* Other formats keep the errors without the option, or have no place for them. */
static int read_clock_error(const struct app *app, struct sink_opts *opts)
{
	opts->clock_error = OPT(app, sink)->clock_error;
	if (OPT(app, sink)->clock_error &&
	    (!opts->style.name ||
	     (opts->style.traits & DKT_STYLE_DATA && strcmp(opts->style.name, "json") != 0)))
		return app_usage(
			"--clock-error: only the styles trace, legacy, raw and json show it");
	return 0;
}

int sink_args_read(const struct app *app, const char *file, const char *usual,
		   struct sink_opts *opts)
{
	const char *format = OPT(app, sink)->format || usual ? OPT(app, sink)->format :
							       dkl_sink_by_path(file);
	int rc;

	*opts = (struct sink_opts){ .compression = OPT(app, sink)->compression,
				    .raw_text = OPT(app, print)->raw_text,
				    .placer = &app->placer };
	rc = OPT(app, sink)->format || !usual ? read_format(app, file, format, opts) :
						read_style(app, file, usual, &opts->style);
	if (!rc)
		rc = read_clock_error(app, opts);
	opts->color = dkl_say_style_in_color(&opts->style, file);
	return rc;
}

int record_args_sink(struct app *app, const char *file, const char *usual, struct record_args *args)
{
	struct sink_opts opts;
	int rc = sink_args_read(app, file, usual, &opts);

	*args = (struct record_args){ 0 };
	if (!rc)
		rc = record_args_read(app, args);
	/* A trace.dat file, some styles and the judgement of the order need all records in one object. */
	if (opts.version || opts.writer || opts.clock_error || opts.style.traits & DKT_STYLE_ORDER)
		args->jobs = 1;
	read_classes(app, args, !rc && opts.style.name);
	opts.fields = (const char *const *)args->fields.list;
	opts.n_fields = args->fields.n;
	opts.buffer = args->source.buffer;
	opts.streams = args->source.flags & DKT_SOURCE_ALL;
	args->sink = opts;
	return rc;
}

/* ---- selection ---- */

static int read_jobs(const char *text, int *jobs)
{
	int64_t number = 1;

	if (text && dkt__parse_int(text, 1, MAX_JOBS, &number))
		return app_usage("--jobs: give a number from 1 to %d", MAX_JOBS);
	*jobs = (int)number;
	return 0;
}

/* Reads names that are separated by commas or spaces. */
static int read_fields(const char *text, struct dkt__strings *fields)
{
	char *copy __cleanup(free) = text ? strdup(text) : NULL;
	char *save = NULL;
	int err = text && !copy ? -ENOMEM : 0;

	for (char *word = copy ? strtok_r(copy, ", ", &save) : NULL; word && !err;
	     word = strtok_r(NULL, ", ", &save))
		err = dkt__strings_add(fields, word);
	return err ? app_usage("out of memory") : 0;
}

int selection_args_read(struct app *app, struct selection *selection)
{
	const struct selection_words words = { .classes = OPT(app, select)->classes,
					       .subsystems = OPT(app, select)->subsystems,
					       .events = OPT(app, select)->events,
					       .pids = OPT(app, select)->pid,
					       .comms = OPT(app, select)->comm,
					       .cpus = OPT(app, select)->cpu,
					       .since = OPT(app, select)->since,
					       .until = OPT(app, select)->until,
					       .filter = OPT(app, select)->filter,
					       .rate = OPT(app, select)->rate };

	return dkl_selection_read(app->ctx, &words, selection) ?
		       app_usage("%s", dkt_error(app->ctx)) :
		       0;
}

int record_args_read(struct app *app, struct record_args *args)
{
	int rc;

	*args = (struct record_args){ .source.sz = sizeof(args->source) };
	rc = read_jobs(OPT(app, sink)->jobs, &args->jobs);
	if (!rc)
		rc = selection_args_read(app, &args->selection);
	if (!rc)
		rc = read_fields(OPT(app, sink)->fields, &args->fields);
	read_classes(app, args, !rc && dkl_selection_by_class(&args->selection));
	args->source.cpus = args->selection.cpus;
	args->source.n_cpus = args->selection.n_cpus;
	/* --rate counts records in their order. */
	if (args->selection.rate.limited)
		args->jobs = 1;
	/* In a recording, --instance selects one buffer; the default is all of them. */
	if (app_has_instance(app) && strcmp(app->instance, "all"))
		args->source.buffer = app->instance;
	else
		args->source.flags = DKT_SOURCE_ALL;
	return rc;
}

void record_args_clear(struct record_args *args)
{
	dkl_selection_clear(&args->selection);
	dkt__strings_clear(&args->fields);
	dkl_class_map_free(args->classes);
}
