/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An output file that is complete or absent. */
#include "pipeline/outfile.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "io/output.h"

static int fail(struct outfile *out, const char *action)
{
	int err = -errno;

	return dkt_fail(out->ctx, err, "%s %s: %s", action, out->path, strerror(-err));
}

/* Creates a file with a temporary name. */
static int open_temp(struct outfile *out)
{
	out->temp = dkt__format("%s/.dktrace-XXXXXX", out->dir);
	if (!out->temp)
		return -ENOMEM;
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	if (out->fd >= 0)
		return 0;
	free(out->temp);
	out->temp = NULL;
	return fail(out, "open");
}

/* Creates a file without a name, so that a kill leaves nothing, or else one with a temporary name. */
static int open_unnamed(struct outfile *out)
{
	out->fd = open(out->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (out->fd >= 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)
		return fail(out, "open");
	return open_temp(out);
}

/* Drops capabilities of the program's file, so that the user cannot write to foreign directories. */
static int as_caller(struct outfile *out, int (*act)(struct outfile *out))
{
	int err = dkt_caps_lower(out->ctx, DKT_LOWER_GAINED);

	if (err)
		return err;
	err = act(out);
	return dkt_caps_raise(out->ctx) ?: err;
}

static int find_dir(struct outfile *out)
{
	const char *slash = strrchr(out->path, '/');

	if (!slash)
		out->dir = strdup(".");
	else
		out->dir = strndup(out->path, slash == out->path ? 1 : (size_t)(slash - out->path));
	return out->dir ? 0 : -ENOMEM;
}

static int open_file(struct outfile *out)
{
	int err = find_dir(out);

	return err ? err : open_unnamed(out);
}

static void begin(struct outfile *out, struct dkt_ctx *ctx, const char *path)
{
	bool is_stdout = !path || !strcmp(path, "-");

	*out = (struct outfile){ .ctx = ctx,
				 .path = is_stdout ? "standard output" : path,
				 .fd = -1,
				 .in_place = is_stdout };
}

static int open_in_place(struct outfile *out, unsigned int flags)
{
	bool is_stdout = out->in_place;

	out->in_place = true;
	if (is_stdout)
		out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		out->fd = output_open(out->ctx, out->path, flags);
	if (out->fd >= 0)
		return 0;
	return is_stdout ? fail(out, "open") : dkt_fail_in(out->ctx, out->fd, "open %s", out->path);
}

int outfile_open_now(struct dkt_ctx *ctx, const char *path, bool dir, struct outfile *out)
{
	int err;

	begin(out, ctx, path);
	if (!dir)
		return open_in_place(out, OUTPUT_EMPTY);
	out->path = path;
	err = output_check(ctx, path);
	return err ? dkt_fail_in(ctx, err, "open %s", path) : 0;
}

int outfile_open(struct dkt_ctx *ctx, const char *path, bool whole, struct outfile *out)
{
	struct stat st = { 0 };
	bool in_place;
	int err;

	begin(out, ctx, path);
	err = out->in_place ? 0 : output_check(ctx, path);
	if (err)
		return dkt_fail_in(ctx, err, "open %s", path);
	in_place = out->in_place || (!stat(path, &st) && !S_ISREG(st.st_mode));
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return fail(out, "open");
	}
	if (in_place && whole)
		return dkt_fail(ctx, -EINVAL, "%s cannot be written in any order: name a file",
				out->path);
	return in_place ? open_in_place(out, 0) : as_caller(out, open_file);
}

static int make_dir(struct outfile *out)
{
	int err = find_dir(out);

	if (err)
		return err;
	out->temp = dkt__format("%s/.dktrace-XXXXXX", out->dir);
	if (!out->temp)
		return -ENOMEM;
	if (mkdtemp(out->temp))
		return 0;
	free(out->temp);
	out->temp = NULL;
	return fail(out, "make");
}

int outfile_open_dir(struct dkt_ctx *ctx, const char *path, struct outfile *out)
{
	struct stat st;
	int err = output_check(ctx, path);

	*out = (struct outfile){ .ctx = ctx, .path = path, .fd = -1 };
	if (err)
		return dkt_fail_in(ctx, err, "create %s", path);
	if (!lstat(path, &st)) {
		errno = EEXIST;
		return fail(out, "make");
	}
	return as_caller(out, make_dir);
}

int outfile_check_input(const struct outfile *out, const char *input)
{
	struct stat a, b;

	if (out->in_place || stat(out->path, &a) || stat(input, &b) || a.st_dev != b.st_dev ||
	    a.st_ino != b.st_ino)
		return 0;
	return dkt_fail(out->ctx, -EINVAL, "%s is the input: name another file to write",
			out->path);
}

/* Gives the file a temporary name. */
static int give_name(struct outfile *out)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", out->fd);
	for (int i = 0; i < 100; i++) {
		out->temp = dkt__format("%s/.dktrace-%d-%d", out->dir, (int)getpid(), i);
		if (!out->temp)
			return -ENOMEM;
		if (!linkat(AT_FDCWD, from, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW))
			return 0;
		free(out->temp);
		out->temp = NULL;
		if (errno != EEXIST)
			break;
	}
	return fail(out, "write");
}

static int commit(struct outfile *out)
{
	int err = 0, fd = out->fd;

	if (fd >= 0 && !out->in_place) {
		if (fchmod(fd, output_mode(out->path, 0600)))
			return fail(out, "write");
		if (!out->temp)
			err = give_name(out);
	}
	if (err)
		return err;
	/* Some file systems report a failed write only at close. */
	out->fd = -1;
	if (fd >= 0 && close(fd))
		return fail(out, "write");
	if (out->temp && rename(out->temp, out->path))
		return fail(out, "write");
	free(out->temp);
	out->temp = NULL;
	return 0;
}

int outfile_commit(struct outfile *out)
{
	return as_caller(out, commit);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void outfile_close(struct outfile *out)
{
	if (out->fd >= 0)
		close(out->fd);
	if (out->temp)
		nftw(out->temp, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(out->temp);
	free(out->dir);
	*out = (struct outfile){ .fd = -1 };
}
