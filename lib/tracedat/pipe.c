/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a recording in progress while it is written (tracedat/journal.h), from a pipe or a file.
 *
 * The bytes of a pipe go to a file without a name, so that everything that reads files reads them. At each
 * mark all records before its time are known, and are returned; then their bytes are freed.
 */
#include <fcntl.h>

#include "lib/source/live/watch.h"
#include "lib/tracedat/growth.h"

/* Bytes of the file are freed in blocks of this size, a multiple of every file system's. */
#define BLOCK (64u << 10)

struct pipe {
	struct dkt__dat dat; /* must be first: the source is cast to this struct */
	struct dkt__growth growth; /* the file of dat ends at the last mark */
	struct dkt_source_opts opts;
	uint64_t at; /* the next section to read */
	uint64_t freed; /* where the bytes begin that are still there or must stay */
	struct dkt__watch watch;
	bool returned; /* a record: it is too late for a seek */
	bool begun; /* the walk knows its bound */
	bool last; /* no records of the window follow those before the bound */
	uint64_t since, until; /* the window, on the source's clock */
};

/* ---- further sections ---- */

/* Notes which streams the CPUs have. Both are in the same order; CPUs that are not asked for have none. */
static void number_streams(struct pipe *p)
{
	const struct dkt__streams *streams = &p->dat.streams;
	uint32_t nr = 0;

	for (size_t i = 0; i < p->dat.n_buffers; i++)
		for (uint32_t j = 0; j < p->dat.buffers[i].n_cpus; j++) {
			struct dkt__dat_cpu *cpu = &p->dat.buffers[i].cpus[j];

			if (nr < streams->n && streams->list[nr].buffer == i &&
			    streams->list[nr].cpu == (int)cpu->cpu)
				cpu->stream = ++nr;
		}
}

/* Moves the pages of a CPU that were found since the last mark to its stream. */
static int move_pieces(struct pipe *p, struct dkt__dat_cpu *cpu, struct dkt__stream *s)
{
	int err = 0;

	s->lost = cpu->lost;
	for (size_t i = 0; !err && !s->broken && i < cpu->pieces.n; i++) {
		const struct dkt__chunk *chunk = &cpu->pieces.list[i];

		if (chunk->data &&
		    !dkt__dat_may_unpack(&p->dat, s->cpu, chunk->size, s->chunks.largest))
			s->broken = true;
		else
			err = dkt__chunks_add(&s->chunks, *chunk);
	}
	cpu->pieces.n = 0;
	cpu->pieces.pages = 0;
	if (!s->broken)
		s->n_pages = s->last = s->chunks.pages;
	return err ? dkt__no_memory(p->dat.ctx) : 0;
}

static int add_stream(struct pipe *p, const struct dkt__dat_buffer *buffer,
		      struct dkt__dat_cpu *cpu)
{
	struct dkt_source_info *info = &p->dat.streams.base.info;
	struct dkt__stream s = { 0 };
	int err;

	dkt__dat_place(&p->dat, buffer, cpu, &s);
	err = dkt__streams_add(&p->dat.streams, &s);
	if (err) {
		dkt__chunks_clear(&s.chunks);
		return err;
	}
	cpu->stream = (uint32_t)p->dat.streams.n;
	info->cpus = DKT__MAX(info->cpus, s.cpu + 1);
	return 0;
}

/* Gives the streams the pages that were found. */
static int renew_streams(struct pipe *p)
{
	const struct dkt_source_opts *opts = &p->opts;
	int err = 0;

	for (size_t i = 0; !err && i < p->dat.n_buffers; i++) {
		struct dkt__dat_buffer *buffer = &p->dat.buffers[i];

		for (uint32_t j = 0; !err && j < buffer->n_cpus; j++) {
			struct dkt__dat_cpu *cpu = &buffer->cpus[j];

			if (cpu->stream)
				err = move_pieces(p, cpu, &p->dat.streams.list[cpu->stream - 1]);
			else if (dkt__dat_selects(opts, buffer) &&
				 dkt__cpu_asked(opts->cpus, opts->n_cpus, cpu->cpu))
				err = add_stream(p, buffer, cpu);
			else
				cpu->pieces.n = 0;
		}
	}
	return err;
}

/* Frees the bytes of pages whose records have all been returned. */
static void free_bytes(struct pipe *p)
{
	struct dkt__streams *streams = &p->dat.streams;
	uint64_t to = p->at;
	uint32_t offset;

	for (size_t i = 0; i < streams->n; i++) {
		struct dkt__stream *s = &streams->list[i];
		const struct dkt__chunk *first = s->chunks.list;

		dkt__chunks_drop(&s->chunks,
				 s->broken ? s->chunks.pages : dkt__stream_place(s, &offset));
		if (s->chunks.n)
			to = DKT__MIN(to, first->data ?
						  (uint64_t)(first->data - p->growth.file.data) :
						  first->at);
	}
	to -= to % BLOCK;
	/* A file that grows is another's. */
	if (p->growth.fd < 0)
		return;
	/* A file system that cannot do it keeps the bytes, which does no harm but for the space. */
	if (to > p->freed &&
	    !fallocate(p->growth.file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		       (off_t)p->freed, (off_t)(to - p->freed)))
		p->freed = to;
}

/* Starts the walk anew, up to the time of the last mark. */
static int begin(struct pipe *p)
{
	const struct dkt__times *times = &p->dat.streams.times;
	uint64_t bound = p->dat.mark + (uint64_t)times->offset;
	int err;

	/* A mark without a time: its writer could not read the clock. */
	if (p->growth.ended || !p->dat.mark || times->mult)
		bound = UINT64_MAX;
	p->last = p->growth.ended || (bound != UINT64_MAX && bound >= p->until);
	/* The rest is not read, so it does not matter whether it ends. */
	if (p->last && !p->growth.ended)
		p->dat.streams.base.info.growing = false;
	err = dkt__streams_begin(&p->dat.streams, DKT__MIN(bound, p->until));
	p->begun = !err;
	return err;
}

/* Reads the sections up to the offset end. */
static int read_sections(struct pipe *p, uint64_t end)
{
	struct dkt__dat *dat = &p->dat;
	const size_t n_given = dat->n_given;
	int err;

	dat->file.size = end;
	err = dkt__dat_read_more(dat, p->at);
	p->at = end;
	if (!err)
		err = dkt__events_given_more(dat->ctx, dat->given + n_given,
					     dat->n_given - n_given);
	if (!err)
		err = renew_streams(p);
	return err ? err : begin(p);
}

static int read_on(struct pipe *p)
{
	uint64_t end;
	int err, late;

	free_bytes(p);
	err = dkt__growth_more(&p->growth, &end);
	if (err != DKT_NEXT_LATER)
		return err ? err : read_sections(p, end);
	/* Nothing reports that a file has become longer. */
	late = dkt__watch_more(&p->watch, false, p->growth.fd < 0);
	return late ? late : err;
}

/* ---- the calls ---- */

/* Does not count a record that is before the window: a file's reader does not see it. */
static void uncount(struct dkt__stream *s, const struct dkt_record *record)
{
	if (record->event)
		s->loss.seen--;
	else if (record->lost != DKT_LOST_UNKNOWN)
		s->loss.lost -= record->lost;
}

static int pipe_next(struct dkt_source *source, struct dkt_record *record)
{
	struct pipe *p = (struct pipe *)source;
	struct dkt__streams *streams = &p->dat.streams;
	int err = p->begun ? 0 : begin(p);

	while (!err) {
		err = dkt__streams_next(source, record);
		if (dkt__likely(!err && record->ts >= p->since)) {
			p->returned = true;
			return 0;
		}
		if (!err)
			uncount(streams->top, record);
		else if (err == DKT_NEXT_END && !p->last)
			err = read_on(p);
	}
	return err;
}

static int pipe_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct pipe *p = (struct pipe *)source;
	int err;

	if (p->returned)
		return dkt_fail(source->ctx, -EOPNOTSUPP,
				"%s can only be read from beginning to end", p->growth.file.name);
	err = dkt__streams_seek(source, since, until);
	p->since = since;
	p->until = p->dat.streams.until;
	p->begun = false;
	return err;
}

static int pipe_wait(struct dkt_source *source, int timeout_ms)
{
	return dkt__watch_wait(&((struct pipe *)source)->watch, timeout_ms);
}

static int pipe_fd(const struct dkt_source *source)
{
	return ((const struct pipe *)source)->watch.all;
}

static int pipe_wake(struct dkt_source *source)
{
	return dkt__watch_wake(&((struct pipe *)source)->watch);
}

static void pipe_close(struct dkt_source *source)
{
	struct pipe *p = (struct pipe *)source;

	dkt__watch_close(&p->watch);
	dkt__growth_close(&p->growth);
	dkt__dat_close(source);
}

static const struct dkt__source_ops pipe_ops = {
	.next = pipe_next,
	.comm = dkt__streams_comm,
	.loss = dkt__streams_loss,
	.seek = pipe_seek,
	.select = dkt__streams_select,
	.filter = dkt__streams_filter,
	.stream = dkt__dat_stream,
	.peer = dkt__dat_peer,
	.disks = dkt__dat_disks_of,
	.wait = pipe_wait,
	.fd = pipe_fd,
	.wake = pipe_wake,
	.close = pipe_close,
};

/* ---- opening ---- */

/* Hands out the file with the bytes so far. */
static int give_rest(struct pipe *p, int *rest)
{
	/* Both descriptors have the same position. */
	if (lseek(p->growth.file.fd, 0, SEEK_END) >= 0)
		*rest = fcntl(p->growth.file.fd, F_DUPFD_CLOEXEC, 0);
	if (*rest < 0)
		return dkt_fail(p->dat.ctx, -errno, "keep %s: %s", p->growth.file.name,
				strerror(errno));
	return 1;
}

/* Opens the part up to the first mark as a file, and prepares for what follows. */
static int start(struct pipe *p)
{
	struct dkt__dat *dat = &p->dat;
	int err;

	p->growth.file.size = dkt__growth_first(&p->growth);
	err = dkt__dat_read(dat, &p->growth.file, &p->opts);

	if (!err) {
		err = dkt__watch_open(&p->watch);
		if (!err && p->growth.fd >= 0)
			err = dkt__watch_buffer(&p->watch, p->growth.fd, true);
		if (err)
			err = dkt_fail(dat->ctx, err, "watch %s: %s", p->growth.file.name,
				       strerror(-err));
	}
	/* Formats and symbols are read from the bytes up to here, which stay. */
	p->at = p->growth.file.size;
	p->freed = p->at + BLOCK - p->at % BLOCK;
	number_streams(p);
	p->since = dat->streams.since;
	p->until = dat->streams.until;
	dat->copies = true;
	return err;
}

int dkt_source_pipe(struct dkt_ctx *ctx, int fd, const struct dkt_source_opts *opts, int *rest,
		    struct dkt_source **source)
{
	if (rest)
		*rest = -1;
	dkt__needs(ctx, dkt__clear(source) && rest && ctx && fd >= 0);

	struct dkt_source_opts mine;
	struct pipe *p;
	int err = dkt__source_opts_take(ctx, &mine, opts);

	if (err)
		return err;
	if (ctx->given || ctx->events)
		return dkt_fail(ctx, -EBUSY, "read a pipe: the context belongs to another kernel");
	p = calloc(1, sizeof(*p));
	if (!p)
		return dkt__no_memory(ctx);
	p->dat.streams.base.ops = &pipe_ops;
	p->dat.streams.base.ctx = p->dat.ctx = ctx;
	p->growth = (struct dkt__growth){ .ctx = ctx, .fd = -1 };
	p->watch = (struct dkt__watch)DKT__NO_WATCH;
	p->opts = mine;
	err = dkt__source_opts_keep(ctx, &p->opts);
	if (!err)
		err = dkt__growth_open(&p->growth, fd, mine.flags & DKT_SOURCE_GROWS, mine.name);
	if (!err)
		err = dkt__with_words(ctx, start(p));
	else if (err == 1)
		err = give_rest(p, rest);
	if (err)
		dkt_source_close(&p->dat.streams.base);
	else
		*source = &p->dat.streams.base;
	return err;
}
