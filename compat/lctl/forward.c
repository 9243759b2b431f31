/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands that Lustre's lctl runs: which these are, and how they get there. */
#include "compat/lctl/forward.h"

#include <strings.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/real_lctl.h"
#include "compat/lctl/real_session.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

static int print_no_real(const struct lctl *lctl, const char *command, const char *why)
{
	dkl_say_line(stderr, "%s: '%s' is a command of Lustre's lctl: %s", lctl->self, command,
		     why ? why : strerror(ENOMEM));
	return 1;
}

static int run_real(struct lctl *lctl, bool wait, int argc, char **argv)
{
	char *why __cleanup(free) = NULL;
	char **full __cleanup(free) = calloc((size_t)argc + 2, sizeof(*full));
	char name[] = "lctl";
	int status;

	if (!full)
		return 1;
	full[0] = name;
	memcpy(full + 1, argv, (size_t)argc * sizeof(*argv));
	fflush(stdout);
	if (!dkl_real_lctl_run(full, wait, &status, &why))
		return status;
	return print_no_real(lctl, argv[0], why);
}

int dkl_lctl_forward_apart(struct lctl *lctl, int argc, char **argv)
{
	return run_real(lctl, true, argc, argv);
}

int dkl_lctl_forward_line(struct lctl *lctl, char *line)
{
	char *why __cleanup(free) = NULL;
	char *command __cleanup(free) = strndup(line, strcspn(line, " \t"));
	int status;

	/* It takes a tab for a request to complete a word. */
	for (char *tab = line; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	fflush(stdout);
	if (!dkl_real_session_run(&lctl->real, line, lctl->ignore_errors, &status, &why))
		return status;
	print_no_real(lctl, command ? command : line, why);
	return status ? status : 1;
}

int dkl_lctl_forward(struct lctl *lctl, int argc, char **argv)
{
	char *line __cleanup(free) = NULL;

	if (!lctl->session)
		return run_real(lctl, false, argc, argv);
	for (int i = 0; i < argc; i++) {
		char *longer = dkt__format("%s%s%s", line ? line : "", line ? " " : "", argv[i]);

		free(line);
		line = longer;
		if (!line)
			return 1;
	}
	return dkl_lctl_forward_line(lctl, line);
}

/* Returns the one name that the word, in any case, is or abbreviates; NULL: none or several. */
static const char *match_name(char *const *names, size_t n, const char *word)
{
	const char *found = NULL;
	size_t len = strlen(word), matches = 0;

	for (size_t i = 0; i < n; i++) {
		if (strncasecmp(names[i], word, len))
			continue;
		if (!names[i][len])
			return names[i];
		found = names[i];
		matches++;
	}
	return matches == 1 ? found : NULL;
}

void dkl_lctl_ask_commands(struct lctl *lctl)
{
	if (!lctl->asked)
		lctl->commands = dkl_real_lctl_commands(&lctl->n_commands);
	lctl->asked = true;
}

const struct lctl_row *dkl_lctl_find_own(struct lctl *lctl, const char *line)
{
	char *word __cleanup(free) = strndup(line, strcspn(line, " \t\n\v\f\r"));
	const struct lctl_row *row;
	enum lctl_match match = dkl_lctl_row_match(line, &row);
	const char *name;

	if (!word || match == LCTL_NONE)
		return NULL;
	if (strcasecmp(word, row->name)) {
		dkl_lctl_ask_commands(lctl);
		name = match_name(lctl->commands, lctl->n_commands, word);
		if (lctl->n_commands)
			row = name ? dkl_lctl_row_find(name) : NULL;
		else if (match == LCTL_AMBIGUOUS)
			row = NULL;
	}
	return row && row->run && row->run != dkl_lctl_forward ? row : NULL;
}

void dkl_lctl_forget_commands(struct lctl *lctl)
{
	for (size_t i = 0; i < lctl->n_commands; i++)
		free(lctl->commands[i]);
	free(lctl->commands);
	lctl->commands = NULL;
	lctl->n_commands = 0;
	lctl->asked = false;
}
