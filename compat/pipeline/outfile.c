/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An output file that is complete or absent. */
#include "compat/pipeline/outfile.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "compat/io/output.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/temporary.h"
#include "lib/inside.h"

static int fail(struct outfile *out, const char *action)
{
	int err = -errno;

	dkt_fail(out->ctx, err, "%s %s: %s", action, out->path, strerror(-err));
	return dkl_full_advise(out->ctx, err);
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

/* Names such as /dev/stdout lead to the file that standard output is. Replacing them would lose the name. */
static bool is_stdout_name(const char *path)
{
	struct stat link, target, mine;

	return !lstat(path, &link) && S_ISLNK(link.st_mode) && !stat(path, &target) &&
	       !fstat(STDOUT_FILENO, &mine) && target.st_dev == mine.st_dev &&
	       target.st_ino == mine.st_ino;
}

static void begin(struct outfile *out, struct dkt_ctx *ctx, const char *path)
{
	bool is_stdout = !path || !strcmp(path, "-") || is_stdout_name(path);

	*out = (struct outfile){ .ctx = ctx,
				 .path = is_stdout ? "standard output" : path,
				 .placer = !is_stdout && placer_serves(out->placer) ? out->placer :
										      NULL,
				 .fd = -1,
				 .in_place = is_stdout };
}

static void forget_kept(struct outfile *out)
{
	free(out->kept);
	out->kept = NULL;
}

/* ---- by the placer ---- */

static int ask(struct outfile *out, enum placer_question question, struct placer_answer *answer)
{
	int err = dkl_placer_ask(out->ctx, out->placer, question, answer);

	if (err)
		return err;
	forget_kept(out);
	if (*answer->kept)
		out->kept = strdup(answer->kept);
	return out->kept || !*answer->kept ? 0 : dkt__no_memory(out->ctx);
}

static int ask_to_open(struct outfile *out, enum placer_question question)
{
	struct placer_answer answer;
	int err = ask(out, question, &answer);

	if (err)
		return err;
	out->fd = answer.fd;
	out->in_place = answer.in_place;
	out->waits = answer.waits;
	if (*answer.path) {
		out->target = strdup(answer.path);
		out->path = out->target;
	}
	return out->path && !find_dir(out) ? 0 : dkt__no_memory(out->ctx);
}

static int ask_to_open_dir(struct outfile *out)
{
	struct placer_answer answer;
	int err = ask(out, PLACER_OPEN_DIR, &answer);

	if (err)
		return err;
	out->temp = strdup(answer.temp);
	return out->temp && !find_dir(out) ? 0 : dkt__no_memory(out->ctx);
}

static int ask_to_begin(struct outfile *out)
{
	struct placer_answer answer;
	const int err = ask(out, PLACER_BEGIN, &answer);

	out->in_place |= !err;
	return err;
}

/* ---- opening ---- */

static int open_in_place(struct outfile *out, unsigned int flags)
{
	bool is_stdout = out->in_place;

	out->in_place = true;
	if (is_stdout)
		out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		out->fd = dkl_output_open(out->ctx, out->path, flags | OUTPUT_SAY);
	if (out->fd >= 0)
		return 0;
	return is_stdout ? fail(out, "open") :
			   dkt__fail_in(out->ctx, out->fd, "open %s", out->path);
}

/* Leaves a link where it is: what counts is its target, which may not exist yet. */
static int follow_link(struct outfile *out)
{
	struct stat st;
	int err = 0;

	for (int i = 0; !err && !lstat(out->path, &st) && S_ISLNK(st.st_mode); i++) {
		char *target = dkl_output_link(out->path);

		if (!target)
			return -ENOMEM;
		free(out->target);
		out->path = out->target = target;
		err = i < OUTPUT_LINKS ? dkl_output_check(out->ctx, target) :
					 dkt_fail(out->ctx, -ELOOP, "%s", strerror(ELOOP));
	}
	return err ? dkt__fail_in(out->ctx, err, "open %s", out->path) : 0;
}

/* 1: a file with something in it is there; 0: none. */
static int has_content(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	return S_ISREG(st.st_mode) && st.st_size;
}

int dkl_outfile_open_now(struct dkt_ctx *ctx, const char *path, bool dir, struct outfile *out)
{
	int err = 0, full;

	begin(out, ctx, path);
	if (dir) {
		out->path = path;
		out->placer = NULL;
	}
	if (out->placer)
		return ask_to_open(out, PLACER_OPEN_NOW);
	if (dir || !out->in_place)
		err = dkl_output_check(ctx, path);
	if (err && (dir || err != -ENOENT))
		return dkt__fail_in(ctx, err, "open %s", path);
	if (dir)
		return 0;
	err = out->in_place ? 0 : follow_link(out);
	if (err)
		return err;
	full = out->in_place ? 0 : has_content(out->path);
	if (full < 0)
		return dkt_fail(ctx, full, "open %s: %s", out->path, strerror(-full));
	/* A file that holds nothing has nothing to lose. */
	if (!full) {
		out->fresh = !out->in_place && access(out->path, F_OK) && errno == ENOENT;
		return open_in_place(out, OUTPUT_EMPTY);
	}
	out->waits = true;
	return open_file(out);
}

int dkl_outfile_open(struct dkt_ctx *ctx, const char *path, bool whole, struct outfile *out)
{
	struct stat st = { 0 };
	bool in_place;
	int err;

	begin(out, ctx, path);
	if (out->placer)
		return ask_to_open(out, whole ? PLACER_OPEN_WHOLE : PLACER_OPEN);
	err = out->in_place ? 0 : dkl_output_check(ctx, path);
	if (err)
		return dkt__fail_in(ctx, err, "open %s", path);
	err = out->in_place ? 0 : follow_link(out);
	if (err)
		return err;
	in_place = out->in_place || (!stat(out->path, &st) && !S_ISREG(st.st_mode));
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return fail(out, "open");
	}
	if (in_place && whole)
		return dkt_fail(ctx, -EINVAL, "%s cannot be written in any order: name a file",
				out->path);
	return in_place ? open_in_place(out, 0) : open_file(out);
}

static int make_dir(struct outfile *out)
{
	int err = find_dir(out);

	if (err)
		return err;
	out->temp = dkt__format("%s/.dktrace-XXXXXX", out->dir);
	if (!out->temp)
		return -ENOMEM;
	out->is_dir = mkdtemp(out->temp);
	if (out->is_dir)
		return 0;
	free(out->temp);
	out->temp = NULL;
	return fail(out, "create");
}

int dkl_outfile_open_dir(struct dkt_ctx *ctx, const char *path, struct outfile *out)
{
	struct stat st;
	const struct placer *placer = placer_serves(out->placer) ? out->placer : NULL;
	int err;

	*out = (struct outfile){ .ctx = ctx, .path = path, .placer = placer, .fd = -1 };
	if (placer)
		return ask_to_open_dir(out);
	err = dkl_output_check(ctx, path);
	if (err)
		return dkt__fail_in(ctx, err, "create %s", path);
	if (!lstat(path, &st))
		return dkt_fail(ctx, -EEXIST, "create %s: %s; name a new directory", path,
				strerror(EEXIST));
	return make_dir(out);
}

int dkl_outfile_spare(const struct outfile *out)
{
	struct placer_answer answer;

	if (!out->placer)
		return dkt__temporary_file(out->ctx, out->dir ?: dkt__temporary_dir());
	return dkl_placer_ask(out->ctx, out->placer, PLACER_SPARE, &answer) ?: answer.fd;
}

/* ---- naming ---- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int dkl_outfile_check_input(const struct outfile *out, const char *input)
{
	struct stat a, b, dir;

	if (out->in_place || stat(out->path, &a) || stat(input, &b))
		return 0;
	if (is_same(&a, &b))
		return dkt_fail(out->ctx, -EINVAL, "%s is the input: name another file to write",
				out->path);
	if (!stat(out->dir, &dir) && is_same(&dir, &b))
		return dkt_fail(out->ctx, -EINVAL,
				"%s is a file of the input: name another file to write", out->path);
	return 0;
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

/* A file of another user stays that user's. */
static void keep_owner(const struct outfile *out)
{
	struct stat st;

	if (out->same && !lstat(out->path, &st) && st.st_uid != geteuid() &&
	    fchown(out->fd, st.st_uid, st.st_gid))
		return;
}

/* Prepares a file that is to have its name. */
static int name_file(struct outfile *out)
{
	if (out->fd < 0 || out->in_place)
		return 0;
	if (fchmod(out->fd, dkl_output_mode(out->path, 0600)))
		return fail(out, "write");
	keep_owner(out);
	return out->temp ? 0 : give_name(out);
}

static void forget_temp(struct outfile *out)
{
	free(out->temp);
	out->temp = NULL;
	out->is_dir = false;
}

/* Gives the file its name, and what had it before another one. */
static int replace(struct outfile *out)
{
	int err = 0;

	if (!out->temp)
		return 0;
	if (!out->same)
		err = dkl_output_keep_old(out->ctx, out->path, &out->kept);
	if (!err && rename(out->temp, out->path)) {
		err = fail(out, "write");
		if (out->kept)
			rename(out->kept, out->path);
	}
	if (err)
		return err;
	forget_temp(out);
	return 0;
}

static int place(struct outfile *out)
{
	int err = name_file(out);

	if (!err)
		err = replace(out);
	if (!err)
		out->in_place = true;
	return err;
}

int dkl_outfile_begin(struct outfile *out)
{
	if (!out->waits)
		return 0;
	out->waits = false;
	out->fresh = true;
	return out->placer ? ask_to_begin(out) : place(out);
}

void dkl_outfile_withdraw(struct outfile *out)
{
	struct placer_answer answer;
	struct stat mine, st;

	if (out->placer) {
		ask(out, out->only_copy ? PLACER_DROP_EMPTY : PLACER_WITHDRAW, &answer);
		return;
	}
	/* Without a name it is the caller's file. */
	if (!out->path || fstat(out->fd, &mine) || (out->only_copy && mine.st_size) ||
	    !S_ISREG(mine.st_mode) || stat(out->path, &st) || !is_same(&mine, &st))
		return;
	if (!out->fresh)
		(void)!ftruncate(out->fd, 0);
	else if (out->kept && !rename(out->kept, out->path))
		forget_kept(out);
	else if (!out->kept)
		unlink(out->path);
}

void dkl_outfile_drop_empty(struct outfile *out)
{
	out->only_copy = true;
	dkl_outfile_withdraw(out);
}

/* Some file systems report a failed write only at close, also that of a copy. */
static int check_close(struct outfile *out)
{
	const int copy = out->fd < 0 ? -1 : fcntl(out->fd, F_DUPFD_CLOEXEC, 0);

	return out->fd < 0 || (copy >= 0 && !close(copy)) ? 0 : fail(out, "write");
}

static int commit(struct outfile *out)
{
	struct placer_answer answer;
	int err = out->placer ? 0 : name_file(out);

	if (err)
		return err;
	err = check_close(out);
	if (err) {
		if (out->in_place)
			dkl_outfile_withdraw(out);
		return err;
	}
	dkt__closep(&out->fd);
	out->fd = -1;
	if (!out->placer)
		return replace(out);
	err = ask(out, out->same ? PLACER_COMMIT_SAME : PLACER_COMMIT, &answer);
	if (!err)
		forget_temp(out);
	return err;
}

int dkl_outfile_commit(struct outfile *out)
{
	/* Nothing was written: the earlier file stays. */
	if (out->waits)
		return 0;
	return commit(out);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void dkl_outfile_close(struct outfile *out)
{
	struct placer_answer answer;

	if (out->fd >= 0)
		close(out->fd);
	/* It may be opened again. If the placer has gone, it has closed its file. */
	if (out->placer && out->ctx)
		dkl_placer_ask(out->ctx, out->placer, PLACER_CLOSE, &answer);
	else if (out->temp)
		nftw(out->temp, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(out->temp);
	free(out->dir);
	free(out->target);
	free(out->kept);
	*out = (struct outfile)OUTFILE_INIT;
}
