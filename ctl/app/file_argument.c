/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording or tree to read, for commands that read the kernel without it. */
#include "ctl/app/file_argument.h"
#include "ctl/app/privileges.h"
#include "ctl/app/spawn.h"

#include <unistd.h>

#include "compat/lustre/mask.h"
#include "compat/lustre/select.h"
#include "compat/set/counts.h"
#include "lib/base/buf.h"

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

	return !strcmp(word, SELECT_ALL) || dkl_count_find(word, NULL) ||
	       dkl_mask_bit(MASK_DEBUG, word, len) >= 0 ||
	       dkl_mask_bit(MASK_SUBSYSTEM, word, len) >= 0;
}

/* The command has no context before its files are known. */
static bool is_interval(const char *name)
{
	struct dkt_ctx *ctx;
	bool is = !dkt_ctx_new(NULL, &ctx) && dkt_interval_find(ctx, name, NULL);

	dkt_ctx_free(ctx);
	return is;
}

/* Returns the index at which a file can be; 0: the command does not take a file or a command to run. */
static int place_of_file(const struct app *app, int n, char **argv)
{
	const uint64_t flags = app->command->flags;

	if (flags & CMD_HIST)
		return app->sql ? 1 : 2;
	if (flags & CMD_LATENCY)
		return n > 1 && is_interval(argv[1]) ? 2 : 3;
	if (flags & CMD_STRACE)
		return 1;
	return flags & CMD_ANALYZE ? 2 : 0;
}

/* Returns the index of the file among the n arguments before a command; 0: none is a file. */
static int find_of_hist(const struct app *app, int n, char **argv)
{
	const int at = place_of_file(app, n, argv);

	if (n > at)
		return is_recording(argv[at]) ? at : 0;
	return n == 2 && !is_selection(argv[1]) && is_recording(argv[1]) ? 1 : 0;
}

static int find_of_latency(const struct app *app, int n, char **argv)
{
	const int at = place_of_file(app, n, argv);

	if (n > at)
		return is_recording(argv[at]) ? at : 0;
	/* The list of the pairs that the file has. */
	return n == 2 && at > 2 && is_recording(argv[1]) ? 1 : 0;
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
		at = find_of_latency(app, n, argv);
	else if (app->command->flags & CMD_INPUT)
		at = n == 2 && is_tree(argv[1]) ? 1 : 0;
	if (!at)
		return argc;
	app->input = argv[at];
	memmove(&argv[at], &argv[at + 1], (size_t)(argc - at) * sizeof(*argv));
	return argc - 1;
}

static bool is_missing(const char *word)
{
	return strcmp(word, INPUT_LOG) != 0 && strcmp(word, INPUT_STDIN) != 0 &&
	       access(word, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

int file_argument_check(const struct app *app, int argc, char **argv)
{
	const int n = argc - app->n_command, at = place_of_file(app, n, argv);
	const bool reads_one = app->command->flags & (CMD_HIST | CMD_LATENCY);
	const bool may_run = reads_one && !app->n_command;
	const char *word = at && n > at ? argv[at] : NULL;

	if (!word)
		return 0;
	/* getopt takes an optional value only from the option's own word: in "-w 5" the 5 is an argument. */
	if (app->watch && !*app->watch && !word[strspn(word, "0123456789.")])
		return app_usage("--watch: no space before the seconds: -w%s", word);
	/* These say themselves that a file and a command cannot be combined. */
	if (reads_one && app->input)
		return 0;
	if (is_missing(word) && !(may_run && spawn_finds(word)))
		return app_usage("%s: there is no file '%s'; a command is written after --",
				 argv[0], word);
	return may_run ? spawn_check(argv + at) : 0;
}
