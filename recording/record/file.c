/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a recording while it is written. */
#include "recording/record/file.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "compat/io/output.h"
#include "lib/base/io.h"
#include "lib/inside.h"

/* The part of a file system that stays free: one in so many bytes, and at most so many. */
#define RESERVE_PART 20
#define RESERVE_MAX  (UINT64_C(1) << 30)

static int fail(const struct capture_file *file, const char *action)
{
	int err = -errno;

	return dkt_fail(file->ctx, err, "%s %s: %s", action, file->path, strerror(-err));
}

static int open_stdout(struct capture_file *file)
{
	struct stat st;

	file->path = "standard output";
	if (isatty(STDOUT_FILENO))
		return dkt_fail(
			file->ctx, -EINVAL,
			"a recording is not text: redirect standard output to a file or a pipe");
	file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0 || fstat(file->fd, &st))
		return fail(file, "open");
	file->regular = S_ISREG(st.st_mode);
	return 0;
}

/* -EBUSY if another process records into the file that is there. */
static int check_free(const struct capture_file *file, const char *path)
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 || !flock(fd, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	return dkt_fail(file->ctx, -EBUSY, "open %s: another process records into it", file->path);
}

/* The file itself, also if the user has named a link to it. */
static const char *place_of(const struct capture_file *file)
{
	return file->target ?: file->path;
}

/* Moves an earlier file out of the way. */
static int keep_earlier(struct capture_file *file)
{
	struct stat st;
	int err = dkl_output_check(file->ctx, file->path);

	if (err)
		return dkt__fail_in(file->ctx, err, "open %s", file->path);
	if (!lstat(file->path, &st) && S_ISLNK(st.st_mode))
		file->target = realpath(file->path, NULL);
	if (lstat(place_of(file), &st) || !S_ISREG(st.st_mode))
		return 0;
	err = check_free(file, place_of(file));
	if (!err)
		err = dkl_output_keep_old(file->ctx, place_of(file), &file->kept);
	return err || !file->kept || !unlink(place_of(file)) || errno == ENOENT ?
		       err :
		       fail(file, "replace");
}

static int lock(const struct capture_file *file)
{
	if (!flock(file->fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ?
		       dkt_fail(file->ctx, -EBUSY, "open %s: another process records into it",
				file->path) :
		       fail(file, "lock");
}

static int create(struct capture_file *file)
{
	file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return file->fd < 0 ? fail(file, "create") : 0;
}

int capture_file_create(struct dkt_ctx *ctx, const char *path, struct capture_file *file)
{
	int err;

	*file = (struct capture_file){ .ctx = ctx, .path = path, .fd = -1, .regular = true };
	err = create(file);
	file->created = !err;
	return err ? err : lock(file);
}

int capture_file_open(struct dkt_ctx *ctx, const char *path, struct capture_file *file)
{
	struct stat st;
	int err;

	*file = (struct capture_file){ .ctx = ctx, .path = path, .fd = -1 };
	if (!strcmp(path, "-"))
		return open_stdout(file);
	err = keep_earlier(file);
	if (err)
		return err;
	file->created = lstat(place_of(file), &st) && errno == ENOENT;
	file->fd = dkl_output_open(ctx, path, OUTPUT_READ | OUTPUT_SAY);
	if (file->fd < 0)
		return dkt__fail_in(ctx, file->fd, "open %s", path);
	if (fstat(file->fd, &st))
		return fail(file, "open");
	file->regular = S_ISREG(st.st_mode);
	err = file->regular ? lock(file) : 0;
	if (err)
		return err;
	/* Only now is it certain that nobody else writes to it. */
	if (file->regular && ftruncate(file->fd, 0))
		return fail(file, "empty");
	return 0;
}

void capture_file_close(struct capture_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->kept);
	free(file->target);
	*file = (struct capture_file)CAPTURE_FILE_INIT;
}

/* True if path is the open file. */
static bool is_at(const struct capture_file *file, const char *path)
{
	struct stat now, mine;

	return !fstat(file->fd, &mine) && !lstat(path, &now) && now.st_dev == mine.st_dev &&
	       now.st_ino == mine.st_ino;
}

void capture_file_discard(struct capture_file *file)
{
	if (file->created && file->regular && is_at(file, place_of(file)) &&
	    !unlink(place_of(file)) && file->kept)
		rename(file->kept, place_of(file));
	capture_file_close(file);
}

int capture_file_in(const struct capture_file *file, int err)
{
	return err < 0 ? dkt__fail_in(file->ctx, err, "%s", file->path) : err;
}

uint64_t capture_file_disk(const struct capture_file *file)
{
	struct statvfs fs;

	return file->fd < 0 || fstatvfs(file->fd, &fs) ? 0 : (uint64_t)fs.f_blocks * fs.f_frsize;
}

uint64_t capture_file_room(const struct capture_file *file)
{
	struct statvfs fs;
	uint64_t free_bytes, reserve;

	if (!file->regular || fstatvfs(file->fd, &fs) || !fs.f_blocks)
		return UINT64_MAX;
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	reserve = (uint64_t)fs.f_blocks * fs.f_frsize / RESERVE_PART;
	reserve = DKT__MIN(reserve, RESERVE_MAX);
	return free_bytes > reserve ? free_bytes - reserve : 0;
}

/*
 * NFS drops what the server did not take, and tells only those who wait. This costs little: it has just
 * written all for fstat(2).
 */
static int check_server(const struct capture_file *file)
{
	struct statfs fs;

	if (fstatfs(file->fd, &fs) || fs.f_type != NFS_SUPER_MAGIC || !fsync(file->fd))
		return 0;
	return fail(file, "write");
}

int capture_file_check(const struct capture_file *file)
{
	/* Every trace.dat begins with it. */
	static const char magic[] = "\x17\x08\x44tracing";
	char begin[sizeof(magic) - 1] = "";
	struct stat st;
	ssize_t n;

	if (!file->regular)
		return 0;
	n = dkt__pread_all(file->fd, begin, sizeof(begin), 0);
	/* Standard output may be open for writing only. */
	if (n == -EBADF)
		return 0;
	if (n < 0)
		return dkt_fail(file->ctx, (int)n, "read %s: %s", file->path, strerror((int)-n));
	if (!fstat(file->fd, &st) && !st.st_nlink)
		return dkt_fail(
			file->ctx, -ESTALE,
			"%s has been removed while it was recorded, and its records with it",
			file->path);
	if (n == (ssize_t)sizeof(begin) && !memcmp(begin, magic, sizeof(begin)))
		return check_server(file);
	return dkt_fail(
		file->ctx, -ESTALE,
		"another process has overwritten %s while it was recorded, so its records are"
		" lost",
		file->path);
}

char *capture_file_name(const struct capture_file *file)
{
	char link[40], name[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	n = readlink(link, name, sizeof(name));
	if (n < 0 || n == (ssize_t)sizeof(name))
		return NULL;
	name[n] = '\0';
	return is_at(file, name) ? strdup(name) : NULL;
}
