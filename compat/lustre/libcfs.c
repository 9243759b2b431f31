/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own debug buffer: asks the kernel to dump it to a file, which also empties it. */
#include "compat/lustre/libcfs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"

int dkl_libcfs_dump_to(struct dkt_ctx *ctx, const char *param, const char *file)
{
	int fd __cleanup(close) = open(param, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(file);
	ssize_t n;

	if (fd < 0)
		return dkt_fail(ctx, -errno, "open '%s' failed: %s\nopen(dump_kernel) failed: %s",
				param, strerror(errno), strerror(errno));
	n = write(fd, file, len);
	if (n == (ssize_t)len)
		return 0;
	if (n >= 0)
		errno = EIO;
	return dkt_fail(ctx, -errno, "write(%s) failed: %s", file, strerror(errno));
}

/* Removes the file as soon as it is open, so that it has no name while it is read. */
static int dump_in(struct dkt_ctx *ctx, const char *param, const char *dir, int *fd)
{
	char *file __cleanup(free) = dkt__format("%s/dump", dir);
	int err;

	if (!file)
		return dkt__no_memory(ctx);
	err = dkl_libcfs_dump_to(ctx, param, file);
	if (!err) {
		*fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		if (*fd < 0 && errno != ENOENT)
			err = dkt_fail(ctx, -errno, "fopen(%s) failed: %s", file, strerror(errno));
	}
	unlink(file);
	return err;
}

int dkl_libcfs_dump(struct dkt_ctx *ctx, const char *param, int *fd)
{
	const char *tmp = secure_getenv("TMPDIR");
	/* The kernel accepts only absolute paths. */
	char *dir __cleanup(free) =
		dkt__format("%s/dktrace-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	sigset_t all, old;
	int err;

	*fd = -1;
	if (!dir)
		return dkt__no_memory(ctx);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (mkdtemp(dir)) {
		err = dump_in(ctx, param, dir, fd);
		rmdir(dir);
	} else {
		err = dkt_fail(ctx, -errno, "create %s: %s", dir, strerror(errno));
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
}

int dkl_libcfs_log_take(struct dkt_ctx *ctx, const char *param, const struct record_sort_opts *opts,
			struct log_source **log)
{
	struct record_sort_opts own = *opts;
	int err;

	*log = NULL;
	err = dkl_libcfs_dump(ctx, param, &own.fd);
	if (err || own.fd < 0)
		return err;
	own.name = LIBCFS_LOG_NAME;
	return dkl_log_source_new(ctx, &own, log);
}
