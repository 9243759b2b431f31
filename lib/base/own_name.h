/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names that only one process has: PREFIX-PID-TIME, its number and its start in ticks since boot. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Builds a name for this process, which the caller frees, with mark for "-". Returns 0 or -errno. */
int dkt__own_name(const char *prefix, char mark, char **name);

/* True if the name is such a one, with mark for "-", of a process that has exited. */
bool dkt__own_is_stale(const char *name, const char *prefix, char mark);

/*
 * Returns 1 if the name is that of a process that has exited, 0 if the process lives. -EINVAL: the name is not
 * for one process only.
 */
int dkt__own_exited(const char *name);

/* Returns the process that the name is for, if it lives; 0: there is none. */
pid_t dkt__own_process(const char *name);
