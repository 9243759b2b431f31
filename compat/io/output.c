/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens an output file safely in a directory where other users can replace files. */
#include "compat/io/output.h"

#include <fcntl.h>
#include <limits.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/inside.h"

/* Another process can replace the file between our steps. */
#define TRIES 8

/* The bits of a mode that a file keeps. A confined process cannot give the others; see lib/base/cage.h. */
#define KEPT_MODE 0775

struct place {
	struct dkt_ctx *ctx;
	int dirfd;
	struct stat dir;
	const char *name; /* in the directory; "" for the directory itself */
};

static int refuse(struct place *place, int err)
{
	return dkt_fail(place->ctx, err, "%s", strerror(-err));
}

/* All users can create files there, but remove only their own. */
static bool is_sticky(const struct stat *dir)
{
	return (dir->st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
}

/* True if another user may have put the file there as a trap. */
static bool is_planted(const struct stat *dir, const struct stat *st)
{
	return is_sticky(dir) && st->st_uid != geteuid() && st->st_uid != dir->st_uid;
}

/* ---- directories ---- */

static int check_link(struct place *place, const char *name)
{
	struct stat st;

	if (fstatat(place->dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return refuse(place, -errno);
	if (!S_ISLNK(st.st_mode) || !is_planted(&place->dir, &st))
		return 0;
	return dkt_fail(place->ctx, -EACCES,
			"'%s' is a link of user %u in a directory that everyone can write to;"
			" remove it or name another file",
			name, (unsigned int)st.st_uid);
}

static void leave_place(struct place *place)
{
	if (place->dirfd != AT_FDCWD)
		close(place->dirfd);
}

/* Enters a directory; follows a link only if that is safe. */
static int enter(struct place *place, const char *name)
{
	int fd, err = check_link(place, name);

	if (err)
		return err;
	fd = openat(place->dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse(place, -errno);
	leave_place(place);
	place->dirfd = fd;
	return fstat(fd, &place->dir) ? refuse(place, -errno) : 0;
}

/* Walks to the directory of path. Changes path, which must outlive the place. */
static int find_place(struct place *place, char *path)
{
	int err = *path ? 0 : refuse(place, -ENOENT);
	char *slash;

	place->dirfd = AT_FDCWD;
	if (!err && stat(".", &place->dir))
		err = refuse(place, -errno);
	if (!err && *path == '/')
		err = enter(place, "/");
	while (!err && (slash = strchr(path, '/'))) {
		*slash = '\0';
		if (*path)
			err = enter(place, path);
		path = slash + 1;
	}
	place->name = path;
	if (err)
		leave_place(place);
	return err;
}

/* ---- files ---- */

/* True if another user owns the file, or may have created this link to it. */
static bool is_foreign(const struct place *place, const struct stat *st)
{
	return st->st_uid != geteuid() || (st->st_nlink > 1 && is_sticky(&place->dir));
}

/* Replaces the file of another user. -EAGAIN: it was removed, so a new file can be created. */
static int replace(struct place *place, const struct stat *st, unsigned int flags)
{
	if (flags & OUTPUT_GO_ON)
		return dkt_fail(place->ctx, -EPERM,
				"it belongs to user %u; remove it or name another file",
				(unsigned int)st->st_uid);
	return unlinkat(place->dirfd, place->name, 0) ? refuse(place, -errno) : -EAGAIN;
}

/* Removes the setuid, setgid and sticky bits of the open file, and empties it if wanted. */
static int clean(struct place *place, int fd, const struct stat *st, unsigned int flags)
{
	if (st->st_mode & 07000 && st->st_uid == geteuid() && fchmod(fd, st->st_mode & KEPT_MODE))
		return refuse(place, -errno);
	if (flags & OUTPUT_EMPTY && ftruncate(fd, 0))
		return refuse(place, -errno);
	return 0;
}

/* Says so if it has to wait, which looks like a hang otherwise. */
static int open_pipe(struct place *place, unsigned int flags, int how)
{
	int fd = openat(place->dirfd, place->name, how | O_NONBLOCK);

	if (fd >= 0 && fcntl(fd, F_SETFL, 0)) {
		close(fd);
		return -1;
	}
	if (fd >= 0 || errno != ENXIO)
		return fd;
	if (flags & OUTPUT_SAY)
		dkt__log(place->ctx, DKT_LOG_WARN, "%s is a pipe: waiting for a process to read it",
			 place->name);
	return openat(place->dirfd, place->name, how);
}

/* Opens the existing file. -EAGAIN: it was removed in the meantime. */
static int open_existing(struct place *place, unsigned int flags, int how, int *out)
{
	int fd __cleanup(close) = -1, err = check_link(place, place->name);
	struct stat st, opened;

	if (!err && fstatat(place->dirfd, place->name, &st, AT_SYMLINK_NOFOLLOW))
		err = refuse(place, -errno);
	if (err)
		return err == -ENOENT ? -EAGAIN : err;
	if (S_ISREG(st.st_mode) && is_foreign(place, &st))
		return replace(place, &st, flags);
	if (S_ISFIFO(st.st_mode) && is_planted(&place->dir, &st))
		return dkt_fail(place->ctx, -EACCES,
				"it is a pipe of user %u in a directory that everyone can"
				" make one",
				(unsigned int)st.st_uid);
	/* The target of a link may not exist yet. */
	how |= S_ISLNK(st.st_mode) ? O_CREAT : O_NOFOLLOW;
	/* Whoever could read a pipe himself would not hear that its reader has gone, and wait for ever. */
	if (S_ISFIFO(st.st_mode))
		how = (how & ~(O_ACCMODE | O_CREAT)) | O_WRONLY;
	/* A pipe may take the place of the file now. */
	how |= S_ISREG(st.st_mode) ? O_NONBLOCK : 0;
	how |= O_NOCTTY | O_CLOEXEC;
	fd = S_ISFIFO(st.st_mode) ? open_pipe(place, flags, how) :
				    openat(place->dirfd, place->name, how, 0600);
	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? -EAGAIN : refuse(place, -errno);
	if (fstat(fd, &opened))
		return refuse(place, -errno);
	if (!S_ISLNK(st.st_mode) && (st.st_dev != opened.st_dev || st.st_ino != opened.st_ino))
		return -EAGAIN;
	if (S_ISREG(opened.st_mode))
		err = clean(place, fd, &opened, flags);
	if (!err) {
		*out = fd;
		fd = -1;
	}
	return err;
}

static int open_at(struct place *place, unsigned int flags)
{
	int how = flags & OUTPUT_READ ? O_RDWR : O_WRONLY, fd, err;

	if (!*place->name)
		return refuse(place, -EISDIR);
	for (int tries = 0; tries < TRIES; tries++) {
		fd = openat(place->dirfd, place->name,
			    how | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return refuse(place, -errno);
		err = open_existing(place, flags, how, &fd);
		if (err != -EAGAIN)
			return err ? err : fd;
	}
	return refuse(place, -EAGAIN);
}

/* Calls act for the place of path. */
static int at_place(struct dkt_ctx *ctx, const char *path, unsigned int flags,
		    int (*act)(struct place *place, unsigned int flags))
{
	char *copy __cleanup(free) = strdup(path);
	struct place place = { .ctx = ctx };
	int ret = copy ? 0 : -ENOMEM;

	if (ret)
		return ret;
	ret = find_place(&place, copy);
	if (!ret) {
		ret = act(&place, flags);
		leave_place(&place);
	}
	return ret;
}

int dkl_output_open(struct dkt_ctx *ctx, const char *path, unsigned int flags)
{
	return at_place(ctx, path, flags, open_at);
}

static int check_at(struct place *place, unsigned int flags)
{
	(void)flags;
	return *place->name ? check_link(place, place->name) : 0;
}

int dkl_output_check(struct dkt_ctx *ctx, const char *path)
{
	int err = at_place(ctx, path, 0, check_at);

	return err == -ENOENT ? 0 : err;
}

char *dkl_output_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to));

	if (n < 0 || n == (ssize_t)sizeof(to))
		return NULL;
	return dkt__format("%.*s%.*s", slash && *to != '/' ? (int)(slash + 1 - path) : 0, path,
			   (int)n, to);
}

/* Gives the file its second name, in place of an older file, which stays if that fails. */
static int name_old(const char *path, const char *old)
{
	char *temp __cleanup(free) = dkt__format("%s.%d", path, (int)getpid());
	int err;

	if (!temp)
		return -ENOMEM;
	if (link(path, temp))
		/* Some file systems have no links. */
		return rename(path, old) ? -errno : 0;
	err = rename(temp, old) ? -errno : 0;
	/* rename() leaves two names of one file. */
	unlink(temp);
	return err;
}

int dkl_output_keep_old(struct dkt_ctx *ctx, const char *path, char **kept)
{
	char *old __cleanup(free) = NULL;
	struct stat st;
	int err;

	*kept = NULL;
	if (lstat(path, &st))
		return errno == ENOENT ?
			       0 :
			       dkt_fail(ctx, -errno, "write %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	old = dkt__format("%s.old", path);
	if (!old)
		return -ENOMEM;
	err = name_old(path, old);
	if (err)
		return dkt_fail(ctx, err, "keep the earlier %s as %s: %s; name another file", path,
				old, strerror(-err));
	*kept = old;
	old = NULL;
	return 0;
}

/* ---- privileges ---- */

/* True if the user can create or replace a file at path, or write to a device there. */
static bool can_write(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir __cleanup(free) = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;

	if (faccessat(AT_FDCWD, dir ? dir : ".", W_OK | X_OK, AT_EACCESS))
		return false;
	return !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) || errno != EACCES;
}

int dkl_output_keep(struct dkt_ctx *ctx, const char *path, unsigned int *keep)
{
	const char *tmp = secure_getenv("TMPDIR");
	int err = dkt__caps_lower(ctx, DKT__LOWER_ALL);

	if (err)
		return err;
	if (path && strcmp(path, "-") && !can_write(path))
		*keep |= DKT__KEEP_OUTPUT;
	if (tmp && *tmp && faccessat(AT_FDCWD, tmp, W_OK | X_OK, AT_EACCESS))
		*keep |= DKT__KEEP_OUTPUT;
	return dkt__caps_raise(ctx);
}

mode_t dkl_output_mode(const char *path, mode_t fresh)
{
	mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return fresh & ~mask;
	return st.st_mode & KEPT_MODE;
}

/* ---- files that cannot grow ---- */

int dkl_full_advise(struct dkt_ctx *ctx, int err)
{
	const char *advice = dkt__full_advice(err);
	char *words __cleanup(free) = *advice ? dkt__error_take(ctx) : NULL;

	return words ? dkt_fail(ctx, err, "%s%s", words, advice) : err;
}

int dkl_full_fail(struct dkt_ctx *ctx, int err, const char *path)
{
	return dkt_fail(ctx, err, "write %s: %s%s", path, strerror(-err), dkt__full_advice(err));
}
