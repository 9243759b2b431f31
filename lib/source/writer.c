/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether another process writes a file that is being read. */
#include "lib/source/writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/base/memory.h"

#define INFO_MAX (1 << 16)

/* True if this descriptor holds a lock: a test would take the lock away. */
static bool is_locked_here(int fd)
{
	char name[48], *text __cleanup(free) = NULL;
	int info __cleanup(close) = -1;
	size_t len;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	info = open(name, O_RDONLY | O_CLOEXEC);
	return info < 0 || dkt__read_fd(info, INFO_MAX, &text, &len) || strstr(text, "FLOCK");
}

/* Holds the lock for a moment; those that record try more than once to get it. */
static bool is_locked(int fd)
{
	char name[48];
	int own __cleanup(close) = -1;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	own = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return own >= 0 && flock(own, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

bool dkt__file_is_written(const struct dkt__file *file)
{
	struct stat st;

	if (fstat(file->fd, &st) || !S_ISREG(st.st_mode) || is_locked_here(file->fd))
		return false;
	/* The writer may have ended meanwhile. */
	return is_locked(file->fd) || (!fstat(file->fd, &st) && (uint64_t)st.st_size > file->size);
}
