/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of lctl's commands, and the search in it for a name or an abbreviation. */
#pragma once

#include "compat/lctl/lctl.h"

struct lctl_row {
	const char *name; /* or a heading in the list of commands */
	int (*run)(struct lctl *lctl, int argc, char **argv); /* NULL: a heading */
	const char *help; /* NULL: only Lustre's lctl has it */
};

/* Returns the row after this one in lctl's order, the first if row is NULL; NULL after the last. */
const struct lctl_row *dkl_lctl_row_next(const struct lctl_row *row);

/* Returns the command of exactly that name, or NULL. */
const struct lctl_row *dkl_lctl_row_find(const char *name);

enum lctl_match {
	LCTL_NONE,
	LCTL_UNIQUE, /* one row matches, or one has exactly this name */
	LCTL_AMBIGUOUS,
};

/*
 * Finds the command that the line's first word abbreviates, in any case. *row is the first match,
 * which may be a heading. The line must not begin with a space.
 */
enum lctl_match dkl_lctl_row_match(const char *line, const struct lctl_row **row);

/* Prints all commands that the line's first word abbreviates. */
void dkl_lctl_print_ambiguous(const char *line, const struct lctl_row *first);

/*
 * True if the line's first word is a command, or the beginning of one, that only other builds and
 * releases of Lustre's lctl have.
 */
bool dkl_lctl_is_elsewhere(const char *line);
