/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log as a trace.dat file: what dk and show do with --format. */
#include "input/dk_file.h"

#include <sys/stat.h>

static int begin(void *data, struct dkt_source *source)
{
	struct dk_file_sink *it = data;

	return sink_open(&it->sink, source, &it->sink.app->ctx, 1, it->path);
}

static int add(void *data, const struct dkt_record *record)
{
	return sink_add(&((struct dk_file_sink *)data)->sink, record);
}

static int finish(void *data)
{
	return sink_finish(&((struct dk_file_sink *)data)->sink);
}

int dk_file_new(struct app *app, const char *path, struct dk_file_sink *it)
{
	int rc = sink_format(app, path ? path : "", &it->sink);

	it->path = path;
	it->file = (struct dk_file){ begin, add, finish, it };
	if (!rc && !it->sink.version)
		rc = app_usage("--format: '%s' is none; trace.dat and trace.dat-6 are, text goes by"
			       " --style",
			       app->format);
	if (!rc && app->style)
		rc = app_usage("--format and --style: one of them");
	if (!rc && !path)
		rc = app_usage("--format: name the file to write");
	/* As of the other files of dk: it is its owner's. */
	umask(077);
	return rc;
}

void dk_file_close(struct dk_file_sink *it)
{
	sink_close(&it->sink);
}
