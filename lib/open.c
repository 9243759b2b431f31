/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens a recording: its first bytes select the reader. Depends on all readers. */
#include <sys/stat.h>

#include "lib/base/compress.h"
#include "lib/perfdata.h"
#include "lib/source.h"
#include "lib/source/file.h"

static const struct dkt__reader *const readers[] = {
	&dkt__reader_tracedat, &dkt__reader_perfdata, &dkt__reader_vmcore, &dkt__reader_text, NULL,
};

static const struct dkt__reader *find_reader(const struct dkt__file *file)
{
	for (size_t i = 0; readers[i]; i++)
		if (readers[i]->is(file->data, file->size))
			return readers[i];
	return NULL;
}

static int open_any(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		    struct dkt_source **source)
{
	struct dkt_source_opts mine;
	int err = dkt__source_opts_take(ctx, &mine, opts);
	const char *name = mine.name ? mine.name : path;
	const struct dkt__reader *reader;
	const char *compressor;
	struct dkt__file file;
	struct stat st;

	if (err)
		return err;
	if (ctx->given || ctx->events)
		return dkt_fail(ctx, -EBUSY, "open %s: the context belongs to another kernel",
				path);
	if (!mine.fd && !stat(path, &st) && S_ISDIR(st.st_mode))
		return dkt__perf_directory_is(path) ?
			       dkt__perf_directory_open(ctx, path, &mine, source) :
			       dkt__source_saved_tree(ctx, path, &mine, source);
	err = dkt__file_open(ctx, path, name, mine.fd, &file);
	if (err)
		return err;
	reader = find_reader(&file);
	if (reader)
		return dkt__with_words(ctx, reader->open(ctx, &file, &mine, source));
	compressor = dkt__packed_by(file.data, file.size);
	if (compressor)
		return dkt_fail(ctx, -EINVAL,
				"open %s: the file is compressed by %s; decompress it first", name,
				compressor);
	return dkt_fail(ctx, -EINVAL, "open %s: unknown file format", name);
}

int dkt_source_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		    struct dkt_source **source)
{
	dkt__needs(ctx, dkt__clear(source) && ctx && path);

	int err = open_any(ctx, path, opts, source);

	if (err || !ctx->starved)
		return err;
	/* A table that was not kept for lack of memory looks like the end of a truncated file. */
	dkt_source_close(*source);
	*source = NULL;
	return dkt__no_memory(ctx);
}
