/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs lctl's commands: finds the row of a command; the commands about commands, such as help. */
#include "compat/lctl/lctl.h"

#include <ctype.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/forward.h"
#include "compat/lctl/real_lctl.h"
#include "compat/lctl/rows.h"
#include "compat/set/param.h"
#include "lib/base/util.h"

/* Exit status of a command that was used wrongly and prints its help. */
#define STATUS_HELP 4

/*
 * The Lustre release whose lctl this is, unless one is installed; scripts compare it.
 * `dktrace --version` prints dktrace's.
 */
#define LUSTRE_VERSION "2.17.57"

/* Columns of the list of commands. */
#define COLUMNS      4
#define COLUMN_WIDTH 20

void dkl_lctl_print_error(const struct lctl *lctl)
{
	fprintf(stderr, "%s: %s\n", lctl->self, dkt_error(lctl->ctx));
}

void dkl_lctl_hint(const struct lctl *lctl, struct dkt__guess *guess)
{
	if (lctl->hints && guess->best[0])
		dkl_say_line(stderr, "%s: did you mean %s?", lctl->self, guess->best);
}

void dkl_lctl_hint_param(const struct lctl *lctl, const char *name)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, name, strlen(name));
	dkl_param_guess(&guess);
	dkl_lctl_hint(lctl, &guess);
}

int dkl_lctl_usage(const char *command)
{
	printf("%s\n", dkl_lctl_row_find(command)->help);
	return STATUS_HELP;
}

/* ---- commands about commands ---- */

int dkl_lctl_cmd_quit(struct lctl *lctl, int argc, char **argv)
{
	(void)argc, (void)argv;
	lctl->done = true;
	return 0;
}

int dkl_lctl_cmd_ignore_errors(struct lctl *lctl, int argc, char **argv)
{
	(void)argc, (void)argv;
	lctl->ignore_errors = true;
	return 0;
}

int dkl_lctl_cmd_version(struct lctl *lctl, int argc, char **argv)
{
	if (dkl_real_lctl_exists())
		return dkl_lctl_forward(lctl, argc, argv);
	printf("%s " LUSTRE_VERSION "\n", lctl->self);
	return 0;
}

/* A name wider than its column takes the extra width from the padding of the next names. */
int dkl_lctl_cmd_list_commands(struct lctl *lctl, int argc, char **argv)
{
	const struct lctl_row *row = NULL;
	int column = 0, over = 0;

	if (dkl_real_lctl_exists())
		return dkl_lctl_forward(lctl, argc, argv);
	while ((row = dkl_lctl_row_next(row))) {
		if (row->run) {
			over += printf("%-*s ", COLUMN_WIDTH - 1 - over, row->name) - COLUMN_WIDTH;
			over = over > 0 ? over : 0;
			column++;
		}
		if (column == COLUMNS || (column && !row->run)) {
			putchar('\n');
			column = over = 0;
		}
		if (!row->run)
			printf("\n%s\n", row->name);
	}
	if (column)
		putchar('\n');
	return 0;
}

/* Prints the general help. */
static void print_help(const struct lctl *lctl)
{
	printf("usage: %s [COMMAND] [OPTIONS]... [ARGS]\n"
	       "Without any parameters, interactive mode is invoked\n"
	       "Try '%s help <COMMAND>', or '%s --list-commands' for a list of commands.\n",
	       lctl->self, lctl->self, lctl->self);
}

static void print_unknown(const struct lctl *lctl, const char *word)
{
	dkl_say_line(stderr, "%s: '%s' is not a valid command. See '%s --list-commands'.",
		     lctl->self, word, lctl->self);
}

static void print_incomplete(const char *line)
{
	dkl_say_line(stderr, "'%s' incomplete command.", line);
}

/* Lustre's lctl has the help of its own commands. */
static int forward_help(struct lctl *lctl, char *word, bool last)
{
	char help[] = "help";
	char *argv[] = { help, word, NULL };

	return last || lctl->session ? dkl_lctl_forward(lctl, 2, argv) :
				       dkl_lctl_forward_apart(lctl, 2, argv);
}

static void help_without_real(struct lctl *lctl, const char *word)
{
	const struct lctl_row *row;
	enum lctl_match match = dkl_lctl_row_match(word, &row);

	if (match == LCTL_AMBIGUOUS)
		dkl_lctl_print_ambiguous(word, row);
	else if (match == LCTL_UNIQUE && !row->run)
		print_incomplete(word);
	else if (match == LCTL_UNIQUE || dkl_lctl_is_elsewhere(word))
		dkl_say_line(stderr, "%s: a command of Lustre's lctl, which was not found", word);
	else
		print_unknown(lctl, word);
}

int dkl_lctl_cmd_help(struct lctl *lctl, int argc, char **argv)
{
	int rc = 0;

	if (argc < 2)
		print_help(lctl);
	for (int i = 1; i < argc; i++) {
		const struct lctl_row *row = dkl_lctl_find_own(lctl, argv[i]);

		if (row)
			fprintf(stderr, "%s: %s\n", argv[i], row->help);
		else if (dkl_real_lctl_exists())
			rc = forward_help(lctl, argv[i], i + 1 == argc);
		else
			help_without_real(lctl, argv[i]);
	}
	return rc;
}

/* ---- dispatch ---- */

const char *dkl_lctl_command(size_t i)
{
	const struct lctl_row *row = NULL;

	while ((row = dkl_lctl_row_next(row)))
		if (row->run && !i--)
			return row->name;
	return NULL;
}

int dkl_lctl_run(struct lctl *lctl, int argc, char **argv)
{
	return dkl_lctl_row_find(argv[0])->run(lctl, argc, argv);
}

/* Splits at spaces and tabs; there is no quoting. Returns the number of words or -ENOMEM. */
static int split_words(char *line, char ***words)
{
	size_t max = strlen(line) / 2 + 2;
	char *save = NULL;
	int n = 0;

	*words = calloc(max, sizeof(**words));
	if (!*words)
		return -ENOMEM;
	for (char *word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		(*words)[n++] = word;
	return n;
}

static int run_row(struct lctl *lctl, const struct lctl_row *row, char *line)
{
	char **argv __cleanup(free) = NULL;
	int argc = split_words(line, &argv);

	if (argc <= 0)
		return argc ? 1 : 0;
	return row->run(lctl, argc, argv);
}

/* A script must not take a command that did not run for one that did. */
static int run_without_real(struct lctl *lctl, char *line)
{
	const struct lctl_row *row;
	enum lctl_match match = dkl_lctl_row_match(line, &row);

	if (match == LCTL_AMBIGUOUS) {
		dkl_lctl_print_ambiguous(line, row);
		return 0;
	}
	if (match == LCTL_UNIQUE ? row->run != NULL : dkl_lctl_is_elsewhere(line))
		return dkl_lctl_forward_line(lctl, line);
	if (match == LCTL_UNIQUE && !line[strcspn(line, " \t")])
		print_incomplete(line);
	else
		print_help(lctl);
	return 0;
}

int dkl_lctl_run_line(struct lctl *lctl, char *line)
{
	const struct lctl_row *row;

	while (isspace((unsigned char)*line))
		line++;
	if (!*line)
		return 0;
	row = dkl_lctl_find_own(lctl, line);
	if (row)
		return run_row(lctl, row, line);
	return dkl_real_lctl_exists() ? dkl_lctl_forward_line(lctl, line) :
					run_without_real(lctl, line);
}

static int run_main(struct lctl *lctl, int argc, char **argv)
{
	if (argc < 2)
		return dkl_session_run(lctl);
	if (dkl_lctl_row_find(argv[1]))
		return dkl_lctl_run(lctl, argc - 1, argv + 1);
	/* Lustre's lctl may be of another release or build, with more commands. */
	if (dkl_real_lctl_exists() || dkl_lctl_is_elsewhere(argv[1]))
		return dkl_lctl_forward(lctl, argc - 1, argv + 1);
	print_unknown(lctl, argv[1]);
	return 1;
}

int dkl_lctl_main(struct lctl *lctl, int argc, char **argv)
{
	int rc;

	/* Keep stdout and stderr in order, also around the output of a forwarded command. */
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	rc = run_main(lctl, argc, argv);
	dkl_lctl_forget_commands(lctl);
	return rc;
}
