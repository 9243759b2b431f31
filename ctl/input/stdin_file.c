/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes standard input a file that can be read at any offset. */
#include "input/stdin_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/io.h"

#define CHUNK (1 << 16)

static int copy(struct app *app, int fd)
{
	char *bytes __cleanup(free) = malloc(CHUNK);
	uint64_t size = 0;
	ssize_t n = 0;
	int err = bytes ? 0 : -ENOMEM;

	while (!err && (n = read(STDIN_FILENO, bytes, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dkt_fail(app->ctx, -errno, "read " STDIN_NAME ": %s",
					strerror(errno));
		size += (uint64_t)n;
		err = dkt__write_all(fd, bytes, (size_t)n);
	}
	if (err)
		return dkt_fail(app->ctx, err, "keep " STDIN_NAME ": %s", strerror(-err));
	return size ? 0 : dkt_fail(app->ctx, -ENODATA, "read " STDIN_NAME ": it is empty");
}

static int copy_pipe(struct app *app)
{
	struct sigaction before, none = { .sa_handler = SIG_IGN };
	const char *dir = dkt__temporary_dir();
	int err, fd = dkt__unnamed_file(dir);

	if (fd < 0)
		return dkt_fail(app->ctx, fd, "create %s/dktrace-XXXXXX: %s", dir, strerror(-fd));
	/* Ctrl-C also stops the program that writes the pipe: read what it wrote until then. */
	sigaction(SIGINT, &none, &before);
	err = copy(app, fd);
	sigaction(SIGINT, &before, NULL);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int stdin_file(struct app *app)
{
	struct stat st;
	int fd = app->stdin_file - 1;

	if (fd < 0 && isatty(STDIN_FILENO))
		return dkt_fail(app->ctx, -EINVAL,
				STDIN_NAME " is a terminal: records come from a"
					   " file or a pipe");
	if (fd < 0 && !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode))
		fd = STDIN_FILENO;
	if (fd < 0)
		fd = copy_pipe(app);
	if (fd < 0)
		return fd;
	app->stdin_file = fd + 1;
	return fd;
}
