/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One running Lustre lctl that takes the lines of a session. It reads them from a pipe that holds one
 * page. A page that has been read makes the pipe writable, so that poll() tells when a line was read. An
 * empty line, which does nothing, is read only when the line before it has ended.
 */
#include "compat/lctl/real_session.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "compat/lctl/real_lctl.h"
#include "lib/base/buf.h"
#include "lib/base/servant.h"
#include "lib/base/util.h"

/* No pipe holds less than this, and a write of it into an empty one is never partial. */
#define PIECE 4096

struct real_session {
	pid_t pid;
	int pipe;
	int process; /* readable when the process has ended; -1: the kernel cannot tell so */
	bool ignores_errors;
};

/* ---- start and end ---- */

static int spawn(struct real_session *real, const char *path)
{
	char name[] = "lctl", *argv[] = { name, NULL };
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	if (fcntl(ends[1], F_SETPIPE_SZ, PIECE) < 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK))
		err = -errno;
	real->pid = err ? -1 : fork();
	if (!real->pid) {
		dup2(ends[0], STDIN_FILENO);
		dkl_real_lctl_become(path, argv);
		_exit(127);
	}
	if (!err && real->pid < 0)
		err = -errno;
	close(ends[0]);
	if (err) {
		close(ends[1]);
		return err;
	}
	real->pipe = ends[1];
	real->process = dkt__process_open(real->pid);
	return 0;
}

static int start(struct real_session **real, char **why)
{
	char *path __cleanup(free) = dkl_real_lctl_find(why);
	int err;

	if (!path)
		return -ENOENT;
	*real = calloc(1, sizeof(**real));
	if (!*real)
		return -ENOMEM;
	err = spawn(*real, path);
	if (!err)
		return 0;
	*why = dkt__format("run %s: %s", path, strerror(-err));
	free(*real);
	*real = NULL;
	return err;
}

static int reap(struct real_session **real)
{
	int how = 0;

	close((*real)->pipe);
	dkt__wait((*real)->pid, &how, 0);
	if ((*real)->process >= 0)
		close((*real)->process);
	free(*real);
	*real = NULL;
	return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* ---- lines ---- */

/* Waits until the pipe is empty. -EPIPE: the process has ended. */
static int wait_read(const struct real_session *real)
{
	struct pollfd fds[] = { { .fd = real->pipe, .events = POLLOUT },
				{ .fd = real->process, .events = POLLIN } };

	if (TEMP_FAILURE_RETRY(poll(fds, ARRAY_SIZE(fds), -1)) < 0)
		return -errno;
	return fds[0].revents & POLLERR || fds[1].revents ? -EPIPE : 0;
}

/* The process can end at any time, which must not end this one by a signal. */
static int put(const struct real_session *real, const char *text)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was;
	size_t len = strlen(text);
	int err = 0;

	sigaction(SIGPIPE, &ignore, &was);
	while (len && !(err = wait_read(real))) {
		ssize_t n = write(real->pipe, text, DKT__MIN(len, (size_t)PIECE));

		if (n < 0) {
			err = -errno;
			break;
		}
		text += n;
		len -= (size_t)n;
	}
	sigaction(SIGPIPE, &was, NULL);
	return err;
}

/* True if the process has ended before it read what it was sent. */
static bool has_left(const struct real_session *real)
{
	int left = 0;

	return !ioctl(real->pipe, FIONREAD, &left) && left;
}

/* Sends a line and waits for its end. *unread: the process has ended and the line is not run. */
static int run(const struct real_session *real, const char *line, bool *unread)
{
	char *text __cleanup(free) = dkt__format("%s\n", line);
	int err = text ? put(real, text) : -ENOMEM;

	*unread = err;
	if (!err) {
		err = wait_read(real);
		*unread = err && has_left(real);
	}
	if (!err)
		err = put(real, "\n");
	return err ? err : wait_read(real);
}

int dkl_real_session_run(struct real_session **real, const char *line, bool ignore_errors,
			 int *status, char **why)
{
	bool unread = false;
	int err = 0;

	*status = 0;
	*why = NULL;
	if (!*real)
		err = start(real, why);
	if (err)
		return err;
	if (ignore_errors && !(*real)->ignores_errors) {
		err = run(*real, "ignore_errors", &unread);
		(*real)->ignores_errors = true;
	}
	if (!err)
		err = run(*real, line, &unread);
	if (err && err != -EPIPE)
		*why = dkt__format("send it a command: %s", strerror(-err));
	if (err != -EPIPE)
		return err;
	*status = reap(real);
	if (!unread)
		return 0;
	*why = dkt__format("it has ended before it read the command, with status %d", *status);
	return err;
}

int dkl_real_session_end(struct real_session **real)
{
	return *real ? reap(real) : 0;
}
