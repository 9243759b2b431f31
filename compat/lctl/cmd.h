/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One function for each of lctl's commands; argv[0] is the name that the user typed. */
#pragma once

#include <stdbool.h>

#include "compat/lctl/lctl.h"
#include "compat/lctl/param/list.h"
#include "compat/lustre/binary/sort.h"
#include "lib/base/guess.h"

/* Each command returns lctl's exit status. */
int dkl_lctl_cmd_clear(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_debug_daemon(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_debug_list(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_device_list(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_df(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_dk(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_filter(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_find_param(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_get_param(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_help(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_ignore_errors(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_list_commands(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_list_param(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_mark(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_modules(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_quit(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_set_param(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_show(struct lctl *lctl, int argc, char **argv);
int dkl_lctl_cmd_version(struct lctl *lctl, int argc, char **argv);

/*
 * Prints a parameter whose file only root can read, but which the kernel sends to all users over
 * netlink. 1: not such a parameter, or the user is root; -errno: failed, with a message printed.
 */
int dkl_lctl_get_by_netlink(struct lctl *lctl, const char *name, const struct param_opts *opts);

/* Print a guess, or the guess for a parameter's name, on a line of its own if hints are on. */
void dkl_lctl_hint(const struct lctl *lctl, struct dkt__guess *guess);
void dkl_lctl_hint_param(const struct lctl *lctl, const char *name);

/* Prints the help of a command that was used wrongly; returns the exit status for that. */
int dkl_lctl_usage(const char *command);

/* Prints the context's error message. */
void dkl_lctl_print_error(const struct lctl *lctl);

/* Prints the thirteen lines of Lustre's lctl about an invalid record; data is not used. */
void dkl_lctl_print_bad(void *data, uint64_t offset, const struct record_head *head);

/* Reports damage that Lustre's lctl does not report. */
void dkl_lctl_print_damage(const struct lctl *lctl, const char *name,
			   const struct record_counts *counts);

/* Runs lines until the end or a failure; returns the exit status. */
int dkl_session_run(struct lctl *lctl);

/*
 * Returns the words that complete the last word of the line. The caller frees them and the array.
 */
char **dkl_session_complete(struct lctl *lctl, const char *line, size_t *n);
