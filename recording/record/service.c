/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two locks in the process's directory. The process locks the file "lock" as long as it lives, and the
 * kernel tells others who has the lock. The directory itself is locked during a turn: while a process
 * starts or ends, or cleans up after a killed one.
 */
#include "recording/record/service.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "compat/io/process_lock.h"
#include "compat/io/run_dir.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

/* A turn gets this long, and a process that is asked to end: it may have a file to finish. In s. */
#define TURN_SECONDS 60

#define EACH_US 20000

#define LOCK  "lock"
#define STATE "state"

/* A larger file is not a state. */
#define STATE_MAX (4 << 20)

/* Without the dot, it would be taken for the directory of a debug log. */
char *service_path(const struct service *service, const char *log, const char *name)
{
	return dkt__format(RUN_DIR "/.%s-%s%s%s", service->kind, log, *name ? "/" : "", name);
}

struct dkt__gained service_gained(const struct service *service, const char *log)
{
	char *dir __cleanup(free) = service_path(service, log, "");

	return dkt__gained_at(dir);
}

/* ---- the state ---- */

int service_load(struct dkt_ctx *ctx, const struct service *service, const char *log, void *state)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(service, log);
	char *path __cleanup(free) = service_path(service, log, STATE);
	char *text __cleanup(free) = NULL;
	size_t len;
	int err = path ? dkt__read_file(path, STATE_MAX, &text, &len) : -ENOMEM;

	if (err == -ENOENT)
		return dkt_fail(ctx, err, "no %s was started; 'dktrace %s start' does",
				service->noun + strlen("a "), service->kind);
	if (!err)
		err = dkt__members_parse(&service->state, state, text);
	if (!err && service->is_valid && !service->is_valid(state))
		err = -EINVAL;
	return err ? dkt_fail(ctx, err, "read %s: %s", path ? path : STATE, strerror(-err)) : 0;
}

int service_save(struct dkt_ctx *ctx, const struct service *service, const char *log,
		 const void *state)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(service, log);
	char *path __cleanup(free) = service_path(service, log, STATE);
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err;

	if (f)
		dkt__members_print(&service->state, state, f);
	err = dkt__text_end(f, path ? 0 : -ENOMEM, &text);
	if (!err)
		err = dkt__replace_file(path, text, len, false);
	return err ? dkt_fail(ctx, err, "write %s: %s", path ? path : STATE, strerror(-err)) : 0;
}

/* ---- turns ---- */

/* Returns the locked directory. -ENOENT: the process of the last turn removed it. */
static int try_enter(struct dkt_ctx *ctx, const struct service *service, const char *dir)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(dir);
	struct stat locked, now;
	/* The process runs commands that the state names, so nobody else may write there. */
	int err = dkl_run_dir_create(ctx, dir), fd;

	if (err < 0)
		return err;
	err = 0;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return dkt_fail(ctx, -errno, "open %s: %s", dir, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB))
		err = dkt_fail(ctx, errno == EWOULDBLOCK ? -EBUSY : -errno,
			       "lock %s, where %s is started and ended: %s", dir, service->noun,
			       strerror(errno));
	else if (fstat(fd, &locked) || stat(dir, &now) || locked.st_ino != now.st_ino)
		err = dkt_fail(ctx, -ENOENT, "%s was removed", dir);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int service_enter(struct dkt_ctx *ctx, const struct service *service, const char *log)
{
	char *dir __cleanup(free) = service_path(service, log, "");
	int turn = dir ? -EBUSY : dkt__no_memory(ctx);

	for (int tries = 0; turn == -EBUSY || turn == -ENOENT; tries++) {
		turn = try_enter(ctx, service, dir);
		if ((turn != -EBUSY && turn != -ENOENT) ||
		    tries == TURN_SECONDS * 1000000 / EACH_US)
			break;
		usleep(EACH_US);
	}
	return turn;
}

char *service_line(const char *text)
{
	char *copy = strdup(text);

	for (char *p = copy; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	return copy;
}

static void remove_file(const struct service *service, const char *log, const char *name)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(service, log);
	char *path __cleanup(free) = service_path(service, log, name);

	if (path)
		unlink(path);
}

/* Removes what a process has left that was killed while it replaced a file. */
static void remove_new(const char *path)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(path);
	DIR *dir __cleanup(closedir) = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot && !strcmp(dot, DKT__NEW_FILE))
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
}

void service_forget(const struct service *service, const char *log)
{
	char *dir __cleanup(free) = service_path(service, log, "");
	struct dkt__gained gained __cleanup(gained_end) = service_gained(service, log);

	remove_file(service, log, STATE);
	for (size_t i = 0; service->files[i]; i++)
		remove_file(service, log, service->files[i]);
	remove_file(service, log, LOCK);
	if (dir) {
		remove_new(dir);
		rmdir(dir);
	}
	dkt__run_dir_remove();
}

/* ---- the lock of the process ---- */

static int open_lock(const struct service *service, const char *log, int flags)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(service, log);
	char *path __cleanup(free) = service_path(service, log, LOCK);
	int fd = path ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	return fd < 0 ? path ? -errno : -ENOMEM : fd;
}

int service_lock(struct dkt_ctx *ctx, const struct service *service, const char *log)
{
	int fd = open_lock(service, log, O_RDWR | O_CREAT), err;
	pid_t holder = 0;

	if (fd < 0)
		return dkt_fail(ctx, fd, "open the lock of %s: %s", service->noun, strerror(-fd));
	err = dkl_process_lock(fd, &holder);
	/* The descriptor stays open: closing it would release the lock. */
	if (!err)
		return 0;
	if (err != -EBUSY)
		err = dkt_fail(ctx, err, "lock the directory of %s: %s", service->noun,
			       strerror(-err));
	else if (dkl_process_is_killed(holder))
		err = dkt_fail(ctx, -EBUSY, "%s, process %d, was killed but does not end",
			       service->noun, (int)holder);
	else
		err = dkt_fail(ctx, -EBUSY,
			       "%s is running already, process %d; 'dktrace %s stop' ends it",
			       service->noun, (int)holder, service->kind);
	close(fd);
	return err;
}

pid_t service_holder(const struct service *service, const char *log)
{
	int fd = open_lock(service, log, O_RDWR);
	pid_t pid = fd < 0 ? 0 : dkl_process_lock_holder(fd);

	if (fd >= 0)
		close(fd);
	return pid;
}

/*
 * Sends the signal to the process and waits until it has ended. Returns 1, or 0 if no process runs.
 * -ETIMEDOUT: it did not end.
 */
static int end_process(struct dkt_ctx *ctx, const struct service *service, const char *log, int sig)
{
	pid_t pid = service_holder(service, log), asked = 0;

	for (int tries = 0; pid; pid = service_holder(service, log), tries++) {
		if (tries == TURN_SECONDS * 1000000 / EACH_US)
			return dkt_fail(ctx, -ETIMEDOUT,
					"%s, process %d, was told to end %d s ago and has not yet:"
					" a slow disk may keep it busy",
					service->noun, (int)pid, TURN_SECONDS);
		/* Signal each process once; another one may have started since. */
		if (pid != asked && kill(pid, sig) && errno != ESRCH)
			return dkt_fail(ctx, -errno, "end process %d: %s", (int)pid,
					strerror(errno));
		asked = pid;
		usleep(EACH_US);
	}
	return asked != 0;
}

int service_end_enter(struct dkt_ctx *ctx, const struct service *service, const char *log, int sig,
		      bool *ended)
{
	int turn, err;

	*ended = false;
	/* Another process can be started before the turn begins. */
	do {
		err = end_process(ctx, service, log, sig);
		if (err < 0)
			return err;
		*ended |= err > 0;
		turn = service_enter(ctx, service, log);
		if (turn < 0 || !service_holder(service, log))
			return turn;
		close(turn);
	} while (true);
}

uint64_t service_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)dkt__timespec_ns(&ts);
}
