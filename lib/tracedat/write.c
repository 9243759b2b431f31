/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a trace.dat file. Packs the records of each CPU into ring-buffer pages and keeps the pages
 * in an unnamed file until all records have been added, because the tables precede the data.
 * trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) describe the layout.
 */
#include "lib/tracedat/write.h"

#include "lib/base/buf.h"
#include "lib/event.h"
#include "lib/plan/call_args.h"

/* The page size of the output. A record that does not fit in a page cannot be written. */
#define PAGE_SIZE 65536

/* ---- streams and CPUs ---- */

static void stream_clear(const struct dkt__tdw_stream *stream)
{
	for (int nr = 0; nr < stream->n_cpus; nr++) {
		if (!stream->cpus[nr])
			continue;
		dkt__spill_string_clear(&stream->cpus[nr]->data);
		free(stream->cpus[nr]->chunk);
		free(stream->cpus[nr]);
	}
	free(stream->cpus);
	free(stream->known);
	for (size_t i = 0; i < ARRAY_SIZE(stream->pids); i++)
		free(stream->pids[i]);
	free(stream->name);
}

int dkt__tdw_stream_add(struct dkt_tracedat *out, const char *name)
{
	const struct dkt__tdw_stream stream = {
		.source = dkt__source_part(out->source, (uint32_t)out->n_streams),
		.name = strdup(name ? name : ""),
		.page_size = out->page_size,
		.known = calloc(DKT__TDW_IDS, sizeof(*stream.known)),
	};
	int err = -ENOMEM;

	if (stream.name && stream.known)
		err = dkt__append(out->streams, out->n_streams, stream);
	if (err)
		stream_clear(&stream);
	return dkt__with_words(out->ctx, err);
}

int dkt__tdw_pid_add(struct dkt_tracedat *out, struct dkt__tdw_stream *stream, uint32_t pid)
{
	uint8_t **bits = &stream->pids[pid / DKT__TDW_BLOCK];

	if (dkt__unlikely(!*bits))
		*bits = calloc(DKT__TDW_BLOCK / 8, 1);
	if (dkt__unlikely(!*bits))
		return dkt__no_memory(out->ctx);
	(*bits)[pid % DKT__TDW_BLOCK / 8] |= (uint8_t)(1 << pid % 8);
	return 0;
}

static int stream_get(struct dkt_tracedat *out, uint32_t nr, struct dkt__tdw_stream **stream)
{
	int err = 0;

	while (!err && nr >= out->n_streams)
		err = dkt__tdw_stream_add(out,
					  dkt_source_stream(out->source, (uint32_t)out->n_streams));
	*stream = err ? NULL : &out->streams[nr];
	return err;
}

int dkt__tdw_cpu_get(struct dkt_tracedat *out, struct dkt__tdw_stream *stream, uint32_t nr,
		     struct dkt__tdw_cpu **cpu)
{
	*cpu = NULL;
	if (nr >= DKT__TDW_CPUS)
		return dkt_fail(out->ctx, -ERANGE, "a record is of cpu %u; a trace.dat file has %d",
				nr, DKT__TDW_CPUS);
	if (!dkt__reach(stream->cpus, stream->n_cpus, nr))
		return dkt__no_memory(out->ctx);
	if (!stream->cpus[nr]) {
		struct dkt__tdw_cpu *made __cleanup(free) = calloc(1, sizeof(*made));

		if (!made)
			return dkt__no_memory(out->ctx);
		made->chunk = calloc(1, DKT__PACK_MAX);
		if (!made->chunk)
			return dkt__no_memory(out->ctx);
		made->pack = (struct dkt__pack){ .size = out->page_size,
						 .big_endian = out->big_endian,
						 .long_size = out->long_size };
		stream->cpus[nr] = made;
		made = NULL;
	}
	*cpu = stream->cpus[nr];
	return 0;
}

/* ---- pages ---- */

int dkt__tdw_compress(struct dkt_tracedat *out, const void **bytes, size_t *len)
{
	size_t bound = out->codec->bound(*len);

	if (bound > out->packed_room) {
		uint8_t *more = realloc(out->packed, bound);

		if (!more)
			return dkt__no_memory(out->ctx);
		out->packed = more;
		out->packed_room = bound;
	}
	*len = out->codec->compress(&out->codec_state, *bytes, *len, out->packed, out->packed_room);
	*bytes = out->packed;
	return *len ? 0 : dkt__no_memory(out->ctx);
}

/* Moves the chunk to the spill, compressed if the file is compressed, and empties it. */
static int chunk_flush(struct dkt_tracedat *out, struct dkt__tdw_cpu *cpu)
{
	const void *bytes = cpu->chunk;
	size_t len = cpu->full;
	int err = 0;

	if (!len)
		return 0;
	if (out->codec)
		err = dkt__tdw_compress(out, &bytes, &len);
	if (!err)
		err = dkt__spill_add(&out->spill, &cpu->data, bytes, (uint32_t)len, cpu->full);
	memset(cpu->chunk, 0, cpu->full);
	cpu->full = 0;
	return err;
}

static int page_end(struct dkt_tracedat *out, struct dkt__tdw_cpu *cpu)
{
	if (!cpu->pack.page)
		return 0;
	dkt__pack_end(&cpu->pack);
	cpu->full += out->page_size;
	return cpu->full + out->page_size > DKT__PACK_MAX ? chunk_flush(out, cpu) : 0;
}

static int put_record(struct dkt_tracedat *out, struct dkt__tdw_cpu *cpu,
		      const struct dkt_record *record, int id)
{
	uint8_t *to = NULL;
	int err;

	if (record->size > dkt__pack_room(&cpu->pack))
		return dkt_fail(out->ctx, -EMSGSIZE,
				"a record of %u bytes is longer than a page of a trace.dat file",
				record->size);
	if (cpu->pack.page && !cpu->lost)
		to = dkt__pack_add(&cpu->pack, record->ts, record->data, record->size);
	if (!to) {
		err = page_end(out, cpu);
		if (err)
			return err;
		dkt__pack_begin(&cpu->pack, cpu->chunk + cpu->full, record->ts, cpu->lost);
		cpu->lost = 0;
		to = dkt__pack_add(&cpu->pack, record->ts, record->data, record->size);
	}
	/* Set common_type, which comes first in every record, to the ID in this file. */
	if (record->size >= 2)
		dkt__put_bytes(to, (uint64_t)id, 2, out->big_endian);
	if (!cpu->records++)
		cpu->first = record->ts;
	cpu->last = record->ts;
	return 0;
}

static void add_gap(struct dkt__tdw_cpu *cpu, uint64_t lost)
{
	if (lost != DKT_LOST_UNKNOWN)
		cpu->told += lost;
	if (lost == DKT_LOST_UNKNOWN || cpu->lost == DKT_LOST_UNKNOWN)
		cpu->lost = DKT_LOST_UNKNOWN;
	else
		cpu->lost += lost;
}

/* ---- events ---- */

static bool id_used(const struct dkt_tracedat *out, int id)
{
	return out->used[id / 8] & 1 << id % 8;
}

/* Returns the place of the ID for events of this system, name and format; 0 there: there is none yet. */
static int *id_of_kind(struct dkt_tracedat *out, const struct dkt_event *event, const char *text)
{
	const char *format = strstr(text, "\nformat:");
	char *kind __cleanup(free) =
		dkt__format("%s\n%s%s", event->system, event->name, format ? format : text);
	uint32_t nr = kind ? dkt__intern(&out->kinds, kind, (uint32_t)strlen(kind)) : UINT32_MAX;

	return nr == UINT32_MAX ? NULL : dkt__reach(out->kind_ids, out->n_kinds, nr);
}

/* Returns an ID that no event uses; 0: all are used. No ID becomes free again. */
static int free_id(struct dkt_tracedat *out)
{
	while (out->next_id && id_used(out, out->next_id))
		out->next_id--;
	return out->next_id;
}

/* Takes the text. */
static int event_append(struct dkt_tracedat *out, struct dkt__tdw_event *to)
{
	char *old __cleanup(free) = NULL;
	int err = 0;

	/* Choose another ID if this one is invalid or used by another event. */
	if (to->id <= 0 || to->id >= DKT__TDW_IDS || id_used(out, to->id)) {
		to->id = free_id(out);
		if (!to->id)
			err = dkt_fail(out->ctx, -E2BIG,
				       "a trace.dat file has at most %d events, and these are more",
				       DKT__TDW_IDS - 1);
		else if ((old = to->text))
			err = dkt__format_renumber(old, to->id, &to->text);
		if (old)
			to->len = to->text ? strlen(to->text) : 0;
	}
	if (!err)
		err = dkt__append(out->events, out->n_events, *to);
	if (err) {
		free(to->text);
		return dkt__with_words(out->ctx, err);
	}
	out->used[to->id / 8] |= (uint8_t)(1 << to->id % 8);
	return 0;
}

static int event_add(struct dkt_tracedat *out, struct dkt_event *event, int *id)
{
	struct dkt__tdw_event to = { .event = event, .id = event->id };
	int *same = NULL, err;

	/* An event whose module is gone has no text. */
	if (dkt__event_text(event, &to.text, &to.len) == -ENOMEM)
		return dkt__no_memory(out->ctx);
	if (to.text) {
		same = id_of_kind(out, event, to.text);
		if (!same || *same)
			free(to.text);
		if (!same)
			return dkt__no_memory(out->ctx);
		*id = *same;
		if (*id)
			return 0;
	}
	err = event_append(out, &to);
	*id = to.id;
	if (!err && same)
		*same = to.id;
	return err;
}

static struct dkt__tdw_known *known_of(struct dkt__tdw_stream *stream,
				       const struct dkt_event *event)
{
	return &stream->known[event->id & (DKT__TDW_IDS - 1)];
}

static int event_id(struct dkt_tracedat *out, struct dkt__tdw_stream *stream,
		    struct dkt_event *event, int *id)
{
	struct dkt__tdw_known *known = known_of(stream, event);
	int err;

	if (dkt__likely(known->event == event)) {
		*id = known->id;
		return 0;
	}
	err = event_add(out, event, id);
	if (!err) {
		const struct dkt_field *args = dkt__call_args_field(event);

		*known = (struct dkt__tdw_known){ .event = event,
						  .id = (uint16_t)*id,
						  .args = args ? (uint16_t)args->offset : 0 };
	}
	return err;
}

/* ---- the calls ---- */

static int add(struct dkt_tracedat *out, const struct dkt_record *record)
{
	struct dkt__tdw_stream *stream;
	struct dkt__tdw_cpu *cpu;
	int id = 0, err = stream_get(out, record->stream, &stream);

	if (!err)
		err = dkt__tdw_cpu_get(out, stream, record->cpu, &cpu);
	if (err)
		return err;
	if (!record->event) {
		add_gap(cpu, record->lost);
		return 0;
	}
	if (record->pid >= 0 && record->pid < DKT__TDW_PIDS)
		err = dkt__tdw_pid_add(out, stream, (uint32_t)record->pid);
	if (!err)
		err = event_id(out, stream, record->event, &id);
	if (!err && dkt__unlikely(known_of(stream, record->event)->args))
		out->has_args |= record->size > known_of(stream, record->event)->args;
	return err ? err : put_record(out, cpu, record, id);
}

int dkt_tracedat_add(struct dkt_tracedat *out, const struct dkt_record *record)
{
	dkt__needs(out ? out->ctx : NULL, out && record);

	struct dkt_record stack;
	int err = add(out, record);

	/* As the kernel does, store each stack as a record after the record that it belongs to. */
	for (size_t i = 0; !err && !dkt_record_stack(record, i, &stack); i++)
		err = add(out, &stack);
	return err;
}

int dkt__tdw_set_form(struct dkt_tracedat *out, unsigned int version, const char *compression)
{
	out->version = version ? version : 7;
	if (out->version != 6 && out->version != 7)
		return dkt_fail(out->ctx, -EINVAL,
				"trace.dat version %u is not supported; use 6 or 7", out->version);
	if (out->version == 6 && compression && strcmp(compression, "none"))
		return dkt_fail(out->ctx, -EINVAL, "version 6 of trace.dat has no compression");
	if (out->version == 6 || (compression && !strcmp(compression, "none")))
		return 0;
	out->codec = dkt__codec_find(compression ? compression : "zstd");
	if (!out->codec)
		return dkt_fail(out->ctx, -EINVAL,
				"compression '%s' is not supported; use zstd, zlib or none",
				compression);
	return 0;
}

int dkt_tracedat_new(struct dkt_ctx *ctx, struct dkt_source *source, int fd,
		     const struct dkt_tracedat_opts *opts, struct dkt_tracedat **result)
{
	dkt__needs(ctx, dkt__clear(result) && ctx && source);

	struct dkt_tracedat_opts mine;
	struct dkt_tracedat *out;
	int err = dkt__opts_take(ctx, dkt_tracedat_opts, &mine, opts);

	if (err)
		return err;
	out = calloc(1, sizeof(*out));
	if (!out)
		return dkt__no_memory(ctx);
	*out = (struct dkt_tracedat){ .ctx = ctx,
				      .source = source,
				      .fd = fd,
				      .page_size = PAGE_SIZE,
				      .next_id = DKT__TDW_IDS - 1,
				      .part = mine.part,
				      .lacks = mine.lacks ? strdup(mine.lacks) : NULL,
				      /* Sources convert records to this machine's byte order. */
				      .big_endian = DKT__BIG_ENDIAN,
				      .long_size = source->ctx->long_size,
				      .spill.fd = -1,
				      .used[0] = 1 };
	err = !out->lacks != !mine.lacks ? dkt__no_memory(ctx) :
					   dkt__tdw_set_form(out, mine.version, mine.compression);
	if (!err)
		err = mine.spare ?
			      dkt__spill_take(out->ctx, mine.spare - 1, &out->spill) :
			      dkt__spill_open(out->ctx, mine.dir ? mine.dir : "/tmp", &out->spill);
	if (err) {
		dkt_tracedat_free(out);
		return err;
	}
	*result = out;
	return 0;
}

int dkt_tracedat_finish(struct dkt_tracedat *out)
{
	dkt__needs(NULL, out);

	struct dkt__tdw_stream *stream;
	int err = stream_get(out, 0, &stream);

	for (size_t i = 0; i < out->n_streams; i++)
		for (int nr = 0; !err && nr < out->streams[i].n_cpus; nr++) {
			struct dkt__tdw_cpu *cpu = out->streams[i].cpus[nr];

			if (cpu)
				err = page_end(out, cpu);
			if (cpu && !err)
				err = chunk_flush(out, cpu);
		}
	return err ? err : dkt__tdw_write(out);
}

void dkt_tracedat_free(struct dkt_tracedat *out)
{
	if (!out)
		return;
	for (size_t i = 0; i < out->n_streams; i++)
		stream_clear(&out->streams[i]);
	for (size_t i = 0; i < out->n_events; i++)
		free(out->events[i].text);
	free(out->streams);
	free(out->events);
	free(out->kind_ids);
	dkt__intern_clear(&out->kinds);
	free(out->packed);
	free(out->raw);
	free(out->lacks);
	if (out->codec)
		out->codec->release(out->codec_state);
	if (out->map_codec)
		out->map_codec->release(out->map_state);
	dkt__spill_close(&out->spill);
	free(out);
}
