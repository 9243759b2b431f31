/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands that can be run on other hosts: one row each. */
#include "ctl/remote/actions.h"

#include "compat/set/param.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "lib/base/buf.h"

static const struct action actions[] = {
	/* clang-format off */
	{ "analyze",       0, 1, NULL },
	{ "clear",         0, 0, NULL },
	{ "dk",            ACTION_LOG, 0, NULL },
	{ "doctor",        0, 0, NULL },
	{ "flight dump",   ACTION_RECORDING | ACTION_NAMES_FILE, 1, table_opts },
	{ "flight file",   ACTION_RECORDING | ACTION_NAMES_FILE, 1, table_opts },
	{ "flight follow", ACTION_FREEZES, 0, flight_opts },
	{ "flight status", 0, 0, table_opts },
	{ "follow",        ACTION_LINES, 0, NULL },
	{ "get_param",     0, -1, NULL },
	{ "mark",          0, -1, NULL },
	{ "record",        ACTION_RECORDING, 0, NULL },
	{ "set_param",     ACTION_SETS, -1, NULL },
	{ "show",          ACTION_LOG, 0, NULL },
	{ "start",         0, 0, NULL },
	{ "status",        0, 0, NULL },
	{ "stop",          0, 0, NULL },
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

/* Returns the command of the action with the options that a key may give; lctl's read their own. */
static struct command command_of(const struct app *app, const struct action *action)
{
	char *name __cleanup(free) = strndup(action->name, strcspn(action->name, " "));
	const struct command *row = name ? command_find(app, name) : NULL;
	struct command command = { .flags = row ? row->flags : CMD_LCTL };

	if (action->options)
		command.options[0] = action->options;
	else if (row)
		memcpy(command.options, row->options, sizeof(command.options));
	return command;
}

/*
 * Returns how many arguments an option takes up, or 0 if a key may not give it. Long names must be whole,
 * and each letter is a word of its own, so that no other option hides in it.
 */
static int option_words(const struct command *command, const char *word)
{
	const bool is_long = word[1] == '-';
	const char *name = word + 1 + is_long;
	const size_t len = is_long ? strcspn(name, "=") : !!*name;
	const struct opt *opt = len > is_long ? opt_find(command, name, len) : NULL;

	if (!opt || !(opt->flags & OPT_FAR) || command->flags & CMD_LCTL)
		return 0;
	if (opt->arg)
		return name[len] ? 1 : 2;
	return !name[len];
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

int action_check(const struct app *app, const struct action *action, int argc, char **argv)
{
	const struct command command = command_of(app, action);
	struct dkt_ctx *ctx = app->ctx;
	bool needs_stdout = writes_file(action);
	int args = 0, words;

	for (int i = 0; i < argc; i += words) {
		const bool option = argv[i][0] == '-';

		words = option ? option_words(&command, argv[i]) : 1;
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
