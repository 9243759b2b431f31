/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs lctl's commands: finds the row of a command; the commands about commands, such as help. */
#include "lctl/lctl.h"

#include <ctype.h>

#include "base/util.h"
#include "io/say.h"
#include "lctl/cmd.h"
#include "lctl/real_lctl.h"
#include "lctl/rows.h"
#include "lctl/session.h"
#include "set/param.h"

/* A wrong use of a command that then prints its help. */
#define STATUS_HELP 4

/* Whose words these are; scripts compare it. `dktrace --version` is about this program. */
#define WORDS_OF "2.17.57"

/* Columns of the list of commands. */
#define COLUMNS      4
#define COLUMN_WIDTH 20

void lctl_say(const struct lctl *lctl)
{
	fprintf(stderr, "%s: %s\n", lctl->self, dkt_error(lctl->ctx));
}

void lctl_hint(const struct lctl *lctl, struct dkt__guess *guess)
{
	if (lctl->hints && guess->best[0])
		say_line(stderr, "%s: did you mean %s?", lctl->self, guess->best);
}

void lctl_hint_param(const struct lctl *lctl, const char *name)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, name, strlen(name));
	param_guess(&guess);
	lctl_hint(lctl, &guess);
}

int lctl_usage(const char *command)
{
	printf("%s\n", lctl_row_find(command)->help);
	return STATUS_HELP;
}

/* ---- the real lctl ---- */

int lctl_hand_on(struct lctl *lctl, int argc, char **argv)
{
	char *words __cleanup(free) = NULL;
	char **whole __cleanup(free) = calloc((size_t)argc + 2, sizeof(*whole));
	char name[] = "lctl";
	int status;

	if (!whole)
		return 1;
	whole[0] = name;
	memcpy(whole + 1, argv, (size_t)argc * sizeof(*argv));
	fflush(stdout);
	if (!real_lctl_run(whole, lctl->session, &status, &words))
		return status;
	say_line(stderr, "%s: '%s' is a command of Lustre's lctl: %s", lctl->self, argv[0],
		 words ? words : strerror(ENOMEM));
	return 1;
}

/* ---- commands about commands ---- */

int lctl_cmd_quit(struct lctl *lctl, int argc, char **argv)
{
	(void)argc, (void)argv;
	lctl->done = true;
	return 0;
}

int lctl_cmd_ignore_errors(struct lctl *lctl, int argc, char **argv)
{
	(void)argc, (void)argv;
	lctl->ignore_errors = true;
	return 0;
}

int lctl_cmd_version(struct lctl *lctl, int argc, char **argv)
{
	(void)argc, (void)argv;
	printf("%s " WORDS_OF "\n", lctl->self);
	return 0;
}

/* A name that is too wide pushes the next ones on, as far as they have room. */
int lctl_cmd_list_commands(struct lctl *lctl, int argc, char **argv)
{
	const struct lctl_row *row = NULL;
	int column = 0, over = 0;

	(void)lctl, (void)argc, (void)argv;
	while ((row = lctl_row_next(row))) {
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

void lctl_help(const struct lctl *lctl)
{
	printf("usage: %s [COMMAND] [OPTIONS]... [ARGS]\n"
	       "Without any parameters, interactive mode is invoked\n"
	       "Try '%s help <COMMAND>', or '%s --list-commands' for a list of commands.\n",
	       lctl->self, lctl->self, lctl->self);
}

static void tell_unknown(const struct lctl *lctl, const char *word)
{
	say_line(stderr, "%s: '%s' is not a valid command. See '%s --list-commands'.", lctl->self,
		 word, lctl->self);
}

static void tell_incomplete(const char *line)
{
	say_line(stderr, "'%s' incomplete command.", line);
}

/* The help of a command that Lustre's lctl explains. */
static int help_elsewhere(struct lctl *lctl, const char *word, const struct lctl_row *row)
{
	char help[] = "help";
	char *name __cleanup(free) = strdup(row->name);
	char *argv[] = { help, name, NULL };

	if (real_lctl_is_there())
		return lctl_hand_on(lctl, 2, argv);
	say_line(stderr, "%s: a command of Lustre's lctl, which was not found", word);
	return 0;
}

static int help_one(struct lctl *lctl, const char *word)
{
	const struct lctl_row *row;
	enum lctl_match match = lctl_row_match(word, &row);

	if (match == LCTL_NONE)
		tell_unknown(lctl, word);
	else if (match == LCTL_AMBIGUOUS)
		lctl_tell_ambiguous(word, row);
	else if (!row->run)
		tell_incomplete(word);
	else if (row->help)
		fprintf(stderr, "%s: %s\n", word, row->help);
	else
		return help_elsewhere(lctl, word, row);
	return 0;
}

int lctl_cmd_help(struct lctl *lctl, int argc, char **argv)
{
	int rc = 0;
	bool was = lctl->session;

	if (argc < 2)
		lctl_help(lctl);
	for (int i = 1; i < argc; i++) {
		lctl->session = was || i + 1 < argc;
		rc = help_one(lctl, argv[i]);
	}
	lctl->session = was;
	return rc;
}

/* ---- dispatch ---- */

const char *lctl_command(size_t i)
{
	const struct lctl_row *row = NULL;

	while ((row = lctl_row_next(row)))
		if (row->run && !i--)
			return row->name;
	return NULL;
}

int lctl_run(struct lctl *lctl, int argc, char **argv)
{
	return lctl_row_find(argv[0])->run(lctl, argc, argv);
}

/* Words have blanks or tabs between them; nothing is quoted. */
static int split_words(char *line, char ***words)
{
	size_t room = strlen(line) / 2 + 2;
	char *save = NULL;
	int n = 0;

	*words = calloc(room, sizeof(**words));
	if (!*words)
		return -ENOMEM;
	for (char *word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		(*words)[n++] = word;
	return n;
}

static int run_row(struct lctl *lctl, const struct lctl_row *row, char *line)
{
	char **argv __cleanup(free) = NULL;
	char *name __cleanup(free) = NULL;
	int argc = split_words(line, &argv);

	if (argc <= 0)
		return argc ? 1 : 0;
	/* The real one takes abbreviations only in a session of its own. */
	if (row->run == lctl_hand_on) {
		name = strndup(row->name, strcspn(row->name, " "));
		argv[0] = name ? name : argv[0];
	}
	return row->run(lctl, argc, argv);
}

int lctl_run_line(struct lctl *lctl, char *line)
{
	const struct lctl_row *row;
	enum lctl_match match;
	size_t len;

	while (isspace((unsigned char)*line))
		line++;
	if (!*line)
		return 0;
	match = lctl_row_match(line, &row);
	if (match == LCTL_AMBIGUOUS) {
		lctl_tell_ambiguous(line, row);
		return 0;
	}
	if (match == LCTL_UNIQUE && row->run)
		return run_row(lctl, row, line);
	len = strcspn(line, " \t");
	if (match == LCTL_UNIQUE && !line[len])
		tell_incomplete(line);
	else
		lctl_help(lctl);
	return 0;
}

int lctl_main(struct lctl *lctl, int argc, char **argv)
{
	/* Keeps stdout and stderr in order, also with forwarded commands between. */
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (argc < 2)
		return session_run(lctl);
	if (lctl_row_find(argv[1]))
		return lctl_run(lctl, argc - 1, argv + 1);
	/* It may be of another release and know more. */
	if (real_lctl_is_there())
		return lctl_hand_on(lctl, argc - 1, argv + 1);
	tell_unknown(lctl, argv[1]);
	return 1;
}
