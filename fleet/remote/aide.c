/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The aide of the far side: starts and ends the command for the process that reads frames. */
#include "fleet/remote/aide.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "fleet/remote/frame.h"
#include "fleet/remote/resume.h"
#include "lib/base/io.h"
#include "lib/base/servant.h"

/* The program that runs, also if another one has its name now. */
#define SELF "/proc/self/exe"

/* After each signal a command has ASK_STEPS steps of STEP_US to end. */
#define STEP_US   10000
#define ASK_STEPS 1000

#define ARGS_MAX 1024

struct question {
	enum aide_kind kind;
	uint64_t at;
};

/* The message for struct aide_answer. */
struct answer {
	int err, number;
	char words[1024]; /* the error message */
};

/* The aide itself. */
struct state {
	struct dkt_ctx *ctx;
	const struct aide_opts *opts;
	int fd;
	pid_t child; /* 0: none was started */
	bool reaped;
	int status;
	int name; /* where the command writes the name of its file; -1: nowhere */
};

/* ---- starting ---- */

static int start(struct state *state, char **argv, int in, int out, int err)
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
	rc = posix_spawn(&state->child, access(path, X_OK) ? SELF : path, &files, &attr, argv,
			 environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (rc)
		state->child = 0;
	return -rc;
}

/* The pipes of the command: standard error, output and input; of each the end to read comes first. */
enum { ERRORS, OUTPUT, INPUT, N_PIPES };

static int open_pipes(int pipes[N_PIPES][2], bool reads)
{
	if (pipe2(pipes[ERRORS], O_CLOEXEC) || pipe2(pipes[OUTPUT], O_CLOEXEC))
		return -errno;
	fcntl(pipes[OUTPUT][0], F_SETPIPE_SZ, FRAME_WINDOW);
	return reads && (pipe2(pipes[INPUT], O_CLOEXEC) ||
			 fcntl(pipes[INPUT][1], F_SETFL, O_NONBLOCK)) ?
		       -errno :
		       0;
}

/* Hands the ends of this side over. */
static void take_ends(struct state *state, int pipes[N_PIPES][2], bool names_file,
		      struct dkt__pass *reply)
{
	int *const ends[N_PIPES] = { &pipes[ERRORS][0], &pipes[OUTPUT][0], &pipes[INPUT][1] };

	if (names_file)
		state->name = *ends[OUTPUT];
	for (size_t i = 0; i < N_PIPES && *ends[i] >= 0 && !(names_file && i == OUTPUT); i++) {
		reply->fds[reply->n++] = *ends[i];
		*ends[i] = -1;
	}
	if (names_file)
		*ends[OUTPUT] = -1;
}

static int spawn(struct state *state, char **argv, unsigned int flags, struct dkt__pass *reply)
{
	int pipes[N_PIPES][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	int err = open_pipes(pipes, flags & CHILD_READS);

	if (!err)
		err = start(state, argv, pipes[INPUT][0], pipes[OUTPUT][1], pipes[ERRORS][1]);
	if (err)
		dkt_fail(state->ctx, err, "run %s: %s", argv[1], strerror(-err));
	else
		take_ends(state, pipes, flags & CHILD_NAMES_FILE, reply);
	dkt__close_all(pipes[0], 2 * (size_t)N_PIPES);
	return err;
}

static int split(char *text, const char *end, char **argv, size_t most)
{
	size_t n = 0;

	for (; text < end && n < most; text += strlen(text) + 1)
		argv[n++] = text;
	argv[n] = NULL;
	return text < end ? -E2BIG : (int)n;
}

/* A NUL follows the texts. */
static int run(struct state *state, char *texts, size_t len, struct dkt__pass *reply)
{
	char name[] = "dktrace", *argv[ARGS_MAX + 2] = { name };
	const int n = split(texts, texts + len, argv + 1, ARGS_MAX);
	int flags, err;

	if (n <= 0 || state->child)
		return dkt_fail(state->ctx, -EPROTO, "run a command: it has no words, or too many");
	flags = state->opts->check(state->opts->data, n, argv + 1);
	if (flags < 0)
		return flags;
	err = spawn(state, argv, (unsigned int)flags, reply);
	return err ? err : flags;
}

/* ---- ending ---- */

/* Returns whether it has ended. */
static bool reap(struct state *state, int flags)
{
	int status;
	pid_t pid;

	if (state->reaped || !state->child)
		return true;
	pid = dkt__wait(state->child, &status, flags);
	if (!pid)
		return false;
	state->reaped = true;
	state->status = pid < 0           ? 1 :
			WIFEXITED(status) ? WEXITSTATUS(status) :
					    128 + WTERMSIG(status);
	return true;
}

static void stop(struct state *state)
{
	if (!reap(state, WNOHANG))
		kill(state->child, SIGINT);
}

static void end_command(struct state *state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGKILL };

	for (size_t i = 0; i < ARRAY_SIZE(signals) && !reap(state, WNOHANG); i++) {
		kill(state->child, signals[i]);
		for (int step = 0; !reap(state, WNOHANG) && step < ASK_STEPS; step++)
			usleep(STEP_US);
	}
}

/* ---- files ---- */

/* Opens the file whose name the command has printed. */
static int open_named(struct state *state, struct dkt__pass *reply)
{
	char *name __cleanup(free) = NULL;
	struct stat st;
	size_t len = 0;
	int fd, err = state->name < 0 ? 0 : dkt__read_fd(state->name, PATH_MAX, &name, &len);

	reap(state, 0);
	if (err)
		return dkt_fail(state->ctx, err, "read the name of a file: %s", strerror(-err));
	if (state->status || !len)
		return 0;
	name[strcspn(name, "\n")] = '\0';
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		reply->fds[reply->n++] = fd;
		return 0;
	}
	dkt__close_all(&fd, 1);
	return dkt_fail(state->ctx, -EIO, "read %s: %s", name,
			fd < 0 ? strerror(errno) : "it is not a file");
}

/* ---- questions ---- */

static int answer(struct state *state, const struct question *question, char *body,
		  struct dkt__pass *with, struct dkt__pass *reply)
{
	int err;

	switch (question->kind) {
	case AIDE_RUN:
		return run(state, body, with->n_body, reply);
	case AIDE_STATUS:
		return reap(state, WNOHANG) ? state->status : -EAGAIN;
	case AIDE_FILE:
		err = open_named(state, reply);
		return err ? err : state->status;
	case AIDE_HAND_OVER:
		return with->n != 2 ? -EPROTO :
				      resume_hand_over(state->ctx, body, with->fds[0], with->fds[1],
						       question->at);
	default:
		return -EPROTO;
	}
}

static int take_question(struct state *state, char body[FRAME_MAX_BODY + 1])
{
	struct question question;
	struct answer text = { 0 };
	struct dkt__pass with = { .head = &question,
				  .n_head = sizeof(question),
				  .body = body,
				  .n_body = FRAME_MAX_BODY };
	struct dkt__pass reply = { .head = &text, .n_head = sizeof(text) };
	const ssize_t n = dkt__pass_take(state->fd, &with);
	int err = 0;

	if (n < (ssize_t)sizeof(question))
		return -ENOTCONN;
	with.n_body = (size_t)n - sizeof(question);
	body[with.n_body] = '\0';
	if (question.kind == AIDE_STOP) {
		stop(state);
	} else {
		text.number = answer(state, &question, body, &with, &reply);
		text.err = DKT__MIN(text.number, 0);
		if (text.err)
			snprintf(text.words, sizeof(text.words), "%s", dkt_error(state->ctx));
		err = dkt__pass_send(state->fd, &reply);
	}
	dkt__close_all(with.fds, with.n);
	dkt__close_all(reply.fds, reply.n);
	return err;
}

static void be_aide(struct state *state)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char *body = malloc(FRAME_MAX_BODY + 1);

	/* An end of the connection that stays open here would keep it. */
	if (null >= 0) {
		dup2(null, state->opts->in);
		dup2(null, state->opts->out);
	}
	while (body && !take_question(state, body))
		;
	free(body);
	end_command(state);
	resume_close(state->opts->listener, state->opts->id);
}

/* ---- the other process ---- */

int aide_begin(struct dkt_ctx *ctx, const struct aide_opts *opts, struct aide *aide)
{
	aide->pid = dkt__servant_fork(&aide->fd);
	if (!aide->pid) {
		struct state state = { .ctx = ctx, .opts = opts, .fd = aide->fd, .name = -1 };

		be_aide(&state);
		_exit(0);
	}
	return DKT__MIN(aide->pid, 0);
}

int aide_gone(struct dkt_ctx *ctx)
{
	return dkt_fail(ctx, -ECHILD, "the process that starts and ends the command was killed");
}

int aide_ask(struct dkt_ctx *ctx, const struct aide *aide, enum aide_kind kind, uint64_t at,
	     struct dkt__pass *with, struct aide_answer *answer)
{
	struct question question = { .kind = kind, .at = at };
	struct answer text;
	struct dkt__pass reply = { .head = &text, .n_head = sizeof(text) };

	with->head = &question;
	with->n_head = sizeof(question);
	if (dkt__pass_send(aide->fd, with) || dkt__pass_take(aide->fd, &reply) != sizeof(text))
		return aide_gone(ctx);
	*answer = (struct aide_answer){ .err = text.err, .number = text.number };
	for (size_t i = 0; i < DKT__PASS_MOST; i++)
		answer->fds[i] = i < reply.n ? reply.fds[i] : -1;
	text.words[sizeof(text.words) - 1] = '\0';
	return text.err ? dkt_fail(ctx, text.err, "%s", text.words) : 0;
}

void aide_stop(const struct aide *aide)
{
	struct question question = { .kind = AIDE_STOP };

	dkt__pass_send(aide->fd,
		       &(struct dkt__pass){ .head = &question, .n_head = sizeof(question) });
}

void aide_end(struct aide *aide)
{
	dkt__servant_end(aide->pid, &aide->fd);
}
