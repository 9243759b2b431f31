/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits a function tracer to all functions of some modules.
 *
 * For each ":mod:NAME" the kernel looks up the name of every function that it has. This takes 0.1
 * s, or 2 s in an emulated machine, and with thirty modules it is most of the time of a change.
 * Kernels since 5.1 also accept a function's index in the list of all functions, which needs no
 * lookup. Because indexes shift when a module is unloaded, dktrace reads the result back and writes
 * the names if it is wrong.
 */
#include "lib/change/modules.h"
#include "lib/instance.h"

#include <fnmatch.h>

#include "lib/base/io.h"
#include "lib/functions.h"
#include "lib/tracefs.h"

#define FILTER "set_ftrace_filter"

/* ---- lines "NAME [MODULE]" ---- */

/* Returns the index of the module that the line ends with, in brackets; n_modules: not found. */
static size_t find_module(const struct dkt__tracer *tracer, const char *line)
{
	const char *from = strrchr(line, '[');
	size_t i, len = from ? strcspn(++from, "]") : 0;

	for (i = 0; len && i < tracer->n_modules; i++)
		if (strlen(tracer->modules[i]) == len && !strncmp(from, tracer->modules[i], len))
			break;
	return len ? i : tracer->n_modules;
}

static bool is_excluded(const struct dkt__tracer *tracer, const char *line)
{
	char *name __cleanup(free) = strndup(line, strcspn(line, " \t"));

	for (size_t i = 0; name && i < tracer->n_without; i++)
		if (!fnmatch(tracer->without[i], name, 0))
			return true;
	return false;
}

/* ---- reading ---- */

/*
 * False also for "#### all functions enabled ####", which has no module in brackets. For a large
 * module the kernel needs about 10 ms to print this list.
 */
bool dkt__modules_are_set(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	bool *seen __cleanup(free) = calloc(tracer->n_modules + 1, sizeof(*seen));
	char *text __cleanup(free) = NULL;
	char *save = NULL;
	size_t i;

	if (!seen || dkt__tfs_read(in->ctx, &text, NULL, "%s" FILTER, in->prefix))
		return false;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strstr(line, ":mod:"))
			continue;
		i = find_module(tracer, line);
		if (i == tracer->n_modules || is_excluded(tracer, line))
			return false;
		seen[i] = true;
	}
	for (i = 0; i < tracer->n_modules; i++)
		if (!seen[i])
			return false;
	return true;
}

/* ---- writing ---- */

/* Lists the indexes of the functions, separated by spaces; NULL: the kernel has no list of them. */
static char *list_indexes(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char *list __cleanup(free) = NULL;
	char *line, *end, *indexes = NULL;
	unsigned long nr;
	size_t len;
	FILE *out;

	if (dkt__tfs_read(in->ctx, &list, NULL, "available_filter_functions"))
		return NULL;
	out = open_memstream(&indexes, &len);
	for (line = list, nr = 1; out && *line; line = end, nr++) {
		end = line + strcspn(line, "\n");
		end += *end ? (*end = '\0', 1) : 0;
		if (find_module(tracer, line) < tracer->n_modules && !is_excluded(tracer, line))
			fprintf(out, "%lu ", nr);
	}
	dkt__text_end(out, 0, &indexes);
	return indexes;
}

static int write_indexes(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char *indexes __cleanup(free) = list_indexes(in, tracer);
	int err;

	if (!indexes || !*indexes)
		return -ENOENT;
	err = dkt__tfs_add_words(in->ctx, "functions", indexes, "%s" FILTER, in->prefix);
	if (!err && dkt__modules_are_set(in, tracer))
		return 0;
	dkt__functions_clear(in);
	return err ? err : -ESTALE;
}

/* Adds the functions of all modules, then removes the excluded ones with "!NAME:mod:MODULE". */
static int write_names(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char command[256];
	int err = 0;

	for (size_t i = 0; !err && i < tracer->n_modules; i++) {
		snprintf(command, sizeof(command), ":mod:%s", tracer->modules[i]);
		err = dkt__tfs_add(in->ctx, command, "%s" FILTER, in->prefix);
	}
	for (size_t i = 0; !err && i < tracer->n_modules; i++) {
		for (size_t j = 0; !err && j < tracer->n_without; j++) {
			snprintf(command, sizeof(command), "!%s:mod:%s", tracer->without[j],
				 tracer->modules[i]);
			/* -EINVAL: the module has no such function. */
			err = dkt__tfs_add(in->ctx, command, "%s" FILTER, in->prefix);
			err = err == -EINVAL ? 0 : err;
		}
	}
	return err;
}

int dkt__modules_write(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	int err;

	if (!write_indexes(in, tracer))
		return 0;
	err = write_names(in, tracer);
	if (!err && !dkt__functions_chosen(in, FILTER))
		err = dkt_fail(in->ctx, -EINVAL, "the kernel did not limit it to modules");
	return err;
}
