/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl without a command: reads commands from a terminal or a pipe, one per line. */
#include "compat/lctl/session.h"

#include "lib/base/util.h"

/*
 * Returns the next line of a pipe; NULL at the end. A carriage return also ends a line. Reads byte
 * by byte, because a command that a line starts may read the rest of the pipe.
 */
static char *pipe_line(void)
{
	char *line = NULL;
	size_t len = 0;
	char c = '\n';
	ssize_t n;

	while ((n = read(STDIN_FILENO, &c, 1)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		if (c == '\n' || c == '\r')
			break;
		if (dkt__append(line, len, c))
			break;
	}
	if (n <= 0 && !len)
		return NULL;
	if (!dkt__append(line, len, '\0'))
		return line;
	free(line);
	return NULL;
}

/* The first failure ends the session, and its status becomes the exit status. */
static int run_pipe(struct lctl *lctl)
{
	int rc, first = 0;
	char *line;

	while (!lctl->done && (line = pipe_line())) {
		rc = dkl_lctl_run_line(lctl, line);
		free(line);
		first = first ? first : rc;
		if (rc && !lctl->ignore_errors)
			break;
	}
	return first;
}

/* The exit status is that of the last command. */
static int run_terminal(struct lctl *lctl)
{
	struct editor *editor;
	char *line;
	int rc = 0;

	if (dkl_editor_new(lctl, &editor))
		return 1;
	while (!lctl->done && (line = dkl_editor_line(editor))) {
		rc = dkl_lctl_run_line(lctl, line);
		free(line);
		fflush(stdout);
	}
	dkl_editor_free(editor);
	return rc;
}

int dkl_session_run(struct lctl *lctl)
{
	lctl->session = true;
	return isatty(STDIN_FILENO) ? run_terminal(lctl) : run_pipe(lctl);
}
