/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* help: describes the program and each command. */
#include "app/app.h"

int cmd_help(struct app *app, int argc, char **argv)
{
	const struct command *command = NULL;

	if (argc > 1) {
		command = command_find(app, argv[1]);
		if (!command)
			return command_unknown(app, argv[1]);
	}
	app_help(app, command);
	return 0;
}
