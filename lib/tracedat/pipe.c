/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a recording in progress from a pipe while it is written (tracedat/journal.h).
 *
 * The bytes go to a file without a name, so that everything that reads files reads them. At each mark
 * all records before its time are known, and are returned; then their bytes are freed.
 */
#include <fcntl.h>
#include <poll.h>

#include "base/temporary.h"
#include "source/live/watch.h"
#include "tracedat.h"

/* Bytes to read at once. */
#define CHUNK (256u << 10)

/* A beginning that is longer than this is not one of a trace.dat file. */
#define HEAD_MAX 4096

/* Bytes of the file are freed in blocks of this size, a multiple of every file system's. */
#define BLOCK (64u << 10)

struct pipe {
	struct dkt__dat dat; /* must be first: the source is cast to this struct */
	struct dkt__file file; /* all bytes so far; that of dat ends at the last mark */
	struct dkt_source_opts opts;
	int fd;
	uint8_t *bytes; /* room for one read */
	bool ended; /* the pipe has no writer any more */
	bool swap;
	uint64_t got; /* bytes */
	uint64_t scanned; /* complete sections up to here, all before the next mark */
	uint64_t at; /* the next section to read */
	uint64_t freed; /* where the bytes begin that are still there or must stay */
	struct dkt__watch watch;
	bool returned; /* a record: it is too late for a seek */
	bool begun; /* the walk knows its bound */
	bool last; /* no records of the window follow those before the bound */
	uint64_t since, until; /* the window, on the source's clock */
};

/* ---- the pipe ---- */

static int read_pipe(struct pipe *p)
{
	struct dkt_ctx *ctx = p->dat.ctx;
	ssize_t n = read(p->fd, p->bytes, CHUNK);
	int err;

	if (n < 0)
		return dkt_fail(ctx, -errno, "read %s: %s", p->file.name, strerror(errno));
	p->ended = !n;
	if (p->file.whole - p->got < (size_t)n)
		return dkt_fail(ctx, -EFBIG, "read %s: it is longer than %llu bytes", p->file.name,
				(unsigned long long)p->file.whole);
	err = dkt__pwrite_all(p->file.fd, p->bytes, (size_t)n, p->got);
	if (err)
		return dkt_fail(ctx, err, "keep %s in %s: %s", p->file.name, dkt__temporary_dir(),
				strerror(-err));
	p->got += (size_t)n;
	return 0;
}

static bool is_readable(const struct pipe *p)
{
	struct pollfd ready = { .fd = p->fd, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

/* ---- the beginning ---- */

enum head {
	HEAD_OTHER, /* of another kind of file, or of a recording that has ended */
	HEAD_SHORT, /* more bytes are needed to know it */
	HEAD_RECORDING,
};

/* Reads the beginning: magic, version, byte order, sizes, compression, offset of the options. */
static enum head read_head(struct pipe *p)
{
	struct dkt__cursor cur = { .p = p->file.data, .end = p->file.data + p->got };
	const uint8_t *magic = dkt__cursor_bytes(&cur, strlen(DKT__DAT_MAGIC));
	const char *version;
	uint64_t options;

	if (magic && memcmp(magic, DKT__DAT_MAGIC, strlen(DKT__DAT_MAGIC)) != 0)
		return HEAD_OTHER;
	version = dkt__cursor_string(&cur);
	if (!cur.bad && strcmp(version, "7") != 0)
		return HEAD_OTHER;
	p->swap = cur.swap = dkt__cursor_number(&cur, 1) !=
			     (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	dkt__cursor_bytes(&cur, 5); /* the sizes of a long and of a page */
	dkt__cursor_string(&cur);
	dkt__cursor_string(&cur);
	options = dkt__cursor_number(&cur, 8);
	if (cur.bad)
		return p->got < HEAD_MAX ? HEAD_SHORT : HEAD_OTHER;
	p->scanned = p->at = options;
	return options == (uint64_t)(cur.p - p->file.data) ? HEAD_RECORDING : HEAD_OTHER;
}

/* Reads up to the first mark. Returns 1 if the pipe has something else. */
static int read_beginning(struct pipe *p)
{
	enum head head = HEAD_SHORT;
	int err = 0;

	while (!err && head == HEAD_SHORT && !p->ended) {
		err = read_pipe(p);
		head = err ? head : read_head(p);
	}
	if (err || head != HEAD_RECORDING)
		return err ? err : 1;
	while (!err && !p->ended && !dkt__dat_find_mark(&p->file, p->swap, p->got, &p->scanned))
		err = read_pipe(p);
	/* A recording without a mark is read to its end, as a file is. */
	p->file.size = p->ended ? p->got : p->scanned;
	return err;
}

/* ---- further sections ---- */

/* Notes which streams the CPUs have. Both are in the same order; CPUs that are not asked for have none. */
static void number_streams(struct pipe *p)
{
	const struct dkt__streams *it = &p->dat.streams;
	uint32_t nr = 0;

	for (size_t i = 0; i < p->dat.n_buffers; i++)
		for (uint32_t j = 0; j < p->dat.buffers[i].n_cpus; j++) {
			struct dkt__dat_cpu *cpu = &p->dat.buffers[i].cpus[j];

			if (nr < it->n && it->list[nr].buffer == i &&
			    it->list[nr].cpu == (int)cpu->cpu)
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
	struct dkt__streams *it = &p->dat.streams;
	uint64_t to = p->at;
	uint32_t offset;

	for (size_t i = 0; i < it->n; i++) {
		struct dkt__stream *s = &it->list[i];
		const struct dkt__chunk *first = s->chunks.list;

		dkt__chunks_drop(&s->chunks,
				 s->broken ? s->chunks.pages : dkt__stream_place(s, &offset));
		if (s->chunks.n)
			to = DKT__MIN(to, first->data ? (uint64_t)(first->data - p->file.data) :
							first->at);
	}
	to -= to % BLOCK;
	/* A file system that cannot do it keeps the bytes, which does no harm but for the space. */
	if (to > p->freed && !fallocate(p->file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
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
	if (p->ended || !p->dat.mark || times->mult)
		bound = UINT64_MAX;
	p->last = p->ended || (bound != UINT64_MAX && bound >= p->until);
	/* The rest is not read, so it does not matter whether it ends. */
	if (p->last && !p->ended)
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
	/* The names have been read again. */
	dat->streams.comm = NULL;
	if (!err)
		err = dkt__events_given_more(dat->ctx, dat->given + n_given,
					     dat->n_given - n_given);
	if (!err)
		err = renew_streams(p);
	return err ? err : begin(p);
}

/*
 * Reads up to the last mark that is there, or to the end of the pipe. DKT_NEXT_LATER: neither is there.
 * To stop at each of many marks would take long if there are many CPUs.
 */
static int read_on(struct pipe *p)
{
	uint64_t mark = 0;
	int err = 0;

	free_bytes(p);
	while (!err && !p->ended) {
		while (dkt__dat_find_mark(&p->file, p->swap, p->got, &p->scanned))
			mark = p->scanned;
		if (mark)
			return read_sections(p, mark);
		if (!is_readable(p)) {
			err = dkt__watch_more(&p->watch, false, false);
			return err ? err : DKT_NEXT_LATER;
		}
		err = read_pipe(p);
	}
	return err ? err : read_sections(p, p->got);
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
	struct dkt__streams *it = &p->dat.streams;
	int err = p->begun ? 0 : begin(p);

	while (!err) {
		err = dkt__streams_next(source, record);
		if (dkt__likely(!err && record->ts >= p->since)) {
			p->returned = true;
			return 0;
		}
		if (!err)
			uncount(it->top, record);
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
				"%s can only be read from beginning to end", p->file.name);
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
	if (p->fd >= 0)
		close(p->fd);
	free(p->bytes);
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
	.wait = pipe_wait,
	.fd = pipe_fd,
	.wake = pipe_wake,
	.close = pipe_close,
};

/* ---- opening ---- */

static int open_file(struct pipe *p, const char *name)
{
	int fd = dkt__temporary_file(p->dat.ctx, dkt__temporary_dir());

	return fd < 0 ? fd : dkt__file_grow(p->dat.ctx, name, fd, &p->file);
}

static int open_pipe(struct pipe *p, int fd, const struct dkt_source_opts *opts)
{
	int err;

	p->opts = *opts;
	err = dkt__source_opts_keep(p->dat.ctx, &p->opts);
	p->fd = err ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (!err && p->fd < 0)
		err = dkt_fail(p->dat.ctx, -errno, "read a pipe: %s", strerror(errno));
	p->bytes = err ? NULL : dkt__read_buffer(CHUNK);
	if (!err)
		err = p->bytes ? open_file(p, opts->name ? opts->name : "the pipe") :
				 dkt__no_memory(p->dat.ctx);
	return err ? err : read_beginning(p);
}

/* Hands out the file with the bytes so far. */
static int give_rest(struct pipe *p, int *rest)
{
	/* Both descriptors have the same position. */
	if (lseek(p->file.fd, 0, SEEK_END) >= 0)
		*rest = fcntl(p->file.fd, F_DUPFD_CLOEXEC, 0);
	if (*rest < 0)
		return dkt_fail(p->dat.ctx, -errno, "keep %s: %s", p->file.name, strerror(errno));
	return 1;
}

/* Opens the part up to the first mark as a file, and prepares for what follows. */
static int start(struct pipe *p)
{
	struct dkt__dat *dat = &p->dat;
	int err = dkt__dat_read(dat, &p->file, &p->opts);

	if (!err) {
		err = dkt__watch_open(&p->watch);
		if (!err)
			err = dkt__watch_buffer(&p->watch, p->fd, true);
		if (err)
			err = dkt_fail(dat->ctx, err, "watch %s: %s", p->file.name, strerror(-err));
	}
	/* Formats and symbols are read from the bytes up to here, which stay. */
	p->at = p->file.size;
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
	p->fd = -1;
	p->watch = (struct dkt__watch)DKT__NO_WATCH;
	err = open_pipe(p, fd, &mine);
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
