/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands that Lustre's lctl runs: which these are, and how they get there. */
#pragma once

#include "compat/lctl/rows.h"

/*
 * Runs the command in Lustre's lctl: in the one of this session, otherwise in place of this program.
 * Prints an error message if that cannot run. Returns the exit status.
 */
int dkl_lctl_forward(struct lctl *lctl, int argc, char **argv);

/* The same in a process of its own, which it waits for. */
int dkl_lctl_forward_apart(struct lctl *lctl, int argc, char **argv);

/* The same for a line of a session, which it modifies. */
int dkl_lctl_forward_line(struct lctl *lctl, char *line);

/*
 * Returns the row of a command that this program runs itself, or NULL. The installed build of Lustre's
 * lctl decides what an abbreviation means, because a server's has more commands than a client's.
 */
const struct lctl_row *dkl_lctl_find_own(struct lctl *lctl, const char *line);

/* Fills in the commands of the installed build, once. */
void dkl_lctl_ask_commands(struct lctl *lctl);

void dkl_lctl_forget_commands(struct lctl *lctl);
