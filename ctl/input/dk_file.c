/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log as a trace.dat file: what dk and show do with --format. */
#include "input/dk_file.h"

#include <sys/stat.h>

static int begin(void *data, struct dkt_source *source)
{
	struct dk_file_sink *it = data;
	int err = pipeline_init(&it->line, it->app->ctx, 1);

	if (!err) {
		pipeline_add(&it->line, it->app->ctx, source, NULL);
		err = sink_open_file(it->app->ctx, &it->opts, it->path, &it->out);
	}
	return err ? err : sink_open(&it->sink, &it->opts, &it->line, &it->out);
}

static int add(void *data, const struct dkt_record *record)
{
	return sink_add(&((struct dk_file_sink *)data)->sink, record);
}

static int finish(void *data)
{
	struct dk_file_sink *it = data;
	int err = sink_finish(&it->sink);

	return err ? err : outfile_commit(&it->out);
}

int dk_file_new(struct app *app, const char *path, struct dk_file_sink *it)
{
	int rc = 0;

	*it = (struct dk_file_sink){ .app = app,
				     .path = path,
				     .out = OUTFILE_INIT,
				     .opts = { .whole = true, .compression = app->compression } };
	it->file = (struct dk_file){ begin, add, finish, it };
	if (sink_kind(app->format, &it->opts) || !it->opts.version)
		rc = app_usage(
			"--format: unknown format '%s'; use trace.dat or trace.dat-6, or for text"
			" --style",
			app->format);
	if (!rc && app->style)
		rc = app_usage("cannot combine --format with --style");
	if (!rc && !path)
		rc = app_usage("--format: name the file to write");
	/* As of the other files of dk: it is its owner's. */
	umask(077);
	return rc;
}

void dk_file_close(struct dk_file_sink *it)
{
	sink_close(&it->sink);
	outfile_close(&it->out);
	pipeline_clear(&it->line);
}
