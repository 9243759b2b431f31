/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A saved tracefs tree as a source: raw per-CPU pages, formats of events, names. */
#include <sys/stat.h>

#include "lib/instance.h"
#include "lib/mount.h"
#include "lib/source.h"
#include "lib/source/live.h"
#include "lib/tracefs.h"

struct saved_tree {
	struct dkt__streams streams; /* first: this is the source */
	struct dkt_instance *in;
	char *clock;
};

static void tree_close(struct dkt_source *source)
{
	struct saved_tree *tree = (struct saved_tree *)source;

	free(tree->clock);
	dkt__streams_clear(&tree->streams);
	dkt_instance_close(tree->in);
	free(tree);
}

static const struct dkt__source_ops tree_ops = {
	.next = dkt__streams_next,
	.comm = dkt__streams_comm,
	.loss = dkt__streams_loss,
	.seek = dkt__streams_seek,
	.slice = dkt__streams_slice,
	.bytes = dkt__streams_bytes,
	.close = tree_close,
};

static int open_cpu(struct saved_tree *tree, int nr, uint32_t page_size)
{
	struct dkt__stream *s = &tree->streams.list[tree->streams.n++];
	struct dkt_ctx *ctx = tree->in->ctx;
	struct dkt__file file;
	struct dkt_cpu_stats stats;
	char *path __cleanup(free) =
		dkt__format("%s/%sper_cpu/cpu%d/trace_pipe_raw", ctx->root, tree->in->prefix, nr);
	int err;

	if (!path)
		return dkt__no_memory(ctx);
	err = dkt__file_open(ctx, path, path, 0, &file);
	/* A CPU without records has an empty file. */
	if (err && err != -ENODATA)
		return err;
	s->cpu = nr;
	s->page_size = page_size;
	s->extent = (struct dkt__extent){ .fd = file.fd, .bytes = file.size };
	/* The saved tree may lack the statistics. */
	s->has_lost = !dkt_instance_get_stats(tree->in, nr, &stats, sizeof(stats));
	if (s->has_lost)
		s->lost = stats.overrun + stats.commit_overrun + stats.dropped;
	return 0;
}

/* The saved tree may lack both files. */
static int read_names(struct saved_tree *tree)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	int err = dkt__instance_get_clock(tree->in, &tree->clock);

	if (err)
		tree->clock = NULL;
	if (err && err != -ENOENT)
		return err;
	err = dkt__tfs_read(tree->in->ctx, &text, &len, "saved_cmdlines");
	if (err)
		return err == -ENOENT ? 0 : err;
	return dkt__with_words(tree->in->ctx, dkt__comms_parse(&tree->streams.comms, text, len));
}

static int tree_read(struct saved_tree *tree, const struct dkt_source_opts *opts)
{
	uint32_t page_size = dkt__page_size(tree->in);
	struct dkt_source_info *info = &tree->streams.base.info;
	struct dkt_event *const *events;
	size_t n;
	int err = dkt_events(tree->in->ctx, &events, &n);

	if (!err)
		err = read_names(tree);
	if (err)
		return err;
	tree->streams.list = calloc((size_t)tree->in->cpus + 1, sizeof(*tree->streams.list));
	if (!tree->streams.list)
		return dkt__no_memory(tree->streams.base.ctx);
	for (int nr = 0; !err && nr < tree->in->cpus; nr++)
		err = open_cpu(tree, nr, page_size);
	if (err)
		return err;
	info->sz = sizeof(*info);
	info->kind = "saved tree";
	info->clock = tree->clock;
	info->cpus = tree->in->cpus;
	info->has_wall = dkt__tfs_exists(tree->in->ctx, "%swall_offset", tree->in->prefix);
	err = info->has_wall ? dkt__instance_get_wall(tree->in, &info->wall) : 0;
	if (err)
		return err;
	return dkt__streams_start(&tree->streams, opts);
}

/* Checks that the directory can be a saved tree. */
static int check_kind(struct dkt_ctx *ctx, const char *path)
{
	char *name __cleanup(free) = dkt__format("%s/per_cpu", path);
	struct stat st;

	if (!name)
		return dkt__no_memory(ctx);
	/* Refuse a live tracefs: reading it as files would consume its records. */
	if (dkt__mount_is(path))
		return dkt_fail(ctx, -EINVAL,
				"open %s: it belongs to this kernel; it is not a saved tree", path);
	if (!stat(name, &st))
		return 0;
	if (errno == ENOENT)
		return dkt_fail(
			ctx, -EINVAL,
			"open %s: the directory has no recordings (*.dat), and is neither a saved"
			" tracefs tree nor a directory of perf record",
			path);
	return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
}

int dkt__source_saved_tree(struct dkt_ctx *ctx, const char *path,
			   const struct dkt_source_opts *opts, struct dkt_source **source)
{
	struct saved_tree *tree;
	int err = check_kind(ctx, path);

	*source = NULL;
	if (err)
		return err;
	tree = calloc(1, sizeof(*tree));
	if (!tree)
		return dkt__no_memory(ctx);
	tree->streams.base.ops = &tree_ops;
	tree->streams.base.ctx = ctx;
	free(ctx->root);
	ctx->root = strdup(path);
	err = ctx->root ? dkt_instance_open(ctx, opts->buffer, NULL, &tree->in) :
			  dkt__no_memory(ctx);
	if (!err)
		err = tree_read(tree, opts);
	return dkt__source_opened(&tree->streams.base, err, source);
}
