/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes take turns to change the files of a directory. */
#pragma once

/*
 * Waits for the turn, which is a lock on the directory. flags: further ones for open(2). Returns a descriptor,
 * whose closing ends the turn, or -errno. -ENOENT: the directory does not exist, or was removed meanwhile. A
 * process that keeps the turn delays the others by a second, but cannot stop them. NFS does not lock
 * directories: there nobody waits.
 */
int dkt__turn_begin(const char *dir, int flags);
