/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files whose records are printed in one order, as one thread reads them. */
#include "input/report_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int report_files_open(struct report_files *files, const struct report_args *args, bool joined,
		      unsigned int flags)
{
	struct dkt_source_opts opts = args->source;
	int err = 0;

	opts.flags |= flags;
	opts.since = opts.until = 0;
	files->joined = joined;
	for (size_t i = 0; !err && i < files->in.n; i++) {
		struct inputs_file *file = &files->in.files[i];

		if (!file->in.source)
			err = input_open(files->in.app, file->path, &opts, &file->in);
	}
	if (!err && joined)
		err = inputs_join(&files->in);
	if (!err)
		files->source = joined ? files->in.source : files->in.files[0].in.source;
	return err;
}

/* Columns for the names of the streams that are read: of one buffer, or all of them. */
static size_t find_width(const struct inputs *in, const struct dkt_source_opts *opts)
{
	const char *buffer = opts->buffer ? opts->buffer : "";
	size_t nr = 0, width = 0;

	for (size_t stream = 0; stream < in->n_streams; stream++, nr++) {
		size_t i = in->file_of[stream], len;
		const char *name;

		if (stream && in->file_of[stream - 1] != i)
			nr = 0;
		name = dkt_source_stream(in->files[i].in.source, (uint32_t)nr);
		len = strlen(dkt_source_stream(in->source, (uint32_t)stream));
		if (len > width && (opts->flags & DKT_SOURCE_ALL || !name || !strcmp(name, buffer)))
			width = len;
	}
	return width;
}

static int style_part(struct report_files *files, size_t i)
{
	struct inputs_file *file = &files->in.files[i];
	int err = report_new(file->in.ctx, file->in.source, &files->each, &files->parts[i]);

	if (err && files->joined && *dkt_error(file->in.ctx))
		return dkt_fail(files->in.app->ctx, err, "%s: %s", file->path,
				dkt_error(file->in.ctx));
	return input_fail(files->in.app, &file->in, err);
}

static int style_joined(struct report_files *files, const struct report_args *args, bool prefix)
{
	struct input *first = &files->in.files[0].in;
	int err;

	/* What is asked for, each part knows. */
	files->all = files->each;
	files->all.style = args->report.style;
	files->all.selection = NULL;
	files->all.streams = false;
	err = report_new(first->ctx, files->source, &files->all, &files->report);
	if (err)
		return input_fail(files->in.app, first, err);
	report_join(files->report, files->parts, files->in.file_of,
		    prefix ? find_width(&files->in, &args->source) : 0);
	return 0;
}

int report_files_style(struct report_files *files, const struct report_args *args)
{
	const struct dkt_source_opts *opts = &args->source;
	struct dkt_style_info style;
	int err = 0;

	style_find(args->report.style, &style);
	files->each = args->report;
	files->each.joined = files->joined ? files->source : NULL;
	/* One object that gets all records knows the messages of the first kernel only. */
	if (files->joined && style.traits & DKT_STYLE_ORDER)
		files->each.style = NULL;
	files->parts = calloc(files->in.n, sizeof(struct report *));
	if (!files->parts)
		return dkt_fail(files->in.app->ctx, -ENOMEM, "out of memory");
	for (size_t i = 0; !err && i < files->in.n; i++)
		err = style_part(files, i);
	if (!err && files->joined)
		err = style_joined(files, args, !(style.traits & DKT_STYLE_DATA));
	else if (!err)
		files->report = files->parts[0];
	if (!err && (opts->since || opts->until))
		err = dkt_source_seek(files->source, opts->since, opts->until);
	return inputs_fail(&files->in, err);
}

void report_files_close(struct report_files *files)
{
	if (files->joined)
		report_free(files->report);
	for (size_t i = 0; files->parts && i < files->in.n; i++)
		report_free(files->parts[i]);
	free(files->parts);
	inputs_clear(&files->in);
	*files = (struct report_files){ 0 };
}
