/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Styles that a caller implements. */
#include "lib/style.h"

struct made {
	struct dkt_style style;
	struct dkt__style_calls calls;
	void *data;
};

static int made_begin(struct dkt_style *style, struct dkt_buf *buf)
{
	struct made *made = (struct made *)style;

	return made->calls.begin ? made->calls.begin(made->data, buf) : 0;
}

static int made_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		       struct dkt_buf *buf)
{
	struct made *made = (struct made *)style;

	return made->calls.record(made->data, record, comm, buf);
}

/* The caller's record() has already printed the stacks, which the record carries. */
static int made_stacks(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		       struct dkt_buf *buf)
{
	(void)style, (void)record, (void)comm, (void)buf;
	return 0;
}

static int made_flush(struct dkt_style *style, struct dkt_buf *buf)
{
	struct made *made = (struct made *)style;

	return made->calls.flush ? made->calls.flush(made->data, buf) : 0;
}

static int made_end(struct dkt_style *style, struct dkt_buf *buf)
{
	struct made *made = (struct made *)style;

	return made->calls.end ? made->calls.end(made->data, buf) : 0;
}

static void made_close(struct dkt_style *style)
{
	struct made *made = (struct made *)style;

	if (made->calls.close)
		made->calls.close(made->data);
}

static const struct dkt__style_ops made_ops = {
	.begin = made_begin,
	.record = made_record,
	.stacks = made_stacks,
	.flush = made_flush,
	.end = made_end,
	.close = made_close,
};

int dkt__style_make(struct dkt_ctx *ctx, const struct dkt__style_calls *calls, void *data,
		    struct dkt_style **style)
{
	struct dkt__style_calls mine;
	struct made *made;
	int err;

	err = dkt__opts_take(ctx, dkt__style_calls, &mine, calls);
	if (!(dkt__clear(style) && ctx))
		err = dkt__null(ctx, __func__);
	if (!err && !mine.record)
		err = dkt_fail(ctx, -EINVAL, "a style without a call to put a record");
	made = err ? NULL : calloc(1, sizeof(*made));
	if (!made) {
		if (mine.close)
			mine.close(data);
		return err ? err : dkt__no_memory(ctx);
	}
	*made = (struct made){ .style = { .ops = &made_ops, .ctx = ctx },
			       .calls = mine,
			       .data = data };
	*style = &made->style;
	return 0;
}
