/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The real lctl, for commands that are not ours. */
#ifndef COMPAT_REAL_LCTL_H
#define COMPAT_REAL_LCTL_H

/*
 * Becomes the real lctl with the same arguments: the program named by LCTL_REAL in the environment,
 * else the first lctl on PATH that is not this program and whose directory only its owner may
 * change. Returns only if there is none.
 */
void real_lctl_exec(char **argv);

#endif
