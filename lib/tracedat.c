/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens a trace.dat file as a source of records. */
#include "lib/tracedat.h"
#include "lib/base/parse.h"
#include "lib/base/ticks.h"
#include "lib/last_boot.h"
#include "lib/plan/call_args.h"

struct dkt__cursor dkt__dat_at(const struct dkt__dat *dat, uint64_t offset)
{
	const uint8_t *end = dat->file.data + dat->file.size;

	return (struct dkt__cursor){
		.p = offset < dat->file.size ? dat->file.data + offset : end,
		.end = end,
		.swap = dat->swap,
	};
}

static bool tracedat_is(const uint8_t *data, size_t size)
{
	return size > strlen(DKT__DAT_MAGIC) &&
	       !memcmp(data, DKT__DAT_MAGIC, strlen(DKT__DAT_MAGIC));
}

static void buffer_clear(struct dkt__dat_buffer *buffer)
{
	for (uint32_t i = 0; i < buffer->n_cpus; i++)
		dkt__chunks_clear(&buffer->cpus[i].pieces);
	free(buffer->cpus);
	free(buffer->bases);
}

void dkt__dat_close(struct dkt_source *source)
{
	struct dkt__dat *dat = (struct dkt__dat *)source;

	dkt__streams_clear(&dat->streams);
	if (dat->codec)
		dat->codec->release(dat->codec_state);
	for (size_t i = 0; i < dat->n_buffers; i++)
		buffer_clear(&dat->buffers[i]);
	for (size_t i = 0; i < dat->n_stats; i++)
		free(dat->stats[i].buffer);
	free(dat->buffers);
	free(dat->stats);
	free(dat->stat_buffer);
	dkt__dat_shifts_clear(dat);
	dkt__dat_clocks_clear(dat);
	dkt__dat_disks_clear(dat);
	free(dat->peers);
	free(dat->given);
	free(dat->kind);
	free(dat->host);
	free(dat->kernel);
	free(dat->clock);
	free(dat);
}

const char *dkt__dat_stream(const struct dkt_source *source, uint32_t nr)
{
	const struct dkt__dat *dat = (const struct dkt__dat *)source;

	return nr < dat->n_buffers ? dat->buffers[nr].name : NULL;
}

const struct dkt__source_peer *dkt__dat_peer(const struct dkt_source *source, size_t i)
{
	const struct dkt__dat *dat = (const struct dkt__dat *)source;

	return i < dat->n_peers ? &dat->peers[i] : NULL;
}

static const struct dkt__source_ops dat_ops = {
	.next = dkt__streams_next,
	.comm = dkt__streams_comm,
	.loss = dkt__streams_loss,
	.seek = dkt__streams_seek,
	.slice = dkt__streams_slice,
	.bytes = dkt__streams_bytes,
	.select = dkt__streams_select,
	.filter = dkt__streams_filter,
	.stream = dkt__dat_stream,
	.peer = dkt__dat_peer,
	.clock = dkt__dat_clock,
	.disks = dkt__dat_disks_of,
	.close = dkt__dat_close,
};

const char *dkt__dat_read_start(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	const char *version;

	dkt__cursor_bytes(cur, strlen(DKT__DAT_MAGIC));
	version = dkt__cursor_string(cur);
	dat->ctx->big_endian = dkt__cursor_number(cur, 1);
	dat->swap = cur->swap = dat->ctx->big_endian != DKT__BIG_ENDIAN;
	dat->ctx->long_size = dkt__cursor_number(cur, 1) == 4 ? 4 : 8;
	dat->page_size = (uint32_t)dkt__cursor_number(cur, 4);
	return version;
}

static int read_start(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	const char *version = dkt__dat_read_start(dat, cur);
	uint64_t number;

	if (dkt__parse_u64(version, DKT__DEC, &number) || number < 6 || number > 7)
		return dkt_fail(dat->ctx, -EOPNOTSUPP,
				"read %s: trace.dat version '%.16s' is not supported; 6 and 7 are",
				dat->file.name, version);
	dat->version = (unsigned int)number;
	dat->kind = dkt__format("trace.dat version %u", dat->version);
	return dat->kind ? dkt__ctx_machine(dat->ctx, "") : dkt__no_memory(dat->ctx);
}

/* Records of an earlier boot have the addresses of that boot, the symbols those of the boot after it. */
static int move_symbols(struct dkt__dat *dat)
{
	char *text __cleanup(free) = NULL, *modules __cleanup(free) = NULL;
	struct dkt__last_boot boot;
	size_t n;
	int err = dkt__symbol_text_unpack(&dat->last_boot, &text, &n);

	if (!err)
		err = dkt__last_boot_parse(text, &boot);
	if (err == -EINVAL)
		dkt__streams_damage(&dat->streams,
				    "the addresses of the last boot are of unknown form");
	if (err)
		return err == -ENOMEM ? dkt__no_memory(dat->ctx) : 0;
	if (dkt__symbol_text_unpack(&dat->modules, &modules, &n) == -ENOMEM)
		err = dkt__no_memory(dat->ctx);
	if (!err && !boot.current)
		err = dkt__last_boot_symbols(dat->ctx, &boot, modules);
	dkt__last_boot_clear(&boot);
	return err;
}

static int give(struct dkt__dat *dat)
{
	int err = dkt__events_given(dat->ctx, dat->given, dat->n_given);

	if (!err)
		err = dkt__symbols_given(dat->ctx, &dat->kallsyms, &dat->printk);
	if (!err)
		err = dkt__call_args_given(dat->ctx, &dat->btf);
	return err || !dat->last_boot.bytes ? err : move_symbols(dat);
}

/* Names the options that are not read, because no record needs them for its text; NULL: none. */
static const char *name_unused(const struct dkt__dat *dat)
{
	if (dat->hooks)
		return dat->maps ? "hooks, maps of processes" : "hooks";
	return dat->maps ? "maps of processes" : NULL;
}

static void find_lost(struct dkt__dat *dat, const char *buffer, struct dkt__stream *s)
{
	for (size_t i = 0; i < dat->n_stats; i++)
		if (dat->stats[i].cpu == s->cpu && !strcmp(dat->stats[i].buffer, buffer)) {
			s->has_lost = true;
			s->lost = dat->stats[i].lost;
		}
}

bool dkt__dat_may_unpack(struct dkt__dat *dat, int cpu, uint32_t size, uint32_t had)
{
	uint64_t limit = DKT__MIN(dkt__unpack_limit(dat->file.size), DKT__DAT_ROOMS_MAX);
	uint64_t more = size > had ? UINT64_C(2) * (size - had) : 0;

	if (!more || dat->rooms + more <= limit) {
		dat->rooms += more;
		return true;
	}
	dkt__streams_damage(&dat->streams,
			    "unpacked pages of cpu %d go beyond the limit of %llu MB", cpu,
			    (unsigned long long)limit >> 20);
	return false;
}

/* Drops the chunks of a CPU if unpacking needs too much memory. */
static void limit_rooms(struct dkt__dat *dat, struct dkt__stream *s)
{
	if (dkt__dat_may_unpack(dat, s->cpu, s->chunks.largest, 0))
		return;
	s->broken = true;
	dkt__chunks_clear(&s->chunks);
}

/*
 * Finds the chunks of a CPU. Reports damage if the CPUs together have more bytes than the file,
 * because CPUs cannot share bytes.
 */
static void place_chunks(struct dkt__dat *dat, struct dkt__stream *s, struct dkt__cursor *cur)
{
	uint64_t size = dkt__cursor_left(cur);

	s->chunks.codec = dat->codec;
	s->chunks.file = &dat->file;
	if (!size)
		return;
	dat->placed += size;
	if (dat->placed > dat->file.size) {
		dkt__streams_damage(&dat->streams, "the pages of cpu %d belong to other CPUs",
				    s->cpu);
		return;
	}
	if (!dat->codec || !dkt__chunks_find(&s->chunks, cur))
		dkt__streams_damage(&dat->streams, "the pages of cpu %d end too early", s->cpu);
	limit_rooms(dat, s);
}

/* Moves the pieces of a CPU of a recording in progress to the stream. Later ones may follow. */
static void place_pieces(struct dkt__dat *dat, struct dkt__dat_cpu *cpu, struct dkt__stream *s)
{
	s->from = &dkt__pages_pieces;
	s->chunks = cpu->pieces;
	cpu->pieces = (struct dkt__chunks){ .page_size = s->page_size };
	s->has_lost = true;
	s->lost = cpu->lost;
	if (!dat->keep_rooms)
		limit_rooms(dat, s);
}

void dkt__dat_place(struct dkt__dat *dat, const struct dkt__dat_buffer *buffer,
		    struct dkt__dat_cpu *cpu, struct dkt__stream *s)
{
	struct dkt__cursor cur = dkt__dat_at(dat, cpu->offset);
	uint64_t size = cpu->size, left = dkt__cursor_left(&cur);

	/* The size in the file leaves out the 4 bytes that hold the number of chunks. */
	if (size && buffer->packed)
		size += 4;
	s->buffer = (uint32_t)(buffer - dat->buffers);
	s->cpu = (int)cpu->cpu;
	s->page_size = buffer->page_size;
	if (cpu->cpu < dat->n_shifts)
		s->shift = &dat->shifts[cpu->cpu];
	if (dat->journal) {
		place_pieces(dat, cpu, s);
		return;
	}
	find_lost(dat, buffer->name, s);
	if (size > left) {
		dat->cut = true;
		size = left;
	}
	cur.end = cur.p + size;
	if (!buffer->packed) {
		s->extent = (struct dkt__extent){ .fd = dat->file.fd,
						  .at = (uint64_t)(cur.p - dat->file.data),
						  .bytes = size };
		return;
	}
	s->from = &dkt__pages_chunks;
	s->chunks.page_size = buffer->page_size;
	place_chunks(dat, s, &cur);
}

bool dkt__dat_selects(const struct dkt_source_opts *opts, const struct dkt__dat_buffer *buffer)
{
	return opts->flags & DKT_SOURCE_ALL ||
	       !strcmp(buffer->name, opts->buffer ? opts->buffer : "");
}

static void add_stream(struct dkt__dat *dat, const struct dkt__dat_buffer *buffer,
		       struct dkt__dat_cpu *cpu)
{
	struct dkt__stream *s = &dat->streams.list[dat->streams.n++];
	int *cpus = &dat->streams.base.info.cpus;

	dkt__dat_place(dat, buffer, cpu, s);
	*cpus = DKT__MAX(*cpus, s->cpu + 1);
}

/* Version 7 has no pages of a CPU that lost all its records; the statistics count them. */
static void add_lost_streams(struct dkt__dat *dat, const struct dkt__dat_buffer *buffer)
{
	uint8_t has[DKT__DAT_CPUS / 8] = { 0 };

	for (uint32_t i = 0; i < buffer->n_cpus; i++)
		has[buffer->cpus[i].cpu / 8] |= 1 << buffer->cpus[i].cpu % 8;
	for (size_t i = 0; i < dat->n_stats; i++) {
		struct dkt__dat_stat *stat = &dat->stats[i];

		/* A bad file can have two buffers of one name. */
		if (!stat->lost || stat->placed || has[stat->cpu / 8] & 1 << stat->cpu % 8 ||
		    strcmp(stat->buffer, buffer->name) != 0)
			continue;
		stat->placed = true;
		has[stat->cpu / 8] |= 1 << stat->cpu % 8;
		add_stream(dat, buffer, &(struct dkt__dat_cpu){ .cpu = (uint32_t)stat->cpu });
	}
}

/* Creates the streams of the buffers that opts selects. */
static int fill_streams(struct dkt__dat *dat, const struct dkt_source_opts *opts)
{
	size_t n = dat->n_stats, found = 0;

	for (size_t i = 0; i < dat->n_buffers; i++)
		n += dat->buffers[i].n_cpus;
	dat->streams.list = calloc(n + 1, sizeof(*dat->streams.list));
	if (!dat->streams.list)
		return dkt__no_memory(dat->ctx);
	for (size_t i = 0; i < dat->n_buffers; i++) {
		const struct dkt__dat_buffer *buffer = &dat->buffers[i];

		for (uint32_t j = 0; j < buffer->n_cpus; j++)
			dat->cut |= buffer->cpus[j].offset + buffer->cpus[j].size > dat->file.size;
		if (!dkt__dat_selects(opts, buffer))
			continue;
		found++;
		if (buffer->page_size < DKT__DAT_PAGE_MIN ||
		    buffer->page_size > DKT__DAT_PAGE_MAX) {
			dkt__streams_damage(&dat->streams, "pages of %u bytes are invalid",
					    buffer->page_size);
			continue;
		}
		if (buffer->clock && *buffer->clock)
			dat->streams.base.info.clock = buffer->clock;
		for (uint32_t j = 0; j < buffer->n_cpus; j++)
			add_stream(dat, buffer, &buffer->cpus[j]);
		if (!dat->journal)
			add_lost_streams(dat, buffer);
	}
	if (!found && opts->buffer)
		return dkt_fail(dat->ctx, -ENOENT, "read %s: it has no buffer '%s'", dat->file.name,
				opts->buffer);
	return 0;
}

/* Frees the memory that only the tables and the search for chunks needed. */
static void forget_start(struct dkt__dat *dat)
{
	if (dat->codec)
		dat->codec->release(dat->codec_state);
	dat->codec_state = NULL;
	dkt__file_forget(&dat->file, dat->file.data, dat->file.data + dat->file.size);
}

int dkt__dat_read(struct dkt__dat *dat, const struct dkt__file *file,
		  const struct dkt_source_opts *opts)
{
	struct dkt_source_info *info = &dat->streams.base.info;
	struct dkt__cursor cur;
	int err;

	dat->file = *file;
	cur = dkt__dat_at(dat, 0);
	err = read_start(dat, &cur);
	if (!err)
		err = dat->version < 7 ? dkt__dat_read_v6(dat, &cur) : dkt__dat_read_v7(dat, &cur);
	if (!err)
		err = give(dat);
	if (err)
		return err;
	if (dat->text)
		return dkt_fail(dat->ctx, -EOPNOTSUPP,
				"read %s: it holds the text of a latency tracer, not records",
				dat->file.name);
	info->sz = sizeof(*info);
	info->kind = dat->kind;
	info->host = dat->host;
	info->kernel = dat->kernel;
	info->clock = dat->clock;
	info->unused = name_unused(dat);
	dkt__dat_clocks_place(dat);
	err = fill_streams(dat, opts);
	if (err)
		return err;
	/* The times are converted. */
	if (dat->streams.times.mult && dkt__clock_ticks(info->clock))
		info->clock = DKT__CLOCK_CALIBRATED;
	forget_start(dat);
	if (dat->cut)
		dkt__streams_damage(&dat->streams, "the file is truncated at byte %zu",
				    dat->file.size);
	return dkt__streams_start(&dat->streams, opts);
}

int dkt__dat_open(struct dkt_ctx *ctx, const struct dkt__file *file,
		  const struct dkt_source_opts *opts, bool keep_rooms, struct dkt__dat **out)
{
	struct dkt__dat *dat = calloc(1, sizeof(*dat));
	int err;

	if (!dat)
		return dkt__no_memory(ctx);
	dat->streams.base = (struct dkt_source){ .ops = &dat_ops, .ctx = ctx };
	dat->ctx = ctx;
	dat->keep_rooms = keep_rooms;
	err = dkt__dat_read(dat, file, opts);
	if (err)
		dkt__dat_close(&dat->streams.base);
	else
		*out = dat;
	return err;
}

int dkt__dat_open_recording(struct dkt_ctx *ctx, int fd, struct dkt__dat **out)
{
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL);
	struct dkt__file file;
	int err = dkt__file_open(ctx, NULL, "the recording", fd + 1, &file);

	if (err)
		return err;
	if (!tracedat_is(file.data, file.size))
		return 1;
	err = dkt__dat_open(ctx, &file, &all, true, out);
	if (err || (*out)->journal)
		return err;
	dkt__dat_close(&(*out)->streams.base);
	return 1;
}

static int tracedat_open(struct dkt_ctx *ctx, const struct dkt__file *file,
			 const struct dkt_source_opts *opts, struct dkt_source **source)
{
	struct dkt__dat *dat;
	int err = dkt__dat_open(ctx, file, opts, false, &dat);

	if (!err)
		*source = &dat->streams.base;
	return err;
}

const struct dkt__reader dkt__reader_tracedat = {
	.name = "trace.dat",
	.is = tracedat_is,
	.open = tracedat_open,
};
