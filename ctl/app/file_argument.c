/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording or tree to read, for commands that read the kernel without it. */
#include "app/file_argument.h"
#include "app/privileges.h"

#include <unistd.h>

#include "base/buf.h"
#include "lustre/mask.h"
#include "lustre/select.h"
#include "set/counts.h"
#include "set/pairs.h"

/* access() asks with the user's own rights, stat() would not. */
static bool has(const char *directory, const char *name)
{
	char *path __cleanup(free) = dkt__format("%s/%s", directory, name);

	return path && !access(path, F_OK);
}

/* The log, a file, standard input or a directory, and no program. */
static bool is_recording(const char *word)
{
	if (!strcmp(word, INPUT_LOG))
		return true;
	return !strcmp(word, INPUT_STDIN) || (*word && has(word, ".")) ||
	       (!access(word, F_OK) && access(word, X_OK));
}

/* A saved tree of tracefs. Another directory may be the output of the style ctf. */
static bool is_tree(const char *word)
{
	return has(word, "per_cpu");
}

static bool is_selection(const char *word)
{
	const size_t len = strlen(word);

	return !strcmp(word, SELECT_ALL) || count_find(word, NULL) ||
	       mask_bit(MASK_DEBUG, word, len) >= 0 || mask_bit(MASK_SUBSYSTEM, word, len) >= 0;
}

/* Returns the index of the file among the n arguments before a command; 0: none is a file. */
static int find_of_hist(const struct app *app, int n, char **argv)
{
	const int at = app->sql ? 1 : 2;

	if (n > at)
		return is_recording(argv[at]) ? at : 0;
	return n == 2 && !is_selection(argv[1]) && is_recording(argv[1]) ? 1 : 0;
}

static int find_of_latency(int n, char **argv)
{
	const bool pair = n > 1 && latency_pair_find(argv[1], NULL);
	const int at = pair ? 2 : 3;

	if (n > at)
		return is_recording(argv[at]) ? at : 0;
	/* The list of the pairs that the file has. */
	return n == 2 && !pair && is_recording(argv[1]) ? 1 : 0;
}

int file_argument_take(struct app *app, int argc, char **argv)
{
	const int n = argc - app->n_command;
	int at = 0;

	if (app->input)
		return argc;
	if (app->command->flags & CMD_HIST)
		at = find_of_hist(app, n, argv);
	else if (app->command->flags & CMD_LATENCY)
		at = find_of_latency(n, argv);
	else if (app->command->flags & CMD_INPUT)
		at = n == 2 && is_tree(argv[1]) ? 1 : 0;
	if (!at)
		return argc;
	app->input = argv[at];
	memmove(&argv[at], &argv[at + 1], (size_t)(argc - at) * sizeof(*argv));
	return argc - 1;
}
