/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks the directory of a daemon's segments. */
#include "recording/daemon/directory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/io/process_lock.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

#define LOCK "lock"

static bool is_still(const char *path, int lock)
{
	struct stat now, mine;

	return lock >= 0 && !lstat(path, &now) && !fstat(lock, &mine) &&
	       now.st_dev == mine.st_dev && now.st_ino == mine.st_ino;
}

/* The owner of the directory knows the name, and can put anything in its place. */
static int open_lock(const char *path, int flags)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600), err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int take(struct dkt_ctx *ctx, const char *dir, int flags, int *lock)
{
	char *path __cleanup(free) = dkt__format("%s/" LOCK, dir);
	pid_t holder = 0;
	int fd, err;

	if (!path)
		return dkt__no_memory(ctx);
	if (is_still(path, *lock))
		return 0;
	fd = open_lock(path, flags);
	if (fd == -ENOENT && !(flags & O_CREAT))
		return 0;
	err = fd < 0 ? fd : dkl_process_lock(fd, &holder);
	if (!err) {
		dkt__closep(lock);
		*lock = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (err == -EBUSY)
		return dkt_fail(ctx, err,
				"another daemon records into %s; each needs a directory of its own",
				dir);
	return dkt_fail(ctx, err, "lock %s: %s", path,
			err == -EINVAL ? "it is not a regular file" : strerror(-err));
}

int archive_dir_lock(struct dkt_ctx *ctx, const char *dir, int *lock)
{
	return take(ctx, dir, O_CREAT, lock);
}

int archive_dir_check(struct dkt_ctx *ctx, const char *dir, int *lock)
{
	return take(ctx, dir, 0, lock);
}
