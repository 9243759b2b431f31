/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets function tracers as a user describes them. */
#include "compat/set/functions.h"

#include <inttypes.h>

#include "compat/apply/apply.h"
#include "compat/log/threads.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"

#define NS_PER_US 1000

/* Deeper than any chain of calls in the kernel. */
#define DEPTH_MAX 200

/* ---- setting ---- */

static int add_list(struct dkt__strings *names, const char *list)
{
	char *copy __cleanup(free) = list ? strdup(list) : NULL;
	char *save = NULL;
	int err = list && !copy ? -ENOMEM : 0;

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = dkt__strings_add(names, word);
	return err;
}

int dkl_functions_depth(struct dkt_ctx *ctx, const char *text, uint32_t *depth)
{
	int64_t value;

	if (!text)
		return 0;
	if (dkt__parse_int(text, 1, DEPTH_MAX, &value))
		return dkt_fail(ctx, -EINVAL, "'%.40s' is not a number from 1 to %d", text,
				DEPTH_MAX);
	*depth = (uint32_t)value;
	return 0;
}

/* Reads "100", "100us", "5ms" or "1s"; the kernel counts in microseconds. */
int dkl_functions_threshold(struct dkt_ctx *ctx, const char *text, uint32_t *us)
{
	uint64_t ns;

	if (!text)
		return 0;
	if (dkt__parse_time(text, NS_PER_US, &ns) || ns < NS_PER_US || ns / NS_PER_US > UINT32_MAX)
		return dkt_fail(ctx, -EINVAL,
				"'%.40s' is not a time such as 100us or 5ms" DKT__TIME_UNITS, text);
	*us = (uint32_t)(ns / NS_PER_US);
	return 0;
}

static int check_name(struct dkt_ctx *ctx, const char *text)
{
	if (!text || (*text && !strpbrk(text, " \t\r\n")))
		return 0;
	return dkt_fail(ctx, -EINVAL, "'%.60s' cannot be the name of a function", text);
}

static int take_wish(struct dkt_ctx *ctx, const struct functions_wish *wish, struct settings *set)
{
	struct settings_functions *f = &set->functions;
	int err = 0;

	dkl_settings_clear_functions(set);
	f->children = wish->children;
	f->tracer = strdup(wish->tracer);
	if (!f->tracer)
		return -ENOMEM;
	for (size_t i = 0; !err && i < wish->n_only; i++) {
		err = check_name(ctx, wish->only[i]);
		if (!err)
			err = dkt__strings_add(&f->only, wish->only[i]);
	}
	if (!err)
		err = check_name(ctx, wish->without);
	if (!err)
		err = check_name(ctx, wish->roots);
	if (!err)
		err = add_list(&f->without, wish->without);
	if (!err)
		err = add_list(&f->roots, wish->roots);
	if (!err)
		err = dkl_functions_depth(ctx, wish->depth, &f->depth);
	if (!err)
		err = dkl_functions_threshold(ctx, wish->threshold, &f->threshold);
	return err || !wish->pids ? err : dkl_threads_of_processes(ctx, wish->pids, &f->threads);
}

int dkl_functions_take(struct dkt_ctx *ctx, const char *tracer, const char *line,
		       struct settings *set)
{
	struct functions_wish wish = { .tracer = tracer };
	const char *boot = NULL;
	const struct option_word known[] = {
		{ "--notrace", &wish.without, NULL },   { "--under", &wish.roots, NULL },
		{ "--depth", &wish.depth, NULL },       { "--threshold", &wish.threshold, NULL },
		{ "--pid", &wish.pids, NULL },          { "--boot", &boot, NULL },
		{ "--children", NULL, &wish.children },
	};
	char *copy __cleanup(free) = strdup(line);
	char **only __cleanup(free) = NULL;
	int err =
		copy ? dkl_option_words(ctx, copy, known, ARRAY_SIZE(known), &only, &wish.n_only) :
		       -ENOMEM;

	if (!err && !wish.n_only && !wish.roots)
		err = dkt_fail(ctx, -EINVAL,
			       "it needs functions; '*' selects all functions of the kernel");
	if (!err)
		err = dkl_threads_check_boot(ctx, boot);
	if (err)
		return err;
	wish.only = only;
	return take_wish(ctx, &wish, set);
}

int dkl_functions_set(struct debuglog *log, const struct functions_wish *wish)
{
	struct settings set __cleanup(settings) = { 0 };
	int err = dkl_settings_copy(&set, &log->set);

	if (!err)
		err = take_wish(log->ctx, wish, &set);
	return err ? err : dkl_debuglog_apply(log, &set, NULL);
}

int dkl_functions_off(struct debuglog *log)
{
	struct settings set __cleanup(settings) = { 0 };
	int err;

	if (!log->set.functions.tracer)
		return dkt_fail(log->ctx, -ENOENT, "no function tracer is set");
	err = dkl_settings_copy(&set, &log->set);
	if (err)
		return err;
	dkl_settings_clear_functions(&set);
	return dkl_debuglog_apply(log, &set, NULL);
}

/* ---- printing ---- */

/* Prints the option and the names, separated by commas. */
static void print_names(FILE *out, const struct dkt__strings *names, const char *option)
{
	for (size_t i = 0; i < names->n; i++)
		fprintf(out, "%s%s", i ? "," : option, names->list[i]);
}

static void print_line(FILE *out, const struct settings_functions *f, const char *processes)
{
	for (size_t i = 0; i < f->only.n; i++)
		fprintf(out, "%s%s", i ? " " : "", f->only.list[i]);
	print_names(out, &f->without, " --notrace ");
	print_names(out, &f->roots, " --under ");
	if (f->depth)
		fprintf(out, " --depth %" PRIu32, f->depth);
	if (f->threshold)
		fprintf(out, " --threshold %" PRIu32, f->threshold);
	if (!processes)
		return;
	fputs(" --pid ", out);
	dkl_threads_print_processes(out, processes, f->children);
}

int dkl_functions_line(const struct settings *set, const char *tracer, char **line)
{
	const struct settings_functions *f = &set->functions;
	char *processes __cleanup(free) = NULL;
	FILE *out;
	size_t len;
	int err = f->threads.n ? dkl_threads_processes(&f->threads, &processes) : 0;

	*line = NULL;
	/* If all processes have exited, do not record all processes instead. */
	if (err || !f->tracer || strcmp(f->tracer, tracer) || (f->threads.n && !processes))
		return err;
	out = open_memstream(line, &len);
	if (out)
		print_line(out, f, processes);
	return dkt__text_end(out, 0, line);
}

/* Prints the heading and the names, separated by ", ". */
static void print_text(FILE *out, const struct dkt__strings *names, const char *heading)
{
	for (size_t i = 0; i < names->n; i++)
		fprintf(out, "%s%s", i ? ", " : heading, names->list[i]);
}

char *dkl_functions_text(const struct settings *set)
{
	const struct settings_functions *f = &set->functions;
	char *text = NULL;
	size_t len;
	FILE *out = f->tracer ? open_memstream(&text, &len) : NULL;

	if (!out)
		return NULL;
	fputs(f->tracer, out);
	print_text(out, &f->only, " of ");
	print_text(out, &f->without, ", without ");
	print_text(out, &f->roots, ", called from ");
	if (f->depth)
		fprintf(out, ", depth %" PRIu32, f->depth);
	if (f->threshold)
		fprintf(out, ", us above %" PRIu32, f->threshold);
	if (f->threads.n) {
		fputs(", threads ", out);
		dkl_threads_print(out, &f->threads);
	}
	if (f->children)
		fputs(" and what they start", out);
	return dkt__text_end(out, 0, &text) ? NULL : text;
}
