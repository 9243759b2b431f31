/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where records go: a trace.dat file, or text and the like in one of the styles. */
#include "input/sink.h"

#include <errno.h>
#include <stdlib.h>
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
	/* clang-format off */
	{ ".csv",             "csv" },
	{ ".ctf",             "ctf" },
	{ ".dat",             "trace.dat" },
	{ ".folded",          "folded" },
	{ ".json",            "json" },
	{ ".log",             "legacy" },
	{ ".ndjson",          "json" },
	{ ".perfetto-trace",  "perfetto" },
	{ ".pftrace",         "perfetto" },
	{ ".txt",             "trace" },
	/* clang-format on */
};

static const char *format_of(const char *path)
{
	size_t n, len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		n = strlen(ends[i].end);
		if (len > n && !strcmp(path + len - n, ends[i].end))
			return ends[i].format;
	}
	return NULL;
}

int sink_format(struct app *app, const char *path, struct sink *sink)
{
	const char *format = app->format ? app->format : format_of(path);
	struct dkt__guess guess;

	*sink = (struct sink){ .app = app, .file.fd = -1, .out.fd = -1 };
	if (!format)
		return app_usage("%s: its name does not tell what to write; say --format", path);
	for (size_t i = 0; i < ARRAY_SIZE(dats); i++)
		if (!strcmp(format, dats[i].name))
			sink->version = dats[i].version;
	if (sink->version || !style_find(format, &sink->style))
		return 0;
	style_guess(&guess, format);
	for (size_t i = 0; i < ARRAY_SIZE(dats); i++)
		dkt__guess_try(&guess, dats[i].name);
	return app_usage("--format: '%s' is none; trace.dat, trace.dat-6 and the styles are%s",
			 format, dkt__guess_words(&guess));
}

static int open_tracedat(struct sink *sink)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .version = sink->version,
		 .compression = sink->app->compression, .dir = sink->file.dir, .part = sink->part);

	return dkt_tracedat_new(sink->app->ctx, sink->source, sink->file.fd, &opts,
				&sink->tracedat);
}

/* ---- styles ---- */

static int open_part(struct sink *sink, struct sink_part *part, struct dkt_ctx *ctx)
{
	DKT_OPTS(dkt_style_opts, opts, .source = dkt_source_info(sink->source),
		 .streams = dkt_source_stream(sink->source, 1) ? sink->source : NULL,
		 .dir = sink->file.temp, .raw_text = sink->app->raw_text);
	int err = class_map_open(ctx, &part->map);

	if (!err)
		err = style_new(ctx, part->map, sink->style.name, &opts, &part->style);
	if (err && *dkt_error(ctx))
		dkt_fail(sink->app->ctx, err, "%s", dkt_error(ctx));
	return err;
}

/* The names of the streams before each line, as trace-cmd has them; of styles for people only. */
static void find_prefix(struct sink *sink)
{
	const char *name;

	sink->prefix = 0;
	if (sink->style.traits & DKT_STYLE_DATA)
		return;
	for (uint32_t i = 0; (name = dkt_source_stream(sink->source, i)); i++)
		if ((int)strlen(name) > sink->prefix)
			sink->prefix = (int)strlen(name);
}

static int open_styles(struct sink *sink)
{
	int err = dkt_buf_new(&sink->out.buf);

	/* One object that gets all records knows the messages of the first kernel only. */
	sink->n_parts = sink->style.traits & DKT_STYLE_ORDER ? 1 : sink->n_ctxs;
	sink->parts = calloc(sink->n_parts, sizeof(*sink->parts));
	if (!err && !sink->parts)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < sink->n_parts; i++)
		err = open_part(sink, &sink->parts[i], sink->ctxs[i]);
	if (err)
		return err;
	sink->out.ctx = sink->app->ctx;
	sink->out.style = sink->parts[0].style;
	sink->out.fd = sink->file.fd;
	find_prefix(sink);
	return style_begin(sink->out.style, sink->out.buf);
}

static int add_styled(struct sink *sink, const struct dkt_record *record)
{
	size_t i = record->stream < sink->n_parts ? record->stream : sink->n_parts - 1;
	const char *name;
	int err;

	if (sink->prefix) {
		name = dkt_source_stream(sink->source, record->stream);
		dkt_buf_text(sink->out.buf, name, name ? strlen(name) : 0);
		dkt_buf_printf(sink->out.buf, "%c%*s", name && *name ? ':' : ' ',
			       sink->prefix + 1 - (int)strlen(name ? name : ""), "");
	}
	err = style_record(sink->parts[i].style, record, dkt_source_comm(sink->source, record),
			   sink->out.buf);
	return err ? err : dk_out_write_if_full(&sink->out);
}

static int finish_styled(struct sink *sink)
{
	int err = 0;

	for (size_t i = 0; !err && i < sink->n_parts; i++)
		err = style_flush(sink->parts[i].style, sink->out.buf);
	if (!err)
		err = style_end(sink->out.style, sink->out.buf);
	return err ? err : dk_out_write(&sink->out);
}

/* ---- the calls ---- */

int sink_open(struct sink *sink, struct dkt_source *source, struct dkt_ctx *const *ctxs, size_t n,
	      const char *path)
{
	bool files = sink->style.traits & DKT_STYLE_FILES;
	int err;

	sink->source = source;
	sink->ctxs = ctxs;
	sink->n_ctxs = n;
	sink->records = sink->gaps = 0;
	if (files)
		err = outfile_open_dir(sink->app->ctx, path, &sink->file);
	else
		err = outfile_open(sink->app->ctx, path, sink->version, &sink->file);
	if (err)
		return err;
	return sink->version ? open_tracedat(sink) : open_styles(sink);
}

int sink_add(struct sink *sink, const struct dkt_record *record)
{
	sink->records += record->event != NULL;
	sink->gaps += !record->event;
	return sink->version ? dkt_tracedat_add(sink->tracedat, record) : add_styled(sink, record);
}

int sink_finish(struct sink *sink)
{
	int err = sink->version ? dkt_tracedat_finish(sink->tracedat) : finish_styled(sink);

	return err ? err : outfile_commit(&sink->file);
}

int sink_fail(const struct sink *sink)
{
	return sink->out.closed ? EXIT_PIPE : app_fail(sink->app);
}

void sink_close(struct sink *sink)
{
	dkt_tracedat_free(sink->tracedat);
	sink->tracedat = NULL;
	for (size_t i = 0; sink->parts && i < sink->n_parts; i++) {
		style_free(sink->parts[i].style);
		class_map_free(sink->parts[i].map);
	}
	free(sink->parts);
	sink->parts = NULL;
	dkt_buf_free(sink->out.buf);
	sink->out = (struct dk_out){ .fd = -1 };
	outfile_close(&sink->file);
}
