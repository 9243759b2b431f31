/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* __complete: prints the completions of the word that is being typed, for the shell. */
#include "compat/lctl/lctl.h"
#include "ctl/app/commands.h"
#include "ctl/complete/complete.h"

static void offer_commands(const struct app *app, const struct typed *typed)
{
	for (const struct command *command = app->commands; command->name; command++)
		if (!(command->flags & CMD_HIDDEN))
			offer(typed, command->name, "");
}

static void offer_lctl_commands(const struct typed *typed)
{
	const char *name;

	for (size_t i = 0; (name = dkl_lctl_command(i)); i++)
		offer(typed, name, "");
}

static void offer_option(void *data, const char *name)
{
	const struct typed *typed = data;
	char word[40];

	snprintf(word, sizeof(word), "--%s", name);
	offer(typed, word, "");
}

static void complete_lctl(struct app *app, int argc, char **argv, const struct typed *typed)
{
	const struct completing at = { app, command_find(app, argv[0]), argc, argv, *typed };

	if (argc == 1 || (argc == 2 && !strcmp(argv[0], "help")))
		offer_lctl_commands(typed);
	else if (at.command)
		complete_arguments(&at);
}

/* Moves *at past options and their values. */
static void skip_options(const struct command *command, int argc, char **argv, int *at)
{
	while (*at < argc - 1 && *argv[*at] == '-')
		*at += opt_takes(command, argv[*at]) ? 2 : 1;
}

static void complete(struct app *app, int argc, char **argv, struct typed *typed)
{
	struct completing now = { .app = app, .typed = *typed };
	const struct command *command = NULL;
	const struct opt *option;
	int at = 0;

	/* Another program's command follows "--". */
	for (int i = 0; i < argc - 1; i++)
		if (!strcmp(argv[i], "--"))
			return;
	skip_options(NULL, argc, argv, &at);
	if (at < argc - 1)
		command = command_find(app, argv[at]);
	if (at < argc - 1 && !command)
		return;
	option = argc > 1 ? opt_takes(command, argv[argc - 2]) : NULL;
	now.command = command;
	now.argc = argc - at;
	now.argv = argv + at;
	if (option && !(command && command->flags & CMD_LCTL)) {
		complete_value(&now, option);
		return;
	}
	if (!command)
		offer_commands(app, typed);
	else
		complete_arguments(&now);
	if (command && command->flags & CMD_LCTL)
		return;
	/* Offer options only if typed: the shell offers files if it gets no candidates. */
	if (*typed->rest == '-' || !command || !command->max_args)
		opt_each(command, offer_option, typed);
}

/* argv: __complete, the program's name as typed, and its arguments up to the one being typed. */
int cmd_complete(struct app *app, int argc, char **argv)
{
	const char *slash = argc > 1 ? strrchr(argv[1], '/') : NULL;
	const char *word = argv[argc - 1], *equals = strchr(word, '=');
	struct typed typed = typed_new(word, word);

	if (argc < 3)
		return 0;
	if (!strncmp(slash ? slash + 1 : argv[1], "lctl", 4)) {
		complete_lctl(app, argc - 2, argv + 2, &typed);
	} else if (*word == '-' && equals) {
		char *option __cleanup(free) = strndup(word, (size_t)(equals - word));
		const struct command *command = argc > 3 ? command_find(app, argv[2]) : NULL;
		const struct opt *row = option ? opt_takes(command, option) : NULL;

		if (row)
			complete_value(&(struct completing){ app, command, argc - 2, argv + 2,
							     typed_new(word, equals + 1) },
				       row);
	} else {
		complete(app, argc - 2, argv + 2, &typed);
	}
	return 0;
}
