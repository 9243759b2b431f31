/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads standard input: a recording while it is written, or else as a file that has every offset. */
#include "ctl/input/stdin_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include "ctl/app/privileges.h"
#include "ctl/input/unpack.h"
#include "lib/base/stop.h"
#include "lib/base/temporary.h"

#define CHUNK (1 << 16)

/* Appends what the descriptor has to the file. */
static int copy(struct app *app, int from, const char *name, int fd)
{
	char *bytes __cleanup(free) = dkt__read_buffer(CHUNK);
	struct stat st = { 0 };
	ssize_t n = 0;
	int err = bytes ? 0 : -ENOMEM;

	while (!err && (n = read(from, bytes, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dkt_fail(app->ctx, -errno, "read %s: %s", name, strerror(errno));
		err = dkt__write_all(fd, bytes, (size_t)n);
	}
	if (err)
		return dkt_fail(app->ctx, err, "keep %s: %s", name, strerror(-err));
	/* The first bytes may have been in the file before. */
	return !fstat(fd, &st) && st.st_size ?
		       0 :
		       dkt_fail(app->ctx, -ENODATA, "read %s: it is empty", name);
}

/* Copies while Ctrl-C only stops the program that writes the pipe: what it wrote until then is read. */
static int copy_all(struct app *app, int from, const char *name, int fd)
{
	struct sigaction before, none = { .sa_handler = SIG_IGN };
	int err;

	sigaction(SIGINT, &none, &before);
	err = copy(app, from, name, fd);
	sigaction(SIGINT, &before, NULL);
	return err;
}

/* Keeps the file for all that read it. */
static int keep(struct app *app, int fd)
{
	int err = unpack_file(app, fd, INPUT_STDIN, STDIN_NAME);

	if (err)
		return err;
	app->stdin_file = fd + 1;
	return fd;
}

/* Appends the pipe to the file, and keeps that. Closes it after an error. */
static int copy_pipe(struct app *app, int fd)
{
	int err = copy_all(app, STDIN_FILENO, STDIN_NAME, fd);

	if (!err)
		err = keep(app, fd);
	if (err < 0)
		close(fd);
	return err;
}

/* True if it has to be read from beginning to end. */
static bool is_pipe(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode);
}

static int refuse_terminal(struct app *app)
{
	return isatty(STDIN_FILENO) ?
		       dkt_fail(app->ctx, -EINVAL,
				STDIN_NAME " is a terminal: records come from a file or a pipe") :
		       0;
}

int stdin_file(struct app *app)
{
	int fd, err;

	if (app->stdin_file)
		return app->stdin_file - 1;
	err = refuse_terminal(app);
	if (err)
		return err;
	if (!is_pipe())
		return keep(app, STDIN_FILENO);
	fd = dkt__temporary_file(app->ctx, dkt__temporary_dir());
	return fd < 0 ? fd : copy_pipe(app, fd);
}

int stdin_copy_pipe(struct app *app, int pipe, const char *path)
{
	struct pollfd writer = { .fd = pipe, .events = POLLIN };
	int fd __cleanup(close) = -1, err = 0;
	struct stat st;

	if (fstat(pipe, &st) || !S_ISFIFO(st.st_mode))
		return 0;
	/* It was opened without waiting, so that it seems to be at its end before it has a writer. */
	while (poll(&writer, 1, -1) < 0 && errno == EINTR && !err)
		err = dkt__stopped() ? -EINTR : 0;
	if (err || fcntl(pipe, F_SETFL, 0))
		return dkt_fail(app->ctx, err ? err : -errno, "read %s: %s", path,
				strerror(err ? -err : errno));
	fd = dkt__temporary_file(app->ctx, dkt__temporary_dir());
	if (fd < 0)
		return fd;
	err = copy_all(app, pipe, path, fd);
	if (!err && dup3(fd, pipe, O_CLOEXEC) < 0)
		err = dkt_fail(app->ctx, -errno, "keep %s: %s", path, strerror(errno));
	return err;
}

static void on_interrupt(int sig)
{
	(void)sig;
}

int stdin_recording(struct app *app, struct dkt_ctx *ctx, const struct dkt_source_opts *opts,
		    struct dkt_source **source)
{
	/*
	 * The first Ctrl-C also stops the program that writes the pipe: print what it wrote until
	 * then. The second one ends this program.
	 */
	struct sigaction once = { .sa_handler = on_interrupt,
				  .sa_flags = (int)(SA_RESETHAND | SA_RESTART) };
	int rest, err = app->stdin_file || !is_pipe() ? 1 : refuse_terminal(app);

	if (err)
		return err;
	sigaction(SIGINT, &once, NULL);
	err = dkt_source_pipe(ctx, STDIN_FILENO, opts, &rest, source);
	if (err != 1)
		return err;
	rest = copy_pipe(app, rest);
	return rest < 0 ? rest : 1;
}
