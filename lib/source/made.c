/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources that a caller implements, for kinds of files that the library does not know. */
#include <poll.h>

#include "lib/event.h"
#include "lib/source.h"

struct made {
	struct dkt_source base;
	struct dkt__source_calls calls;
	void *data;
	struct dkt__window window;
};

static int made_next(struct dkt_source *source, struct dkt_record *record)
{
	struct made *made = (struct made *)source;

	return dkt__window_next(&made->window, made->calls.next, made->data, record);
}

static int made_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	return dkt__window_seek(&((struct made *)source)->window, since, until);
}

static const char *made_comm(struct dkt_source *source, const struct dkt_record *record)
{
	struct made *made = (struct made *)source;

	return made->calls.comm ? made->calls.comm(made->data, record) : "<...>";
}

static int made_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct made *made = (struct made *)source;

	return made->calls.loss && dkt__window_has_cpu(&made->window, (uint32_t)cpu) ?
		       made->calls.loss(made->data, cpu, loss) :
		       0;
}

static void made_close(struct dkt_source *source)
{
	struct made *made = (struct made *)source;

	if (made->calls.close)
		made->calls.close(made->data);
	free(made->window.cpus);
	free(made);
}

static int made_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct made *made = (const struct made *)source;

	return made->calls.bytes ? made->calls.bytes(made->data, done, of) :
				   dkt_fail(source->ctx, -EOPNOTSUPP, "nobody knows its bytes");
}

static int made_fd(const struct dkt_source *source)
{
	const struct made *made = (const struct made *)source;

	return made->calls.fd ? made->calls.fd(made->data) : -1;
}

static int made_wait(struct dkt_source *source, int timeout_ms)
{
	struct pollfd fd = { .fd = made_fd(source), .events = POLLIN };

	return poll(&fd, 1, timeout_ms) < 0 ? -errno : 0;
}

/* The caller who made the source owns the descriptor and wakes it. */
static int made_wake(struct dkt_source *source)
{
	(void)source;
	return -EOPNOTSUPP;
}

/* The caller's done() has no way to say that all records but the last are safe. */
static int made_done(struct dkt_source *source, bool last)
{
	struct made *made = (struct made *)source;

	return last && made->calls.done ? made->calls.done(made->data) : 0;
}

static const struct dkt__disks *made_disks(const struct dkt_source *source, uint32_t nr)
{
	const struct made *made = (const struct made *)source;

	return made->calls.host ? dkt__source_disks(made->calls.host, nr) : NULL;
}

static const struct dkt__source_ops made_ops = {
	.disks = made_disks,
	.next = made_next,
	.comm = made_comm,
	.loss = made_loss,
	.seek = made_seek,
	.bytes = made_bytes,
	.wait = made_wait,
	.fd = made_fd,
	.wake = made_wake,
	.done = made_done,
	.close = made_close,
};

int dkt__source_make(struct dkt_ctx *ctx, const struct dkt__source_calls *calls, void *data,
		     const struct dkt_source_info *info, const struct dkt_source_opts *opts,
		     struct dkt_source **source)
{
	struct dkt__source_calls mine;
	struct dkt_source_opts asked;
	struct dkt_source_info its;
	struct made *made;
	int err;

	err = dkt__opts_take(ctx, dkt__source_calls, &mine, calls);
	if (!(dkt__clear(source) && ctx))
		err = dkt__null(ctx, __func__);
	if (!err && !mine.next)
		err = dkt_fail(ctx, -EINVAL, "a source without a call to read it");
	if (!err)
		err = dkt__source_opts_take(ctx, &asked, opts);
	if (!err)
		err = dkt__opts_take(ctx, dkt_source_info, &its, info);
	if (!err && !ctx->given && !ctx->events)
		err = dkt__events_given(ctx, NULL, 0);
	made = err ? NULL : calloc(1, sizeof(*made));
	if (!made) {
		/* The library owns data, also after an error. */
		if (mine.close)
			mine.close(data);
		return err ? err : dkt__no_memory(ctx);
	}
	*made = (struct made){ .base = { .ops = &made_ops, .ctx = ctx, .info = its },
			       .calls = mine,
			       .data = data };
	err = dkt__window_set(&made->window, &made->base, &asked);
	return dkt__source_opened(&made->base, err, source);
}
