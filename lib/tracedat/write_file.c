/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layout of a trace.dat file: version 6 is a row of tables, version 7 is sections. */
#include "tracedat/write.h"

#include "banned.h"

/* Where a CPU's data went. */
struct place {
	uint32_t cpu;
	uint64_t at;
	uint64_t size;
};

/* The tables, in the order of version 6, with their names in version 7. */
static const struct table {
	uint16_t section;
	const char *name;
	int (*put)(const struct dkt_tracedat *out, struct dkt_buf *buf);
} tables[] = {
	/* clang-format off */
	{ DAT_HEADER_INFO,   "headers",       dkt__tdw_header_info },
	{ DAT_FTRACE_EVENTS, "ftrace events", dkt__tdw_ftrace_events },
	{ DAT_EVENT_FORMATS, "events format", dkt__tdw_event_formats },
	{ DAT_KALLSYMS,      "kallsyms",      dkt__tdw_kallsyms },
	{ DAT_PRINTK,        "printk",        dkt__tdw_printk },
	{ DAT_CMDLINES,      "command lines", dkt__tdw_cmdlines },
	/* clang-format on */
};

/* Where the file is being written. */
struct writer {
	struct dkt_tracedat *out;
	struct dkt_buf *buf; /* what comes next */
	uint64_t at;
};

static int flush(struct writer *w)
{
	int err = w->buf->err;

	if (!err)
		err = dkt__write_all(w->out->ctx, w->out->fd, w->buf->data, w->buf->len, w->at);
	w->at += w->buf->len;
	dkt_buf_reset(w->buf);
	return err;
}

static void put_number(struct writer *w, uint64_t value, unsigned int size)
{
	dkt__tdw_number(w->out, w->buf, value, size);
}

static int patch(struct writer *w, uint64_t value, uint64_t at)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, 8, w->out->big_endian);
	return dkt__write_all(w->out->ctx, w->out->fd, bytes, 8, at);
}

/* What both versions begin with. */
static void put_start(struct writer *w)
{
	static const char magic[] = "\x17\x08\x44tracing";

	dkt_buf_add(w->buf, magic, strlen(magic));
	dkt_buf_printf(w->buf, "%u", w->out->version);
	put_number(w, 0, 1);
	put_number(w, w->out->big_endian, 1);
	put_number(w, w->out->long_size, 1);
	put_number(w, w->out->page_size, 4);
}

/* ---- data ---- */

static void align(struct writer *w)
{
	w->at = (w->at + w->out->page_size - 1) & ~(uint64_t)(w->out->page_size - 1);
}

/* Copies a CPU's data to an aligned place: pages, or how many chunks there are and the chunks. */
static int put_cpu(struct writer *w, const struct dkt__tdw_cpu *cpu, struct place *place)
{
	size_t i;
	int err = 0;

	align(w);
	place->at = w->at;
	if (w->out->codec) {
		put_number(w, cpu->data.n, 4);
		err = flush(w);
	}
	for (i = 0; !err && i < cpu->data.n; i++) {
		const struct dkt__spill_piece *piece = &cpu->data.pieces[i];

		if (w->out->codec) {
			put_number(w, piece->size, 4);
			put_number(w, piece->raw, 4);
			err = flush(w);
		}
		if (!err)
			err = dkt__spill_copy(&w->out->spill, piece, w->out->fd, w->at);
		w->at += piece->size;
	}
	/* trace-cmd does not count how many chunks there are among the bytes of the chunks. */
	place->size = w->at - place->at - (w->out->codec ? 4 : 0);
	return err;
}

/* Copies all of a stream's data; *places has one for each of its CPUs that has some. */
static int put_stream(struct writer *w, const struct dkt__tdw_stream *stream, struct place **places,
		      size_t *n)
{
	int nr, err = 0;

	*n = 0;
	*places = calloc((size_t)stream->n_cpus + 1, sizeof(**places));
	if (!*places)
		return -ENOMEM;
	for (nr = 0; !err && nr < stream->n_cpus; nr++) {
		if (!stream->cpus[nr] || !stream->cpus[nr]->data.n)
			continue;
		(*places)[*n].cpu = (uint32_t)nr;
		err = put_cpu(w, stream->cpus[nr], &(*places)[(*n)++]);
	}
	return err;
}

/* CPUs of the stream that has most. */
static int max_cpus(const struct dkt_tracedat *out)
{
	int cpus = DKT__MIN(dkt_source_info(out->source)->cpus, DKT__TDW_CPUS);
	size_t i;

	for (i = 0; i < out->n_streams; i++)
		cpus = DKT__MAX(cpus, out->streams[i].n_cpus);
	return DKT__MAX(cpus, 1);
}

/* ---- version 6 ---- */

/* The table of a stream's data, and the data. */
static int put_stream_v6(struct writer *w, const struct dkt__tdw_stream *stream, int cpus)
{
	char clock[64];
	int len = snprintf(clock, sizeof(clock), "[%s]", dkt__tdw_clock(w->out));
	struct place *places __cleanup(free) = NULL;
	uint64_t table;
	size_t i, n;
	int nr, err;

	if (len >= (int)sizeof(clock))
		len = sizeof(clock) - 1;
	dkt_buf_add(w->buf, "flyrecord", 10);
	table = w->at + w->buf->len;
	for (nr = 0; nr < 2 * cpus; nr++)
		put_number(w, 0, 8);
	put_number(w, (uint64_t)len, 8);
	dkt_buf_add(w->buf, clock, (size_t)len);
	err = flush(w);
	if (!err)
		err = put_stream(w, stream, &places, &n);
	for (i = 0; !err && i < n; i++) {
		err = patch(w, places[i].at, table + 16 * places[i].cpu);
		if (!err)
			err = patch(w, places[i].size, table + 16 * places[i].cpu + 8);
	}
	return err;
}

/* An instance's option holds the place of its table, which comes later. */
static uint64_t put_buffer_v6(struct writer *w, const char *name)
{
	uint64_t at;

	put_number(w, DAT_BUFFER, 2);
	put_number(w, 8 + strlen(name) + 1, 4);
	at = w->at + w->buf->len;
	put_number(w, 0, 8);
	dkt_buf_add(w->buf, name, strlen(name) + 1);
	return at;
}

static int write_v6(struct writer *w, uint64_t *patches)
{
	struct dkt_tracedat *out = w->out;
	int err = 0, cpus = max_cpus(out);
	size_t i;

	put_start(w);
	for (i = 0; !err && i < ARRAY_SIZE(tables); i++)
		err = tables[i].put(out, w->buf);
	put_number(w, (uint64_t)cpus, 4);
	dkt_buf_add(w->buf, "options  ", 10);
	dkt__tdw_options(out, w->buf);
	for (i = 0; i < out->n_streams; i++)
		if (*out->streams[i].name)
			patches[i] = put_buffer_v6(w, out->streams[i].name);
	put_number(w, DAT_DONE, 2);
	if (!err)
		err = flush(w);
	/* The top instance's table has no option: it comes next. */
	if (!err)
		err = put_stream_v6(w, dkt__tdw_top(out), cpus);
	for (i = 0; !err && i < out->n_streams; i++) {
		if (!*out->streams[i].name)
			continue;
		err = patch(w, w->at, patches[i]);
		if (!err)
			err = put_stream_v6(w, &out->streams[i], cpus);
	}
	return err;
}

/* ---- version 7 ---- */

#define SECTION_HEAD       16
#define SECTION_COMPRESSED 1

static void put_section_head(struct writer *w, unsigned int id, unsigned int flags, uint32_t name,
			     uint64_t size)
{
	put_number(w, id, 2);
	put_number(w, flags, 2);
	put_number(w, name, 4);
	put_number(w, size, 8);
}

/* A section of what is in content, compressed if the file is. */
static int put_section(struct writer *w, unsigned int id, uint32_t name, struct dkt_buf *content,
		       bool compress)
{
	const void *bytes = content->data;
	size_t len = content->len;
	int err = content->err;

	compress = compress && w->out->codec && len;
	if (compress && !err)
		err = dkt__tdw_compress(w->out, &bytes, &len);
	put_section_head(w, id, compress ? SECTION_COMPRESSED : 0, name, len + 8 * compress);
	if (compress) {
		put_number(w, len, 4);
		put_number(w, content->len, 4);
	}
	if (err)
		return err;
	dkt_buf_add(w->buf, bytes, len);
	return flush(w);
}

/* The place of a name in the section of strings, to which it is added. */
static uint32_t add_name(struct dkt_buf *strings, const char *name)
{
	uint32_t at = (uint32_t)strings->len;

	dkt_buf_add(strings, name, strlen(name) + 1);
	return at;
}

/* A section of a stream's data, and the option that tells where it is. */
static int put_stream_v7(struct writer *w, const struct dkt__tdw_stream *stream,
			 struct dkt_buf *options, struct dkt_buf *strings)
{
	struct place *places __cleanup(free) = NULL;
	const char *clock = dkt__tdw_clock(w->out);
	uint64_t head = w->at;
	size_t i, n;
	int err;

	put_section_head(w, DAT_BUFFER, w->out->codec ? SECTION_COMPRESSED : 0,
			 add_name(strings, *stream->name ? stream->name : "flyrecord"), 0);
	err = flush(w);
	if (!err)
		err = put_stream(w, stream, &places, &n);
	if (!err)
		err = patch(w, w->at - head - SECTION_HEAD, head + 8);
	if (err)
		return err;
	dkt__tdw_number(w->out, options, DAT_BUFFER, 2);
	dkt__tdw_number(w->out, options,
			8 + strlen(stream->name) + 1 + strlen(clock) + 1 + 4 + 4 + n * 20, 4);
	dkt__tdw_number(w->out, options, head, 8);
	dkt_buf_add(options, stream->name, strlen(stream->name) + 1);
	dkt_buf_add(options, clock, strlen(clock) + 1);
	dkt__tdw_number(w->out, options, w->out->page_size, 4);
	dkt__tdw_number(w->out, options, n, 4);
	for (i = 0; i < n; i++) {
		dkt__tdw_number(w->out, options, places[i].cpu, 4);
		dkt__tdw_number(w->out, options, places[i].at, 8);
		dkt__tdw_number(w->out, options, places[i].size, 8);
	}
	return 0;
}

/* An option that is a number. */
static void number_option(const struct dkt_tracedat *out, struct dkt_buf *options, unsigned int id,
			  uint64_t value, unsigned int size)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, size, out->big_endian);
	dkt__tdw_option(out, options, id, bytes, size);
}

/* Returns where the place of the options is to be. */
static uint64_t put_start_v7(struct writer *w)
{
	const struct dkt__codec *codec = w->out->codec;
	uint64_t at;

	put_start(w);
	dkt_buf_str(w->buf, codec ? codec->name : "none");
	put_number(w, 0, 1);
	dkt_buf_str(w->buf, codec ? codec->version() : "");
	put_number(w, 0, 1);
	at = w->at + w->buf->len;
	put_number(w, 0, 8);
	return at;
}

static int write_v7(struct writer *w, struct dkt_buf *content, struct dkt_buf *options,
		    struct dkt_buf *strings)
{
	struct dkt_tracedat *out = w->out;
	uint64_t at = put_start_v7(w);
	int err = flush(w);
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(tables); i++) {
		dkt_buf_reset(content);
		number_option(out, options, tables[i].section, w->at, 8);
		err = tables[i].put(out, content);
		if (!err)
			err = put_section(w, tables[i].section, add_name(strings, tables[i].name),
					  content, true);
	}
	dkt__tdw_options(out, options);
	number_option(out, options, DAT_CPUCOUNT, (uint64_t)max_cpus(out), 4);
	for (i = 0; !err && i < out->n_streams; i++)
		err = put_stream_v7(w, &out->streams[i], options, strings);
	number_option(out, options, DAT_DONE, 0, 8);
	if (!err)
		err = patch(w, w->at, at);
	if (!err)
		err = put_section(w, DAT_DONE, add_name(strings, "options"), options, false);
	return err ? err : put_section(w, DAT_STRINGS, 0, strings, false);
}

int dkt__tdw_write_v6(struct dkt_tracedat *out)
{
	uint64_t *patches __cleanup(free) = calloc(out->n_streams, sizeof(*patches));
	struct writer w = { .out = out };
	int err = patches ? dkt_buf_new(&w.buf) : -ENOMEM;

	if (!err)
		err = write_v6(&w, patches);
	dkt_buf_free(w.buf);
	return err;
}

int dkt__tdw_write_v7(struct dkt_tracedat *out)
{
	struct dkt_buf *content = NULL, *options = NULL, *strings = NULL;
	struct writer w = { .out = out };
	int err = dkt_buf_new(&w.buf);

	if (!err)
		err = dkt_buf_new(&content);
	if (!err)
		err = dkt_buf_new(&options);
	if (!err)
		err = dkt_buf_new(&strings);
	if (!err)
		err = write_v7(&w, content, options, strings);
	dkt_buf_free(w.buf);
	dkt_buf_free(content);
	dkt_buf_free(options);
	dkt_buf_free(strings);
	return err;
}
