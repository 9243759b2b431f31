/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One function for each of lctl's commands; argv[0] is the name that the user typed. */
#pragma once

#include "base/guess.h"
#include "lctl/lctl.h"
#include "lctl/param/opts.h"

/* They return lctl's exit status. */
int lctl_cmd_clear(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_debug_daemon(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_debug_list(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_device_list(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_df(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_dk(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_filter(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_find_param(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_get_param(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_help(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_ignore_errors(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_list_commands(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_list_param(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_mark(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_modules(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_quit(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_set_param(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_show(struct lctl *lctl, int argc, char **argv);
int lctl_cmd_version(struct lctl *lctl, int argc, char **argv);

/* Runs the real lctl in the command's place; says so if there is none. */
int lctl_hand_on(struct lctl *lctl, int argc, char **argv);

/*
 * Prints a parameter that is a file for root only, where the kernel tells others by netlink. 1: it
 * is none, or this is root; -errno: told.
 */
int lctl_get_by_netlink(struct lctl *lctl, const char *name, const struct param_opts *opts);

/* In a line of their own, if lctl's hints are asked for: the guess, and that of a parameter. */
void lctl_hint(const struct lctl *lctl, struct dkt__guess *guess);
void lctl_hint_param(const struct lctl *lctl, const char *name);

/* Prints the command's help, as after a wrong use; returns the status for that. */
int lctl_usage(const char *command);

/* The general help. */
void lctl_help(const struct lctl *lctl);

/* Prints the words of the context's last failure. */
void lctl_say(const struct lctl *lctl);
