/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds Lustre's lctl and forwards commands to it that we do not implement. */
#pragma once

#include <stdbool.h>

/*
 * Looks for Lustre's lctl: the program that LCTL_REAL in the environment or `real_lctl = PATH` in
 * dktrace.conf names, otherwise the first lctl on PATH that is not this program (links are
 * followed) and that only root or this user can have put there.
 */
bool dkl_real_lctl_exists(void);

/*
 * Runs Lustre's lctl with argv, which includes argv[0]: in place of this program, or with `wait` in
 * a child, whose exit status it stores. -ENOENT: not found. After an error *why is the reason,
 * which the caller frees; NULL: out of memory.
 */
int dkl_real_lctl_run(char **argv, bool wait, int *status, char **why);
