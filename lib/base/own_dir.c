/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory for the temporary files of this process alone. */
#include "lib/base/own_dir.h"

#include <fcntl.h>

#include "lib/base/buf.h"
#include "lib/base/cage.h"
#include "lib/base/io.h"
#include "lib/base/servant.h"

/* A killed process can leave files that are removed as soon as they are open. */
static void remove_all(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

/* The other process keeps no file open. */
static void wait_and_remove(const char *path, int connection)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char byte;

	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	dup2(connection, STDERR_FILENO + 1);
	dkt__close_range(STDERR_FILENO + 2, UINT32_MAX);
	while (read(STDERR_FILENO + 1, &byte, 1) < 0 && errno == EINTR)
		;
	remove_all(path);
}

static int start(struct dkt__own_dir *own)
{
	own->pid = dkt__servant_fork(&own->end);
	if (!own->pid) {
		wait_and_remove(own->path, own->end);
		_exit(0);
	}
	return DKT__MIN(own->pid, 0);
}

static int make(struct dkt__own_dir *own)
{
	int err;

	own->path = dkt__format("%s/.dktrace-XXXXXX", dkt__temporary_dir());
	if (!own->path)
		return -ENOMEM;
	err = mkdtemp(own->path) ? start(own) : -errno;
	if (!err && (setenv(DKT__OWN_DIR, own->path, 1) || setenv("SQLITE_TMPDIR", own->path, 1)))
		err = -ENOMEM;
	if (err) {
		rmdir(own->path);
		free(own->path);
		*own = (struct dkt__own_dir){ 0 };
	}
	return err;
}

int dkt__own_dir_make(struct dkt__own_dir *own, struct dkt__cage *cage)
{
	const int err = make(own);

	/* If there is no room for it, a file may yet have some. */
	return err == -ENOMEM ? err :
				dkt__cage_allow(cage, err ? dkt__temporary_dir() : own->path,
						DKT__CAGE_WRITE);
}

void dkt__own_dir_remove(struct dkt__own_dir *own)
{
	if (!own->path)
		return;
	dkt__servant_end(own->pid, &own->end);
	free(own->path);
	*own = (struct dkt__own_dir){ 0 };
}
