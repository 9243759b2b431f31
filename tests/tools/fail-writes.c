/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preloaded, it acts as a file system with a quota that is used up: each write() to a file fails with EDQUOT, or
 * with FAIL_AT=close only the close() after it, as on NFS.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#define NEXT(call) ((__typeof__(&(call)))dlsym(RTLD_NEXT, #call))

/* True for files on disks that the process writes. */
static bool is_output(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && !fstatfs(fd, &fs) &&
	       fs.f_type != TRACEFS_MAGIC && fs.f_type != PROC_SUPER_MAGIC &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

static bool fails_at(const char *call, int fd)
{
	const char *at = getenv("FAIL_AT");

	if (strcmp(at ? at : "write", call) != 0 || !is_output(fd))
		return false;
	errno = EDQUOT;
	return true;
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	return fails_at("write", fd) ? -1 : NEXT(write)(fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
	return fails_at("write", fd) ? -1 : NEXT(pwrite)(fd, bytes, len, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at)
{
	return fails_at("write", fd) ? -1 : NEXT(pwrite64)(fd, bytes, len, at);
}

int close(int fd)
{
	const bool fails = fails_at("close", fd);
	int rc = NEXT(close)(fd);

	if (!fails)
		return rc;
	errno = EDQUOT;
	return -1;
}
