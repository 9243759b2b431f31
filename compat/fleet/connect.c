/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts the ssh of a host, behind three pipes, and ends it. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "base/when.h"
#include "fleet/host.h"

static int spawn(struct fleet_host *host, const int in[2], const int out[2], const int errors[2])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	char **argv __cleanup(free) = NULL;
	sigset_t all;
	size_t n = 0;
	int rc;

	while (host->opts->ssh[n])
		n++;
	argv = calloc(n + 3, sizeof(*argv));
	if (!argv)
		return -ENOMEM;
	memcpy(argv, host->opts->ssh, n * sizeof(*argv));
	argv[n] = (char *)host->name;
	argv[n + 1] = (char *)host->opts->far_program;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, errors[1], STDERR_FILENO);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &all);
	/* In a group of its own: Ctrl-C is for this program, which then ends the commands in order. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	rc = posix_spawnp(&host->pid, argv[0], &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (rc)
		host->pid = 0;
	return -rc;
}

static void close_pair(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int host_connect(struct fleet_host *host)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, errors[2] = { -1, -1 }, err = 0;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(errors, O_CLOEXEC))
		err = -errno;
	if (!err)
		err = spawn(host, in, out, errors);
	if (err) {
		close_pair(in);
		close_pair(out);
		close_pair(errors);
		return dkt_fail(host->ctx, err, "run %s: %s", host->opts->ssh[0], strerror(-err));
	}
	close(in[0]);
	close(out[1]);
	close(errors[1]);
	host->out = in[1];
	host->in = out[0];
	host->err = errors[0];
	/* Without the right to a larger pipe the stream only costs more. */
	fcntl(host->in, F_SETPIPE_SZ, FRAME_WINDOW);
	fcntl(host->in, F_SETFL, O_NONBLOCK);
	fcntl(host->out, F_SETFL, O_NONBLOCK);
	fcntl(host->err, F_SETFL, O_NONBLOCK);
	host->ssh_errors.len = 0;
	host->state = FLEET_CONNECTING;
	host->greeted = false;
	host->heard = dkt__monotonic_ns();
	return 0;
}

bool host_reap(struct fleet_host *host, bool now)
{
	pid_t pid;

	if (!host->pid)
		return true;
	if (now)
		kill(host->pid, SIGKILL);
	do
		pid = waitpid(host->pid, NULL, now ? 0 : WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid)
		host->pid = 0;
	return pid;
}
