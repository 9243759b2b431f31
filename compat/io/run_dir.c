/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates and checks directories for files that last until the next boot. */
#include "compat/io/run_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"

/* RENAME_NOREPLACE, which musl lacks, like the call. */
#define NO_REPLACE 1

int dkl_run_dir_check(struct dkt_ctx *ctx, const char *path)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(path);
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT || errno == EACCES ?
			       0 :
			       dkt_fail(ctx, -errno, "check %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode) && (!st.st_uid || st.st_uid == geteuid()) &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	return dkt_fail(
		ctx, -EPERM,
		"use %s: users other than root can write to it (owner %u, mode %04o); remove it",
		path, (unsigned int)st.st_uid, (unsigned int)st.st_mode & 07777);
}

/* It gets its name when it is root's, so that nobody sees it as another user's. */
static int create_for_root(struct dkt_ctx *ctx, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char *hidden __cleanup(free) =
		dkt__format("%.*s.%s.%d", (int)(name - path), path, name, (int)getpid());
	int err;

	if (!hidden)
		return dkt__no_memory(ctx);
	if (mkdir(hidden, 0700) && errno != EEXIST)
		return dkt_fail(ctx, -errno, "create %s: %s", path, strerror(errno));
	if (lchown(hidden, 0, 0))
		err = dkt_fail(
			ctx, -EPERM,
			"create %s: it must belong to root; run this as root or with cap_chown",
			path);
	else if (!syscall(SYS_renameat2, AT_FDCWD, hidden, AT_FDCWD, path, NO_REPLACE))
		return 1;
	else if (errno == EEXIST)
		err = dkl_run_dir_check(ctx, path);
	else
		err = dkt_fail(ctx, -errno, "create %s: %s", path, strerror(errno));
	rmdir(hidden);
	return err;
}

static int create(struct dkt_ctx *ctx, const char *path)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(path);
	struct stat st;

	if (!lstat(path, &st))
		return dkl_run_dir_check(ctx, path);
	if (geteuid())
		return create_for_root(ctx, path);
	if (!mkdir(path, 0700))
		return 1;
	return errno == EEXIST ? dkl_run_dir_check(ctx, path) :
				 dkt_fail(ctx, -errno, "create %s: %s", path, strerror(errno));
}

int dkl_run_dir_create(struct dkt_ctx *ctx, const char *path)
{
	int err = create(ctx, RUN_DIR);

	return err < 0 || !path ? err : create(ctx, path);
}
