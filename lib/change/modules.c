/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits a function tracer to all functions of some modules.
 *
 * For each ":mod:NAME" the kernel looks up the name of every function that it has. This takes 0.1
 * s, in an emulated machine 2 s: with thirty modules that is most of a change. A function's index
 * in the list of all functions, which kernels since 5.1 accept, costs nothing. Indexes shift when a
 * module is unloaded; so the result is read back, and names are the fallback.
 */
#include "change/modules.h"
#include "instance.h"

#include <fcntl.h>
#include <fnmatch.h>

#include "base/io.h"
#include "functions.h"
#include "tracefs.h"

#define FILTER "set_ftrace_filter"

/* ---- lines "NAME [MODULE]" ---- */

/* The position of the module in whose brackets the line ends, or n_modules. */
static size_t find_module(const struct dkt__tracer *tracer, const char *line)
{
	const char *from = strrchr(line, '[');
	size_t i, len = from ? strcspn(++from, "]") : 0;

	for (i = 0; len && i < tracer->n_modules; i++)
		if (strlen(tracer->modules[i]) == len && !strncmp(from, tracer->modules[i], len))
			break;
	return len ? i : tracer->n_modules;
}

static bool is_left_out(const struct dkt__tracer *tracer, const char *line)
{
	char *name __cleanup(free) = strndup(line, strcspn(line, " \t"));

	for (size_t i = 0; name && i < tracer->n_without; i++)
		if (!fnmatch(tracer->without[i], name, 0))
			return true;
	return false;
}

/* ---- reading ---- */

bool dkt__functions_unlimited(struct dkt_instance *in)
{
	int fd __cleanup(close) = dkt__tfs_open(in->ctx, O_RDONLY, "%s" FILTER, in->prefix);
	char first = '#';

	return fd < 0 || read(fd, &first, 1) != 1 || first == '#';
}

/*
 * "#### all functions enabled ####" has no module in brackets. The kernel takes its time for this
 * list: some 10 ms for a large module.
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
		if (i == tracer->n_modules || is_left_out(tracer, line))
			return false;
		seen[i] = true;
	}
	for (i = 0; i < tracer->n_modules; i++)
		if (!seen[i])
			return false;
	return true;
}

/* ---- writing ---- */

/* The numbers of the functions, blanks between; NULL: there is no list. The caller frees it. */
static char *list_numbers(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char *list __cleanup(free) = NULL;
	char *line, *end, *numbers = NULL;
	unsigned long nr;
	size_t len;
	FILE *out;

	if (dkt__tfs_read(in->ctx, &list, NULL, "available_filter_functions"))
		return NULL;
	out = open_memstream(&numbers, &len);
	for (line = list, nr = 1; out && *line; line = end, nr++) {
		end = line + strcspn(line, "\n");
		end += *end ? (*end = '\0', 1) : 0;
		if (find_module(tracer, line) < tracer->n_modules && !is_left_out(tracer, line))
			fprintf(out, "%lu ", nr);
	}
	dkt__text_end(out, 0, &numbers);
	return numbers;
}

static int write_numbers(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char *numbers __cleanup(free) = list_numbers(in, tracer);
	int err;

	if (!numbers || !*numbers)
		return -ENOENT;
	err = dkt__tfs_add_words(in->ctx, "functions", numbers, "%s" FILTER, in->prefix);
	if (!err && dkt__modules_are_set(in, tracer))
		return 0;
	dkt__functions_clear(in);
	return err ? err : -ESTALE;
}

/* "!NAME:mod:MODULE" takes functions out again. */
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
			/* A module that has none of them is no error. */
			err = dkt__tfs_add(in->ctx, command, "%s" FILTER, in->prefix);
			err = err == -EINVAL ? 0 : err;
		}
	}
	return err;
}

int dkt__modules_write(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	int err;

	if (!write_numbers(in, tracer))
		return 0;
	err = write_names(in, tracer);
	if (!err && dkt__functions_unlimited(in))
		err = dkt_fail(in->ctx, -EINVAL, "the kernel did not limit it to modules");
	return err;
}
