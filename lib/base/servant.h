/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that this one starts to work for it, and waits for. */
#pragma once

#include <sys/types.h>

#include "lib/base/util.h"

/*
 * Starts a servant: a process that ends when this one closes its end of a connection, or is killed, and
 * not before, whatever signals come to all of their group. Sets *fd to the caller's end. Returns 0 in the
 * servant, its process ID in this process, or -errno.
 */
pid_t dkt__servant_fork(int *fd);

/*
 * Closes the connection, and waits until the servant has ended its work. fd -1: no servant runs; pid 0: another
 * process waits for it.
 */
void dkt__servant_end(pid_t pid, int *fd);

/* waitpid() that goes on after a signal. Returns as it does; status NULL: the caller does not want it. */
pid_t dkt__wait(pid_t pid, int *status, int flags);

/* Returns a descriptor that can be read when the process has ended, or -1: kernels before 5.3 do not have this call. */
int dkt__process_open(pid_t pid);
