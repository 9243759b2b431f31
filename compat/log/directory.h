/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug log's directory in /run: who owns it, the lock of changes, its removal. */
#pragma once

#include "log/debuglog.h"

/* Makes the directory and the one above it where they are missing. -EPERM: others can write there. */
int log_dir_make(struct debuglog *log);

/* Opens the directory to look at it; without one dirfd stays -1. */
int log_dir_open(struct debuglog *log);

/* Makes the directory and takes its lock, again if a reset comes between: changes take turns. */
int log_dir_enter(struct debuglog *log);
void log_dir_leave(struct debuglog *log);

/* Whether a change was killed half way. A change that is under way does not count. */
bool log_dir_was_interrupted(struct debuglog *log);

/* Renames the directory before it is removed: who waits for its lock sees that it is the log's no more. */
int log_dir_remove(struct debuglog *log);
