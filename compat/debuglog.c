/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening the debug log and taking it away again: directories, locks, what a crash left. */
#include "debuglog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "rebuild.h"
#include "util.h"

/* Says that tracefs was mounted by us. */
#define MOUNTED RUN_DIR "/mounted"

/* ---- tracefs ---- */

/* Finds tracefs, or mounts it and leaves a note of that first. */
static int open_tracefs(struct dkt_ctx *ctx, unsigned int flags)
{
	int fd, err = dkt_tracefs_open(ctx, 0);

	/* What is missing is said in capabilities rather than in errno's words. */
	if (err == -EACCES && dkt_caps_check(ctx, DKT_NEED_READ))
		return -EPERM;
	if (err != -ENOENT || !(flags & DEBUGLOG_CHANGE))
		return err;
	err = dkt_caps_check(ctx, DKT_NEED_MOUNT);
	if (err)
		return err;
	fd = open(MOUNTED, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		close(fd);
	err = dkt_tracefs_open(ctx, DKT_MOUNT);
	if (err)
		unlink(MOUNTED);
	return err;
}

/* ---- directory and lock ---- */

static int make_dir(struct dkt_ctx *ctx, const char *path)
{
	if (!mkdir(path, 0700) || errno == EEXIST)
		return 0;
	return dkt_fail(ctx, -errno, "make %s: %s", path, strerror(errno));
}

static int open_dir(struct debuglog *log)
{
	log->dirfd = open(log->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (log->dirfd >= 0 || errno == ENOENT || errno == EACCES)
		return 0;
	return dkt_fail(log->ctx, -errno, "open %s: %s", log->dir, strerror(errno));
}

/* Changes take turns; one takes less than a second. */
static int take_lock(struct debuglog *log)
{
	int tries;

	log->lock = openat(log->dirfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (log->lock < 0)
		return dkt_fail(log->ctx, -errno, "open %s/lock: %s", log->dir, strerror(errno));
	for (tries = 0; flock(log->lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK || tries >= 200)
			return dkt_fail(log->ctx, -errno, "lock %s: %s", log->dir,
					errno == EWOULDBLOCK ? "another change is under way" :
							       strerror(errno));
		usleep(50000);
	}
	return 0;
}

static int prepare_change(struct debuglog *log)
{
	int err = dkt_caps_check(log->ctx, DKT_NEED_CONTROL);

	if (!err)
		err = make_dir(log->ctx, RUN_DIR);
	if (!err)
		err = make_dir(log->ctx, log->dir);
	return err;
}

/* ---- settings ---- */

static int load_settings(struct debuglog *log)
{
	int err = -ENOENT;

	if (log->dirfd >= 0)
		err = settings_load(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (err != -ENOENT && err != -EINVAL)
		return err;
	settings_init(&log->set);
	if (!log->in || log->interrupted)
		return 0;
	/* The instance is there but not the file: the kernel knows what is on. */
	log->rebuilt = true;
	err = debuglog_map(log);
	return err ? err : debuglog_rebuild(log);
}

/* The very first change was killed: there was nothing before it. */
static int take_back_first(struct debuglog *log)
{
	int err = 0;

	if (log->in)
		err = dkt_instance_remove(log->ctx, log->name);
	if (err)
		return err;
	dkt_instance_close(log->in);
	log->in = NULL;
	return 0;
}

/* A change was killed half way: what was before is in a file of its own. */
static int take_back(struct debuglog *log)
{
	struct settings before, asked;
	int err;

	if (!log->interrupted)
		return 0;
	err = settings_load(log->ctx, log->dirfd, DEBUGLOG_BEFORE, &before);
	if (!err && !faccessat(log->dirfd, DEBUGLOG_SETTINGS, F_OK, 0)) {
		/* It also names every event that the change may have put a filter on. */
		settings_clear(&log->set);
		log->set = before;
		err = settings_copy(&asked, &before);
		/* It rests while a tracer is switched. */
		if (!err && log->in && before.recording)
			err = dkt_instance_set_on(log->in, true);
		if (!err)
			err = debuglog_apply(log, &asked, NULL);
		settings_clear(&asked);
	} else if (!err) {
		settings_clear(&before);
		err = take_back_first(log);
	}
	/* It is written whole or not at all, so without sense it is not ours. */
	if (err && err != -EINVAL)
		return dkt_fail_in(log->ctx, err, "take back an interrupted change");
	unlinkat(log->dirfd, DEBUGLOG_BEFORE, 0);
	log->interrupted = false;
	return 0;
}

int debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags, struct debuglog **out)
{
	struct debuglog *log = calloc(1, sizeof(*log));
	int err = 0;

	*out = NULL;
	if (!log)
		return -ENOMEM;
	*log = (struct debuglog){ .ctx = ctx, .dirfd = -1, .lock = -1 };
	settings_init(&log->set);
	log->name = strdup(name);
	if (!log->name || asprintf(&log->dir, RUN_DIR "/%s", name) < 0)
		err = -ENOMEM;
	if (!err && flags & DEBUGLOG_CHANGE)
		err = prepare_change(log);
	if (!err)
		err = open_tracefs(ctx, flags);
	if (!err)
		err = open_dir(log);
	if (!err && flags & DEBUGLOG_CHANGE)
		err = take_lock(log);
	if (!err) {
		err = dkt_instance_open(ctx, name, 0, &log->in);
		err = err == -ENOENT ? 0 : err;
	}
	if (!err && log->dirfd >= 0)
		log->interrupted = !faccessat(log->dirfd, DEBUGLOG_BEFORE, F_OK, 0);
	if (!err)
		err = load_settings(log);
	if (!err && flags & DEBUGLOG_CHANGE)
		err = take_back(log);
	if (err) {
		debuglog_close(log);
		return err;
	}
	*out = log;
	return 0;
}

void debuglog_close(struct debuglog *log)
{
	if (!log)
		return;
	settings_clear(&log->set);
	free(log->note);
	class_map_free(log->map);
	dkt_instance_close(log->in);
	if (log->lock >= 0)
		close(log->lock);
	if (log->dirfd >= 0)
		close(log->dirfd);
	free(log->name);
	free(log->dir);
	free(log);
}

int debuglog_map(struct debuglog *log)
{
	struct dkt_event *const *events;
	size_t n;
	int err;

	if (log->map)
		return 0;
	err = dkt_events(log->ctx, &events, &n);
	if (!err)
		err = class_map_load(log->ctx, &log->map);
	if (!err)
		err = class_map_resolve(log->map, events, n);
	return err;
}

char *debuglog_spool(const struct debuglog *log)
{
	char *path;

	return asprintf(&path, "%s/spool", log->dir) < 0 ? NULL : path;
}

int debuglog_size(struct debuglog *log, uint64_t *bytes)
{
	*bytes = 0;
	return log->in ? dkt_instance_get_size(log->in, bytes) : 0;
}

/* ---- reset ---- */

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

static int other_log(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
	       strcmp(entry->d_name, "mounted");
}

/* The last debug log takes the mount with it, if it was ours. */
static int put_back_mount(struct dkt_ctx *ctx)
{
	struct dirent **entries = NULL;
	int i, n = scandir(RUN_DIR, &entries, other_log, NULL);

	for (i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	if (n)
		return 0;
	if (!access(MOUNTED, F_OK) && *dkt_tracefs_dir(ctx) &&
	    umount2(dkt_tracefs_dir(ctx), MNT_DETACH))
		return dkt_fail(ctx, -errno, "unmount %s: %s", dkt_tracefs_dir(ctx),
				strerror(errno));
	unlink(MOUNTED);
	rmdir(RUN_DIR);
	return 0;
}

/* Not in the middle of somebody's change. */
static int remove_instance(struct dkt_ctx *ctx, const char *name, char *dir)
{
	struct debuglog log = { .ctx = ctx, .dir = dir, .dirfd = -1, .lock = -1 };
	int err = open_dir(&log);

	if (!err && log.dirfd >= 0)
		err = take_lock(&log);
	if (!err)
		err = dkt_instance_remove(ctx, name);
	if (log.lock >= 0)
		close(log.lock);
	if (log.dirfd >= 0)
		close(log.dirfd);
	return err;
}

int debuglog_reset(struct dkt_ctx *ctx, const char *name)
{
	char *dir __cleanup(free) = NULL;
	int err;

	if (!*name || *name == '.' || strchr(name, '/'))
		return dkt_fail(ctx, -EINVAL, "'%s' cannot be the name of an instance", name);
	if (asprintf(&dir, RUN_DIR "/%s", name) < 0) {
		dir = NULL;
		return -ENOMEM;
	}
	err = dkt_caps_check(ctx, DKT_NEED_CONTROL);
	if (!err)
		err = open_tracefs(ctx, 0);
	if (!err)
		err = remove_instance(ctx, name, dir);
	if (err && err != -ENOENT)
		return err;
	err = remove_files(AT_FDCWD, dir);
	if (err)
		return dkt_fail(ctx, err, "remove %s: %s", dir, strerror(-err));
	return put_back_mount(ctx);
}
