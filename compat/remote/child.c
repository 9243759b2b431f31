/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that the far side runs. */
#include "remote/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/io.h"
#include "remote/frame.h"
#include "remote/words.h"

/* The program that runs, also if another one has its name now. */
#define SELF "/proc/self/exe"

/* Bytes of standard error that are kept: the first messages are those that tell most. */
#define ERRORS_MAX (16 << 10)

/* After each signal a command has ASK_STEPS steps of STEP_US to end. */
#define STEP_US   10000
#define ASK_STEPS 1000

/* ---- starting ---- */

static int start(struct child *child, char **argv, int in, int out, int err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, none;
	char path[PATH_MAX];
	ssize_t len = readlink(SELF, path, sizeof(path) - 1);
	int rc;

	/* By its path, processes and records get its name; after an update the path ends with " (deleted)". */
	path[DKT__MAX(len, 0)] = '\0';

	posix_spawn_file_actions_init(&files);
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	else
		posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&child->pid, access(path, X_OK) ? SELF : path, &files, &attr, argv,
			 environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (rc)
		child->pid = 0;
	return -rc;
}

int child_start(struct dkt_ctx *ctx, struct child *child, char **args, unsigned int flags)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, errors[2] = { -1, -1 }, err = 0;
	char **argv __cleanup(free) = NULL;
	char name[] = "dktrace";
	size_t n = 0;

	while (args[n])
		n++;
	argv = calloc(n + 2, sizeof(*argv));
	if (!argv || pipe2(out, O_CLOEXEC) || pipe2(errors, O_CLOEXEC) ||
	    (flags & CHILD_READS && (pipe2(in, O_CLOEXEC) || fcntl(in[1], F_SETFL, O_NONBLOCK))))
		err = argv ? -errno : -ENOMEM;
	if (!err) {
		argv[0] = name;
		memcpy(argv + 1, args, n * sizeof(*args));
		child->names_file = flags & CHILD_NAMES_FILE;
		err = start(child, argv, in[0], out[1], errors[1]);
	}
	fcntl(out[0], F_SETPIPE_SZ, FRAME_WINDOW);
	child->in = in[1];
	child->out = out[0];
	child->err = errors[0];
	if (in[0] >= 0)
		close(in[0]);
	if (out[1] >= 0)
		close(out[1]);
	if (errors[1] >= 0)
		close(errors[1]);
	return err ? dkt_fail(ctx, err, "run %s: %s", args[0], strerror(-err)) : 0;
}

/* ---- running ---- */

static bool reap(struct child *child, int flags)
{
	int status;
	pid_t pid;

	if (child->reaped || !child->pid)
		return true;
	do
		pid = waitpid(child->pid, &status, flags);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return false;
	child->reaped = true;
	child->status = pid < 0           ? 1 :
			WIFEXITED(status) ? WEXITSTATUS(status) :
					    128 + WTERMSIG(status);
	return true;
}

/* The command has printed the name: goes on with the file. */
static int open_file(struct dkt_ctx *ctx, struct child *child)
{
	struct stat st;
	int fd;

	child->names_file = false;
	reap(child, 0);
	if (child->status || !child->name.len)
		return 0;
	child->name.data[strcspn(child->name.data, "\n")] = '\0';
	fd = open(child->name.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		child->out = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return dkt_fail(ctx, -EIO, "read %s: %s", child->name.data,
			fd < 0 ? strerror(errno) : "it is not a file");
}

ssize_t child_read(struct dkt_ctx *ctx, struct child *child, void *place, size_t len)
{
	ssize_t n = read(child->out, place, len);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ?
			       0 :
			       dkt_fail(ctx, -errno, "read the output: %s", strerror(errno));
	if (n && !child->names_file)
		return n;
	if (n)
		return words_keep(&child->name, place, (size_t)n, PATH_MAX);
	close(child->out);
	child->out = -1;
	return child->names_file ? open_file(ctx, child) : 0;
}

void child_write(const struct child *child, const void *bytes, size_t len)
{
	if (child->in >= 0)
		dkt__write_all(child->in, bytes, len);
}

int child_read_errors(struct child *child)
{
	char bytes[4096];
	ssize_t n = read(child->err, bytes, sizeof(bytes));

	if (n > 0)
		return words_keep(&child->errors, bytes, (size_t)n, ERRORS_MAX);
	if (!n || (errno != EINTR && errno != EAGAIN)) {
		close(child->err);
		child->err = -1;
	}
	return 0;
}

/* ---- ending ---- */

void child_stop(const struct child *child)
{
	if (child->pid && !child->reaped)
		kill(child->pid, SIGINT);
}

bool child_is_ending(const struct child *child)
{
	return child->pid && !child->reaped && child->out < 0 && child->err < 0;
}

bool child_ended(struct child *child)
{
	return child->pid && child->out < 0 && child->err < 0 && reap(child, WNOHANG);
}

void child_close(struct child *child)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGKILL };

	if (child->in >= 0)
		close(child->in);
	/* Whoever waits for room in the pipe gets an error, and ends. */
	if (child->out >= 0)
		close(child->out);
	if (child->err >= 0)
		close(child->err);
	child->in = child->out = child->err = -1;
	for (size_t i = 0; child->pid && i < ARRAY_SIZE(signals); i++) {
		if (!child->reaped)
			kill(child->pid, signals[i]);
		for (int step = 0; !reap(child, WNOHANG) && step < ASK_STEPS; step++)
			usleep(STEP_US);
	}
	free(child->errors.data);
	free(child->name.data);
	*child = (struct child)CHILD_INIT;
}
