/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds Lustre's lctl, and runs it once for one command. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Looks for Lustre's lctl: the program that LCTL_REAL in the environment or `real_lctl = PATH` in
 * dktrace.conf names, otherwise the first lctl on PATH that is not this program (links are
 * followed) and that only root or this user can have put there. Returns the path, or NULL with the
 * reason in *why; the caller frees both. *why NULL: out of memory.
 */
char *dkl_real_lctl_find(char **why);

bool dkl_real_lctl_exists(void);

/* Becomes the program at path; returns only if that fails, with errno set. */
void dkl_real_lctl_become(const char *path, char **argv);

/*
 * Runs Lustre's lctl with argv, which includes argv[0]: in place of this program, or with `wait` in
 * a child, whose exit status it stores. -ENOENT: not found. After an error *why is the reason,
 * which the caller frees; NULL: out of memory.
 */
int dkl_real_lctl_run(char **argv, bool wait, int *status, char **why);

/*
 * Asks Lustre's lctl which commands the installed build has. n 0: there is no Lustre lctl, or it
 * does not tell. The caller frees the names and the array.
 */
char **dkl_real_lctl_commands(size_t *n);
