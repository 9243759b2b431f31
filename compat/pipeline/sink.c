/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sink for records: a style that writes to a descriptor or to its own files, a trace.dat file, or
 * what the caller brings.
 */
#include "compat/pipeline/sink.h"

#include <fcntl.h>
#include <inttypes.h>

#include "compat/io/journal.h"
#include "compat/io/output.h"
#include "compat/lustre/binary/event.h"
#include "compat/lustre/style_legacy.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* The columns for an error of less than 100 ms. */
#define ERROR_WIDTH 9

/* ---- kinds of output ---- */

/* Kinds other than styles. */
static const struct {
	const char *name;
	unsigned int version;
} dats[] = {
	{ "trace.dat", 7 },
	{ "trace.dat-6", 6 },
};

/* The file format for the end of a file name. */
static const struct {
	const char *end;
	const char *name;
} ends[] = {
	/* clang-format off */
	{ ".csv",             "csv" },
	{ ".ctf",             "ctf" },
	{ ".ctf2",            "ctf2" },
	{ ".dat",             "trace.dat" },
	{ ".db",              "sqlite" },
	{ ".folded",          "folded" },
	{ ".json",            "json" },
	{ ".log",             "legacy" },
	{ ".ndjson",          "json" },
	{ ".perfetto-trace",  "perfetto" },
	{ ".pftrace",         "perfetto" },
	{ ".sqlite",          "sqlite" },
	{ ".txt",             "trace" },
	/* clang-format on */
};

const char *dkl_sink_by_path(const char *path)
{
	size_t n, len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		n = strlen(ends[i].end);
		if (len > n && !strcmp(path + len - n, ends[i].end))
			return ends[i].name;
	}
	return NULL;
}

int dkl_sink_kind(const char *name, struct sink_opts *opts)
{
	for (size_t i = 0; i < ARRAY_SIZE(dats); i++)
		if (!strcmp(name, dats[i].name))
			opts->version = dats[i].version;
	return opts->version ? 0 : dkl_style_find(name, &opts->style);
}

const char *dkl_sink_guess(struct dkt__guess *guess, const char *name)
{
	dkl_style_guess(guess, name);
	for (size_t i = 0; i < ARRAY_SIZE(dats); i++)
		dkt__guess_try(guess, dats[i].name);
	dkt__guess_try(guess, "sqlite");
	return dkt__guess_words(guess);
}

int dkl_sink_open_file(struct dkt_ctx *ctx, const struct sink_opts *opts, const char *path,
		       struct outfile *file)
{
	bool dir = opts->style.traits & DKT_STYLE_FILES;

	if (opts->journal) {
		*file = (struct outfile){ .ctx = ctx,
					  .fd = dkl_journal_open(ctx, 0),
					  .in_place = true };
		return DKT__MIN(file->fd, 0);
	}
	file->placer = opts->placer;
	if (opts->writer)
		return dkl_outfile_open(ctx, path, true, file);
	if (!opts->whole)
		return dkl_outfile_open_now(ctx, path, dir, file);
	return dir ? dkl_outfile_open_dir(ctx, path, file) :
		     dkl_outfile_open(ctx, path, opts->version, file);
}

/* ---- styles ---- */

/* True if the stream of a merged source belongs to the selected buffer. */
static bool is_read(const struct sink *sink, uint32_t stream)
{
	const struct pipeline *p = sink->p;
	uint32_t nr = 0;
	const char *name;

	while (nr < stream && p->part_of[stream - nr - 1] == p->part_of[stream])
		nr++;
	name = dkt_source_stream(p->parts[p->part_of[stream]].source, nr);
	return !name || !strcmp(name, sink->opts->buffer ?: "");
}

/* Adds "NAME: ", padded to the longest name, to the prefixes of lines. */
static int add_prefix(struct sink *sink, const char *name, size_t width)
{
	size_t len = strlen(name), end;

	dkt_buf_text(sink->prefixes, name, len);
	dkt__buf_add(sink->prefixes, len ? ":" : " ", 1);
	for (; len <= width; len++)
		dkt__buf_add(sink->prefixes, " ", 1);
	return dkt_buf_data(sink->prefixes, &end) ? dkt__append(sink->ends, sink->n_prefixes, end) :
						    -ENOMEM;
}

/* Like trace-cmd, styles for people print the name of the stream before each line. */
static int find_prefixes(struct sink *sink)
{
	const struct pipeline *p = sink->p;
	const char *name;
	size_t width = 0;
	int err;

	if (sink->opts->style.traits & DKT_STYLE_DATA || (!p->part_of && !sink->opts->streams))
		return 0;
	for (uint32_t i = 0; (name = dkt_source_stream(p->source, i)); i++)
		if (sink->opts->streams || is_read(sink, i))
			width = DKT__MAX(width, strlen(name));
	err = width ? dkt_buf_new(&sink->prefixes) : 0;
	for (uint32_t i = 0; !err && width && (name = dkt_source_stream(p->source, i)); i++)
		err = add_prefix(sink, name, width);
	return err;
}

static void put_prefix(struct sink *sink, uint32_t stream)
{
	size_t from = stream ? sink->ends[stream - 1] : 0;

	dkt__buf_add(sink->out.buf, sink->prefixes->data + from, sink->ends[stream] - from);
}

/* ---- errors of clocks ---- */

/* Sets *error for the record. Returns true if it certainly came after the last one of another host. */
static bool judge_order(struct sink *sink, const struct dkt_record *record, uint64_t *error)
{
	const struct dkt_source_clock *clock = pipeline_clock(sink->p, record->stream);

	if (record->event)
		return dkl_bounds_order_add(&sink->order, clock, record->ts, error);
	/* A gap has no place in the order. */
	*error = dkl_bounds_error(clock, record->ts);
	return true;
}

/* Prints "+-ERROR", and ~ if the order is not certain. */
static void put_error(struct sink *sink, const struct dkt_record *record)
{
	uint64_t error;
	const bool certain = judge_order(sink, record, &error);
	char text[32] = "+-?";

	if (error != BOUNDS_UNKNOWN)
		snprintf(text, sizeof(text), "+-%" PRIu64 "us", error / 1000 + (error % 1000 > 0));
	dkt_buf_printf(sink->out.buf, "%-*s%s", ERROR_WIDTH, text, certain ? "   " : " ~ ");
}

/* Adds two keys at the end of the object that was appended from there on. */
static void put_error_json(struct sink *sink, const struct dkt_record *record, size_t from)
{
	uint64_t error;
	size_t len;
	bool certain;

	dkt_buf_data(sink->out.buf, &len);
	if (len < from + strlen("{}\n"))
		return;
	certain = judge_order(sink, record, &error);
	sink->out.buf->len = len - strlen("}\n");
	dkt_buf_str(sink->out.buf, ",\"clock_error\":");
	if (error == BOUNDS_UNKNOWN)
		dkt_buf_str(sink->out.buf, "null");
	else
		dkt__buf_u64(sink->out.buf, error, 0, ' ');
	dkt_buf_str(sink->out.buf,
		    certain ? ",\"order_certain\":true}\n" : ",\"order_certain\":false}\n");
}

static int open_style(struct sink *sink, struct pipeline_part *part, const char *dir,
		      struct style **style)
{
	const struct sink_opts *opts = sink->opts;
	struct dkt_source *source = sink->p->source;
	bool several = sink->p->part_of || (opts->streams && dkt_source_stream(source, 1));
	DKT_OPTS(dkt_style_opts, sopts, .source = dkt_source_info(source), .dir = dir,
		 .streams = several ? source : NULL, .disks = source, .color = opts->color,
		 .fields = opts->fields, .n_fields = opts->n_fields, .raw_text = opts->raw_text);

	/* Only the legacy style fails without the classes. */
	if (dkl_pipeline_map(sink->p, part) && !strcmp(opts->style.name, "legacy"))
		return -EINVAL;
	if (dkl_pipeline_messages(part))
		return -ENOMEM;
	return dkl_style_new(part->ctx, part->map, part->messages, opts->style.name, &sopts, style);
}

static int open_styles(struct sink *sink, const struct outfile *file)
{
	int err = dkt_buf_new(&sink->out.buf);

	/* A style that needs all records in order is one object, which knows only the first kernel. */
	sink->n_styles = sink->opts->style.traits & DKT_STYLE_ORDER ? 1 : sink->p->n;
	sink->styles = calloc(sink->n_styles, sizeof(struct style *));
	if (!err && !sink->styles)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < sink->n_styles; i++)
		err = open_style(sink, &sink->p->parts[i], file->temp ? file->temp : file->path,
				 &sink->styles[i]);
	if (!err)
		err = find_prefixes(sink);
	if (err)
		return dkl_pipeline_fail(sink->p, err);
	if (sink->opts->clock_error && sink->p->several_clocks)
		sink->errors = sink->opts->style.traits & DKT_STYLE_DATA ? SINK_ERRORS_JSON :
									   SINK_ERRORS_TEXT;
	sink->out.style = sink->styles[0];
	if (!sink->n_prefixes && sink->n_styles == 1 && !sink->errors)
		sink->plain = sink->styles[0];
	return 0;
}

static int open_tracedat(struct sink *sink, const struct outfile *file)
{
	const struct sink_opts *opts = sink->opts;
	struct pipeline *p = sink->p;
	char *lacks __cleanup(free) = NULL;
	int spare __cleanup(close) = dkl_outfile_spare(file);
	DKT_OPTS(dkt_tracedat_opts, dat, .version = opts->version, .compression = opts->compression,
		 .spare = spare + 1, .part = opts->part);

	if (spare < 0)
		return spare;
	if (dkl_pipeline_lacks(p, &lacks))
		return dkt__no_memory(p->ctx);
	dat.lacks = lacks;
	return dkt_tracedat_new(p->ctx, p->source, file->fd, &dat, &sink->tracedat);
}

/* ---- the calls ---- */

/* Names the file that the user named: the writer only knows a temporary name, or none. */
static int name_full(const struct sink *sink, int err)
{
	const char *path = sink->out.file->path;

	return *dkt__full_advice(err) && path ? dkl_full_fail(sink->p->ctx, err, path) : err;
}

int dkl_sink_open(struct sink *sink, const struct sink_opts *opts, struct pipeline *p,
		  struct outfile *file)
{
	*sink = (struct sink){ .opts = opts,
			       .p = p,
			       .out = { .ctx = p->ctx,
					.file = file,
					.fd = file->fd,
					.journal = opts->journal,
					.stamps = opts->stamps } };
	if (opts->writer)
		return opts->writer->open(p, file, &sink->state);
	return opts->version ? open_tracedat(sink, file) : open_styles(sink, file);
}

int dkl_sink_begin(struct sink *sink)
{
	return !sink_is_text(sink) ? 0 : dkl_style_begin(sink->out.style, sink->out.buf);
}

int dkl_sink_fail(const struct sink *sink, const struct dkt_record *record, int err)
{
	const struct dkt_ctx *ctx = sink->n_styles == 1 ? sink->p->parts[0].ctx :
							  pipeline_part(sink->p, record)->ctx;

	if (err == -ENOMEM)
		dkt__with_words(sink->p->ctx, err);
	else if (ctx != sink->p->ctx && *dkt_error(ctx))
		dkt_fail(sink->p->ctx, err, "%s", dkt_error(ctx));
	return name_full(sink, err);
}

int dkl_sink_put_any(struct sink *sink, const struct dkt_record *record)
{
	size_t i, from;
	int err;

	if (sink->tracedat)
		return name_full(sink, dkt_tracedat_add(sink->tracedat, record));
	if (sink->state)
		return name_full(sink, sink->opts->writer->add(sink->state, sink->p, record));
	if (record->stream < sink->n_prefixes)
		put_prefix(sink, record->stream);
	if (sink->errors == SINK_ERRORS_TEXT)
		put_error(sink, record);
	from = sink->out.buf->len;
	i = sink->n_styles == 1 || !sink->p->part_of ? 0 : sink->p->part_of[record->stream];
	err = dkl_style_record(sink->styles[i], record,
			       record->event ? dkt_source_comm(sink->p->source, record) : "",
			       sink->out.buf);
	if (!err && sink->errors == SINK_ERRORS_JSON)
		put_error_json(sink, record, from);
	return err ? dkl_sink_fail(sink, record, err) : 0;
}

int dkl_sink_add(struct sink *sink, const struct dkt_record *record)
{
	int err = sink_put(sink, record);

	if (!err && sink->out.stamps)
		err = dkl_text_out_stamp(&sink->out, record->ts);
	return err || !sink_is_text(sink) ? err : dkl_text_out_write_if_full(&sink->out);
}

static int finish(struct sink *sink)
{
	int err = 0;

	if (sink->tracedat)
		return dkt_tracedat_finish(sink->tracedat);
	if (sink->state)
		return sink->opts->writer->finish(sink->state);
	for (size_t i = 0; !err && i < sink->n_styles; i++)
		err = dkl_style_flush(sink->styles[i], sink->out.buf);
	if (!err)
		err = dkl_style_end(sink->out.style, sink->out.buf);
	if (!err)
		err = dkl_text_out_stamp(&sink->out, sink->out.stamp);
	return err ? dkl_pipeline_fail(sink->p, err) : dkl_text_out_write(&sink->out);
}

/* An empty output would pass for stacks that did not occur. */
static void explain_nothing(const struct sink *sink)
{
	if (sink->records && !sink->out.wrote && !strcmp(sink->opts->style.name ?: "", "folded"))
		dkt__log(sink->p->ctx, DKT_LOG_WARN,
			 "no record has a stack; 'dktrace record --stack EVENTS' records them");
}

int dkl_sink_finish(struct sink *sink)
{
	int err = name_full(sink, finish(sink));

	if (!err)
		explain_nothing(sink);
	return err;
}

void dkl_sink_close(struct sink *sink)
{
	dkt_tracedat_free(sink->tracedat);
	if (sink->state)
		sink->opts->writer->close(sink->state);
	for (size_t i = 0; sink->styles && i < sink->n_styles; i++)
		dkl_style_free(sink->styles[i]);
	free(sink->styles);
	dkt_buf_free(sink->prefixes);
	free(sink->ends);
	dkt_buf_free(sink->out.buf);
	*sink = (struct sink){ 0 };
}

struct raw {
	struct dkt_ctx *ctx;
	struct class_map *map;
	struct legacy_style *style;
	struct dkt_buf *line;
	FILE *f;
	const char *path;
};

static void close_raw(void *state)
{
	struct raw *raw = state;

	if (!raw)
		return;
	if (raw->f)
		fclose(raw->f);
	dkl_legacy_style_free(raw->style);
	dkl_class_map_free(raw->map);
	dkt_buf_free(raw->line);
	free(raw);
}

static int open_raw(struct pipeline *p, const struct outfile *file, void **state)
{
	struct raw *raw = calloc(1, sizeof(*raw));
	int fd = raw ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
	int err = fd < 0 ? dkt__no_memory(p->ctx) : 0;

	*state = raw;
	if (err)
		return err;
	raw->ctx = p->ctx;
	raw->path = file->path;
	raw->f = fdopen(fd, "w");
	if (!raw->f) {
		close(fd);
		return dkt__no_memory(p->ctx);
	}
	err = dkl_class_map_open(p->ctx, NULL, &raw->map);
	if (!err)
		err = dkl_pipeline_messages(&p->parts[0]);
	if (!err)
		err = dkl_legacy_style_new(p->ctx, raw->map, p->parts[0].messages, &raw->style);
	return err ? err : dkt_buf_new(&raw->line);
}

static int fail(const struct raw *raw)
{
	return dkt_fail(raw->ctx, -errno, "write %s: %s", raw->path, strerror(errno));
}

static int add(void *state, const struct pipeline *p, const struct dkt_record *record)
{
	struct raw *raw = state;
	const int64_t wall = dkt_source_info(p->source)->wall;
	struct class_bits bits;
	uint8_t binary[RECORD_FROM_LINE_MAX];
	const char *line;
	size_t len;

	if (dkl_legacy_style_keep(raw->style, record))
		return 0;
	bits = dkl_legacy_style_bits(raw->style, record);
	dkt_buf_reset(raw->line);
	dkl_legacy_style_line(raw->style, record, wall, raw->line);
	line = dkt_buf_data(raw->line, &len);
	if (dkt_buf_error(raw->line))
		return dkt_buf_error(raw->line);
	len = dkl_record_from_line(record, &bits, wall, line, len, binary);
	return fwrite(binary, 1, len, raw->f) == len ? 0 : fail(raw);
}

static int finish_raw(void *state)
{
	struct raw *raw = state;

	return fflush(raw->f) ? fail(raw) : 0;
}

const struct sink_writer dkl_raw_writer = { "lustre", open_raw, add, finish_raw, close_raw };
