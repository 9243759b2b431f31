/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts a command that is then recorded. */
#include "ctl/app/spawn.h"

#include "lib/base/buf.h"
#include "lib/base/servant.h"
#include "lib/base/stop.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "ctl/app/app.h"

/* A shell's exit statuses; STATUS_SIGNAL is added to the signal's number. */
enum { STATUS_NO_COMMAND = 127, STATUS_NO_EXEC = 126, STATUS_SIGNAL = 128 };

/* Returns 0 or an errno value: a script cannot be run without its interpreter. */
static int check_interpreter(const char *file)
{
	int fd __cleanup(close) = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char line[256], *name = line + strlen("#!");
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);

	if (n < 2 || memcmp(line, "#!", 2) != 0)
		return 0;
	line[n] = '\0';
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return *name && access(name, X_OK) ? errno : 0;
}

/* Returns 0 or an errno value. Directories count as executable for access(2), but not for execve(2). */
static int check_program(const char *file)
{
	struct stat st;

	if (access(file, X_OK) || stat(file, &st))
		return errno;
	return S_ISDIR(st.st_mode) ? EACCES : check_interpreter(file);
}

/* Returns 0 or an errno value: EACCES if the only files of that name cannot be executed. */
static int find_command(const char *name)
{
	const char *path = getenv("PATH"), *dir = path ? path : "/usr/bin:/bin", *end;
	int err = ENOENT, now;

	if (strchr(name, '/'))
		return check_program(name);
	for (; *name; dir = end + 1) {
		char *file __cleanup(free) = NULL;

		end = dir + strcspn(dir, ":");
		file = dkt__format("%.*s/%s", end > dir ? (int)(end - dir) : 1,
				   end > dir ? dir : ".", name);
		if (!file)
			return ENOMEM;
		now = check_program(file);
		if (!now)
			return 0;
		err = now == EACCES ? EACCES : err;
		if (!*end)
			break;
	}
	return err;
}

bool spawn_finds(const char *name)
{
	const int err = find_command(name);

	return err != ENOENT && err != ENOTDIR;
}

/* Reports the error and returns the exit status. */
static int report_failed(const char *name, int err)
{
	app_say("run %s: %s", name, strerror(err));
	return err == ENOENT ? STATUS_NO_COMMAND : STATUS_NO_EXEC;
}

int spawn_check(char **argv)
{
	int err = find_command(argv[0]);

	return err ? report_failed(argv[0], err) : 0;
}

static void child(int gate, pid_t parent, char **argv)
{
	char byte;
	ssize_t n;

	/* A waiting child must not outlive its parent. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_NO_EXEC);
	do
		n = read(gate, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(STATUS_NO_EXEC);
	prctl(PR_SET_PDEATHSIG, 0);
	dkt__stop_return();
	execvp(argv[0], argv);
	_exit(report_failed(argv[0], errno));
}

int spawn_start(struct dkt_ctx *ctx, struct spawn *spawn, char **argv)
{
	pid_t self = getpid();
	int fds[2];

	if (!argv)
		return 0;
	fflush(stdout);
	if (pipe2(fds, O_CLOEXEC))
		return dkt_fail(ctx, -errno, "run %s: %s", argv[0], strerror(errno));
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
		return dkt_fail(ctx, err, "run %s: %s", argv[0], strerror(-err));
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
	pid = dkt__wait(spawn->pid, &status, flags);
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
