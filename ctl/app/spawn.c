/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts a command that is then recorded. */
#include "app/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "app/app.h"

/* As a shell says that there is no such command, and that it cannot be executed. */
enum { STATUS_NO_COMMAND = 127, STATUS_NO_EXEC = 126, STATUS_SIGNAL = 128 };

/* 0, or the error of the last place where it could have been. */
static int find_command(const char *name)
{
	const char *path = getenv("PATH"), *dir = path ? path : "/usr/bin:/bin", *end;
	int err = ENOENT;

	if (strchr(name, '/'))
		return access(name, X_OK) ? errno : 0;
	for (; *name; dir = end + 1) {
		char *file __cleanup(free) = NULL;

		end = dir + strcspn(dir, ":");
		if (asprintf(&file, "%.*s/%s", end > dir ? (int)(end - dir) : 1,
			     end > dir ? dir : ".", name) < 0)
			return ENOMEM;
		if (!access(file, X_OK))
			return 0;
		err = errno == EACCES ? EACCES : err;
		if (!*end)
			break;
	}
	return err;
}

static void say_failed(const char *name, int err)
{
	app_say("run %s: %s", name, strerror(err));
}

int spawn_check(char **argv)
{
	int err = find_command(argv[0]);

	if (!err)
		return 0;
	say_failed(argv[0], err);
	return err == ENOENT ? STATUS_NO_COMMAND : STATUS_NO_EXEC;
}

static void child(int gate, pid_t parent, char **argv)
{
	char byte;
	ssize_t n;
	int err;

	/* While it waits it must not outlive who would let it go. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_NO_EXEC);
	do
		n = read(gate, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(STATUS_NO_EXEC);
	prctl(PR_SET_PDEATHSIG, 0);
	execvp(argv[0], argv);
	err = errno;
	say_failed(argv[0], err);
	_exit(err == ENOENT ? STATUS_NO_COMMAND : STATUS_NO_EXEC);
}

int spawn_start(struct spawn *spawn, char **argv)
{
	pid_t self = getpid();
	int fds[2];

	fflush(stdout);
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	spawn->pid = fork();
	if (!spawn->pid) {
		close(fds[1]);
		child(fds[0], self, argv);
	}
	close(fds[0]);
	spawn->gate = fds[1];
	if (spawn->pid < 0) {
		int err = -errno;

		close(fds[1]);
		*spawn = (struct spawn)SPAWN_INIT;
		return err;
	}
	return 0;
}

static void close_gate(struct spawn *spawn)
{
	if (spawn->gate >= 0)
		close(spawn->gate);
	spawn->gate = -1;
}

void spawn_go(struct spawn *spawn)
{
	if (spawn->gate >= 0 && write(spawn->gate, "", 1) < 0)
		perror("dktrace: start the command");
	close_gate(spawn);
}

static bool wait_for(struct spawn *spawn, int flags)
{
	int status;
	pid_t pid;

	if (!spawn->pid || spawn->ended)
		return true;
	do
		pid = waitpid(spawn->pid, &status, flags);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return false;
	spawn->ended = true;
	if (pid > 0)
		spawn->status = WIFEXITED(status) ? WEXITSTATUS(status) :
						    STATUS_SIGNAL + WTERMSIG(status);
	return true;
}

bool spawn_ended(struct spawn *spawn)
{
	return wait_for(spawn, WNOHANG);
}

void spawn_finish(struct spawn *spawn)
{
	close_gate(spawn);
	wait_for(spawn, 0);
}
