/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A lock that a process holds until it ends, and of which the kernel tells who holds it. No child
 * inherits it. Closing any descriptor of the file releases it, so the file has no other use.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Returns the process that holds the lock of the file; 0: no process. */
pid_t dkl_process_lock_holder(int fd);

/*
 * Locks the file for this process. Waits for a holder that was killed and is about to end. -EBUSY:
 * the process *holder has the lock.
 */
int dkl_process_lock(int fd, pid_t *holder);

/* True if the process is about to end because of SIGKILL; it keeps its locks until it has ended. */
bool dkl_process_is_killed(pid_t pid);
