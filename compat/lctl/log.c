/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clear, mark: act on Lustre's buffer and the trace log, whichever exist. */
#include <fcntl.h>
#include <time.h>

#include "apply/apply.h"
#include "base/util.h"
#include "io/say.h"
#include "lctl/cmd.h"
#include "lctl/lnet_ioctl.h"
#include "pipeline/dk.h"

/* lctl cuts a marker there. */
#define MARK_MAX 255

#define MARKER "debug_marker"

/* ---- Lustre's buffer ---- */

/* The kernel wants the NUL. */
static int write_marker(const char *path, const char *text)
{
	int fd __cleanup(close) = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text) + 1) < 0 ? -errno : 0;
}

/* -ENOENT: there is no such file to be opened. */
static int tell_lustre(struct lctl *lctl, const char *text)
{
	char *path __cleanup(free) = NULL;
	int err;

	if (tree_first(&lctl->tree, MARKER, &path) || access(path, W_OK))
		return -ENOENT;
	err = write_marker(path, text);
	if (err)
		say_line(stderr, "%s: write %s: %s", lctl->self, path, strerror(-err));
	return err;
}

/* ---- the trace log ---- */

/* 1: it was never started, so that there is nothing in it. */
static int open_started(struct lctl *lctl, struct debuglog **log)
{
	int err = debuglog_open(lctl->ctx, lctl->instance, 0, log);

	/* Who may not look at the tracer still sees whether something was ever started. */
	if (err)
		return err == -ENOENT || access(RUN_DIR, F_OK) ? 1 : err;
	if ((*log)->in) {
		debuglog_close(*log);
		err = debuglog_open(lctl->ctx, lctl->instance, DEBUGLOG_CHANGE, log);
	}
	/* To open it for a change may take back the very first one, and the log with it. */
	if (err || (*log)->in)
		return err;
	debuglog_close(*log);
	return 1;
}

static int mark_log(struct debuglog *log, const char *text)
{
	char *line __cleanup(free) = NULL;

	if (asprintf(&line, "DEBUG MARKER: %s", text) < 0) {
		line = NULL;
		return -ENOMEM;
	}
	return dkt_instance_mark(log->in, line);
}

/* text NULL: empties it. 1: it was never started. */
static int tell_log(struct lctl *lctl, const char *text)
{
	struct debuglog *log;
	int ret = open_started(lctl, &log);

	if (!ret) {
		ret = text ? mark_log(log, text) : dk_clear(log);
		debuglog_close(log);
	}
	return ret;
}

/* ---- both ---- */

/*
 * Both logs, if both are there. On a machine with neither, lctl's answer; asked as dktrace, what
 * to do about it.
 */
static int tell_both(struct lctl *lctl, const char *lustre, const char *text)
{
	int there = tell_lustre(lctl, lustre);
	int own = tell_log(lctl, text);

	if (own < 0 && there == -ENOENT)
		lctl_say(lctl);
	if (own > 0 && there == -ENOENT && strcmp(lctl->self, "lctl")) {
		say_line(stderr, "%s: nothing is recorded yet: start with set_param debug=...",
			 lctl->self);
		return 1;
	}
	if (own > 0 && there == -ENOENT)
		there = text ? lnet_ioctl_mark(text) : lnet_ioctl_clear();
	else if (there == -ENOENT)
		there = 0;
	return there || own < 0;
}

int lctl_cmd_clear(struct lctl *lctl, int argc, char **argv)
{
	if (argc > 1) {
		say_line(stderr, "usage: %s", argv[0]);
		return 0;
	}
	return tell_both(lctl, "clear", NULL);
}

static void append(char text[MARK_MAX + 1], const char *more, size_t *room)
{
	size_t at = MARK_MAX - *room, len = strnlen(more, *room);

	memcpy(text + at, more, len);
	text[at + len] = '\0';
	*room -= len;
}

/* The words joined by blanks, or the time with its newline. */
static void mark_text(int argc, char **argv, char text[MARK_MAX + 1])
{
	time_t now = time(NULL);
	size_t room = MARK_MAX;

	text[0] = '\0';
	if (argc < 2)
		ctime_r(&now, text);
	else
		append(text, argv[1], &room);
	/* For a single byte more lctl does not begin another word. */
	for (int i = 2; i < argc && room > 1; i++) {
		append(text, " ", &room);
		append(text, argv[i], &room);
	}
}

int lctl_cmd_mark(struct lctl *lctl, int argc, char **argv)
{
	char text[MARK_MAX + 1];

	mark_text(argc, argv, text);
	return tell_both(lctl, text, text);
}
