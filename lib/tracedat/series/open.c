/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens files in succession: takes their paths and the options. */
#include "lib/tracedat/series.h"

static int take_files(struct dkt__series *s, const struct dkt__series_item *files, size_t n)
{
	struct dkt_ctx *ctx = s->base.ctx;
	struct dkt__series_item file;
	int err = 0;

	s->files = calloc(n + 1, sizeof(*s->files));
	if (!s->files)
		return dkt__no_memory(ctx);
	for (size_t i = 0; !err && i < n; i++) {
		const struct dkt__series_item *its =
			(const void *)((const char *)files + i * files->sz);
		struct dkt__series_file *to = &s->files[s->n];
		const char *slash;

		if (its->sz != files->sz)
			return dkt_fail(ctx, -EINVAL, "the files of a series differ in sz");
		err = dkt__opts_take(ctx, dkt__series_item, &file, its);
		if (err)
			break;
		if (!file.path)
			return dkt_fail(ctx, -EINVAL, "a file of a series has no path");
		to->path = strdup(file.path);
		if (!to->path)
			return dkt__no_memory(ctx);
		s->n++;
		slash = strrchr(to->path, '/');
		to->name = slash ? slash + 1 : to->path;
		to->after_gap = file.after_gap;
		to->after_pause = file.after_pause;
	}
	return err;
}

static int open_series(struct dkt__series *s, const struct dkt__series_item *files, size_t n,
		       const struct dkt_source_opts *opts, size_t *taken)
{
	struct dkt_source_opts mine;
	int err = dkt__source_opts_take(s->base.ctx, &mine, opts);

	if (err)
		return err;
	s->opts = mine;
	/* The series seeks to the window in each file. */
	s->opts.since = s->opts.until = 0;
	err = dkt__source_opts_keep(s->base.ctx, &s->opts);
	if (!err)
		err = take_files(s, files, n);
	if (!err)
		err = dkt__series_survey(s);
	if (err)
		return err;
	*taken = s->n;
	dkt__source_times(&s->base, &mine, &s->since, &s->until);
	return 0;
}

int dkt__source_series(struct dkt_ctx *ctx, const struct dkt__series_item *files, size_t n,
		       const struct dkt_source_opts *opts, size_t *taken,
		       struct dkt_source **source)
{
	struct dkt__series *s;

	dkt__needs(ctx, dkt__clear(source) && dkt__clear(taken) && ctx && files);
	if (!n)
		return dkt_fail(ctx, -EINVAL, "a series needs a file");
	if (ctx->given || ctx->events)
		return dkt_fail(ctx, -EBUSY, "open %s: the context belongs to another kernel",
				files->path);
	s = calloc(1, sizeof(*s));
	if (!s)
		return dkt__no_memory(ctx);
	s->base = (struct dkt_source){ .ops = &dkt__series_ops, .ctx = ctx };
	s->gap_cpu = -1;
	return dkt__source_opened(&s->base, open_series(s, files, n, opts, taken), source);
}
