/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug log's directory: its owner, the lock of changes, its removal. Mounts tracefs. */
#include "compat/log/directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "compat/io/run_dir.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* A reset can remove the directory between our steps. */
#define BUSY_TRIES 20

int dkl_log_dir_create(struct debuglog *log)
{
	int err = dkl_run_dir_create(log->ctx, log->dir);

	return err < 0 ? err : 0;
}

int dkl_log_dir_open(struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(log->dir);
	int err = dkl_run_dir_check(log->ctx, RUN_DIR);

	if (!err)
		err = dkl_run_dir_check(log->ctx, log->dir);
	if (err)
		return err;
	log->dirfd = open(log->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (log->dirfd >= 0 || errno == ENOENT || errno == EACCES)
		return 0;
	return dkt_fail(log->ctx, -errno, "open %s: %s", log->dir, strerror(errno));
}

/* False if a reset removed the open directory. */
static bool is_there(const struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(log->dir);
	struct stat open, now;

	return !fstat(log->dirfd, &open) && !stat(log->dir, &now) && open.st_ino == now.st_ino;
}

/*
 * Changes take turns; one takes less than a second. -ENOENT: a reset removed the directory meanwhile.
 */
static int take_lock(struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(log->dirfd);

	log->lock = openat(log->dirfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (log->lock < 0)
		return dkt_fail(log->ctx, -errno, "open %s/lock: %s", log->dir, strerror(errno));
	for (int tries = 0; flock(log->lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK || tries >= 200)
			return dkt_fail(log->ctx, -errno, "lock %s: %s", log->dir,
					errno == EWOULDBLOCK ?
						"another change is in progress; try again" :
						strerror(errno));
		usleep(50000);
	}
	return is_there(log) ? 0 : dkt_fail(log->ctx, -ENOENT, "%s was removed", log->dir);
}

static void close_all(struct debuglog *log)
{
	if (log->lock >= 0)
		close(log->lock);
	if (log->dirfd >= 0)
		close(log->dirfd);
	log->lock = log->dirfd = -1;
}

int dkl_log_dir_enter(struct debuglog *log)
{
	int err = -ENOENT;

	for (int tries = 0; err == -ENOENT && tries < BUSY_TRIES; tries++) {
		err = dkl_log_dir_create(log);
		if (!err)
			err = dkl_log_dir_open(log);
		if (!err)
			err = log->dirfd >= 0 ? take_lock(log) : -ENOENT;
		if (err)
			close_all(log);
	}
	return err;
}

bool dkl_log_dir_was_interrupted(struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(log->dirfd);
	int lock __cleanup(close) = -1;

	if (log->dirfd < 0 || faccessat(log->dirfd, DEBUGLOG_BEFORE, F_OK, AT_EACCESS))
		return false;
	if (log->lock >= 0)
		return true;
	lock = openat(log->dirfd, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return lock < 0 || !flock(lock, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK;
}

void dkl_log_dir_forget_before(const struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(log->dirfd);

	unlinkat(log->dirfd, DEBUGLOG_BEFORE, 0);
}

/* ---- removal ---- */

static int remove_files(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir __cleanup(closedir) = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    unlinkat(fd, entry->d_name, 0) && errno == EISDIR)
			remove_files(fd, entry->d_name);
	return unlinkat(dirfd, name, AT_REMOVEDIR) && errno != ENOENT ? -errno : 0;
}

/*
 * Renames the directory before it is removed, so that a process waiting for its lock sees that the
 * log is gone.
 */
static int remove_dir(const struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);
	char *gone __cleanup(free) = dkt__format(RUN_DIR "/.%s", log->name);
	int err = gone ? remove_files(AT_FDCWD, gone) : -ENOMEM;

	if (!err && rename(log->dir, gone) && errno != ENOENT)
		err = -errno;
	if (!err)
		err = remove_files(AT_FDCWD, gone);
	/* A waiting process may just have created a lock file there. */
	for (int tries = 1; err == -ENOTEMPTY && tries < BUSY_TRIES; tries++)
		err = remove_files(AT_FDCWD, gone);
	return err;
}

int dkl_log_dir_settings(struct dkt_ctx *ctx, const char *name, struct settings *set)
{
	char *dir __cleanup(free) = dkt__format(RUN_DIR "/%s", name);
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(dir);
	int dirfd __cleanup(close) =
		dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;

	*set = (struct settings){ 0 };
	if (dirfd < 0)
		return dir ? -errno : -ENOMEM;
	return dkl_settings_load(ctx, dirfd, DEBUGLOG_SETTINGS, set);
}

int dkl_log_dir_remove(struct debuglog *log)
{
	int err = remove_dir(log);

	return err ? dkt_fail(log->ctx, err, "remove %s: %s", log->dir, strerror(-err)) : 0;
}

static bool holds_only_lock(const struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(log->dir);
	DIR *dir __cleanup(closedir) = is_there(log) ? opendir(log->dir) : NULL;
	struct dirent *entry;
	bool other = !dir;

	while (!other && (entry = readdir(dir)))
		other = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
			strcmp(entry->d_name, "lock");
	return !other;
}

void dkl_log_dir_leave(struct debuglog *log)
{
	/* The first change of this log was refused, and has its words. */
	if (log->lock >= 0 && !log->in && holds_only_lock(log) && !remove_dir(log)) {
		char *words = dkt__error_take(log->ctx);

		dkl_log_unmount(log->ctx);
		dkt__error_give(log->ctx, 0, words);
	}
	close_all(log);
}

/* Exists if dktrace mounted tracefs. No instance has a name that begins with a period. */
#define MOUNTED RUN_DIR "/.mounted"

static void note_mount(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);
	int fd = open(MOUNTED, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		close(fd);
}

static void forget_mount(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);

	unlink(MOUNTED);
}

int dkl_log_mount(struct dkt_ctx *ctx, unsigned int flags)
{
	int err = dkt_tracefs_open(ctx, 0);

	/* Names the missing capability in the error message. */
	if (err == -EACCES)
		dkt_caps_check(ctx, DKT_NEED_READ);
	if (err != -ENOENT || !(flags & DEBUGLOG_CHANGE))
		return err;
	err = dkt_caps_check(ctx, DKT_NEED_MOUNT);
	if (err)
		return err;
	note_mount();
	err = dkt_tracefs_open(ctx, DKT_MOUNT);
	if (err)
		forget_mount();
	return err;
}

static int other_log(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int dkl_log_unmount(struct dkt_ctx *ctx)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);
	struct dirent **entries = NULL;
	int n = scandir(RUN_DIR, &entries, other_log, NULL);

	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	if (n)
		return 0;
	if (!access(MOUNTED, F_OK) && *dkt_tracefs_dir(ctx) &&
	    umount2(dkt_tracefs_dir(ctx), MNT_DETACH))
		return dkt_fail(ctx, -errno, "unmount %s: %s", dkt_tracefs_dir(ctx),
				strerror(errno));
	forget_mount();
	dkt__run_dir_remove();
	return 0;
}

const char *dkl_leftover_kind(size_t i)
{
	static const char *const kinds[] = { "analyze", "hist", "latency",
					     "record",  "top",  "top-log" };

	return i < ARRAY_SIZE(kinds) ? kinds[i] : NULL;
}

int dkl_leftovers_remove(struct dkt_ctx *ctx, const char *log)
{
	const char *kind;
	int err = 0;

	for (size_t i = 0; !err && (kind = dkl_leftover_kind(i)); i++) {
		char *prefix __cleanup(free) = dkt__format("%s-%s", log, kind);

		err = prefix ? dkt__instance_sweep(ctx, prefix, NULL) : -ENOMEM;
	}
	return err;
}

static void print_one(struct dkt_ctx *ctx, const char *name, FILE *out)
{
	struct dkt_instance *in;
	uint64_t bytes;

	fprintf(out, "%s%s", ftell(out) ? ", " : "", name);
	if (dkt_instance_open(ctx, name, NULL, &in))
		return;
	if (!dkt__instance_get_size(in, &bytes))
		fprintf(out, " (%.1f MB)", (double)bytes / DKT__MB);
	dkt_instance_close(in);
}

static int print_kind(struct dkt_ctx *ctx, const char *log, const char *kind, FILE *out)
{
	char *prefix __cleanup(free) = dkt__format("%s-%s", log, kind);
	char *names __cleanup(free) = NULL;
	char *save = NULL;
	int err = prefix ? dkt__instance_names_to_sweep(ctx, prefix, &names) : -ENOMEM;

	for (char *name = names ? strtok_r(names, "\n", &save) : NULL; name;
	     name = strtok_r(NULL, "\n", &save))
		print_one(ctx, name, out);
	return err;
}

int dkl_leftovers_list(struct dkt_ctx *ctx, const char *log, char **list)
{
	const char *kind;
	size_t len = 0;
	FILE *out = open_memstream(list, &len);
	int err = out ? 0 : -ENOMEM;

	for (size_t i = 0; !err && (kind = dkl_leftover_kind(i)); i++)
		err = print_kind(ctx, log, kind, out);
	return dkt__text_end_some(out, err, list);
}
