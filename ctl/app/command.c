/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of commands: finds a command, and prints the help. */
#include <ctype.h>

#include "ctl/app/app.h"

const struct command *command_find(const struct app *app, const char *name)
{
	for (const struct command *row = app->commands; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

int command_unknown(const struct app *app, const char *name)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, name, strlen(name));
	for (const struct command *row = app->commands; row->name; row++)
		if (!(row->flags & CMD_HIDDEN))
			dkt__guess_try(&guess, row->name);
	return app_usage("unknown command '%s'; 'dktrace help' lists the commands%s", name,
			 dkt__guess_words(&guess));
}

static void list_group(const struct app *app, enum command_group group)
{
	static const char *const headings[N_GROUPS] = {
		[GROUP_LOG] = "The log",
		[GROUP_RECORDING] = "Recording into files",
		[GROUP_READING] = "Reading files",
		[GROUP_ANSWERS] = "Answers, live and from files",
		[GROUP_LUSTRE] = "Answers from Lustre's logs",
		[GROUP_HOSTS] = "Many hosts",
		[GROUP_SETTINGS] = "Settings: what is recorded, and when",
		[GROUP_MACHINE] = "What there is",
	};

	printf("\n%s:\n", headings[group]);
	for (const struct command *row = app->commands; row->name; row++)
		if (row->group == group && !(row->flags & CMD_HIDDEN))
			printf("  %-12s %s\n", row->name, row->help);
}

void app_help(const struct app *app, const struct command *command)
{
	if (command) {
		printf("Usage: dktrace %s%s%s%s\n%c%s.\n", command->name,
		       command->flags & CMD_LCTL ? "" : " [OPTION...]", *command->args ? " " : "",
		       command->args, toupper(command->help[0]), command->help + 1);
		printf("\nOptions%s:\n", command->flags & CMD_LCTL ? " before the command" : "");
		opt_help(command, stdout);
		return;
	}
	printf("Usage: dktrace [OPTION...] COMMAND [ARGUMENT...]\n"
	       "Lustre's debug log on the kernel's own tracer.\n");
	for (int group = 0; group < N_GROUPS; group++)
		list_group(app, (enum command_group)group);
	printf("\nOptions before any command:\n");
	opt_help(NULL, stdout);
	printf("\nTo start with:\n"
	       "    dktrace set_param debug=+vfstrace    record file system calls\n"
	       "    dktrace dk                           print the log and empty it\n"
	       "    dktrace reset                        restore the machine\n"
	       "\n'dktrace help COMMAND' prints more, 'dktrace help slow disk' the commands for a task,\n"
	       "'dktrace help tasks' all tasks; see also dktrace(1) and lctl-dktrace(8).\n");
}
