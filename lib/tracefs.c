/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes files in tracefs. No other file opens anything in tracefs. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/mount.h"
#include "lib/tracefs.h"
#include "lib/tracefs/errorlog.h"

/* ---- the directory ---- */

/* Returns err; for -EACCES the error message names the missing capabilities. */
static int refused(struct dkt_ctx *ctx, int err, const char *what, const char *dir)
{
	if (err == -EACCES && dkt_caps_check(ctx, DKT_NEED_READ) == -EPERM)
		return err;
	return dkt_fail(ctx, err, "%s %s: %s", what, dir, strerror(-err));
}

int dkt_tracefs_open(struct dkt_ctx *ctx, unsigned int flags)
{
	dkt__needs(NULL, ctx);

	/* A directory that the caller names is no business of privileges that are for the kernel's. */
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	char *dir __cleanup(free) = NULL;
	int err = dkt__flags_check(ctx, "dkt_tracefs_open", flags, DKT_MOUNT);

	if (err || ctx->dirfd >= 0)
		return err;
	err = dkt__mount_find(ctx, flags, &dir);
	if (err)
		return err;
	ctx->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ctx->dirfd < 0)
		return refused(ctx, -errno, "open", dir);
	/* Users who may open the directory may still not read its files. */
	if (faccessat(ctx->dirfd, "trace_clock", R_OK, AT_EACCESS) && errno == EACCES) {
		close(ctx->dirfd);
		ctx->dirfd = -1;
		return refused(ctx, -EACCES, "read", dir);
	}
	ctx->saved = !dkt__mount_is(dir);
	free(ctx->dir);
	ctx->dir = dir;
	dir = NULL;
	dkt__log(ctx, DKT_LOG_DEBUG, "tracefs at %s", ctx->dir);
	return 0;
}

const char *dkt_tracefs_dir(const struct dkt_ctx *ctx)
{
	return ctx && ctx->dir ? ctx->dir : "";
}

/* ---- files ---- */

/* Formats the path in tracefs. A path that is too long becomes empty, so that no file matches. */
#define TFS_PATH(ctx, path, fmt)                                                                   \
	char path[PATH_MAX];                                                                       \
	do {                                                                                       \
		va_list ap;                                                                        \
		int len_;                                                                          \
                                                                                                   \
		va_start(ap, fmt);                                                                 \
		len_ = vsnprintf(path, sizeof(path), fmt, ap);                                     \
		va_end(ap);                                                                        \
		if (len_ < 0 || (size_t)len_ >= sizeof(path))                                      \
			path[0] = '\0';                                                            \
	} while (0)

/* Opens tracefs if the caller has not done so. */
static int tfs_begin(struct dkt_ctx *ctx, const char *path)
{
	if (ctx->given)
		return dkt_fail(ctx, -ENOENT,
				"open %s: the events come from a file, which has no tracefs", path);
	return dkt_tracefs_open(ctx, 0);
}

/* The kernel calls the file of an event that was deleted just now a missing device. */
static int error_of(int number)
{
	return number == ENODEV ? -ENOENT : -number;
}

static int tfs_open(struct dkt_ctx *ctx, int flags, const char *path)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	int err = tfs_begin(ctx, path);
	int fd = err ? -1 : openat(ctx->dirfd, path, flags | O_CLOEXEC);

	if (err || fd >= 0)
		return err ? err : fd;
	err = error_of(errno);
	return dkt_fail(ctx, err, "open %s/%s: %s", ctx->dir, path, strerror(-err));
}

int dkt__tfs_open(struct dkt_ctx *ctx, int flags, const char *fmt, ...)
{
	TFS_PATH(ctx, path, fmt);
	return tfs_open(ctx, flags, path);
}

static int tfs_read(struct dkt_ctx *ctx, char **text, size_t *len, const char *path)
{
	int fd __cleanup(close) = tfs_open(ctx, O_RDONLY, path);
	size_t n;
	int err;

	if (fd < 0)
		return fd;
	err = error_of(-dkt__read_fd(fd, SIZE_MAX, text, len ? len : &n));
	if (err)
		return dkt_fail(ctx, err, "read %s/%s: %s", ctx->dir, path, strerror(-err));
	return 0;
}

int dkt__tfs_read(struct dkt_ctx *ctx, char **text, size_t *len, const char *fmt, ...)
{
	TFS_PATH(ctx, path, fmt);
	*text = NULL;
	return tfs_read(ctx, text, len, path);
}

int dkt__tfs_read_u64(struct dkt_ctx *ctx, uint64_t *value, const char *fmt, ...)
{
	char *text __cleanup(free) = NULL;
	const char *p;
	int err;

	TFS_PATH(ctx, path, fmt);
	*value = 0;
	err = tfs_read(ctx, &text, NULL, path);
	if (err)
		return err;
	p = text;
	if (dkt__take_u64(&p, NULL, DKT__DEC, value))
		return dkt_fail(ctx, -EINVAL, "read %s/%s: no number in '%.40s'", ctx->dir, path,
				text);
	return 0;
}

/*
 * Returns the kernel's reason for a refused write: the last entry of the file's error_log, or NULL
 * if that is about another value. An older entry about the same value has the same reason.
 */
static char *kernel_reason(struct dkt_ctx *ctx, const char *path, const char *value)
{
	static const char dir[] = "instances/";
	char *log __cleanup(free) = NULL;
	char *error = dkt__error_take(ctx);
	const char *slash = NULL, *condition;
	char *reason;
	int err, len = 0;

	if (!strncmp(path, dir, sizeof(dir) - 1))
		slash = strchr(path + sizeof(dir) - 1, '/');
	if (slash)
		len = (int)(slash + 1 - path);
	err = dkt__tfs_read(ctx, &log, NULL, "%.*serror_log", len, path);
	if (dkt__error_give(ctx, err, error))
		return NULL;
	reason = dkt__errorlog_reason(log, value);
	/* For a trigger, the kernel's error_log has only the condition. */
	condition = strstr(value, " if ");
	return reason || !condition ? reason : dkt__errorlog_reason(log, condition + 4);
}

/* The reason of a kernel without error_log, which is in a file beside the refused one. */
static char *reason_beside(struct dkt_ctx *ctx, const char *path, const char *value)
{
	const char *name = strrchr(path, '/');
	const bool is_hist = name && !strcmp(name, "/trigger") && !strncmp(value, "hist:", 5);
	char *text __cleanup(free) = NULL;
	char *error;
	int err;

	if (!is_hist && (!name || strcmp(name, "/filter") != 0))
		return NULL;
	error = dkt__error_take(ctx);
	err = dkt__tfs_read(ctx, &text, NULL, "%.*s/%s", (int)(name - path), path,
			    is_hist ? "hist" : "filter");
	if (dkt__error_give(ctx, err, error))
		return NULL;
	return is_hist ? dkt__errorlog_in_hist(text, value) : dkt__errorlog_in_filter(text, value);
}

static int tfs_write(struct dkt_ctx *ctx, int flags, const char *path, const char *value)
{
	int fd __cleanup(close) = tfs_open(ctx, O_WRONLY | flags, path);
	char *reason __cleanup(free) = NULL;
	size_t len = strlen(value);
	ssize_t n;
	int err;

	if (fd < 0)
		return fd;
	if (!len)
		return 0;
	n = TEMP_FAILURE_RETRY(write(fd, value, len));
	if (n == (ssize_t)len)
		return 0;
	err = n < 0 ? error_of(errno) : -EIO;
	reason = kernel_reason(ctx, path, value);
	if (!reason && !dkt__tfs_exists(ctx, "error_log"))
		reason = reason_beside(ctx, path, value);
	if (reason) {
		/* With the format "%s", dkt_fail() keeps the lines of the reason. */
		dkt_fail(ctx, err, "%s", reason);
		dkt__fail_in(ctx, err, "%s", strerror(-err));
	} else {
		dkt_fail(ctx, err, "%s", n < 0 ? strerror(-err) : "only a part was accepted");
	}
	return dkt__fail_in(ctx, err, "write \"%.*s\" to %s/%s", 400, value, ctx->dir, path);
}

int dkt__tfs_set(struct dkt_ctx *ctx, const char *value, const char *fmt, ...)
{
	TFS_PATH(ctx, path, fmt);
	return tfs_write(ctx, O_TRUNC, path, value);
}

int dkt__tfs_add(struct dkt_ctx *ctx, const char *value, const char *fmt, ...)
{
	TFS_PATH(ctx, path, fmt);
	return tfs_write(ctx, O_APPEND, path, value);
}

int dkt__tfs_add_words(struct dkt_ctx *ctx, const char *what, const char *words, const char *fmt,
		       ...)
{
	int fd __cleanup(close) = -1;
	const size_t of = strlen(words);
	size_t len = of;

	TFS_PATH(ctx, path, fmt);
	fd = tfs_open(ctx, O_WRONLY | O_APPEND, path);
	if (fd < 0)
		return fd;
	while (len) {
		ssize_t n = TEMP_FAILURE_RETRY(write(fd, words, len));

		if (n <= 0) {
			int err = n ? -errno : -EIO;

			dkt__progress(ctx, what, of, of);
			return dkt_fail(ctx, err, "write \"%.40s\" to %s/%s: %s", words, ctx->dir,
					path, strerror(-err));
		}
		words += n;
		len -= (size_t)n;
		dkt__progress(ctx, what, of - len, of);
	}
	return 0;
}

int dkt__tfs_mkdir(struct dkt_ctx *ctx, const char *fmt, ...)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	int err;

	TFS_PATH(ctx, path, fmt);
	err = tfs_begin(ctx, path);
	if (err || !mkdirat(ctx->dirfd, path, 0750))
		return err;
	return dkt_fail(ctx, -errno, "mkdir %s/%s: %s", ctx->dir, path, strerror(errno));
}

int dkt__tfs_rmdir(struct dkt_ctx *ctx, const char *fmt, ...)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	int err;

	TFS_PATH(ctx, path, fmt);
	err = tfs_begin(ctx, path);
	if (err || !unlinkat(ctx->dirfd, path, AT_REMOVEDIR))
		return err;
	return dkt_fail(ctx, -errno, "rmdir %s/%s: %s", ctx->dir, path, strerror(errno));
}

bool dkt__tfs_exists(struct dkt_ctx *ctx, const char *fmt, ...)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	char *earlier;

	TFS_PATH(ctx, path, fmt);
	if (ctx->dirfd < 0) {
		/* A missing file is not a failure: keep the error message of an earlier one. */
		earlier = dkt__error_take(ctx);
		dkt__error_give(ctx, tfs_begin(ctx, path), earlier);
	}
	return ctx->dirfd >= 0 && !faccessat(ctx->dirfd, path, F_OK, AT_EACCESS);
}

int dkt__tfs_list(struct dkt_ctx *ctx, struct dkt__strings *names, const char *fmt, ...)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	int err;

	TFS_PATH(ctx, path, fmt);
	*names = (struct dkt__strings){ 0 };
	err = tfs_begin(ctx, path);
	if (err)
		return err;
	err = dkt__list_dir(ctx->dirfd, path, names);
	if (err && err != -ENOMEM)
		return dkt_fail(ctx, err, "list %s/%s: %s", ctx->dir, path, strerror(-err));
	return dkt__with_words(ctx, err);
}
