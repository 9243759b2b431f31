/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One function for each of lctl's commands; argv[0] is the word that it was called by. */
#ifndef COMPAT_LCTL_CMD_H
#define COMPAT_LCTL_CMD_H

#include "lctl.h"

/* They return lctl's exit status. */
int lctl_cmd_debug_daemon(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_df(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_dk(struct lctl *lctl, int argc, char **argv);

/* Prints the words of the context's last failure. */
void lctl_say(const struct lctl *lctl);

#endif
