/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory with what tracefs had: raw per-CPU pages, formats of events, names. */
#include <linux/magic.h>
#include <sys/vfs.h>

#include "source_tree.h"
#include "source_window.h"

#include "banned.h"

struct source_tree {
	struct dkt_source base;
	struct dkt_instance *in;
	struct dkt_capture *capture;
	struct dkt_source *from;
};

static int tree_next(struct dkt_source *source, struct dkt_record *record)
{
	return dkt_source_next(((struct source_tree *)source)->from, record);
}

static const char *tree_comm(struct dkt_source *source, const struct dkt_record *record)
{
	return dkt_source_comm(((struct source_tree *)source)->from, record);
}

static int tree_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct source_tree *tree = (struct source_tree *)source;
	int err = dkt_source_loss(tree->from, cpu, loss);

	/* Statistics need not have been saved. */
	return err == -ENOENT ? 0 : err;
}

static void tree_close(struct dkt_source *source)
{
	struct source_tree *tree = (struct source_tree *)source;

	dkt_source_close(tree->from);
	dkt_capture_close(tree->capture);
	dkt_instance_close(tree->in);
	free(tree);
}

static const struct dkt__source_ops tree_ops = {
	.next = tree_next,
	.comm = tree_comm,
	.loss = tree_loss,
	.close = tree_close,
};

int dkt__source_tree(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		     struct dkt_source **source)
{
	DKT_OPTS(dkt_capture_opts, capture, .flags = DKT_CAPTURE_KEEP);
	struct source_tree *tree;
	struct statfs fs;
	int err;

	*source = NULL;
	/* A live one is not a file: reading would take its records away. */
	if (!statfs(path, &fs) && fs.f_type == TRACEFS_MAGIC)
		return dkt_fail(ctx, -EINVAL, "open %s: it is the kernel's own, not a saved tree",
				path);
	tree = calloc(1, sizeof(*tree));
	if (!tree)
		return -ENOMEM;
	free(ctx->root);
	ctx->root = strdup(path);
	err = ctx->root ? dkt_instance_open(ctx, opts->buffer, 0, &tree->in) : -ENOMEM;
	if (!err)
		err = dkt_capture_open(tree->in, &capture, &tree->capture);
	if (!err)
		err = dkt_capture_source(tree->capture, &tree->from);
	if (err) {
		tree_close(&tree->base);
		return err;
	}
	tree->base.ops = &tree_ops;
	tree->base.ctx = ctx;
	tree->base.info = tree->from->info;
	tree->base.info.kind = "saved tree";
	*source = &tree->base;
	return dkt__source_window(opts, source);
}
