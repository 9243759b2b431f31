/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening the debug log and taking it away again: directories, locks, what a crash left. */
#include "log/debuglog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "apply/rebuild.h"
#include "base/util.h"
#include "log/leftover.h"
#include "lustre/lustre_masks.h"
#include "lustre/message/cdebug.h"
#include "set/probes.h"

/* Says that tracefs was mounted by us. No instance's name begins with a dot. */
#define MOUNTED RUN_DIR "/.mounted"

/* A reset, or a look from outside, takes a moment. */
#define BUSY_TRIES 20
#define BUSY_WAIT  50000

/* ---- tracefs ---- */

/* Finds tracefs, or mounts it and leaves a note of that first. */
static int open_tracefs(struct dkt_ctx *ctx, unsigned int flags)
{
	int fd, err = dkt_tracefs_open(ctx, 0);

	/* Better words: which capability would give the right to it. */
	if (err == -EACCES)
		dkt_caps_check(ctx, DKT_NEED_READ);
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

/* The directory holds the settings: only root or this user may have written them. */
static int check_owner(struct dkt_ctx *ctx, const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT || errno == EACCES ?
			       0 :
			       dkt_fail(ctx, -errno, "look at %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode) && (!st.st_uid || st.st_uid == geteuid()) &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	return dkt_fail(ctx, -EPERM,
			"use %s: others than root can write there (owner %u, mode %04o); remove it",
			path, (unsigned int)st.st_uid, (unsigned int)st.st_mode & 07777);
}

static int make_dir(struct dkt_ctx *ctx, const char *path)
{
	if (mkdir(path, 0700) && errno != EEXIST)
		return dkt_fail(ctx, -errno, "make %s: %s", path, strerror(errno));
	return check_owner(ctx, path);
}

static int make_dirs(struct debuglog *log)
{
	int err = make_dir(log->ctx, RUN_DIR);

	return err ? err : make_dir(log->ctx, log->dir);
}

static int open_dir(struct debuglog *log)
{
	int err = check_owner(log->ctx, RUN_DIR);

	if (!err)
		err = check_owner(log->ctx, log->dir);
	if (err)
		return err;
	log->dirfd = open(log->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (log->dirfd >= 0 || errno == ENOENT || errno == EACCES)
		return 0;
	return dkt_fail(log->ctx, -errno, "open %s: %s", log->dir, strerror(errno));
}

/* Changes take turns; one takes less than a second. -ENOENT: a reset took it all away meanwhile. */
static int take_lock(struct debuglog *log)
{
	struct stat held, st;
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
	if (fstat(log->dirfd, &held) || stat(log->dir, &st) || st.st_ino != held.st_ino)
		return dkt_fail(log->ctx, -ENOENT, "%s was taken away", log->dir);
	return 0;
}

static void leave(struct debuglog *log)
{
	if (log->lock >= 0)
		close(log->lock);
	if (log->dirfd >= 0)
		close(log->dirfd);
	log->lock = log->dirfd = -1;
}

/* Makes the directory, takes its lock; again if a reset came between. */
static int enter(struct debuglog *log)
{
	int tries, err = -ENOENT;

	for (tries = 0; err == -ENOENT && tries < BUSY_TRIES; tries++) {
		leave(log);
		err = make_dirs(log);
		if (!err)
			err = open_dir(log);
		if (!err)
			err = log->dirfd >= 0 ? take_lock(log) : -ENOENT;
	}
	return err;
}

/* What was before the change that is under way, or that was killed: which of the two? */
static bool was_interrupted(struct debuglog *log)
{
	int lock __cleanup(close) = -1;

	if (log->dirfd < 0 || faccessat(log->dirfd, DEBUGLOG_BEFORE, F_OK, 0))
		return false;
	if (log->lock >= 0)
		return true;
	lock = openat(log->dirfd, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return lock < 0 || !flock(lock, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK;
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

static int spool_path(const struct debuglog *log, char **path)
{
	if (asprintf(path, "%s/spool", log->dir) >= 0)
		return 0;
	*path = NULL;
	return -ENOMEM;
}

int debuglog_return_top(struct debuglog *log)
{
	char *spool __cleanup(free) = NULL;
	int err = spool_path(log, &spool);

	if (!err)
		err = dkt_functions_return(log->ctx, spool);
	return err ? err : dkt_top_return(log->ctx, spool);
}

/* Cleans up after killed commands: removes their instances, restarts a log that they stopped. */
static int clean_up(struct debuglog *log)
{
	char *spool __cleanup(free) = NULL;
	int err = spool_path(log, &spool);

	/* One that somebody reads is for a later command, or for a person, whom status tells. */
	leftovers_remove(log->ctx, log->name);
	if (!err)
		err = dkt_instance_open(log->ctx, log->name, 0, &log->in);
	if (!err)
		err = dkt_instance_wake(log->in, spool);
	return err;
}

/* The instance was not there before the change that was killed. */
static int take_back_first(struct debuglog *log, const struct settings *before)
{
	int err = debuglog_return_top(log);

	if (!err && log->in)
		err = dkt_instance_remove(log->ctx, log->name);
	if (err)
		return err;
	dkt_instance_close(log->in);
	log->in = NULL;
	return settings_save(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, before);
}

/* A change was killed half way: what was before is in a file of its own. */
static int take_back(struct debuglog *log)
{
	struct settings before, asked;
	int err;

	if (!log->interrupted)
		return 0;
	err = settings_load(log->ctx, log->dirfd, DEBUGLOG_BEFORE, &before);
	if (!err) {
		/* It also names every event that the change may have put a filter on. */
		settings_clear(&log->set);
		log->set = before;
		err = settings_copy(&asked, &before);
		if (!err)
			err = before.made ? debuglog_apply(log, &asked, NULL) :
					    take_back_first(log, &before);
		settings_clear(&asked);
	}
	if (err && err != -EINVAL)
		return dkt_fail_in(log->ctx, err, "take back an interrupted change");
	unlinkat(log->dirfd, DEBUGLOG_BEFORE, 0);
	log->interrupted = false;
	if (!err)
		return 0;
	/* It is written whole or not at all, so without sense it is not ours. */
	settings_clear(&log->set);
	return load_settings(log);
}

static int log_init(struct debuglog *log, struct dkt_ctx *ctx, const char *name)
{
	int err = dkt_instance_check_name(ctx, name);

	*log = (struct debuglog){ .ctx = ctx, .dirfd = -1, .lock = -1 };
	settings_init(&log->set);
	if (err)
		return err;
	log->name = strdup(name);
	if (asprintf(&log->dir, RUN_DIR "/%s", name) < 0)
		log->dir = NULL;
	return log->name && log->dir ? 0 : -ENOMEM;
}

/* Without it all else works; why there is none is for the user to know. */
static int make_probe(struct debuglog *log)
{
	int err = cdebug_make(log->ctx, &log->probe_made);

	if (!err || err == -ENOMEM)
		return err;
	if (asprintf(&log->no_probe, "messages of Lustre are not recorded: %s",
		     dkt_error(log->ctx)) >= 0)
		return 0;
	log->no_probe = NULL;
	return -ENOMEM;
}

/* Returns those that the log does not have yet. */
static uint32_t follow_masks(struct debuglog *log)
{
	uint32_t differ = lustre_masks_follow(&log->set);

	return log->in ? differ : 0;
}

int debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags, struct debuglog **out)
{
	struct debuglog *log = calloc(1, sizeof(*log));
	int err = 0;

	*out = NULL;
	if (!log)
		return -ENOMEM;
	err = log_init(log, ctx, name);
	if (!err && flags & DEBUGLOG_CHANGE)
		err = dkt_caps_check(ctx, DKT_NEED_CONTROL);
	if (!err)
		err = flags & DEBUGLOG_CHANGE ? enter(log) : open_dir(log);
	if (!err)
		err = open_tracefs(ctx, flags);
	if (!err) {
		err = flags & DEBUGLOG_CHANGE ? clean_up(log) :
						dkt_instance_open(ctx, name, 0, &log->in);
		err = err == -ENOENT ? 0 : err;
	}
	if (!err && flags & DEBUGLOG_CHANGE)
		err = make_probe(log);
	log->interrupted = !err && was_interrupted(log);
	if (!err)
		err = load_settings(log);
	if (!err && log->rebuilt && flags & DEBUGLOG_CHANGE)
		err = settings_save(ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (!err && flags & DEBUGLOG_CHANGE)
		err = take_back(log);
	/* The enabled events show the masks that were set. The next change takes over Lustre's. */
	if (!err && (!log->in || flags & DEBUGLOG_CHANGE))
		log->followed = follow_masks(log);
	if (err) {
		debuglog_close(log);
		return err;
	}
	*out = log;
	return 0;
}

/* Made for a change that was not, or not wanted any more. */
static void drop_probe(struct debuglog *log)
{
	if (log->applied ? !(log->set.sources & MASK_FROM_LUSTRE) : log->probe_made)
		cdebug_remove(log->ctx);
}

void debuglog_close(struct debuglog *log)
{
	if (!log)
		return;
	drop_probe(log);
	settings_clear(&log->set);
	free(log->note);
	class_map_free(log->map);
	dkt_instance_close(log->in);
	leave(log);
	probes_free(log->probes);
	free(log->no_probe);
	free(log->on);
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
	if (!err)
		probes_mark(log);
	return err;
}

int debuglog_on(struct debuglog *log, struct dkt_event *const **on, size_t *n)
{
	int err = 0;

	if (!log->on && log->in)
		err = dkt_instance_get_events(log->in, &log->on, &log->n_on);
	*on = log->on;
	*n = log->n_on;
	return err;
}

struct dkt_event *debuglog_event(struct dkt_ctx *ctx, const char *name)
{
	const char *colon = strchr(name, ':');
	char *system __cleanup(free) = colon ? strndup(name, (size_t)(colon - name)) : NULL;

	return system ? dkt_event_find(ctx, system, colon + 1) : NULL;
}

int debuglog_spool(struct debuglog *log, char **path)
{
	int err = log->in ? make_dirs(log) : 0;

	*path = NULL;
	return err ? err : spool_path(log, path);
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
	return entry->d_name[0] != '.';
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

/* A look at the instance from outside also keeps it for a moment. */
static int remove_instance(struct debuglog *log)
{
	int tries, err = -EBUSY;

	for (tries = 0; err == -EBUSY && tries < BUSY_TRIES; tries++) {
		if (tries)
			usleep(BUSY_WAIT);
		err = debuglog_return_top(log);
		if (!err)
			err = dkt_instance_remove(log->ctx, log->name);
	}
	if (err == -EBUSY)
		dkt_fail_in(log->ctx, err, "somebody reads the buffers of '%s'", log->name);
	return err == -ENOENT ? 0 : err;
}

/* It gets another name first: whoever waits for its lock sees that it is not the log's any more. */
static int remove_dir(struct debuglog *log)
{
	char *gone __cleanup(free) = NULL;
	int tries, err;

	if (asprintf(&gone, RUN_DIR "/.%s", log->name) < 0) {
		gone = NULL;
		return -ENOMEM;
	}
	err = remove_files(AT_FDCWD, gone);
	if (!err && rename(log->dir, gone) && errno != ENOENT)
		err = -errno;
	/* One that waits may just have made a lock there. */
	for (tries = 0; !err && tries < BUSY_TRIES; tries++) {
		err = remove_files(AT_FDCWD, gone);
		if (err != -ENOTEMPTY)
			break;
		err = 0;
	}
	return err ? dkt_fail(log->ctx, err, "remove %s: %s", log->dir, strerror(-err)) : 0;
}

/* Not in the middle of somebody's change. */
static int reset(struct debuglog *log)
{
	int err = dkt_tracefs_open(log->ctx, 0);

	if (!err || err == -EACCES)
		err = dkt_caps_check(log->ctx, DKT_NEED_CONTROL);
	if (!err || err == -ENOENT)
		err = enter(log);
	/* Nobody can be at work where nothing can be kept. */
	if (err == -EROFS)
		err = 0;
	if (!err && *dkt_tracefs_dir(log->ctx))
		err = remove_instance(log);
	if (!err && *dkt_tracefs_dir(log->ctx) && log->dirfd >= 0)
		err = cdebug_remove(log->ctx);
	if (!err && *dkt_tracefs_dir(log->ctx) && log->dirfd >= 0)
		err = probes_reset(log);
	if (err)
		return err;
	err = remove_dir(log);
	return err ? err : put_back_mount(log->ctx);
}

int debuglog_reset(struct dkt_ctx *ctx, const char *name)
{
	struct debuglog log;
	int err = log_init(&log, ctx, name);

	if (!err)
		err = reset(&log);
	leave(&log);
	probes_free(log.probes);
	settings_clear(&log.set);
	free(log.name);
	free(log.dir);
	return err;
}
