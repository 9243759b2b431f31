/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A directory for the temporary files of this process alone, in that for those of all. A confined process
 * then needs no right to the files of others there. Another process removes it, also after a kill.
 */
#pragma once

#include <sys/types.h>

#include "lib/base/util.h"

struct dkt__cage;

/* All zeroes: there is none. */
struct dkt__own_dir {
	char *path;
	pid_t pid; /* of the process that removes it */
	int end; /* of the connection to it; it waits until this is closed */
};

/*
 * Creates it, and gives the cage the right to it; dkt__unnamed_file() and SQLite use it from then on. Call it
 * before there are threads. Returns 0 or -errno.
 */
int dkt__own_dir_make(struct dkt__own_dir *own, struct dkt__cage *cage);

void dkt__own_dir_remove(struct dkt__own_dir *own);
