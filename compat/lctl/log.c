/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clear, mark: act on Lustre's buffer and the trace log, whichever exist. */
#include <fcntl.h>
#include <linux/ioctl.h>
#include <sys/ioctl.h>
#include <time.h>

#include "compat/apply/apply.h"
#include "compat/dk/dk.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lustre/message.h"
#include "lib/base/buf.h"

/* lctl truncates a marker to this many bytes. */
#define MARK_MAX 255

#define MARKER "debug_marker"

/* ---- Lustre's buffer ---- */

/* The kernel expects the text with its NUL. */
static int write_marker(const char *path, const char *text)
{
	int fd __cleanup(close) = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text) + 1) < 0 ? -errno : 0;
}

/* -ENOENT: this user cannot write such a file. */
static int write_lustre(struct lctl *lctl, const char *text)
{
	char *path __cleanup(free) = NULL;
	int err;

	if (dkl_tree_first(&lctl->tree, MARKER, &path) || access(path, W_OK))
		return -ENOENT;
	err = write_marker(path, text);
	if (err)
		dkl_say_line(stderr, "%s: write %s: %s", lctl->self, path, strerror(-err));
	return err;
}

/* ---- Lustre's buffer, by ioctl, as before Lustre had parameters for that ---- */

#define DEVICE "/dev/lnet"

#define CLEAR _IOWR('e', 31, long)
#define MARK  _IOWR('e', 32, long)

#define VERSION 0x0001000a

/* The kernel's struct libcfs_ioctl_data; the texts follow it, each padded to eight bytes. */
struct libcfs_ioctl_data {
	uint32_t len;
	uint32_t version;
	uint64_t nid;
	uint64_t u64;
	uint32_t numbers[10];
	uint32_t text_len;
	const char *text;
	uint32_t text2_len;
	const char *text2;
	uint32_t buf_len;
	void *buf;
	uint32_t buf2_len;
	void *buf2;
};

/* Prints lctl's error messages. */
static int ask_lnet(unsigned long request, const char *name, const char *text)
{
	struct libcfs_ioctl_data head = { .version = VERSION };
	size_t len = text ? strlen(text) + 1 : 0;
	char *message __cleanup(free) = NULL;
	int fd __cleanup(close) = open(DEVICE, O_RDWR | O_CLOEXEC);
	int err = 0;

	head.text_len = (uint32_t)len;
	head.text = text;
	head.len = (uint32_t)(sizeof(head) + (len + 7) / 8 * 8);
	message = calloc(1, head.len);
	if (!message)
		return -ENOMEM;
	memcpy(message, &head, sizeof(head));
	if (len)
		memcpy(message + sizeof(head), text, len);
	if (fd < 0) {
		err = -errno;
		fprintf(stderr,
			"opening " DEVICE " failed: %s\n"
			"hint: the kernel modules may not be loaded\n",
			strerror(-err));
	} else if (ioctl(fd, request, message) < 0) {
		err = -errno;
	}
	if (err)
		dkl_say_line(stderr, "%s failed: %s", name, strerror(-err));
	return err;
}

/* ---- the trace log ---- */

/* Opens the log for a change. 1: it was never started, so it is empty. */
static int open_started(struct lctl *lctl, struct debuglog **log)
{
	int err = dkl_debuglog_open(lctl->ctx, lctl->instance, 0, log);

	/* RUN_DIR shows users without access to the tracer whether a log was ever started. */
	if (err)
		return err == -ENOENT || access(RUN_DIR, F_OK) ? 1 : err;
	if ((*log)->in) {
		dkl_debuglog_close(*log);
		err = dkl_debuglog_open(lctl->ctx, lctl->instance, DEBUGLOG_CHANGE, log);
	}
	/* Opening undoes an interrupted change; if that was the first one, the log is removed. */
	if (err || (*log)->in)
		return err;
	dkl_debuglog_close(*log);
	return 1;
}

static int mark_log(struct debuglog *log, const char *text)
{
	char *line __cleanup(free) = dkt__format("DEBUG MARKER: %s", text);

	return line ? dkt_instance_mark(log->in, line) : -ENOMEM;
}

/* True if the log records Lustre's messages, so that it has Lustre's own mark. */
static bool has_messages(struct debuglog *log)
{
	struct dkt_event *const *on;
	size_t n;

	if (dkl_debuglog_on(log, &on, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (dkl_message_is(on[i]) && !dkl_message_is_part(on[i]))
			return true;
	return false;
}

/*
 * Marks the trace log, unless Lustre has made a mark that is recorded there; text NULL: clears it. 1: it was
 * never started.
 */
static int change_log(struct lctl *lctl, const char *text, bool marked)
{
	struct debuglog *log;
	int ret = open_started(lctl, &log);

	if (ret)
		return ret;
	if (!text)
		ret = dkl_dk_clear(log);
	else if (!marked || !has_messages(log))
		ret = mark_log(log, text);
	dkl_debuglog_close(log);
	return ret;
}

/* ---- both ---- */

/*
 * Marks or clears both logs. If neither exists, `lctl` answers as Lustre's does, and `dktrace`
 * prints how to start the log.
 */
static int change_both(struct lctl *lctl, const char *lustre, const char *text)
{
	int theirs = write_lustre(lctl, lustre);
	int ours = change_log(lctl, text, !theirs);

	if (ours < 0 && theirs == -ENOENT)
		dkl_lctl_print_error(lctl);
	if (ours > 0 && theirs == -ENOENT && strcmp(lctl->self, "lctl")) {
		dkl_say_line(stderr,
			     "%s: nothing is recorded yet: set a mask first, set_param debug=...",
			     lctl->self);
		return 0;
	}
	if (ours > 0 && theirs == -ENOENT)
		theirs = text ? ask_lnet(MARK, "IOC_LIBCFS_MARK_DEBUG", text) :
				ask_lnet(CLEAR, "IOC_LIBCFS_CLEAR_DEBUG", NULL);
	else if (theirs == -ENOENT)
		theirs = 0;
	return theirs || ours < 0;
}

int dkl_lctl_cmd_clear(struct lctl *lctl, int argc, char **argv)
{
	if (argc > 1) {
		dkl_say_line(stderr, "usage: %s", argv[0]);
		return 0;
	}
	return change_both(lctl, "clear", NULL);
}

static void append(char text[MARK_MAX + 1], const char *more, size_t *room)
{
	size_t at = MARK_MAX - *room, len = strnlen(more, *room);

	memcpy(text + at, more, len);
	text[at + len] = '\0';
	*room -= len;
}

/* Joins the arguments with spaces; without arguments, the text is the time and a newline. */
static void mark_text(int argc, char **argv, char text[MARK_MAX + 1])
{
	time_t now = time(NULL);
	size_t room = MARK_MAX;

	text[0] = '\0';
	if (argc < 2)
		ctime_r(&now, text);
	else
		append(text, argv[1], &room);
	/* lctl adds a word only if more than one byte is free. */
	for (int i = 2; i < argc && room > 1; i++) {
		append(text, " ", &room);
		append(text, argv[i], &room);
	}
}

int dkl_lctl_cmd_mark(struct lctl *lctl, int argc, char **argv)
{
	char text[MARK_MAX + 1];

	mark_text(argc, argv, text);
	return change_both(lctl, text, text);
}
