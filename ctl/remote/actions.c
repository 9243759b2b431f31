/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands that can be run on other hosts: one row each. */
#include "ctl/remote/actions.h"

#include "compat/set/param.h"
#include "lib/base/buf.h"

#define SELECT                                                                                     \
	"c class u subsystem e event f filter p pid C cpu comm s since U until rate B instance "
/* Without --probe, which can name a program. */
#define RECORD                                                                                     \
	"c class u subsystem e event f filter p pid C cpu comm stack buffer-size compression "     \
	"t duration time max-size B instance "

static const struct action actions[] = {
	/* clang-format off */
	{ "analyze",       0, SELECT "t duration time n top sort k keys by group-by took period ", "json csv raw-text ", 1 },
	{ "clear",         0, "", "", 0 },
	{ "dk",            ACTION_LOG, SELECT "S style ", "raw-text ", 0 },
	{ "doctor",        0, "B instance ", "json csv ", 0 },
	{ "flight dump",   ACTION_RECORDING | ACTION_NAMES_FILE, "B instance ", "", 1 },
	{ "flight file",   ACTION_RECORDING | ACTION_NAMES_FILE, "B instance ", "", 1 },
	{ "flight follow", ACTION_FREEZES, "B instance ", "freeze ", 0 },
	{ "flight status", 0, "B instance ", "json csv ", 0 },
	{ "follow",        ACTION_LINES, SELECT "S style t duration time ", "raw-text stamp ", 0 },
	{ "get_param",     0, "", "", -1 },
	{ "mark",          0, "", "", -1 },
	{ "record",        ACTION_RECORDING, RECORD, "all children ", 0 },
	{ "set_param",     ACTION_SETS, "", "", -1 },
	{ "show",          ACTION_LOG, SELECT "S style ", "raw-text ", 0 },
	{ "start",         0, "B instance ", "", 0 },
	{ "status",        0, "B instance ", "json csv ", 0 },
	{ "stop",          0, "B instance ", "", 0 },
	/* clang-format on */
};

/* ---- finding ---- */

/* Returns the words of the name if the arguments begin with them, or 0. */
static int matches(const struct action *action, int argc, char **argv)
{
	const char *space = strchr(action->name, ' ');
	const size_t len = space ? (size_t)(space - action->name) : strlen(action->name);

	if (!argc || strlen(argv[0]) != len || strncmp(argv[0], action->name, len) != 0)
		return 0;
	if (!space)
		return 1;
	return argc > 1 && !strcmp(argv[1], space + 1) ? 2 : 0;
}

/* Returns the names with commas between, which the caller frees. */
static char *list_names(void)
{
	char *list = strdup(actions[0].name);

	for (size_t i = 1; list && i < ARRAY_SIZE(actions); i++) {
		char *before = list;

		list = dkt__format("%s, %s", before, actions[i].name);
		free(before);
	}
	return list;
}

const struct action *action_find(struct dkt_ctx *ctx, int argc, char **argv, int *words)
{
	const bool two = argc > 1 && !strcmp(argv[0], "flight");
	char *names __cleanup(free) = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		*words = matches(&actions[i], argc, argv);
		if (*words)
			return &actions[i];
	}
	names = list_names();
	dkt_fail(ctx, -EINVAL, "'%s%s%s' is not one of %s", argc ? argv[0] : "", two ? " " : "",
		 two ? argv[1] : "", names ? names : "the commands for other hosts");
	return NULL;
}

/* ---- checking ---- */

/* True if the list, of words with a space after each, has the word. */
static bool has(const char *list, const char *word, size_t len)
{
	for (const char *end; (end = strchr(list, ' ')); list = end + 1)
		if ((size_t)(end - list) == len && !strncmp(list, word, len))
			return true;
	return false;
}

/*
 * Returns how many arguments an option takes up, or 0 if it is not in the row. Long names must be whole,
 * and each letter is a word of its own, so that no other option hides in it.
 */
static int option_words(const struct action *action, const char *word)
{
	const bool is_long = word[1] == '-';
	const char *name = word + 1 + is_long;
	const char *equals = is_long ? strchr(name, '=') : NULL;
	const size_t len = equals ? (size_t)(equals - name) : is_long ? strlen(name) : 1;

	if (!*name)
		return 0;
	if (has(action->options, name, len))
		return equals || (!is_long && name[1]) ? 1 : 2;
	return !equals && (is_long || !name[1]) && has(action->switches, name, len) ? 1 : 0;
}

/* True if the action would write its recording to a file of its own choice. */
static bool writes_file(const struct action *action)
{
	return action->flags & ACTION_RECORDING && !(action->flags & ACTION_NAMES_FILE);
}

/* True for the words that send a recording to standard output; collect writes them so. */
static bool is_stdout(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[0], "-o") && !strcmp(argv[1], "-");
}

/* Some of Lustre's parameters name a file to write, or a program that root runs: identity_upcall. */
static bool is_own_param(const char *word)
{
	char *name __cleanup(free) = strndup(word, strcspn(word, "="));

	return name && dkl_param_find(name);
}

int action_check(struct dkt_ctx *ctx, const struct action *action, int argc, char **argv)
{
	bool needs_stdout = writes_file(action);
	int args = 0, words;

	for (int i = 0; i < argc; i += words) {
		const bool option = argv[i][0] == '-';

		words = option ? option_words(action, argv[i]) : 1;
		if (needs_stdout && is_stdout(argc - i, argv + i)) {
			needs_stdout = false;
			words = 2;
		}
		if (!words || (!option && args++ == action->max_args))
			return dkt_fail(ctx, -EACCES, "%s: '%s' is not allowed by --allow",
					action->name, argv[i]);
		if (action->flags & ACTION_SETS && !is_own_param(argv[i]))
			return dkt_fail(ctx, -EACCES,
					"%s: '%s' is not allowed by --allow: it is no parameter of"
					" the debug log",
					action->name, argv[i]);
	}
	if (needs_stdout)
		return dkt_fail(ctx, -EACCES,
				"%s: --allow lets it write to standard output only:"
				" '-o -'",
				action->name);
	return 0;
}
