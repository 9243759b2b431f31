/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds Lustre's lctl and forwards commands to it that we do not implement. */
#pragma once

#include <stdbool.h>

/*
 * The real lctl is the program that LCTL_REAL in the environment or `real_lctl = PATH` in
 * dktrace.conf names, else the first lctl on PATH that is not this program, also not through
 * links, and that nobody but its owner could have put there.
 */
bool real_lctl_is_there(void);

/*
 * Runs it with the arguments, argv[0] included: in place of this program, or, to come back, beside
 * it with its exit status. -ENOENT: there is none; why says what was looked for, and the caller
 * frees it.
 */
int real_lctl_run(char **argv, bool come_back, int *status, char **why);
