/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes take turns to change the files of a directory. */
#include "lib/base/turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/base/util.h"

#define TRIES   100
#define WAIT_US 10000

/* The one that had the turn may have removed the directory. */
static bool is_at(int fd, const char *dir)
{
	struct stat have, place;

	return !fstat(fd, &have) && !stat(dir, &place) && have.st_dev == place.st_dev &&
	       have.st_ino == place.st_ino;
}

int dkt__turn_begin(const char *dir, int flags)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);

	if (fd < 0)
		return -errno;
	for (int tries = 0; tries < TRIES && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	     tries++)
		usleep(WAIT_US);
	if (is_at(fd, dir))
		return fd;
	close(fd);
	return -ENOENT;
}
