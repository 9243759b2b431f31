/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a recording in progress as a finished trace.dat file. The pages are not decoded: the recording
 * takes the place of the writer's unnamed file, and its sections that of the pieces.
 */
#include "lib/base/io.h"
#include "lib/event/catalogue.h"
#include "lib/tracedat/write.h"

/* Pages that are compressed now become chunks of this size, as in other files of the library. */
#define CHUNK DKT__PACK_MAX

/* ---- pieces ---- */

/* Unpacks a piece into raw. */
static int unpack(struct dkt_tracedat *out, const struct dkt__spill_piece *piece)
{
	if (!out->map_codec->decompress(&out->map_state, out->map + piece->at, piece->size,
					out->raw, piece->raw))
		return 0;
	return dkt_fail(out->ctx, -EBADMSG,
			"the pages at byte %llu cannot be unpacked; they can be copied if the"
			" compression stays",
			(unsigned long long)piece->at);
}

/* Reads a piece into raw. To read it in place would keep all pages of a long recording in memory. */
static int read_plain(struct dkt_tracedat *out, const struct dkt__spill_piece *piece)
{
	ssize_t n = dkt__pread_all(out->spill.fd, out->raw, piece->size, piece->at);

	if (n == (ssize_t)piece->size)
		return 0;
	return dkt_fail(out->ctx, n < 0 ? (int)n : -EIO, "read the recording: %s",
			strerror(n < 0 ? (int)-n : EIO));
}

int dkt__tdw_recode(struct dkt_tracedat *out, const struct dkt__spill_piece *piece,
		    const void **bytes, size_t *len)
{
	int err;

	if (piece->raw > out->raw_room) {
		free(out->raw);
		out->raw = malloc(piece->raw);
		out->raw_room = out->raw ? piece->raw : 0;
	}
	if (!out->raw)
		return dkt__no_memory(out->ctx);
	err = piece->packed ? unpack(out, piece) : read_plain(out, piece);
	if (err)
		return err;
	*bytes = out->raw;
	*len = piece->raw;
	return dkt__tdw_page_codec(out) ? dkt__tdw_compress(out, bytes, len) : 0;
}

static int add_piece(struct dkt_tracedat *out, struct dkt__spill_string *data,
		     struct dkt__spill_piece piece)
{
	data->size += dkt__tdw_page_codec(out) ? piece.size : piece.raw;
	return dkt__with_words(out->ctx, dkt__append(data->pieces, data->n, piece));
}

/* Adds pages that are not compressed in the recording. */
static int add_plain(struct dkt_tracedat *out, struct dkt__spill_string *data,
		     const struct dkt__chunk *chunk, uint32_t page_size)
{
	bool pack = dkt__tdw_page_codec(out);
	uint32_t most = pack ? DKT__MAX(CHUNK / page_size * page_size, page_size) : chunk->size;
	int err = 0;

	for (uint32_t at = 0, n; !err && at < chunk->size; at += n) {
		n = DKT__MIN(most, chunk->size - at);
		err = add_piece(
			out, data,
			(struct dkt__spill_piece){
				.at = chunk->at + at, .size = n, .raw = n, .recode = pack });
	}
	return err;
}

static int add_pages(struct dkt_tracedat *out, struct dkt__dat *dat, struct dkt__stream *s)
{
	struct dkt__tdw_stream *stream = &out->streams[s->buffer];
	struct dkt__tdw_cpu *cpu;
	int err = dkt__tdw_cpu_get(out, stream, (uint32_t)s->cpu, &cpu);

	if (err)
		return err;
	cpu->told = s->lost;
	if (s->chunks.pages) {
		dkt__chunks_time(&s->chunks, 0, dat->swap, &cpu->first);
		dkt__chunks_time(&s->chunks, s->chunks.pages - 1, dat->swap, &cpu->last);
	}
	for (size_t i = 0; !err && i < s->chunks.n; i++) {
		const struct dkt__chunk *chunk = &s->chunks.list[i];
		const struct dkt__spill_piece packed = {
			.at = chunk->data ? (uint64_t)(chunk->data - dat->file.data) : 0,
			.size = chunk->packed,
			.raw = chunk->size,
			.recode = dkt__tdw_page_codec(out) != dat->codec,
			.packed = true,
		};

		err = chunk->data ? add_piece(out, &cpu->data, packed) :
				    add_plain(out, &cpu->data, chunk, s->page_size);
	}
	return err;
}

/* ---- tables ---- */

/* Takes all formats of the recording, also those of events without records. */
static int add_formats(struct dkt_tracedat *out, const struct dkt__dat *dat)
{
	const struct dkt__events *all = dat->ctx->events;

	for (size_t i = 0; all && i < all->n_all; i++) {
		struct dkt__tdw_event event = { .event = &all->events[i], .id = all->events[i].id };
		int err = dkt__event_text(event.event, &event.text, &event.len);

		if (err == -ENOMEM || dkt__append(out->events, out->n_events, event)) {
			free(event.text);
			return dkt__no_memory(out->ctx);
		}
	}
	return 0;
}

/* Takes the names of all processes that the recording names. */
static int add_names(struct dkt_tracedat *out, const struct dkt__dat *dat)
{
	size_t at = 0;
	int err = 0;

	for (int32_t pid; !err && (pid = dkt__comms_pid(&dat->streams.comms, &at)) >= 0;)
		if (pid < DKT__TDW_PIDS)
			err = dkt__tdw_pid_add(out, &out->streams[0], (uint32_t)pid);
	return err;
}

static int add_all(struct dkt_tracedat *out, struct dkt__dat *dat)
{
	int err = add_formats(out, dat);

	for (size_t i = 0; !err && i < dat->n_buffers; i++) {
		err = dkt__tdw_stream_add(out, dat->buffers[i].name);
		if (err)
			break;
		out->streams[i].page_size = dat->buffers[i].page_size;
		if (out->version == 6 && out->streams[i].page_size != out->page_size)
			err = dkt_fail(out->ctx, -EINVAL,
				       "version 6 of trace.dat has pages of one size; use 7");
	}
	if (!err && !dat->n_buffers)
		err = dkt__tdw_stream_add(out, "");
	for (size_t i = 0; !err && i < dat->streams.n; i++)
		err = add_pages(out, dat, &dat->streams.list[i]);
	return err ? err : add_names(out, dat);
}

/* ---- the call ---- */

static bool has_packed(const struct dkt__dat *dat)
{
	for (size_t i = 0; i < dat->streams.n; i++)
		if (dat->streams.list[i].chunks.largest)
			return true;
	return false;
}

/* If nobody asks for a compression, pages keep their form, and tables that of the recording's tables. */
static int set_form(struct dkt_tracedat *out, const struct dkt__dat *dat,
		    const struct dkt_tracedat_opts *opts)
{
	const char *kept = opts->version != 6 && dat->codec ? dat->codec->name : "none";

	out->plain = !opts->compression && !has_packed(dat);
	return dkt__tdw_set_form(out, opts->version, opts->compression ? opts->compression : kept);
}

/*
 * Symbols are most of a short file. If the file keeps their compression, their section is copied as it is,
 * unless it is damaged.
 */
static int keep_symbols(struct dkt_tracedat *out, const struct dkt__dat *dat)
{
	const struct dkt__symbol_text *symbols = &dat->kallsyms;
	void *text __cleanup(free) = NULL;

	if (out->version == 6 || !symbols->codec || symbols->codec != out->codec || !symbols->bytes)
		return 0;
	text = malloc(symbols->size);
	if (!text)
		return dkt__no_memory(out->ctx);
	if (!symbols->codec->decompress(&out->map_state, symbols->bytes, symbols->n, text,
					symbols->size))
		out->symbols = symbols;
	return 0;
}

static int seal(struct dkt__dat *dat, int to, const struct dkt_tracedat_opts *opts)
{
	struct dkt_source_info *info = &dat->streams.base.info;
	struct dkt_tracedat *out = calloc(1, sizeof(*out));
	int err;

	if (!out)
		return dkt__no_memory(dat->ctx);
	*out = (struct dkt_tracedat){ .ctx = dat->ctx,
				      .source = &dat->streams.base,
				      .fd = to,
				      .part = true,
				      .own = dat->streams.own,
				      .has_args = dat->btf.bytes,
				      .page_size = dat->page_size,
				      .big_endian = dat->ctx->big_endian,
				      .long_size = dat->ctx->long_size,
				      .spill = { .fd = dat->file.fd, .ctx = dat->ctx },
				      .map = dat->file.data,
				      .map_codec = dat->codec };
	/* The pages have the times of the clock, without what the reader adds. */
	info->wall = dat->streams.times.offset;
	err = set_form(out, dat, opts);
	if (!err)
		err = keep_symbols(out, dat);
	if (!err)
		err = add_all(out, dat);
	if (!err)
		err = dkt__tdw_write(out);
	/* The file belongs to the context. */
	out->spill.fd = -1;
	dkt_tracedat_free(out);
	return err;
}

static int seal_file(struct dkt_ctx *ctx, int from, int to, const struct dkt_tracedat_opts *opts)
{
	struct dkt__dat *dat;
	int err = dkt__dat_open_recording(ctx, from, &dat);

	if (err)
		return err;
	err = seal(dat, to, opts);
	dkt_source_close(&dat->streams.base);
	return err;
}

int dkt__tracedat_seal(struct dkt_ctx *ctx, int from, int to, const struct dkt_tracedat_opts *opts)
{
	dkt__needs(ctx, ctx && from >= 0 && to >= 0);

	struct dkt_tracedat_opts mine;
	struct dkt_ctx *own;
	int err = dkt__opts_take(ctx, dkt_tracedat_opts, &mine, opts);

	/* The formats and names of the recording need a context that has no others. */
	if (!err)
		err = dkt__with_words(ctx, dkt_ctx_new(NULL, &own));
	if (err)
		return err;
	err = seal_file(own, from, to, &mine);
	if (err < 0)
		dkt_fail(ctx, err, "%s", dkt_error(own));
	dkt_ctx_free(own);
	return err;
}
