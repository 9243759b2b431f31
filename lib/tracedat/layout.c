/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lays out a trace.dat file: version 6 has tables in fixed order, version 7 has sections. */
#include "lib/tracedat/write.h"

/* The tables in the order of version 6, with the names of their sections in version 7. */
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

/* The output file and the offset of the next write. */
struct writer {
	struct dkt_tracedat *out;
	struct dkt_buf buf; /* the bytes of the next write */
	uint64_t at;
};

static int flush(struct writer *w)
{
	int err = w->buf.err;

	if (!err)
		err = dkt__spill_write(w->out->ctx, w->out->fd, w->buf.data, w->buf.len, w->at);
	w->at += w->buf.len;
	dkt_buf_reset(&w->buf);
	return err;
}

static void put_number(struct writer *w, uint64_t value, unsigned int size)
{
	dkt__tdw_number(w->out, &w->buf, value, size);
}

static int patch(struct writer *w, uint64_t value, uint64_t at)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, 8, w->out->big_endian);
	return dkt__spill_write(w->out->ctx, w->out->fd, bytes, 8, at);
}

/* Adds the beginning, which both versions share. */
static void put_start(struct writer *w)
{
	dkt_buf_str(&w->buf, DKT__DAT_MAGIC);
	dkt__tdw_string(&w->buf, w->out->version == 6 ? "6" : "7");
	put_number(w, w->out->big_endian, 1);
	put_number(w, w->out->long_size, 1);
	put_number(w, w->out->page_size, 4);
}

/* ---- data ---- */

static uint64_t aligned(const struct dkt__tdw_stream *stream, uint64_t at)
{
	return (at + stream->page_size - 1) / stream->page_size * stream->page_size;
}

/* The size of a CPU's data in the file, in bytes. */
static uint64_t cpu_size(const struct dkt_tracedat *out, const struct dkt__tdw_cpu *cpu)
{
	return cpu->data.size + (dkt__tdw_page_codec(out) ? 4 + 8 * cpu->data.n : 0);
}

static bool has_data(const struct dkt__tdw_stream *stream, int nr)
{
	return stream->cpus[nr] && stream->cpus[nr]->data.n;
}

/* Pieces are gathered up to this size, because each write takes a call, and three more for the progress. */
#define GATHER (256u << 10)

/*
 * Updates the size of a CPU's data and the number of its chunks after each write, so that the file
 * is valid even if the writer stops here.
 */
static int put_progress(struct writer *w, uint64_t at, size_t chunks, uint64_t entry)
{
	uint8_t bytes[4];
	int err = 0;

	if (dkt__tdw_page_codec(w->out)) {
		dkt__put_bytes(bytes, chunks, 4, w->out->big_endian);
		err = dkt__spill_write(w->out->ctx, w->out->fd, bytes, 4, at);
	}
	/* In trace-cmd's files, the size leaves out the 4 bytes that hold the number of chunks. */
	return err ? err : patch(w, w->at - at - (dkt__tdw_page_codec(w->out) ? 4 : 0), entry + 8);
}

/* Adds a piece to the next write, or writes it if it is large. */
static int put_piece(struct writer *w, const struct dkt__spill_piece *piece)
{
	const void *bytes = NULL;
	size_t len = piece->size;
	int err = piece->recode ? dkt__tdw_recode(w->out, piece, &bytes, &len) : 0;

	if (dkt__tdw_page_codec(w->out)) {
		put_number(w, len, 4);
		put_number(w, piece->raw, 4);
	}
	if (!err && bytes) {
		dkt__buf_add(&w->buf, bytes, len);
	} else if (!err && len < GATHER) {
		err = dkt__spill_read(&w->out->spill, piece, &w->buf);
	} else if (!err) {
		err = flush(w);
		if (!err)
			err = dkt__spill_copy(&w->out->spill, piece, w->out->fd, w->at);
		w->at += len;
	}
	return err;
}

/*
 * Copies a CPU's data to an aligned offset. The data are pages, or the number of chunks and the
 * chunks. Stores the offset and the size in the CPU's table entry, which is already in the file.
 */
static int put_cpu(struct writer *w, const struct dkt__tdw_stream *stream, int nr, uint64_t entry)
{
	const struct dkt__tdw_cpu *cpu = stream->cpus[nr];
	uint64_t at, done;
	int err;

	w->at = at = done = aligned(stream, w->at);
	err = patch(w, at, entry);
	if (dkt__tdw_page_codec(w->out))
		put_number(w, 0, 4);
	for (size_t i = 0; !err && i < cpu->data.n; i++) {
		err = put_piece(w, &cpu->data.pieces[i]);
		if (err || (w->at + w->buf.len - done < GATHER && i + 1 < cpu->data.n))
			continue;
		err = flush(w);
		if (!err)
			err = put_progress(w, at, i + 1, entry);
		done = w->at;
	}
	return err;
}

/* Returns the largest number of CPUs that the source or a stream has, at least 1. */
static int max_cpus(const struct dkt_tracedat *out)
{
	int cpus = DKT__MIN(dkt_source_info(out->source)->cpus, DKT__TDW_CPUS);

	for (size_t i = 0; i < out->n_streams; i++)
		cpus = DKT__MAX(cpus, out->streams[i].n_cpus);
	return DKT__MAX(cpus, 1);
}

/* Returns the stream of the top instance, or NULL. */
static const struct dkt__tdw_stream *find_top(const struct dkt_tracedat *out)
{
	size_t i = 0;

	while (i < out->n_streams && *out->streams[i].name)
		i++;
	return i < out->n_streams ? &out->streams[i] : NULL;
}

/* ---- version 6 ---- */

/* Adds a table of zeros, which put_cpu() fills in later. Returns the table's offset in the file. */
static uint64_t put_table_v6(struct writer *w, int cpus)
{
	char clock[64];
	int len = snprintf(clock, sizeof(clock), "[%s]", dkt__tdw_clock(w->out));
	uint64_t table;

	if (len >= (int)sizeof(clock))
		len = sizeof(clock) - 1;
	dkt__buf_add(&w->buf, "flyrecord", 10);
	table = w->at + w->buf.len;
	for (int nr = 0; nr < 2 * cpus; nr++)
		put_number(w, 0, 8);
	put_number(w, (uint64_t)len, 8);
	dkt__buf_add(&w->buf, clock, (size_t)len);
	return table;
}

static int put_data_v6(struct writer *w, const struct dkt__tdw_stream *stream, uint64_t table)
{
	int err = 0;

	for (int nr = 0; !err && nr < stream->n_cpus; nr++)
		if (has_data(stream, nr))
			err = put_cpu(w, stream, nr, table + 16 * (uint64_t)nr);
	return err;
}

/* Adds an instance's option. Returns where to store the offset of its table, which comes later. */
static uint64_t put_buffer_v6(struct writer *w, const char *name)
{
	uint64_t at;

	put_number(w, DAT_BUFFER, 2);
	put_number(w, 8 + strlen(name) + 1, 4);
	at = w->at + w->buf.len;
	put_number(w, 0, 8);
	dkt__tdw_string(&w->buf, name);
	return at;
}

/* Writes all tables before all data, so that a truncated file lacks only data. */
static int write_v6(struct writer *w, uint64_t *places)
{
	struct dkt_tracedat *out = w->out;
	const struct dkt__tdw_stream *top = find_top(out);
	int err = 0, cpus = max_cpus(out);

	put_start(w);
	for (size_t i = 0; !err && i < ARRAY_SIZE(tables); i++)
		err = tables[i].put(out, &w->buf);
	put_number(w, (uint64_t)cpus, 4);
	dkt__buf_add(&w->buf, "options  ", 10);
	dkt__tdw_options(out, &w->buf);
	dkt__tdw_clocks(out, &w->buf);
	for (size_t i = 0; i < out->n_streams; i++)
		if (&out->streams[i] != top)
			places[i] = put_buffer_v6(w, out->streams[i].name);
	put_number(w, DAT_DONE, 2);
	/* The top instance has no option: its table follows the options. */
	places[top - out->streams] = put_table_v6(w, cpus);
	if (!err)
		err = flush(w);
	for (size_t i = 0; !err && i < out->n_streams; i++) {
		if (&out->streams[i] == top)
			continue;
		err = patch(w, w->at, places[i]);
		places[i] = put_table_v6(w, cpus);
		if (!err)
			err = flush(w);
	}
	for (size_t i = 0; !err && i < out->n_streams; i++)
		err = put_data_v6(w, &out->streams[i], places[i]);
	return err;
}

/* ---- version 7 ---- */

/* The size of a CPU's table entry: its number, offset and size. */
#define CPU_ENTRY 20

static void put_section_head(struct writer *w, unsigned int id, unsigned int flags, uint32_t name,
			     uint64_t size)
{
	put_number(w, id, 2);
	put_number(w, flags, 2);
	put_number(w, name, 4);
	put_number(w, size, 8);
}

/* Writes a section that is compressed already. */
static int put_packed(struct writer *w, unsigned int id, uint32_t name,
		      const struct dkt__symbol_text *content)
{
	put_section_head(w, id, SECTION_COMPRESSED, name, content->n + 8);
	put_number(w, content->n, 4);
	put_number(w, content->size, 4);
	dkt__buf_add(&w->buf, content->bytes, content->n);
	return flush(w);
}

/* Writes content as a section. Ignores compress if the file is not compressed. */
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
	dkt__buf_add(&w->buf, bytes, len);
	return flush(w);
}

/* Adds a name to the section of strings. Returns its offset there. */
static uint32_t add_name(struct dkt_buf *strings, const char *name)
{
	uint32_t at = (uint32_t)strings->len;

	dkt__tdw_string(strings, name);
	return at;
}

/*
 * The types of arguments of functions. They stay compressed if they were. trace-cmd 3.4 cannot read a file
 * that has them uncompressed.
 */
static int put_btf(struct writer *w, struct dkt_buf *options, struct dkt_buf *strings)
{
	const struct dkt__symbol_text *given = dkt__tdw_given_btf(w->out);
	struct dkt_buf content = { 0 };
	int err = dkt__tdw_btf(w->out, &content);

	if (!err && content.len) {
		uint32_t name = add_name(strings, "BTF");

		dkt__tdw_number_option(w->out, options, DAT_BTF, w->at, 8);
		err = given && given->codec && given->codec == w->out->codec ?
			      put_packed(w, DAT_BTF, name, given) :
			      put_section(w, DAT_BTF, name, &content, true);
	}
	free(content.data);
	return err;
}

/* Returns the name of the section that holds a stream's data. */
static const char *section_name(const struct dkt__tdw_stream *stream)
{
	return *stream->name ? stream->name : "flyrecord";
}

/*
 * Adds the option with the offset of a stream's section and the offset and size of each CPU's data.
 * These numbers stay zero until they are known. Returns the offset of the option's content in the
 * options.
 */
static uint64_t put_buffer_v7(const struct dkt_tracedat *out, struct dkt_buf *options,
			      const struct dkt__tdw_stream *stream)
{
	const char *clock = dkt__tdw_clock(out);
	size_t n = 0, from;

	for (int nr = 0; nr < stream->n_cpus; nr++)
		n += has_data(stream, nr);
	dkt__tdw_number(out, options, DAT_BUFFER, 2);
	dkt__tdw_number(out, options,
			8 + strlen(stream->name) + 1 + strlen(clock) + 1 + 4 + 4 + n * CPU_ENTRY,
			4);
	from = options->len;
	dkt__tdw_number(out, options, 0, 8);
	dkt__tdw_string(options, stream->name);
	dkt__tdw_string(options, clock);
	dkt__tdw_number(out, options, stream->page_size, 4);
	dkt__tdw_number(out, options, n, 4);
	for (int nr = 0; nr < stream->n_cpus; nr++) {
		if (!has_data(stream, nr))
			continue;
		dkt__tdw_number(out, options, (uint64_t)nr, 4);
		dkt__tdw_number(out, options, 0, 8);
		dkt__tdw_number(out, options, 0, 8);
	}
	return from;
}

/*
 * Returns the end of a stream's section that begins at the offset at. Recoded pieces may make it another
 * one.
 */
static uint64_t stream_end(const struct dkt_tracedat *out, const struct dkt__tdw_stream *stream,
			   uint64_t at)
{
	at += SECTION_HEAD;
	for (int nr = 0; nr < stream->n_cpus; nr++)
		if (has_data(stream, nr))
			at = aligned(stream, at) + cpu_size(out, stream->cpus[nr]);
	return at;
}

/* Writes a stream's section. option: the offset of the content of its option in the file. */
static int put_stream_v7(struct writer *w, const struct dkt__tdw_stream *stream, uint64_t option,
			 uint32_t name)
{
	uint64_t begin = w->at, entry = option + 8 + strlen(stream->name) + 1 +
					strlen(dkt__tdw_clock(w->out)) + 1 + 4 + 4;
	int err;

	put_section_head(w, DAT_BUFFER, dkt__tdw_page_codec(w->out) ? SECTION_COMPRESSED : 0, name,
			 stream_end(w->out, stream, w->at) - w->at - SECTION_HEAD);
	err = flush(w);
	for (int nr = 0; !err && nr < stream->n_cpus; nr++) {
		if (!has_data(stream, nr))
			continue;
		err = put_cpu(w, stream, nr, entry + 4);
		entry += CPU_ENTRY;
	}
	return err ? err : patch(w, w->at - begin - SECTION_HEAD, begin + 8);
}

/* Adds the beginning. Returns where to store the offset of the options once it is known. */
static uint64_t put_start_v7(struct writer *w)
{
	const struct dkt__codec *codec = w->out->codec;
	uint64_t at;

	put_start(w);
	dkt__tdw_string(&w->buf, codec ? codec->name : "none");
	dkt__tdw_string(&w->buf, codec ? codec->version() : "");
	at = w->at + w->buf.len;
	put_number(w, 0, 8);
	return at;
}

/*
 * Writes all streams. options: the offset of the section of options; from[]: the offset of each
 * stream's option in the content of that section; names: the offset of the first stream's name in
 * the section of strings.
 */
static int put_streams_v7(struct writer *w, uint64_t options, const uint64_t *from, uint32_t names)
{
	const struct dkt_tracedat *out = w->out;
	uint64_t at = w->at;
	int err = 0;

	for (size_t i = 0; !err && i < out->n_streams; i++) {
		err = patch(w, at, options + SECTION_HEAD + from[i]);
		at = stream_end(out, &out->streams[i], at);
	}
	for (size_t i = 0; !err && i < out->n_streams; i++) {
		const struct dkt__tdw_stream *stream = &out->streams[i];

		err = patch(w, w->at, options + SECTION_HEAD + from[i]);
		if (!err)
			err = put_stream_v7(w, stream, options + SECTION_HEAD + from[i], names);
		names += (uint32_t)strlen(section_name(stream)) + 1;
	}
	return err;
}

/* Writes all sections that describe the data first, so that a truncated file lacks only data. */
static int write_v7(struct writer *w, uint64_t *from)
{
	struct dkt_buf content = { 0 }, options = { 0 }, strings = { 0 };
	struct dkt_tracedat *out = w->out;
	uint64_t start = put_start_v7(w), at;
	uint32_t name, names;
	int err = flush(w);

	for (size_t i = 0; !err && i < ARRAY_SIZE(tables); i++) {
		dkt__tdw_number_option(out, &options, tables[i].section, w->at, 8);
		name = add_name(&strings, tables[i].name);
		if (out->symbols && tables[i].section == DAT_KALLSYMS) {
			err = put_packed(w, DAT_KALLSYMS, name, out->symbols);
			continue;
		}
		dkt_buf_reset(&content);
		err = tables[i].put(out, &content);
		if (!err)
			err = put_section(w, tables[i].section, name, &content, true);
	}
	if (!err && out->has_args && out->codec)
		err = put_btf(w, &options, &strings);
	dkt__tdw_options(out, &options);
	dkt__tdw_clocks(out, &options);
	dkt__tdw_number_option(out, &options, DAT_CPUCOUNT, (uint64_t)max_cpus(out), 4);
	for (size_t i = 0; i < out->n_streams; i++)
		from[i] = put_buffer_v7(out, &options, &out->streams[i]);
	dkt__tdw_number_option(out, &options, DAT_DONE, 0, 8);
	name = add_name(&strings, "options");
	names = (uint32_t)strings.len;
	for (size_t i = 0; i < out->n_streams; i++)
		add_name(&strings, section_name(&out->streams[i]));
	at = w->at;
	if (!err)
		err = patch(w, at, start);
	if (!err)
		err = put_section(w, DAT_DONE, name, &options, false);
	if (!err)
		err = put_section(w, DAT_STRINGS, 0, &strings, false);
	free(content.data);
	free(options.data);
	free(strings.data);
	return err ? err : put_streams_v7(w, at, from, names);
}

int dkt__tdw_write(struct dkt_tracedat *out)
{
	struct writer w = { .out = out };
	/* A file must have a top instance, even if the top instance has no records. */
	int err = find_top(out) ? 0 : dkt__tdw_stream_add(out, "");
	uint64_t *places __cleanup(free) = err ? NULL : calloc(out->n_streams, sizeof(*places));

	if (err)
		return err;
	if (!places)
		return dkt__no_memory(out->ctx);
	err = out->version == 6 ? write_v6(&w, places) : write_v7(&w, places);
	free(w.buf.data);
	return dkt__with_words(out->ctx, err);
}
