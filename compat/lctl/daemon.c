/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* debug_daemon: controls Lustre's own daemon and ours for the trace log. */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <strings.h>
#include <sys/wait.h>

#include "compat/apply/apply.h"
#include "compat/dk/debug_daemon.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"

#define PARAM "daemon_file"

/* If Lustre's daemon writes FILE, ours writes FILE with this suffix. */
#define SUFFIX ".dktrace"
/* Lustre refuses longer names, even if the file system accepts them. */
#define NAME_MOST 2047

struct daemon_cmd {
	struct lctl *lctl;
	const char *name; /* of the command, as it was typed */
	char *param; /* path of Lustre's parameter; NULL: not found */
	struct debuglog *log;
	bool recording; /* the trace log exists */
	const char *rotate; /* argument of --rotate; NULL: not given */
	const char *size; /* NULL: not given */
	const char *file;
};

static int usage(const struct daemon_cmd *cmd)
{
	dkl_say_line(stderr, "usage: %s {start file [MB]|stop}", cmd->name);
	return 1;
}

/* ---- arguments ---- */

static int read_size(const struct daemon_cmd *cmd, uint64_t *mb)
{
	int64_t size;

	*mb = DAEMON_DEFAULT_MB;
	if (!cmd->size)
		return 0;
	/* Like Lustre's lctl, skip white space before the size. */
	if (dkt__parse_s64(cmd->size + strspn(cmd->size, " \t\n\v\f\r"), DKT__AS_C, &size) ||
	    size < DAEMON_MIN_MB || size > DAEMON_MAX_MB) {
		dkl_say_line(stderr, "size %s invalid, must be in the range %d-%d MB", cmd->size,
			     DAEMON_MIN_MB, DAEMON_MAX_MB);
		return 1;
	}
	*mb = (uint64_t)size;
	return 0;
}

static int read_rotate(const struct daemon_cmd *cmd, uint64_t *n)
{
	*n = 0;
	if (!cmd->rotate || (!dkt__parse_u64(cmd->rotate, DKT__DEC, n) && *n && *n <= 999))
		return 0;
	dkl_say_line(stderr, "--rotate %s invalid, must be in the range 1-999 files", cmd->rotate);
	return 1;
}

/* The directory must exist; the file need not. */
static int absolute_path(const char *path, char **out)
{
	char *copy __cleanup(free) = strdup(path), *dir __cleanup(free) = NULL;
	char *slash = copy ? strrchr(copy, '/') : NULL;
	const char *name = slash ? slash + 1 : copy;

	if (!copy)
		return -ENOMEM;
	if (!*path)
		return -ENOENT;
	if (strlen(name) > NAME_MOST)
		return -ENAMETOOLONG;
	if (slash)
		*slash = '\0';
	dir = realpath(!slash ? "." : *copy ? copy : "/", NULL);
	if (!dir)
		return -errno;
	*out = dkt__format("%s/%s", strcmp(dir, "/") ? dir : "", name);
	return *out ? 0 : -ENOMEM;
}

/* ---- Lustre's daemon ---- */

static int write_param(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));

	return n == (ssize_t)strlen(text) ? 0 : n < 0 ? -errno : -EIO;
}

static int open_param(const struct daemon_cmd *cmd)
{
	int fd = open(cmd->param, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		dkl_say_line(stderr, "open '%s' failed: %s", cmd->param, strerror(errno));
	return fd;
}

static int start_lustre(const struct daemon_cmd *cmd, uint64_t mb, const char *path)
{
	int fd __cleanup(close) = open_param(cmd), err;
	char size[32];

	if (fd < 0)
		return 1;
	snprintf(size, sizeof(size), "size=%" PRIu64, mb);
	/* Without a size, the current limit stays. */
	err = cmd->size ? write_param(fd, size) : 0;
	if (err) {
		dkl_say_line(stderr, "set %s failed: %s", size, strerror(-err));
		return 1;
	}
	err = write_param(fd, path);
	if (err)
		dkl_say_line(stderr, "start debug_daemon on %s failed: %s", cmd->file,
			     strerror(-err));
	return err ? 1 : 0;
}

static int stop_lustre(const struct daemon_cmd *cmd)
{
	int fd __cleanup(close) = open_param(cmd), err;

	if (fd < 0)
		return 1;
	err = write_param(fd, "stop");
	if (err)
		dkl_say_line(stderr, "stopping debug_daemon failed: %s", strerror(-err));
	return err ? 1 : 0;
}

/* ---- our daemon ---- */

/* Executes this program again as the daemon. Only the pipe stays open, as descriptors 2 and 3. */
static void become_daemon(const struct daemon_cmd *cmd, const struct daemon_state *wanted,
			  int ready)
{
	char self[] = "lctl", command[] = "debug_daemon", word[] = "run", fd[] = "3";
	char mb[24], rotate[24];
	char *argv[] = { self, command, word, wanted->file, mb, rotate, fd, NULL };
	int null = open("/dev/null", O_RDWR);

	snprintf(mb, sizeof(mb), "%" PRIu64, wanted->mb);
	snprintf(rotate, sizeof(rotate), "%" PRIu64, wanted->rotate);
	/* The daemon writes an error message, or the NUL byte of success, into the pipe. */
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(ready, 2) < 0 ||
	    dup2(2, 3) < 0)
		_exit(127);
	dkt__close_range(4, UINT_MAX);
	if (setenv("DKTRACE_INSTANCE", cmd->lctl->instance, 1) || chdir("/"))
		_exit(127);
	execv("/proc/self/exe", argv);
	_exit(127);
}

/* The daemon's report until it runs: one NUL byte, or an error message. */
static int wait_ready(const struct daemon_cmd *cmd, int from)
{
	char words[1024];
	size_t len = 0;
	ssize_t n;

	while ((n = read(from, words + len, sizeof(words) - 1 - len)) > 0) {
		len += (size_t)n;
		if (!words[len - 1])
			return 0;
	}
	words[len] = '\0';
	words[strcspn(words, "\n")] = '\0';
	dkl_say_line(stderr, "start debug_daemon on %s failed: %s", cmd->file,
		     len ? words : strerror(ECHILD));
	return 1;
}

static int start_ours(const struct daemon_cmd *cmd, const struct daemon_state *wanted)
{
	int ends[2], rc;
	pid_t pid;

	/* A second start switches to the new file, as in Lustre. */
	if (dkl_daemon_stop(cmd->lctl->ctx, cmd->log->dir)) {
		dkl_lctl_print_error(cmd->lctl);
		return 1;
	}
	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC)) {
		dkl_say_line(stderr, "start debug_daemon on %s failed: %s", cmd->file,
			     strerror(errno));
		return 1;
	}
	pid = fork();
	if (!pid) {
		/* In a new session, but not its leader, the daemon can never get a terminal. */
		if (setsid() >= 0 && !fork())
			become_daemon(cmd, wanted, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	rc = wait_ready(cmd, ends[0]);
	close(ends[0]);
	return rc;
}

/* ---- subcommands ---- */

static int start(struct daemon_cmd *cmd)
{
	struct daemon_state wanted = { 0 };
	char *path __cleanup(free) = NULL, *file __cleanup(free) = NULL;
	int err, rc;

	if (!cmd->file || (cmd->size && strlen(cmd->size) > 5))
		return usage(cmd);
	if (read_size(cmd, &wanted.mb) || read_rotate(cmd, &wanted.rotate))
		return 1;
	err = absolute_path(cmd->file, &path);
	if (err) {
		dkl_say_line(stderr, "%s debug_daemon: cannot resolve path '%s': %s",
			     cmd->lctl->self, cmd->file, strerror(-err));
		return -err;
	}
	rc = cmd->param ? start_lustre(cmd, wanted.mb, path) : 0;
	if (rc || !cmd->recording)
		return rc;
	file = dkt__format("%s%s", path, cmd->param ? SUFFIX : "");
	wanted.file = file;
	return file ? start_ours(cmd, &wanted) : 1;
}

static int stop_both(struct daemon_cmd *cmd)
{
	int rc = cmd->param ? stop_lustre(cmd) : 0;

	if (cmd->log && dkl_daemon_stop(cmd->lctl->ctx, cmd->log->dir)) {
		dkl_lctl_print_error(cmd->lctl);
		rc = 1;
	}
	return rc;
}

static void print_lustre_status(const struct daemon_cmd *cmd)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	bool runs = !dkt__read_file(cmd->param, PATH_MAX, &text, &len) && *text != '\n' && len;

	dkl_say_line(stdout, "Lustre's debug daemon: %s%.*s", runs ? "writes to " : "does not run",
		     runs ? (int)strcspn(text, "\n") : 0, runs ? text : "");
}

static int status(struct daemon_cmd *cmd)
{
	struct daemon_state state;

	if (cmd->param)
		print_lustre_status(cmd);
	if (!cmd->log)
		return 0;
	if (dkl_daemon_load(cmd->lctl->ctx, cmd->log->dir, &state)) {
		dkl_lctl_print_error(cmd->lctl);
		return 1;
	}
	if (state.pid)
		dkl_say_line(stdout, "debug daemon: process %d writes to %s", (int)state.pid,
			     state.file);
	else if (state.error)
		dkl_say_line(stdout, "debug daemon: failed: %s", state.error);
	else
		printf("debug daemon: does not run\n");
	if (state.file) {
		if (state.rotate)
			dkl_say_line(stdout,
				     "file: %s, of %" PRIu64 " MB, then %" PRIu64
				     " older ones are kept",
				     state.file, state.mb, state.rotate);
		else
			dkl_say_line(stdout,
				     "file: %s, of %" PRIu64 " MB, then overwritten from its start",
				     state.file, state.mb);
		printf("written: %" PRIu64 " records, %" PRIu64 " bytes, %" PRIu64
		       " times around\nlost: %" PRIu64 " records\n",
		       state.records, state.bytes, state.rounds, state.lost);
		if (state.own)
			printf("skipped: %" PRIu64 " records of the daemon itself\n", state.own);
	}
	dkl_daemon_state_clear(&state);
	return 0;
}

/* run FILE MB ROTATE [FD]: the daemon itself, executed by `start` and by systemd. */
static int run(struct daemon_cmd *cmd, int argc, char **argv)
{
	struct daemon_state wanted = { 0 };
	int64_t ready = -1;
	int err;

	if (argc < 3)
		return usage(cmd);
	if (argc > 5)
		dkt__parse_int(argv[5], 0, INT32_MAX, &ready);
	cmd->size = argc > 3 ? argv[3] : NULL;
	cmd->rotate = argc > 4 && strcmp(argv[4], "0") ? argv[4] : NULL;
	if (read_size(cmd, &wanted.mb) || read_rotate(cmd, &wanted.rotate))
		return 1;
	err = absolute_path(argv[2], &wanted.file);
	if (!err)
		err = dkl_daemon_run(cmd->lctl->ctx, cmd->lctl->instance, &wanted, (int)ready);
	else
		dkt_fail(cmd->lctl->ctx, err, "%s: %s", argv[2], strerror(-err));
	free(wanted.file);
	/* `start` adds its own beginning to the message. */
	if (err)
		fprintf(stderr, "%s\n", dkt_error(cmd->lctl->ctx));
	return err ? 1 : 0;
}

/* Removes --rotate N from the arguments; returns the new number of arguments. */
static int take_rotate(struct daemon_cmd *cmd, int argc, char **argv)
{
	for (int i = 2; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--rotate")) {
			cmd->rotate = argv[i + 1];
			memmove(argv + i, argv + i + 2, (size_t)(argc - i - 1) * sizeof(*argv));
			return argc - 2;
		}
	return argc;
}

static int dispatch(struct daemon_cmd *cmd, int argc, char **argv)
{
	if (!strcasecmp(argv[1], "status"))
		return status(cmd);
	if (!cmd->param && !cmd->recording) {
		fprintf(stderr, "invalid parameter '" PARAM "'\n");
		return 1;
	}
	if (!strcasecmp(argv[1], "stop"))
		return stop_both(cmd);
	if (strcasecmp(argv[1], "start"))
		return usage(cmd);
	argc = take_rotate(cmd, argc, argv);
	if (argc > 4)
		return usage(cmd);
	cmd->file = argc > 2 ? argv[2] : NULL;
	cmd->size = argc > 3 ? argv[3] : NULL;
	return start(cmd);
}

int dkl_lctl_cmd_debug_daemon(struct lctl *lctl, int argc, char **argv)
{
	struct daemon_cmd cmd = { .lctl = lctl, .name = argv[0] };
	int rc;

	if (argc < 2)
		return usage(&cmd);
	if (!strcmp(argv[1], "run"))
		return run(&cmd, argc, argv);
	if (dkl_tree_first(&lctl->tree, PARAM, &cmd.param))
		cmd.param = NULL;
	if (dkl_debuglog_open(lctl->ctx, lctl->instance, 0, &cmd.log))
		cmd.log = NULL;
	cmd.recording = cmd.log && cmd.log->in;
	rc = dispatch(&cmd, argc, argv);
	dkl_debuglog_close(cmd.log);
	free(cmd.param);
	return rc;
}
