/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completes a recording: makes it a finished trace.dat file, in the place of the recording. */
#include "recording/record/complete.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "compat/io/output.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* The file that is written has more tables and padding than the recording. */
#define MORE (UINT64_C(1) << 20)

/* A finished file has the size of the recording, or less. */
static int check_room(struct dkt_ctx *ctx, const char *path, int fd, const struct outfile *out)
{
	struct statvfs fs;
	struct stat st;
	uint64_t room, need;

	if (fstat(fd, &st))
		return dkt_fail(ctx, -errno, "complete %s: %s", path, strerror(errno));
	if (fstatvfs(out->fd, &fs) || !fs.f_blocks)
		return 0;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	need = (uint64_t)st.st_size + MORE;
	if (room >= need)
		return 0;
	return dkt_fail(
		ctx, -ENOSPC,
		"complete %s: this needs %.1f MB and %.1f MB are free; dktrace reads the file as it"
		" is, and 'dktrace recover %s -o FILE' completes it on another disk",
		path, (double)need / DKT__MB, (double)room / DKT__MB, path);
}

/* The file may be renamed or removed, and its file system detached. */
static int check_same(struct dkt_ctx *ctx, const char *path, int fd)
{
	struct stat a, b;

	if (!lstat(path, &a) && !fstat(fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return 0;
	return dkt_fail(ctx, -ESTALE, "complete %s: the recording does not have this name any more",
			path);
}

/* Makes the new file last before it replaces the recording. */
static int settle(struct dkt_ctx *ctx, const char *path, int fd)
{
	return fsync(fd) ? dkl_full_fail(ctx, -errno, path) : 0;
}

int capture_complete_as(struct dkt_ctx *ctx, const char *path, int fd, const char *to,
			const char *compression, struct outfile *out)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .compression = compression);
	bool same = !strcmp(path, to);
	int err = same ? check_same(ctx, path, fd) : 0;

	if (!err)
		err = dkl_outfile_open(ctx, to, true, out);
	out->same = same;
	if (!err && !same)
		err = dkl_outfile_check_input(out, path);
	if (!err)
		err = check_room(ctx, path, fd, out);
	if (!err)
		err = dkt__tracedat_seal(ctx, fd, out->fd, &opts);
	if (!err)
		err = settle(ctx, to, out->fd);
	if (!err && same)
		err = check_same(ctx, path, fd);
	return err ? err : dkl_outfile_commit(out);
}

int capture_complete(struct dkt_ctx *ctx, const char *path, int fd, const char *compression)
{
	struct outfile out = OUTFILE_INIT;
	const int err = capture_complete_as(ctx, path, fd, path, compression, &out);

	dkl_outfile_close(&out);
	return err;
}

/* ---- after the end ---- */

/*
 * True if the file system has told that it could not write pages which it had taken. NFS drops such pages.
 * Waits only for writes that have begun.
 */
static bool was_dropped(int fd)
{
	return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE) && errno != EINVAL &&
	       errno != ESPIPE && errno != ENOSYS;
}

/* The file defines events, so it needs a context of its own. */
static int check_whole(struct dkt_ctx *ctx, const char *path, int fd)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL, .name = path, .fd = fd + 1);
	bool dropped = was_dropped(fd);
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_ctx *own;
	const char *damage;
	int err = dkt__with_words(ctx, dkt_ctx_new(NULL, &own));

	if (err)
		return err;
	err = dkt_source_open(own, path, &opts, &source);
	/* Only a look at each record finds damage within a section. */
	while (!err && dropped && !dkt_source_next(source, &record))
		;
	damage = err ? dkt_error(own) : dkt_source_info(source)->damage;
	if (err || damage)
		err = dkt_fail(ctx, -EBADMSG,
			       "%s: the file system has lost a part of the recording: %s", path,
			       damage);
	dkt_source_close(source);
	dkt_ctx_free(own);
	return err;
}

int capture_complete_ended(struct dkt_ctx *ctx, const char *path, int fd, const char *compression)
{
	int err = check_whole(ctx, path, fd);

	return err ? err : capture_complete(ctx, path, fd, compression);
}
