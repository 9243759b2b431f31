/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon's state file: its lock shows that the daemon runs, its text what it has done. */
#include "compat/dk/debug_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "compat/io/process_lock.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/members.h"
#include "lib/base/servant.h"

/* How long a daemon may take to write the remaining records. */
#define STOP_SECONDS 60

#define ROW(...)     DKT__MEMBER(daemon_state, __VA_ARGS__)
#define NUMBER(name) ROW(#name, U64, name)

static const struct dkt__member list[] = {
	ROW("file", TEXT, file),
	NUMBER(mb),
	NUMBER(rotate),
	NUMBER(pos),
	NUMBER(records),
	NUMBER(bytes),
	NUMBER(lost),
	NUMBER(own),
	NUMBER(rounds),
	ROW("error", TEXT, error),
};

static const struct dkt__members members = { list, ARRAY_SIZE(list), " " };

void dkl_daemon_state_clear(struct daemon_state *state)
{
	dkt__members_clear(&members, state, NULL);
	state->pid = 0;
}

static int open_state(const char *dir, int flags)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(dir);
	char *path __cleanup(free) = dkt__format("%s/" DAEMON_STATE, dir);
	int fd;

	if (!path)
		return -ENOMEM;
	fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

int dkl_daemon_load(struct dkt_ctx *ctx, const char *dir, struct daemon_state *state)
{
	int fd __cleanup(close) = open_state(dir, O_RDWR), err;
	char text[8192];
	ssize_t n;

	*state = (struct daemon_state){ 0 };
	if (fd == -ENOENT)
		return 0;
	n = fd < 0 ? fd : pread(fd, text, sizeof(text) - 1, 0);
	if (n < 0)
		return dkt_fail(ctx, fd < 0 ? fd : -errno, "read %s/" DAEMON_STATE ": %s", dir,
				strerror(fd < 0 ? -fd : errno));
	text[n] = '\0';
	err = dkt__members_parse(&members, state, text);
	state->pid = dkl_process_lock_holder(fd);
	if (err)
		dkl_daemon_state_clear(state);
	return err;
}

int dkl_daemon_save(struct dkt_ctx *ctx, int fd, const struct daemon_state *state)
{
	char *text __cleanup(free) = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int err = 0;

	if (!f)
		return -ENOMEM;
	dkt__members_print(&members, state, f);
	if (fclose(f))
		return -ENOMEM;
	if (pwrite(fd, text, size, 0) != (ssize_t)size || ftruncate(fd, (off_t)size))
		err = dkt_fail(ctx, -errno, "write the daemon's state: %s", strerror(errno));
	return err;
}

int dkl_daemon_lock(struct dkt_ctx *ctx, const char *dir, int *fd)
{
	pid_t holder = 0;
	int err = 0;

	*fd = open_state(dir, O_RDWR | O_CREAT);
	if (*fd < 0) {
		err = *fd;
		*fd = -1;
		return dkt_fail(ctx, err, "open %s/" DAEMON_STATE ": %s", dir, strerror(-err));
	}
	err = dkl_process_lock(*fd, &holder);
	if (!err)
		return 0;
	if (err == -EBUSY)
		dkt_fail(ctx, err, "process %d is the debug daemon already", (int)holder);
	else
		dkt_fail(ctx, err, "lock %s/" DAEMON_STATE ": %s", dir, strerror(-err));
	close(*fd);
	*fd = -1;
	return err;
}

int dkl_daemon_stop(struct dkt_ctx *ctx, const char *dir)
{
	int fd __cleanup(close) = open_state(dir, O_RDWR);
	pid_t pid = fd < 0 ? 0 : dkl_process_lock_holder(fd);
	int process __cleanup(close) = -1;

	if (fd < 0 && fd != -ENOENT)
		return dkt_fail(ctx, fd, "open %s/" DAEMON_STATE ": %s", dir, strerror(-fd));
	if (!pid)
		return 0;
	process = dkt__process_open(pid);
	if (kill(pid, SIGTERM) && errno != ESRCH)
		return dkt_fail(ctx, -errno, "end process %d: %s", (int)pid, strerror(errno));
	for (int tries = 0; dkl_process_lock_holder(fd) == pid; tries++) {
		if (tries == STOP_SECONDS * 20)
			return dkt_fail(ctx, -ETIMEDOUT, "process %d does not end", (int)pid);
		usleep(50000);
	}
	/* A process gives up its locks a moment before it has ended. */
	if (process >= 0)
		poll(&(struct pollfd){ .fd = process, .events = POLLIN }, 1, STOP_SECONDS * 1000);
	return 0;
}
