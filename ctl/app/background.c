/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leaves a process in the background that records all the time. */
#include "ctl/app/background.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "ctl/app/groups.h"
#include "lib/base/io.h"

#define DEFAULT_DIR "/var/log/dktrace"

/* Later, nobody may be there to read that the process cannot write. */
static int check_writable(const struct app *app, const char *path)
{
	int fd __cleanup(close) = dkt__unnamed_file(path);

	return fd < 0 ? dkt_fail(app->ctx, fd,
				 "create a file in %s: %s; name another directory"
				 " with --dir",
				 path, strerror(-fd)) :
			0;
}

int background_dir(const struct app *app, const char *dir, char path[PATH_MAX])
{
	struct stat st;

	if (!dir)
		dir = DEFAULT_DIR;
	if (mkdir(dir, 0700) && errno != EEXIST)
		return dkt_fail(app->ctx, -errno, "create the directory %s: %s", dir,
				strerror(errno));
	/* The process lives in another directory, and its state has one line for it. */
	if (!realpath(dir, path) || stat(path, &st))
		return dkt_fail(app->ctx, -errno, "use %s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return dkt_fail(app->ctx, -ENOTDIR, "use %s: it is not a directory", dir);
	if (strpbrk(path, "\n\t"))
		return dkt_fail(app->ctx, -EINVAL, "use %s: its name has a newline or a tab", dir);
	return check_writable(app, path);
}

void background_ready(struct background *background)
{
	int null;

	if (OPT(background->app, background)->foreground)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd <= STDERR_FILENO && null >= 0; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	dkt__write_all(background->ready, "", 1);
	close(background->ready);
}

int background_run(struct background *background, struct app *app, int (*run)(void *data),
		   void *data)
{
	int ends[2];
	char byte;
	pid_t pid;
	ssize_t n;

	background->app = app;
	if (OPT(app, background)->foreground)
		return run(data);
	if (pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
		dkt_fail(app->ctx, -errno, "start a process: %s", strerror(errno));
		return app_fail(app);
	}
	if (!pid) {
		close(ends[0]);
		background->ready = ends[1];
		setsid();
		pid = fork();
		if (pid)
			_exit(pid < 0);
		if (chdir("/"))
			_exit(EXIT_FAILED);
		_exit(run(data));
	}
	close(ends[1]);
	waitpid(pid, NULL, 0);
	do
		n = read(ends[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	return n == 1 ? 0 : EXIT_FAILED;
}
