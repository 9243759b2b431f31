/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes lines of lctl's sessions: the command, its arguments, names and patterns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/lctl/rows.h"
#include "compat/set/param.h"
#include "tests/fuzz/replay.h"

/* Commands that only change the session; others would change the machine. */
static const char *const harmless[] = { "filter", "show", "help", "version", "list-commands" };

static bool is_harmless(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (!strcmp(harmless[i], name))
			return true;
	return false;
}

static void check_line(struct lctl *lctl, char *line)
{
	const struct lctl_row *row;
	enum lctl_match match;

	line += strspn(line, " \t\n\v\f\r");
	match = dkl_lctl_row_match(line, &row);
	if ((match == LCTL_NONE) != !row)
		abort();
	if (match == LCTL_AMBIGUOUS)
		dkl_lctl_print_ambiguous(line, row);
	if (match != LCTL_UNIQUE || (row->run && is_harmless(row->name)))
		dkl_lctl_run_line(lctl, line);
}

static void check_name(const char *line)
{
	char *name = strdup(line);
	size_t len = strlen(line);

	if (!name)
		return;
	dkl_tree_clean(name, len & 1);
	if (strlen(name) > len || (*name && strchr(name + 1, '\\')))
		abort();
	/* Alternatives of alternatives take their time. */
	if (len < 60)
		dkl_param_name_fits("subsystem_debug", name);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lctl lctl = { .self = "lctl" };
	char *text = strndup((const char *)data, size), *line, *save = NULL;
	FILE *out = stdout, *err = stderr, *null = fopen("/dev/null", "we");

	setenv("LCTL_REAL", "/nonexistent", 1);
	/* glibc's streams are variables; the fuzzer keeps writing to its own. */
	if (null)
		stdout = stderr = null;
	for (line = text && null ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		check_name(line);
		check_line(&lctl, line);
	}
	stdout = out;
	stderr = err;
	if (null)
		fclose(null);
	free(text);
	return 0;
}
