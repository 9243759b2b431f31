/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that the far side runs. */
#include "fleet/remote/child.h"

#include <fcntl.h>
#include <signal.h>

#include "fleet/remote/words.h"
#include "lib/base/io.h"

/* Bytes of standard error that are kept: the first messages are those that tell most. */
#define ERRORS_MAX (16 << 10)

int child_start(struct dkt_ctx *ctx, struct child *child, const uint8_t *texts, size_t len)
{
	struct dkt__pass with = { .body = (void *)(uintptr_t)texts, .n_body = len };
	struct aide_answer answer;
	int err = aide_ask(ctx, &child->aide, AIDE_RUN, 0, &with, &answer);

	if (err)
		return err;
	child->started = true;
	child->names_file = answer.number & CHILD_NAMES_FILE;
	child->err = answer.fds[0];
	child->out = answer.fds[1];
	child->in = answer.fds[2];
	return 0;
}

/* ---- running ---- */

/* The command has ended: goes on with the file that it has named. */
static int open_file(struct dkt_ctx *ctx, struct child *child)
{
	struct dkt__pass with = { 0 };
	struct aide_answer answer;
	int err = aide_ask(ctx, &child->aide, AIDE_FILE, 0, &with, &answer);

	child->names_file = false;
	if (!err)
		child->out = answer.fds[0];
	return err;
}

ssize_t child_read(struct dkt_ctx *ctx, struct child *child, void *place, size_t len)
{
	ssize_t n = read(child->out, place, len);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ?
			       0 :
			       dkt_fail(ctx, -errno, "read the output: %s", strerror(errno));
	if (!n) {
		close(child->out);
		child->out = -1;
	}
	return n;
}

void child_write(const struct child *child, const void *bytes, size_t len)
{
	if (child->in >= 0)
		dkt__write_all(child->in, bytes, len);
}

int child_read_errors(struct dkt_ctx *ctx, struct child *child)
{
	char bytes[4096];
	ssize_t n = read(child->err, bytes, sizeof(bytes));

	if (n > 0)
		return words_keep(&child->errors, bytes, (size_t)n, ERRORS_MAX);
	if (n && (errno == EINTR || errno == EAGAIN))
		return 0;
	close(child->err);
	child->err = -1;
	return child->names_file ? open_file(ctx, child) : 0;
}

/* ---- ending ---- */

void child_stop(const struct child *child)
{
	if (child->started && !child->ended)
		aide_stop(&child->aide);
}

bool child_is_ending(const struct child *child)
{
	return child->started && !child->ended && child->out < 0 && child->err < 0;
}

/* By the status that a shell gives. Signals that ask a command to end, or tell that nobody reads, do not count. */
static bool was_killed(int status)
{
	const int number = status - 128;

	return number > 0 && number != SIGINT && number != SIGTERM && number != SIGPIPE;
}

int child_ended(struct dkt_ctx *ctx, struct child *child)
{
	struct dkt__pass with = { 0 };
	struct aide_answer answer;
	int err;

	if (!child_is_ending(child))
		return child->ended && child->out < 0;
	err = aide_ask(ctx, &child->aide, AIDE_STATUS, 0, &with, &answer);
	if (err)
		return err == -EAGAIN ? 0 : err;
	child->ended = true;
	child->status = answer.number;
	if (was_killed(child->status))
		return dkt_fail(ctx, -EINTR, "its command was killed by signal %d (%s)",
				child->status - 128, strsignal(child->status - 128));
	return 1;
}

void child_close(struct child *child)
{
	int *const fds[] = { &child->in, &child->out, &child->err };

	/* Whoever waits for room in the pipe gets an error, and ends. */
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	aide_end(&child->aide);
	free(child->errors.data);
	*child = (struct child)CHILD_INIT;
}
