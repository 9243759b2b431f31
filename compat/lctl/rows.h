/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of lctl's commands, and the search in it for a name or an abbreviation. */
#pragma once

#include "lctl/lctl.h"

struct lctl_row {
	const char *name; /* or a heading in the list of commands */
	int (*run)(struct lctl *lctl, int argc, char **argv); /* NULL: a heading */
	const char *help; /* NULL: the real lctl has it */
};

/* The rows in lctl's order; NULL after the last. */
const struct lctl_row *lctl_row_next(const struct lctl_row *row);

/* The row of exactly that name, no heading; NULL: none. */
const struct lctl_row *lctl_row_find(const char *name);

enum lctl_match {
	LCTL_NONE,
	LCTL_UNIQUE, /* or the whole name */
	LCTL_AMBIGUOUS,
};

/*
 * Finds the command that the line's first word abbreviates, in any case; *row is the first
 * match, which may be a heading. The line begins with the word.
 */
enum lctl_match lctl_row_match(const char *line, const struct lctl_row **row);

/* Tells all that the line's first word could be short for. */
void lctl_tell_ambiguous(const char *line, const struct lctl_row *first);
