/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dialer of a fleet: starts the ssh of each host, behind three pipes, and ends it. */
#include "fleet/collect/dialer.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "fleet/remote/frame.h"
#include "lib/base/io.h"
#include "lib/base/servant.h"

/* Bytes of numbers in a question, and of a name in an answer. */
#define BODY_MAX (128 << 10)

enum kind {
	CONNECT, /* answered with the descriptors */
	REAP, /* answered with whether it has ended */
	REAP_NOW,
	NAME, /* with numbers; answered with the name */
	ANOTHER, /* with a descriptor, which another dialer takes over */
};

struct question {
	enum kind kind;
	uint32_t host;
};

struct state {
	const struct dialer_opts *opts;
	int fd;
	pid_t *pids; /* of each host's ssh; 0: none */
	int *outs; /* the pipe to each ssh, for the last word; -1: none */
	uint32_t *body;
};

/* ---- ssh ---- */

static int spawn(const struct state *state, uint32_t host, int pipes[DIALER_FDS][2])
{
	const struct dialer_opts *opts = state->opts;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	char **argv __cleanup(free) = NULL;
	sigset_t all;
	size_t n = 0;
	int rc;

	while (opts->ssh[n])
		n++;
	argv = calloc(n + 3, sizeof(*argv));
	if (!argv)
		return -ENOMEM;
	memcpy(argv, opts->ssh, n * sizeof(*argv));
	argv[n] = opts->names[host];
	argv[n + 1] = (char *)(uintptr_t)opts->far_program;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, pipes[DIALER_OUT][0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, pipes[DIALER_IN][1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, pipes[DIALER_ERR][1], STDERR_FILENO);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &all);
	/* In a group of its own: Ctrl-C is for this program, which then ends the commands in order. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	rc = posix_spawnp(&state->pids[host], argv[0], &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (rc)
		state->pids[host] = 0;
	return -rc;
}

static int connect_host(const struct state *state, uint32_t host, struct dkt__pass *reply)
{
	int pipes[DIALER_FDS][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } }, err = 0;

	for (size_t i = 0; !err && i < DIALER_FDS; i++)
		err = pipe2(pipes[i], O_CLOEXEC) ? -errno : 0;
	/* Without the right to a larger pipe the stream only costs more. */
	fcntl(pipes[DIALER_IN][0], F_SETPIPE_SZ, FRAME_WINDOW);
	if (!err)
		err = spawn(state, host, pipes);
	if (!err)
		state->outs[host] = fcntl(pipes[DIALER_OUT][1], F_DUPFD_CLOEXEC, 0);
	for (size_t i = 0; !err && i < DIALER_FDS; i++) {
		int *end = &pipes[i][i == DIALER_OUT];

		reply->fds[reply->n++] = *end;
		*end = -1;
	}
	dkt__close_all(pipes[0], 2 * (size_t)DIALER_FDS);
	return err;
}

/* The other process has closed its end, too: ssh reads the end of its input. */
static void hang_up(const struct state *state, size_t host)
{
	dkt__close_all(&state->outs[host], 1);
	state->outs[host] = -1;
}

/*
 * The other process was killed: its hosts would wait for another connection, so they are told to end their
 * commands. Behind a part of a frame the word is a part of that, and the host ends after its time.
 */
static void quit_all(const struct state *state)
{
	uint8_t head[FRAME_HEAD];

	frame_put_head(head, FRAME_QUIT, 0);
	for (size_t i = 0; i < state->opts->n; i++)
		/* A pipe that is full is that of an ssh that reads no more. */
		if (state->outs[i] >= 0 && !fcntl(state->outs[i], F_SETFL, O_NONBLOCK))
			dkt__write_all(state->outs[i], head, sizeof(head));
}

static int reap(const struct state *state, uint32_t host, bool now)
{
	pid_t pid;

	hang_up(state, host);
	if (!state->pids[host])
		return 1;
	if (now)
		kill(state->pids[host], SIGKILL);
	pid = dkt__wait(state->pids[host], NULL, now ? 0 : WNOHANG);
	if (pid)
		state->pids[host] = 0;
	return pid ? 1 : 0;
}

/* ---- questions ---- */

static int put_name(const struct state *state, size_t len, struct dkt__pass *reply)
{
	char *name;

	for (size_t i = 0; i < len / sizeof(*state->body); i++)
		if (state->body[i] >= state->opts->n)
			return -EINVAL;
	name = state->opts->name(state->opts->data, state->body, len / sizeof(*state->body));
	if (!name)
		return -ENOENT;
	reply->body = state->body;
	reply->n_body = strnlen(name, BODY_MAX);
	memcpy(state->body, name, reply->n_body);
	free(name);
	return 0;
}

static int answer(struct state *state, const struct question *question, size_t len,
		  struct dkt__pass *reply)
{
	if (question->host >= state->opts->n)
		return -EINVAL;
	switch (question->kind) {
	case CONNECT:
		return state->pids[question->host] ? -EBUSY :
						     connect_host(state, question->host, reply);
	case REAP:
	case REAP_NOW:
		return reap(state, question->host, question->kind == REAP_NOW);
	case NAME:
		return put_name(state, len, reply);
	default:
		return -EINVAL;
	}
}

/* The dialer of another process has the same hosts, and connections of its own. */
static void become_another(struct state *state, int fd)
{
	pid_t pid = fork();

	if (pid) {
		close(fd);
		return;
	}
	close(state->fd);
	state->fd = fd;
	memset(state->pids, 0, state->opts->n * sizeof(*state->pids));
	for (size_t i = 0; i < state->opts->n; i++)
		hang_up(state, i);
}

/* Processes that nobody asks for any more. */
static void reap_others(const struct state *state)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (size_t i = 0; i < state->opts->n; i++)
			if (state->pids[i] == pid) {
				state->pids[i] = 0;
				hang_up(state, i);
			}
}

static int take_question(struct state *state)
{
	struct question question;
	struct dkt__pass with = { .head = &question,
				  .n_head = sizeof(question),
				  .body = state->body,
				  .n_body = BODY_MAX };
	int result = 0, err;
	struct dkt__pass reply = { .head = &result, .n_head = sizeof(result) };
	const ssize_t n = dkt__pass_take(state->fd, &with);

	if (n < (ssize_t)sizeof(question))
		return -ENOTCONN;
	reap_others(state);
	if (question.kind == ANOTHER && with.n == 1) {
		become_another(state, with.fds[0]);
		return 0;
	}
	result = answer(state, &question, (size_t)n - sizeof(question), &reply);
	err = dkt__pass_send(state->fd, &reply);
	dkt__close_all(with.fds, with.n);
	dkt__close_all(reply.fds, reply.n);
	return err;
}

static void be_dialer(struct state *state)
{
	const size_t n = state->opts->n;

	state->pids = calloc(n + 1, sizeof(*state->pids));
	state->outs = malloc((n + 1) * sizeof(*state->outs));
	state->body = malloc(BODY_MAX);
	for (size_t i = 0; state->outs && i < n; i++)
		state->outs[i] = -1;
	while (state->pids && state->outs && state->body && !take_question(state))
		;
	if (state->outs)
		quit_all(state);
	free(state->pids);
	free(state->outs);
	free(state->body);
}

/* ---- the other process ---- */

int dialer_begin(struct dkt_ctx *ctx, const struct dialer_opts *opts, struct dialer *dialer)
{
	dialer->pid = dkt__servant_fork(&dialer->fd);
	if (!dialer->pid) {
		struct state state = { .opts = opts, .fd = dialer->fd };

		be_dialer(&state);
		_exit(0);
	}
	return dialer->pid < 0 ?
		       dkt_fail(ctx, dialer->pid, "start a process: %s", strerror(-dialer->pid)) :
		       0;
}

int dialer_another(struct dkt_ctx *ctx, const struct dialer *dialer, struct dialer *another)
{
	struct question question = { .kind = ANOTHER };
	struct dkt__pass with = { .head = &question, .n_head = sizeof(question), .n = 1 };
	int ends[2], err = dkt__pass_pair(ends);

	if (!err) {
		with.fds[0] = ends[1];
		err = dkt__pass_send(dialer->fd, &with);
		close(ends[1]);
		if (err)
			close(ends[0]);
	}
	if (err)
		return dkt_fail(ctx, err, "start a process: %s", strerror(-err));
	*another = (struct dialer){ .fd = ends[0] };
	return 0;
}

/* Returns what the dialer answers, or -ECHILD if it has ended. */
static int ask(const struct dialer *dialer, struct dkt__pass *with, struct dkt__pass *reply)
{
	int result = 0, err = dkt__pass_send(dialer->fd, with) ? -ECHILD : 0;

	reply->head = &result;
	reply->n_head = sizeof(result);
	if (!err) {
		const ssize_t n = dkt__pass_take(dialer->fd, reply);

		err = n < (ssize_t)sizeof(result) ? -ECHILD : 0;
		reply->n_body = err ? 0 : (size_t)n - sizeof(result);
	}
	return err ? err : result;
}

int dialer_connect(const struct dialer *dialer, uint32_t host, int fds[DIALER_FDS])
{
	struct question question = { .kind = CONNECT, .host = host };
	struct dkt__pass with = { .head = &question, .n_head = sizeof(question) }, reply = { 0 };
	const int err = ask(dialer, &with, &reply);

	if (!err && reply.n == DIALER_FDS)
		memcpy(fds, reply.fds, sizeof(reply.fds));
	return !err && reply.n != DIALER_FDS ? -EMFILE : err;
}

bool dialer_reap(const struct dialer *dialer, uint32_t host, bool now)
{
	struct question question = { .kind = now ? REAP_NOW : REAP, .host = host };
	struct dkt__pass with = { .head = &question, .n_head = sizeof(question) }, reply = { 0 };

	return ask(dialer, &with, &reply);
}

char *dialer_name(const struct dialer *dialer, uint32_t *hosts, size_t n)
{
	struct question question = { .kind = NAME };
	struct dkt__pass with = { .head = &question,
				  .n_head = sizeof(question),
				  .body = hosts,
				  .n_body = n * sizeof(*hosts) };
	char *name = malloc(BODY_MAX + 1);
	struct dkt__pass reply = { .body = name, .n_body = BODY_MAX };

	if (!name || with.n_body > BODY_MAX || ask(dialer, &with, &reply)) {
		free(name);
		return NULL;
	}
	name[reply.n_body] = '\0';
	return name;
}

void dialer_end(struct dialer *dialer)
{
	dkt__servant_end(dialer->pid, &dialer->fd);
}
