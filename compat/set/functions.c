/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tracers of functions as a person sets them. */
#include "set/functions.h"
#include "apply/apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "log/option_words.h"
#include "log/threads.h"

/* ---- setting ---- */

static int add(struct names *lines, const char *key, const char *value)
{
	char *line;

	if (asprintf(&line, "%s %s", key, value) < 0)
		line = NULL;
	return names_take(lines, line);
}

static int add_list(struct names *lines, const char *key, const char *list)
{
	char *copy __cleanup(free) = list ? strdup(list) : NULL;
	char *word, *save = NULL;
	int err = list && !copy ? -ENOMEM : 0;

	for (word = copy ? strtok_r(copy, ",", &save) : NULL; word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = add(lines, key, word);
	return err;
}

static int add_number(struct dkt_ctx *ctx, struct names *lines, const char *key, const char *text,
		      unsigned long most)
{
	unsigned long value;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') || !value || value > most)
		return dkt_fail(ctx, -EINVAL, "%s: '%.40s' is no number from 1 to %lu", key, text,
				most);
	return add(lines, key, text);
}

/* "100", "100us", "5ms", "1s" in microseconds. */
static int add_time(struct dkt_ctx *ctx, struct names *lines, const char *text)
{
	static const struct {
		const char *unit;
		unsigned long us;
	} units[] = { { "", 1 }, { "us", 1 }, { "ms", 1000 }, { "s", 1000000 } };
	unsigned long value;
	char number[24], *end;
	size_t i;

	if (!text)
		return 0;
	errno = 0;
	value = strtoul(text, &end, 10);
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].unit, end))
			break;
	if (errno || end == text || i == ARRAY_SIZE(units) || strchr(text, '-') || !value ||
	    value > UINT32_MAX / units[i].us)
		return dkt_fail(ctx, -EINVAL, "'%.40s' is no time, as 100us or 5ms", text);
	snprintf(number, sizeof(number), "%lu", value * units[i].us);
	return add(lines, "threshold", number);
}

static int add_pids(struct dkt_ctx *ctx, struct names *lines, const struct functions_wish *wish)
{
	char *threads __cleanup(free) = NULL;
	int err = wish->pids ? threads_read(ctx, wish->pids, &threads) : 0;

	if (!err && threads)
		err = add(lines, "pids", threads);
	return err || !wish->children ? err : add(lines, "children", "1");
}

static int check_line(struct dkt_ctx *ctx, const char *text)
{
	if (!text || (*text && !strpbrk(text, " \t\r\n")))
		return 0;
	return dkt_fail(ctx, -EINVAL, "'%.60s' cannot be the name of a function", text);
}

static int make_lines(struct dkt_ctx *ctx, const struct functions_wish *wish, struct names *lines)
{
	size_t i;
	int err = add(lines, "tracer", wish->tracer);

	for (i = 0; !err && i < wish->n_only; i++) {
		err = check_line(ctx, wish->only[i]);
		if (!err)
			err = add(lines, "only", wish->only[i]);
	}
	if (!err)
		err = check_line(ctx, wish->without);
	if (!err)
		err = check_line(ctx, wish->roots);
	if (!err)
		err = add_list(lines, "without", wish->without);
	if (!err)
		err = add_list(lines, "root", wish->roots);
	if (!err)
		err = add_number(ctx, lines, "depth", wish->depth, 200);
	if (!err)
		err = add_time(ctx, lines, wish->threshold);
	return err ? err : add_pids(ctx, lines, wish);
}

int functions_take(struct dkt_ctx *ctx, const char *tracer, const char *line, struct settings *set)
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
	int err = copy ? option_words(ctx, copy, known, ARRAY_SIZE(known), &only, &wish.n_only) :
			 -ENOMEM;

	if (!err && !wish.n_only && !wish.roots)
		err = dkt_fail(ctx, -EINVAL, "it needs functions; '*' are all of the kernel");
	if (!err)
		err = threads_check_boot(ctx, boot);
	if (err)
		return err;
	wish.only = only;
	names_clear(&set->functions);
	return make_lines(ctx, &wish, &set->functions);
}

int functions_set(struct debuglog *log, const struct functions_wish *wish)
{
	struct settings set;
	int err = settings_copy(&set, &log->set);

	if (err)
		return err;
	names_clear(&set.functions);
	err = make_lines(log->ctx, wish, &set.functions);
	if (!err)
		err = debuglog_apply(log, &set, NULL);
	settings_clear(&set);
	return err;
}

int functions_off(struct debuglog *log)
{
	struct settings set;
	int err;

	if (!log->set.functions.n)
		return dkt_fail(log->ctx, -ENOENT, "no tracer of functions is set");
	err = settings_copy(&set, &log->set);
	if (err)
		return err;
	names_clear(&set.functions);
	err = debuglog_apply(log, &set, NULL);
	settings_clear(&set);
	return err;
}

/* ---- what is set ---- */

static bool has_key(const char *line, const char *key)
{
	const size_t len = strlen(key);

	return !strncmp(line, key, len) && line[len] == ' ';
}

static const char *find(const struct names *lines, const char *key)
{
	size_t i;

	for (i = 0; i < lines->n; i++)
		if (has_key(lines->list[i], key))
			return settings_rest(lines->list[i]);
	return NULL;
}

/* The values of a key, commas between, behind the option that they are of. */
static void print_option(FILE *out, const struct names *lines, const char *key, const char *option)
{
	const char *before = option;
	size_t i;

	for (i = 0; i < lines->n; i++) {
		if (!has_key(lines->list[i], key))
			continue;
		fprintf(out, "%s%s%s", before == option ? " " : "", before,
			before == option ? " " : "");
		fputs(settings_rest(lines->list[i]), out);
		before = ",";
	}
}

static void print_line(FILE *out, const struct names *lines, const char *processes)
{
	const char *before = "";
	size_t i;

	for (i = 0; i < lines->n; i++) {
		if (!has_key(lines->list[i], "only"))
			continue;
		fprintf(out, "%s%s", before, settings_rest(lines->list[i]));
		before = " ";
	}
	print_option(out, lines, "without", "--notrace");
	print_option(out, lines, "root", "--under");
	print_option(out, lines, "depth", "--depth");
	print_option(out, lines, "threshold", "--threshold");
	if (!processes)
		return;
	fputs(" --pid ", out);
	threads_print(out, processes, find(lines, "children"));
}

int functions_line(const struct settings *set, const char *tracer, char **line)
{
	const char *now = find(&set->functions, "tracer"), *pids = find(&set->functions, "pids");
	char *processes __cleanup(free) = NULL;
	FILE *out;
	size_t len;
	int err = pids ? threads_processes(pids, &processes) : 0;

	*line = NULL;
	/* What was of processes that are gone is not of all. */
	if (err || !now || strcmp(now, tracer) || (pids && !processes))
		return err;
	out = open_memstream(line, &len);
	if (!out)
		return -ENOMEM;
	print_line(out, &set->functions, processes);
	return fclose(out) ? -ENOMEM : 0;
}

char *functions_text(const struct settings *set)
{
	static const char *const keys[][2] = {
		{ "only", " of " },
		{ "without", ", without " },
		{ "root", ", called from " },
		{ "depth", ", depth " },
		{ "threshold", ", us above " },
		{ "pids", ", threads " },
	};
	const char *tracer = find(&set->functions, "tracer");
	char *text = NULL;
	size_t len, i, j;
	FILE *out = tracer ? open_memstream(&text, &len) : NULL;

	if (!out)
		return NULL;
	fputs(tracer, out);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *before = keys[i][1];

		for (j = 0; j < set->functions.n; j++) {
			if (!has_key(set->functions.list[j], keys[i][0]))
				continue;
			fprintf(out, "%s%s", before, settings_rest(set->functions.list[j]));
			before = ", ";
		}
	}
	if (find(&set->functions, "children"))
		fputs(" and what they start", out);
	return fclose(out) ? NULL : text;
}

/* ---- into a change ---- */

/* The values of a key; the caller frees the array only. */
static const char **values(const struct names *lines, const char *key, size_t *n)
{
	const char **list = calloc(lines->n + 1, sizeof(*list));
	size_t i;

	*n = 0;
	for (i = 0; list && i < lines->n; i++)
		if (has_key(lines->list[i], key))
			list[(*n)++] = settings_rest(lines->list[i]);
	return list;
}

static unsigned int number(const struct names *lines, const char *key)
{
	const char *text = find(lines, key);

	return text ? (unsigned int)strtoul(text, NULL, 10) : 0;
}

int functions_plan(struct dkt_ctx *ctx, const struct settings *set, bool keep, const char *spool,
		   struct dkt_change *change)
{
	const struct names *lines = &set->functions;
	DKT_OPTS(dkt_functions, functions, .keep = keep, .depth = number(lines, "depth"),
		 .threshold = number(lines, "threshold"), .children = find(lines, "children"));
	const char **only __cleanup(free) = values(lines, "only", &functions.n_only);
	const char **without __cleanup(free) = values(lines, "without", &functions.n_without);
	const char **roots __cleanup(free) = values(lines, "root", &functions.n_roots);
	const char *tracer = find(lines, "tracer"), *threads = find(lines, "pids");
	pid_t *pids __cleanup(free) = NULL;
	int err = only && without && roots ? 0 : -ENOMEM;

	functions.only = only;
	functions.without = without;
	functions.roots = roots;
	if (!err && threads)
		err = threads_numbers(ctx, threads, &pids, &functions.n_pids);
	functions.pids = pids;
	if (!err && !tracer)
		err = dkt_fail(ctx, -EINVAL, "the settings name no tracer");
	return err ? err : dkt_change_functions(change, tracer, &functions, spool);
}
