/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file system that SQLite sees for a database in an open file. */
#include "answers/sql/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/io.h"
#include "lib/base/util.h"

#define NAME "dktrace"

struct main_file {
	sqlite3_file base;
	int fd;
	int *err;
};

static int fd_of(const sqlite3_file *file)
{
	return ((const struct main_file *)file)->fd;
}

/* ---- the file ---- */

static int close_main(sqlite3_file *file)
{
	return close(fd_of(file)) ? SQLITE_IOERR_CLOSE : SQLITE_OK;
}

static int read_main(sqlite3_file *file, void *bytes, int len, sqlite3_int64 at)
{
	ssize_t n = dkt__pread_all(fd_of(file), bytes, (size_t)len, (uint64_t)at);

	if (n < 0)
		return SQLITE_IOERR_READ;
	/* SQLite wants zeroes after the end. */
	memset((char *)bytes + n, 0, (size_t)(len - n));
	return n == len ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_main(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 at)
{
	int err = dkt__pwrite_all(fd_of(file), bytes, (size_t)len, (uint64_t)at);

	if (!err)
		return SQLITE_OK;
	*((const struct main_file *)file)->err = err;
	return SQLITE_IOERR_WRITE;
}

static int truncate_main(sqlite3_file *file, sqlite3_int64 size)
{
	return ftruncate(fd_of(file), size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

/* A file that is not complete is not used, so that it is not synchronized. */
static int sync_main(sqlite3_file *file, int flags)
{
	(void)file, (void)flags;
	return SQLITE_OK;
}

static int size_of_main(sqlite3_file *file, sqlite3_int64 *size)
{
	struct stat st;

	if (fstat(fd_of(file), &st))
		return SQLITE_IOERR_FSTAT;
	*size = st.st_size;
	return SQLITE_OK;
}

/* Nobody else has the file. */
static int lock_main(sqlite3_file *file, int level)
{
	(void)file, (void)level;
	return SQLITE_OK;
}

static int check_lock(sqlite3_file *file, int *locked)
{
	(void)file;
	*locked = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *file, int what, void *value)
{
	(void)file, (void)what, (void)value;
	return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *file)
{
	(void)file;
	return 4096;
}

static int traits(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_main,
	.xRead = read_main,
	.xWrite = write_main,
	.xTruncate = truncate_main,
	.xSync = sync_main,
	.xFileSize = size_of_main,
	.xLock = lock_main,
	.xUnlock = lock_main,
	.xCheckReservedLock = check_lock,
	.xFileControl = control,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = traits,
};

/* ---- names ---- */

static int open_one(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *to)
{
	struct open_file *opened = (struct open_file *)vfs;
	int fd;

	if (!(flags & SQLITE_OPEN_MAIN_DB))
		return opened->usual->xOpen(opened->usual, name, file, flags, to);
	*(struct main_file *)file = (struct main_file){ 0 };
	fd = fcntl(opened->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return SQLITE_CANTOPEN;
	*(struct main_file *)file = (struct main_file){ { &methods }, fd, &opened->err };
	if (to)
		*to = flags;
	return SQLITE_OK;
}

/* The database has no journal. A file with the name of a journal belongs to somebody else. */
static int remove_name(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_OK;
}

static int check_name(sqlite3_vfs *vfs, const char *name, int flags, int *has)
{
	(void)vfs, (void)name, (void)flags;
	*has = 0;
	return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int room, char *to)
{
	(void)vfs;
	sqlite3_snprintf(room, to, "%s", name);
	return SQLITE_OK;
}

int open_file_connect(struct open_file *file, int fd, sqlite3 **sqlite)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
	int rc;

	if (!usual)
		return SQLITE_ERROR;
	*file = (struct open_file){ .vfs = *usual, .usual = usual, .fd = fd };
	file->vfs.pNext = NULL;
	file->vfs.zName = NAME;
	file->vfs.szOsFile = DKT__MAX(usual->szOsFile, (int)sizeof(struct main_file));
	file->vfs.xOpen = open_one;
	file->vfs.xDelete = remove_name;
	file->vfs.xAccess = check_name;
	file->vfs.xFullPathname = full_name;
	/* Other connections need not find it. */
	rc = sqlite3_vfs_register(&file->vfs, 0);
	if (rc)
		return rc;
	rc = sqlite3_open_v2(NAME, sqlite, flags, NAME);
	sqlite3_vfs_unregister(&file->vfs);
	return rc;
}
