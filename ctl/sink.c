/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where records go: a trace.dat file, or text and the like in one of the styles. */
#include "sink.h"

#include <errno.h>
#include <string.h>

/* What --format takes beside the styles. */
static const struct {
	const char *name;
	unsigned int version;
} dats[] = {
	{ "trace.dat", 7 },
	{ "trace.dat-6", 6 },
};

/* What the end of a name says. */
static const struct {
	const char *end;
	const char *format;
} ends[] = {
	{ ".dat", "trace.dat" },
};

static const char *format_of(const char *path)
{
	size_t i, n, len = strlen(path);

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		n = strlen(ends[i].end);
		if (len > n && !strcmp(path + len - n, ends[i].end))
			return ends[i].format;
	}
	return NULL;
}

int sink_format(struct app *app, const char *path, struct sink *sink)
{
	const char *format = app->format ? app->format : format_of(path);
	size_t i;

	*sink = (struct sink){ .app = app, .file.fd = -1 };
	if (!format)
		return app_usage("%s: its name does not tell what to write; say --format", path);
	for (i = 0; i < ARRAY_SIZE(dats); i++)
		if (!strcmp(format, dats[i].name))
			sink->version = dats[i].version;
	if (sink->version)
		return 0;
	return app_usage("--format: '%s' is none", format);
}

static int open_tracedat(struct sink *sink)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .version = sink->version,
		 .compression = sink->app->compression, .dir = sink->file.dir);

	return dkt_tracedat_new(sink->app->ctx, sink->source, sink->file.fd, &opts,
				&sink->tracedat);
}

int sink_open(struct sink *sink, struct dkt_source *source, const char *path)
{
	int err;

	sink->source = source;
	sink->records = sink->lost = 0;
	err = outfile_open(sink->app->ctx, path, true, &sink->file);
	return err ? err : open_tracedat(sink);
}

int sink_add(struct sink *sink, const struct dkt_record *record)
{
	if (record->event)
		sink->records++;
	else if (record->lost != DKT_LOST_UNKNOWN)
		sink->lost += record->lost;
	return dkt_tracedat_add(sink->tracedat, record);
}

int sink_finish(struct sink *sink)
{
	int err = dkt_tracedat_finish(sink->tracedat);

	return err ? err : outfile_commit(&sink->file);
}

void sink_close(struct sink *sink)
{
	dkt_tracedat_free(sink->tracedat);
	sink->tracedat = NULL;
	outfile_close(&sink->file);
}
