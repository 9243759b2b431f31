/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pages of a live source: moves them from the kernel to spools, reads them there, and frees
 * them once the records are safe.
 */
#include "lib/source/live.h"

#include "lib/instance.h"
#include "lib/tracefs.h"

/* Pages that are read from a CPU's buffer before they are freed. */
#define WINDOW 64

static struct dkt__live_cpu *cpu_of(struct dkt__live *live, const struct dkt__stream *s)
{
	return &live->cpus[s - live->streams.list];
}

/* ---- pages ---- */

/* Updates the number of pages after the spool got or freed some. */
static void count_pages(struct dkt__live *live, struct dkt__stream *s)
{
	s->n_pages = s->last = dkt__spool_pages(&cpu_of(live, s)->spool);
}

/* Frees the returned records. Pages do not move in the mapping, so a page in use stays valid. */
static void release(struct dkt__live *live, struct dkt__stream *s)
{
	struct dkt__spool_pos pos;

	pos.page = (uint32_t)dkt__stream_place(s, &pos.offset);
	if (!dkt__spool_release(&cpu_of(live, s)->spool, pos))
		return;
	s->page_nr = 0;
	count_pages(live, s);
}

static void release_all(struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++)
		release(live, &live->streams.list[i]);
}

/* The kernel gives whole pages, but the file of a saved tree may come in pieces. */
static ssize_t read_whole(const struct dkt__live *live, int fd, char *room, size_t size)
{
	ssize_t n = TEMP_FAILURE_RETRY(read(fd, room, size)), more = n;

	while (live->in->ctx->saved && more > 0 && (size_t)n < size) {
		more = TEMP_FAILURE_RETRY(read(fd, room + n, size - (size_t)n));
		n += DKT__MAX(more, 0);
	}
	return more < 0 ? more : n;
}

static int read_page(struct dkt__live *live, struct dkt__stream *s, bool *more)
{
	struct dkt__live_cpu *cpu = cpu_of(live, s);
	ssize_t n;
	void *room;
	int err;

	*more = false;
	if (cpu->fd < 0)
		return 0;
	room = dkt__spool_room(&cpu->spool, &err);
	if (!room)
		return dkt_fail(live->in->ctx, err, "keep records of cpu %d: %s", s->cpu,
				strerror(-err));
	n = read_whole(live, cpu->fd, room, cpu->spool.page_size);
	/* A CPU gets its buffer when it first comes online, and keeps it when it goes offline. */
	cpu->absent = n < 0 && errno == ENODEV;
	if (n < 0 && errno != EAGAIN && !cpu->absent)
		return dkt_fail(live->in->ctx, -errno, "read buffer of cpu %d: %s", s->cpu,
				strerror(errno));
	if (n <= 0)
		return 0;
	/* The last page of a saved tree may be truncated. */
	memset((char *)room + n, 0, cpu->spool.page_size - (size_t)n);
	cpu->dry = dkt__page_time(room, false) >= live->streams.until;
	dkt__spool_commit(&cpu->spool);
	count_pages(live, s);
	*more = true;
	return 0;
}

/* Reads pages from the kernel for a CPU whose spooled records have all been returned. */
static int spool_more(struct dkt__streams *streams, struct dkt__stream *s)
{
	struct dkt__live *live = (struct dkt__live *)streams;
	struct dkt__live_cpu *cpu = cpu_of(live, s);
	bool more = true;
	int err = 0;

	if (cpu->dry || live->spooled)
		return 1;
	if (dkt__spool_pages(&cpu->spool) && !(live->flags & (DKT_LIVE_KEEP | DKT_LIVE_WHOLE))) {
		/* The caller writes out all returned records, so that their pages can be reused. */
		err = live->flush ? live->flush(live->data) : 0;
		if (!err)
			release_all(live);
	}
	for (int i = 0; !err && more && !cpu->dry && i < WINDOW; i++) {
		err = read_page(live, s, &more);
		live->deep |= i && more && !cpu->dry;
	}
	if (!more)
		cpu->dry = true;
	return err ? err : s->page_nr >= s->last;
}

static const uint8_t *spool_page(struct dkt__streams *streams, struct dkt__stream *s, uint64_t nr,
				 uint32_t *size)
{
	*size = s->page_size;
	return dkt__spool_page(&cpu_of((struct dkt__live *)streams, s)->spool, (uint32_t)nr);
}

const struct dkt__provider dkt__pages_spool = {
	.page = spool_page,
	.more = spool_more,
	.lost = dkt__live_lost,
	.verb = "read",
};

void dkt__live_close_buffers(struct dkt__live *live, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (live->cpus[i].fd >= 0)
			close(live->cpus[i].fd);
		live->cpus[i].fd = -1;
	}
}

int dkt__live_save(struct dkt__live *live, bool top)
{
	/*
	 * Save only the instance that will be emptied; the other one goes on recording, also what
	 * we do here.
	 */
	const size_t own = (size_t)live->in->cpus, from = top ? own : 0;
	const size_t to = top ? live->streams.n : own;
	int err = 0;

	for (size_t i = from; !err && i < to; i++) {
		bool more = true;

		while (!err && more)
			err = read_page(live, &live->streams.list[i], &more);
	}
	if (!err && !(live->flags & DKT__LIVE_APART))
		err = dkt__live_settle(live);
	if (!err)
		dkt__live_close_buffers(live, from, to);
	return err;
}

/* ---- the calls ---- */

/* Checks every CPU again, with a new time bound if the source follows. */
static int begin(struct dkt__live *live)
{
	uint64_t now;
	int err;

	if (live->flags & DKT_LIVE_FOLLOW)
		live->until = dkt_instance_get_now(live->in, &now) ? UINT64_MAX : now;
	for (size_t i = 0; i < live->streams.n; i++)
		live->cpus[i].dry = false;
	dkt__streams_pass(&live->streams);
	err = dkt__streams_begin(&live->streams,
				 live->until == UINT64_MAX ? UINT64_MAX : live->until + 1);
	live->begun = !err;
	live->read = true;
	return err;
}

/*
 * Sets when the caller wakes up, and returns DKT_NEXT_LATER. A record beyond the bound has left the
 * kernel's buffer, so poll() on the buffer does not report it. A patient reader is not woken for it:
 * if the reader's own actions are recorded, each look leaves such a record, and the reader would
 * never wait. For a missing buffer poll() reports an error at once, and never its arrival.
 */
static int more_later(struct dkt__live *live)
{
	bool more = false, absent = false;
	int err = 0;

	for (size_t i = 0; !err && i < live->streams.n; i++) {
		const struct dkt__stream *s = &live->streams.list[i];
		struct dkt__live_cpu *cpu = &live->cpus[i];

		more = more || (!live->patient && (s->loaded || s->page_nr < s->last));
		absent = absent || cpu->absent;
		if (cpu->fd < 0 || cpu->watched == !cpu->absent)
			continue;
		cpu->watched = !cpu->absent;
		err = dkt__watch_buffer(&live->watch, cpu->fd, cpu->watched);
	}
	if (!err)
		err = dkt__watch_more(&live->watch, more, absent);
	return err ? dkt_fail(live->in->ctx, err, "watch the buffers: %s", strerror(-err)) :
		     DKT_NEXT_LATER;
}

int dkt__live_next(struct dkt_source *source, struct dkt_record *record)
{
	struct dkt__live *live = (struct dkt__live *)source;
	struct dkt__live_cpu *cpu;
	int err = 0;

	if (dkt__unlikely(!live->begun))
		err = begin(live);
	if (!err)
		err = dkt__streams_next(source, record);
	if (dkt__unlikely(err)) {
		/* After a failure, or if more records may come, all CPUs are checked again. */
		live->begun = err == 1 && !(live->flags & DKT_LIVE_FOLLOW);
		return err == 1 && !live->begun ? more_later(live) : err;
	}
	cpu = cpu_of(live, live->streams.top);
	if (dkt__unlikely(cpu->first && record->event)) {
		/* The CPU's first record may have been skipped because its event is not wanted. */
		record->first = live->streams.top->loss.seen == 1;
		cpu->first = false;
	}
	return 0;
}

int dkt__live_wait(struct dkt_source *source, int timeout_ms)
{
	struct dkt__live *live = (struct dkt__live *)source;
	/* A part of a buffer is more than a page, so the kernel has not waited for it. */
	const bool early = live->patient && live->watch.buffer && !live->deep && timeout_ms;
	int err = 0;

	live->begun = live->deep = false;
	if (early)
		err = dkt__watch_rest(&live->watch, live->early_ms);
	return err ? err : dkt__watch_wait(&live->watch, timeout_ms);
}

int dkt__live_fd(const struct dkt_source *source)
{
	return ((const struct dkt__live *)source)->watch.all;
}

int dkt__live_wake(struct dkt_source *source)
{
	return dkt__watch_wake(&((struct dkt__live *)source)->watch);
}

int dkt__live_done(struct dkt_source *source, bool last)
{
	struct dkt__live *live = (struct dkt__live *)source;

	if (last) {
		live->spooled = true;
		dkt__streams_pass(&live->streams);
		live->spooled = live->begun = false;
	}
	if (live->flags & DKT_LIVE_KEEP)
		return 0;
	live->settled = true;
	release_all(live);
	dkt__live_account(live);
	return 0;
}

/* ---- buffers that the kernel does not fill any more ---- */

/* The count of read records means nothing in such a spool, so it is the mark. */
bool dkt__whole_is(const struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++)
		if (!dkt__spool_get_base(&live->cpus[i].spool).read)
			return false;
	return true;
}

void dkt__whole_mark(struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++)
		dkt__spool_set_base(&live->cpus[i].spool,
				    (struct dkt__spool_base){ .read = 1, .emptied = true });
}

void dkt__whole_reset(struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++) {
		struct dkt__stream *s = &live->streams.list[i];

		dkt__spool_reset(&live->cpus[i].spool);
		s->page_nr = s->offset = 0;
		s->n_pages = s->last = 0;
	}
}

/* ---- when the kernel wakes the reader ---- */

int dkt__percent_set(struct dkt_instance *in, unsigned int percent, char **before)
{
	char text[12];
	int err;

	*before = NULL;
	if (!in || in->ctx->saved || !dkt__tfs_exists(in->ctx, "%sbuffer_percent", in->prefix))
		return 0;
	snprintf(text, sizeof(text), "%u\n", percent);
	err = dkt__tfs_read(in->ctx, before, NULL, "%sbuffer_percent", in->prefix);
	if (!err && strcmp(*before, text))
		return dkt__tfs_set(in->ctx, text, "%sbuffer_percent", in->prefix);
	free(*before);
	*before = NULL;
	return err;
}

void dkt__percent_restore(struct dkt_instance *in, char *before)
{
	char *earlier = before ? dkt__error_take(in->ctx) : NULL;

	if (!before)
		return;
	dkt__tfs_set(in->ctx, before, "%sbuffer_percent", in->prefix);
	dkt__error_give(in->ctx, 0, earlier);
	free(before);
}

/* ---- facts about the machine and the instance that records are from ---- */

void dkt__about_fill(struct dkt__about *about, struct dkt_instance *in,
		     struct dkt_source_info *info)
{
	if (dkt__instance_get_clock(in, &about->clock))
		about->clock = NULL;
	info->sz = sizeof(*info);
	info->kind = "ring buffers";
	info->clock = about->clock;
	/* A saved tree does not record its machine. */
	if (!in->ctx->root && !uname(&about->uname)) {
		info->host = about->uname.nodename;
		snprintf(about->kernel, sizeof(about->kernel), "%s %s", about->uname.release,
			 about->uname.machine);
		info->kernel = about->kernel;
	}
	/* Without memory for the names, the numbers stay. */
	if (!in->ctx->root)
		dkt__disks_read(&about->disks);
	info->cpus = in->cpus;
	info->has_wall = !dkt__instance_get_wall(in, &info->wall);
}

void dkt__about_clear(struct dkt__about *about)
{
	free(about->clock);
	about->clock = NULL;
	dkt__disks_clear(&about->disks);
}
