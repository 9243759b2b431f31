/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads standard input: a recording while it is written, or else as a file that has every offset. */
#include "input/stdin_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/temporary.h"

#define CHUNK (1 << 16)

static int copy(struct app *app, int fd)
{
	char *bytes __cleanup(free) = dkt__read_buffer(CHUNK);
	struct stat st = { 0 };
	ssize_t n = 0;
	int err = bytes ? 0 : -ENOMEM;

	while (!err && (n = read(STDIN_FILENO, bytes, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dkt_fail(app->ctx, -errno, "read " STDIN_NAME ": %s",
					strerror(errno));
		err = dkt__write_all(fd, bytes, (size_t)n);
	}
	if (err)
		return dkt_fail(app->ctx, err, "keep " STDIN_NAME ": %s", strerror(-err));
	/* The first bytes may have been in the file before. */
	return !fstat(fd, &st) && st.st_size ?
		       0 :
		       dkt_fail(app->ctx, -ENODATA, "read " STDIN_NAME ": it is empty");
}

/* Appends the pipe to the file, and keeps that. Closes it after an error. */
static int copy_pipe(struct app *app, int fd)
{
	struct sigaction before, none = { .sa_handler = SIG_IGN };
	int err;

	/* Ctrl-C also stops the program that writes the pipe: read what it wrote until then. */
	sigaction(SIGINT, &none, &before);
	err = copy(app, fd);
	sigaction(SIGINT, &before, NULL);
	if (err) {
		close(fd);
		return err;
	}
	app->stdin_file = fd + 1;
	return fd;
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
	if (!is_pipe()) {
		app->stdin_file = STDIN_FILENO + 1;
		return STDIN_FILENO;
	}
	fd = dkt__temporary_file(app->ctx, dkt__temporary_dir());
	return fd < 0 ? fd : copy_pipe(app, fd);
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
