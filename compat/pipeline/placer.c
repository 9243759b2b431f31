/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process that opens one output file and gives it its name for a process that is confined. */
#include "compat/pipeline/placer.h"

#include "compat/io/output.h"
#include "compat/pipeline/outfile.h"
#include "lib/base/pass.h"
#include "lib/base/servant.h"

/* The placer itself. */
struct state {
	struct dkt_ctx *ctx;
	const char *path;
	int fd;
	struct outfile file;
};

/* ---- questions ---- */

static int open_plain(struct state *state)
{
	const int fd = dkl_output_open(state->ctx, state->path, 0);

	state->file = (struct outfile){
		.ctx = state->ctx, .path = state->path, .fd = fd, .in_place = true
	};
	return DKT__MIN(fd, 0);
}

static int open_as(struct state *state, enum placer_question question)
{
	dkl_outfile_close(&state->file);
	if (question == PLACER_OPEN_PLAIN)
		return open_plain(state);
	if (question == PLACER_OPEN_NOW)
		return dkl_outfile_open_now(state->ctx, state->path, false, &state->file);
	return dkl_outfile_open(state->ctx, state->path, question == PLACER_OPEN_WHOLE,
				&state->file);
}

static int open_dir(struct state *state)
{
	if (state->file.is_dir)
		return 0;
	dkl_outfile_close(&state->file);
	return dkl_outfile_open_dir(state->ctx, state->path, &state->file);
}

static int answer(struct state *state, enum placer_question question, struct placer_answer *text)
{
	int err;

	switch (question) {
	case PLACER_OPEN:
	case PLACER_OPEN_WHOLE:
	case PLACER_OPEN_NOW:
	case PLACER_OPEN_PLAIN:
		err = open_as(state, question);
		text->fd = err ? -1 : state->file.fd;
		return err;
	case PLACER_OPEN_DIR:
		return open_dir(state);
	case PLACER_SPARE:
		text->fd = dkl_outfile_spare(&state->file);
		return DKT__MIN(text->fd, 0);
	case PLACER_BEGIN:
		return dkl_outfile_begin(&state->file);
	case PLACER_COMMIT:
	case PLACER_COMMIT_SAME:
		state->file.same = question == PLACER_COMMIT_SAME;
		return dkl_outfile_commit(&state->file);
	case PLACER_WITHDRAW:
		dkl_outfile_withdraw(&state->file);
		return 0;
	case PLACER_DROP_EMPTY:
		dkl_outfile_drop_empty(&state->file);
		return 0;
	case PLACER_CLOSE:
		dkl_outfile_close(&state->file);
		return 0;
	default:
		return dkt_fail(state->ctx, -EPROTO, "write %s: this is no step of it",
				state->path);
	}
}

/* Tells what has become of the file. */
static void describe(const struct state *state, struct placer_answer *text)
{
	const struct outfile *file = &state->file;

	text->in_place = file->in_place;
	text->waits = file->waits;
	snprintf(text->path, sizeof(text->path), "%s", file->target ?: "");
	snprintf(text->temp, sizeof(text->temp), "%s", file->temp ?: "");
	snprintf(text->kept, sizeof(text->kept), "%s", file->kept ?: "");
	if (text->err)
		snprintf(text->words, sizeof(text->words), "%s", dkt_error(state->ctx));
}

static int take_question(struct state *state)
{
	enum placer_question question;
	struct placer_answer text = { .fd = -1 };
	struct dkt__pass with = { .head = &question, .n_head = sizeof(question) };
	struct dkt__pass reply = { .head = &text, .n_head = sizeof(text) };
	int err;

	if (dkt__pass_take(state->fd, &with) != sizeof(question))
		return -ENOTCONN;
	text.err = answer(state, question, &text);
	describe(state, &text);
	if (text.fd >= 0)
		reply.fds[reply.n++] = text.fd;
	err = dkt__pass_send(state->fd, &reply);
	if (text.fd >= 0 && text.fd != state->file.fd)
		close(text.fd);
	return err;
}

/* ---- the other process ---- */

int dkl_placer_begin(struct dkt_ctx *ctx, const char *path, struct placer *placer)
{
	int fd;
	const pid_t pid = dkt__servant_fork(&fd);

	if (!pid) {
		struct state state = { .ctx = ctx, .path = path, .fd = fd, .file = OUTFILE_INIT };

		while (!take_question(&state))
			;
		dkl_outfile_close(&state.file);
		_exit(0);
	}
	if (pid < 0)
		return dkt_fail(ctx, pid, "start a process: %s", strerror(-pid));
	*placer = (struct placer){ .path = path, .pid = pid, .fd = fd };
	return 0;
}

int dkl_placer_ask(struct dkt_ctx *ctx, const struct placer *placer, enum placer_question question,
		   struct placer_answer *text)
{
	struct dkt__pass with = { .head = &question, .n_head = sizeof(question) };
	struct dkt__pass reply = { .head = text, .n_head = sizeof(*text) };
	const int err = dkt__pass_send(placer->fd, &with);

	if (err || dkt__pass_take(placer->fd, &reply) != sizeof(*text))
		return dkt_fail(ctx, -ECHILD, "write %s: the process that names it was killed",
				placer->path);
	text->fd = reply.n ? reply.fds[0] : -1;
	return text->err ? dkt_fail(ctx, text->err, "%s", text->words) : 0;
}

int dkl_placer_open_plain(struct dkt_ctx *ctx, const struct placer *placer)
{
	struct placer_answer text;
	const int err = dkl_placer_ask(ctx, placer, PLACER_OPEN_PLAIN, &text);

	return err ? err : text.fd;
}

void dkl_placer_end(struct placer *placer)
{
	if (placer->path)
		dkt__servant_end(placer->pid, &placer->fd);
	*placer = (struct placer){ 0 };
}
