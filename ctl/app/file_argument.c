/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording or tree to read, for commands that read the kernel without it. */
#include "ctl/app/file_argument.h"
#include "ctl/app/groups.h"
#include "ctl/app/privileges.h"
#include "ctl/app/spawn.h"
#include "ctl/app/watch.h"

#include <unistd.h>

#include "lib/base/buf.h"

/* access() asks with the user's own rights, stat() would not. */
static bool has(const char *directory, const char *name)
{
	char *path __cleanup(free) = dkt__format("%s/%s", directory, name);

	return path && !access(path, F_OK);
}

bool file_argument_is_file(const char *word)
{
	if (!strcmp(word, INPUT_LOG))
		return true;
	return !strcmp(word, INPUT_STDIN) || (*word && has(word, ".")) ||
	       (!access(word, F_OK) && access(word, X_OK));
}

int file_argument_find_tree(const struct app *app, int n, char **argv)
{
	(void)app;
	/* Another directory may be the output of the style ctf. */
	return n == 2 && has(argv[1], "per_cpu") ? 1 : n;
}

/* Returns the index at which a file can be, or n. */
static int find_file(const struct app *app, int n, char **argv)
{
	const struct command *command = app->command;

	if (command->find_file)
		return command->find_file(app, n, argv);
	if (!(command->flags & CMD_COMMAND && command->flags & CMD_READ))
		return n;
	return command->flags & CMD_READ_NAMED ? 2 : 1;
}

int file_argument_take(struct app *app, int argc, char **argv)
{
	const int n = argc - app->n_command;
	const int at = app->input || !app->command->find_file ? n : find_file(app, n, argv);

	if (at >= n || !file_argument_is_file(argv[at]))
		return argc;
	app->input = argv[at];
	memmove(&argv[at], &argv[at + 1], (size_t)(argc - at) * sizeof(*argv));
	return argc - 1;
}

int file_argument_insert(struct app *app, int argc, char ***argv)
{
	const unsigned int flags = app->command->flags;
	const int at = flags & CMD_READ_NAMED ? argc - app->n_command : 1;
	const int first = flags & CMD_READ_NAMED ? 2 : 1;

	if (flags & CMD_READ_PROFILE && !app->input && argc == first)
		app->input = "perf.data";
	if (!app->input || !(flags & CMD_READ))
		return argc;
	/* The option itself has left a place. */
	memmove(*argv - 1, *argv, (size_t)at * sizeof(**argv));
	(*argv)--;
	(*argv)[at] = (char *)(uintptr_t)app->input;
	app->input = NULL;
	return argc + 1;
}

static bool is_missing(const char *word)
{
	return strcmp(word, INPUT_LOG) != 0 && strcmp(word, INPUT_STDIN) != 0 &&
	       access(word, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

int file_argument_check(const struct app *app, int argc, char **argv)
{
	const int n = argc - app->n_command, at = find_file(app, n, argv);
	const bool reads_one = app->command->find_file;
	const bool may_run = reads_one && !app->n_command;
	const char *watch = OPT(app, watch)->watch, *word = n > at ? argv[at] : NULL;

	if (!word)
		return 0;
	/* getopt takes an optional value only from the option's own word: in "-w 5" the 5 is an argument. */
	if (watch && !*watch && !word[strspn(word, "0123456789.")])
		return app_usage("--watch: no space before the seconds: -w%s", word);
	/* These say themselves that a file and a command cannot be combined. */
	if (reads_one && app->input)
		return 0;
	if (is_missing(word) && !(may_run && spawn_finds(word)))
		return app_usage("%s: there is no file '%s'; a command is written after --",
				 argv[0], word);
	return may_run ? spawn_check(argv + at) : 0;
}
