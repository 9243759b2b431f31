/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Privileges that the program's file gave this process, such as the capabilities of setcap(8): the
 * process runs without them, and uses them only for the kernel's files and its own in /run. So a
 * path that the user names is opened with the user's own rights, whatever opens it.
 */
#pragma once

#include <stdbool.h>
#include <sys/capability.h>
#include <sys/types.h>

/* True if this process has privileges that its user has not. */
bool dkt__is_gained(void);

/*
 * The effective capabilities of before; "before" is NULL if nothing has changed. Variables of it are there
 * for their end, so nothing need use them.
 */
struct __attribute__((unused)) dkt__gained {
	cap_t before;
	int uid, gid; /* of files */
};

/*
 * Makes the gained privileges effective, if there are any, until the end of the block:
 *
 *	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
 *
 * wanted: the path does not depend on the user. A failure shows when the file is opened.
 */
struct dkt__gained dkt__gained(bool wanted);

/* The same, if the user cannot have planted anything on the absolute path; not if NULL. */
struct dkt__gained dkt__gained_at(const char *path);

/* The same for files in an open directory. */
struct dkt__gained dkt__gained_in(int dirfd);

void dkt__gained_endp(const struct dkt__gained *gained);
