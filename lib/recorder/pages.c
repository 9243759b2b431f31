/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves pages from the kernel to the file, undecoded. Complete pages go through a pipe, to the file
 * without being copied, or to be compressed; where the kernel cannot do that, they are read one by one.
 */
#include <fcntl.h>

#include "lib/instance.h"
#include "lib/recorder.h"
#include "lib/source/page.h"
#include "lib/tracedat.h"
#include "lib/tracedat/journal.h"

/* Bytes of the room of a file that pages leave for names, marks, and what a compressor may add. */
#define SPARE (DKT__RECORDER_CHUNK / 16)

/* ---- records of each event, by the type at their beginning ---- */

/* An event's ID is a type of 16 bits. Memory for IDs that are not used is never touched. */
#define TYPES (UINT16_MAX + 1)

int dkt__recorder_count_events(struct dkt_recorder *r)
{
	dkt__needs(r ? r->ctx : NULL, r);

	for (size_t i = 0; i < r->n; i++)
		for (int nr = 0; nr < r->buffers[i].n_cpus; nr++) {
			struct dkt__recorder_cpu *cpu = &r->buffers[i].cpus[nr];

			if (!cpu->counts)
				cpu->counts = calloc(TYPES, sizeof(*cpu->counts));
			if (!cpu->counts)
				return dkt__no_memory(r->ctx);
		}
	r->counts = true;
	return 0;
}

/* Counts the records in pages of the CPU, size bytes, if they are counted. */
static void count_records(struct dkt__recorder_cpu *cpu, const uint8_t *pages, size_t size,
			  uint32_t page_size)
{
	struct dkt__page page = { .size = page_size, .may_be_empty = true };
	struct dkt__page_record record;

	for (size_t at = 0; cpu->counts && at + page_size <= size; at += page_size) {
		int end = dkt__page_load(&page, pages + at, 0, &record);

		for (; !end; end = dkt__page_next(&page, &record)) {
			uint16_t type;

			if (record.size < sizeof(type))
				continue;
			memcpy(&type, record.data, sizeof(type));
			cpu->counts[type].records++;
			cpu->counts[type].bytes += record.size;
		}
	}
}

int dkt__recorder_event_counts(struct dkt_recorder *r, int cpu, int id,
			       struct dkt__event_counts *counts, size_t sz)
{
	dkt__needs(r ? r->ctx : NULL, dkt__blank(counts, sz) && r);

	struct dkt__event_counts sum = { 0 };
	bool any = false;

	if (id < 0 || id >= TYPES)
		return dkt_fail(r->ctx, -EINVAL, "%d is not the ID of an event", id);
	for (size_t i = 0; i < r->n; i++) {
		const struct dkt__recorder_buffer *b = &r->buffers[i];

		if (cpu < 0 || cpu >= b->n_cpus)
			continue;
		any = true;
		if (!b->cpus[cpu].counts)
			continue;
		sum.records += b->cpus[cpu].counts[id].records;
		sum.bytes += b->cpus[cpu].counts[id].bytes;
	}
	if (!any)
		return dkt_fail(r->ctx, -ENOENT, "the recording has no cpu %d", cpu);
	return dkt__fill(counts, sz, &sum);
}

/* ---- pages ---- */

/* Adds the beginning of a section of pages; size: bytes that follow. */
static void begin(struct dkt_recorder *r, const struct dkt__recorder_buffer *b, int cpu,
		  unsigned int flags, size_t size)
{
	dkt__recorder_section(r, DKT__JOURNAL_PAGES, flags, 8 + size);
	dkt__recorder_number(r, (uint64_t)(b - r->buffers), 4);
	dkt__recorder_number(r, (uint64_t)cpu, 4);
}

static int fail(struct dkt_recorder *r, int cpu)
{
	return dkt_fail(r->ctx, -errno, "read buffer of cpu %d: %s", cpu, strerror(errno));
}

/*
 * A failure that means that there is nothing to read: the buffer is empty, or the CPU has not been
 * online yet.
 */
static bool is_empty(int error)
{
	return error == EAGAIN || error == ENODEV;
}

/* Limits a number of pages to those that the file has room for. -EDQUOT: none. */
static int limit_pages(struct dkt_recorder *r, const struct dkt__recorder_buffer *b, size_t *pages)
{
	uint64_t room = r->room ? r->room(r->data, r->written) : UINT64_MAX;

	room = room > SPARE ? (room - SPARE) / b->page_size : 0;
	if (!room)
		return dkt_fail(r->ctx, -EDQUOT, "there is no room for more records");
	*pages = DKT__MIN(*pages, room);
	return 0;
}

/* Moves complete pages into the pipe, most at most. *n: bytes; 0: there is no complete page. */
static int fill_pipe(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu, size_t most,
		     size_t *n)
{
	int err = limit_pages(r, b, &most);
	ssize_t got;

	*n = 0;
	if (err)
		return err;
	got = TEMP_FAILURE_RETRY(splice(b->cpus[cpu].fd, NULL, r->pipe[1], NULL,
					most * b->page_size, SPLICE_F_NONBLOCK | SPLICE_F_MOVE));
	if (got < 0 && errno == EINVAL) {
		r->pipe_size = 0;
		return 0;
	}
	/* For an absent CPU most kernels say that the buffer is empty; only read() tells. */
	if (got < 0)
		return is_empty(errno) ? 0 : fail(r, cpu);
	b->cpus[cpu].absent = b->cpus[cpu].torn = false;
	*n = (size_t)got;
	return 0;
}

/* Moves complete pages through the pipe to the file. *n: as of fill_pipe(). */
static int splice_pages(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu, size_t *n)
{
	int err = fill_pipe(r, b, cpu, r->pipe_size / b->page_size, n);

	if (err || !*n)
		return err;
	begin(r, b, cpu, 0, *n);
	r->moved += *n;
	r->piped = *n;
	return dkt__recorder_flush(r);
}

/* True if the next pages are to be compressed. */
static bool packs(const struct dkt_recorder *r)
{
	return r->pack && r->pack_left;
}

static int put_pages(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu, size_t n)
{
	size_t packed;

	r->moved += n;
	count_records(&b->cpus[cpu], r->pages, n, b->page_size);
	if (!packs(r)) {
		begin(r, b, cpu, 0, n);
		dkt__buf_add(r->out, r->pages, n);
		return dkt__recorder_flush(r);
	}
	packed = r->codec->compress(&r->codec_state, r->pages, n, r->packed,
				    r->codec->bound(DKT__RECORDER_CHUNK));
	if (!packed)
		return dkt__no_memory(r->ctx);
	r->pack_left -= DKT__MIN(r->pack_left, n);
	begin(r, b, cpu, SECTION_COMPRESSED, packed + 8);
	dkt__recorder_number(r, packed, 4);
	dkt__recorder_number(r, n, 4);
	dkt__buf_add(r->out, r->packed, packed);
	return dkt__recorder_flush(r);
}

/*
 * Returns how many pages to copy at once. A reader unpacks pieces of all CPUs at the same time, so many
 * CPUs have smaller ones.
 */
static size_t most_pages(const struct dkt_recorder *r, const struct dkt__recorder_buffer *b)
{
	uint64_t cpus = 1, bytes = DKT__RECORDER_CHUNK;

	for (size_t i = 0; r->pack && i < r->n; i++)
		cpus += (uint64_t)r->buffers[i].n_cpus;
	if (r->pack)
		bytes = DKT__MIN(bytes, DKT__DAT_ROOMS_MAX / 2 / cpus);
	return DKT__MAX(bytes / b->page_size, 1);
}

/* Copies up to most pages. *n: pages copied, 0: there is none. */
static int read_pages(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu, size_t most,
		      size_t *n)
{
	int err;

	most = DKT__MIN(most, most_pages(r, b));
	err = limit_pages(r, b, &most);
	for (*n = 0; !err && *n < most;) {
		uint8_t *page = r->pages + *n * b->page_size;
		ssize_t got = TEMP_FAILURE_RETRY(read(b->cpus[cpu].fd, page, b->page_size));

		b->cpus[cpu].absent = got < 0 && errno == ENODEV;
		if (got < 0 && !is_empty(errno) && !*n)
			return fail(r, cpu);
		if (got <= 0)
			break;
		/* The last page of a saved tree may be truncated. */
		memset(page + got, 0, b->page_size - (size_t)got);
		if (b->cpus[cpu].fresh)
			dkt__page_forget_lost(page);
		b->cpus[cpu].fresh = false;
		b->cpus[cpu].torn = true;
		(*n)++;
	}
	return *n ? put_pages(r, b, cpu, *n * b->page_size) : err;
}

/*
 * Returns how many pages to copy: the complete ones or, with rest, all. A copy also takes the page that
 * the kernel is filling, again and again, so there is a limit; a page is at least half full.
 */
static int count_pages(struct dkt__recorder_buffer *b, int cpu, bool rest, size_t *pages)
{
	struct dkt_cpu_stats stats;
	int err;

	*pages = SIZE_MAX;
	/* A saved tree has no page that is being filled, and may lack statistics. */
	if (b->in->ctx->saved)
		return 0;
	err = dkt_instance_get_stats(b->in, cpu, &stats, sizeof(stats));
	*pages = err  ? 0 :
		 rest ? (size_t)(2 * stats.bytes / b->page_size) + 2 :
			(size_t)(stats.bytes / b->page_size);
	return err;
}

/* Compresses or counts complete pages. Out of the pipe they take one call, not one each. *n: as of fill_pipe(). */
static int pack_pages(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu, size_t *n)
{
	size_t most = DKT__MIN(r->pipe_size / b->page_size, most_pages(r, b));
	int err = fill_pipe(r, b, cpu, most, n);

	for (size_t at = 0; !err && at < *n;) {
		ssize_t got = TEMP_FAILURE_RETRY(read(r->pipe[0], r->pages + at, *n - at));

		if (got > 0)
			at += (size_t)got;
		else
			err = fail(r, cpu);
	}
	if (err || !*n)
		return err;
	/* The last page of a saved tree may be truncated. */
	memset(r->pages + *n, 0, (b->page_size - *n % b->page_size) % b->page_size);
	return put_pages(r, b, cpu, (*n + b->page_size - 1) / b->page_size * b->page_size);
}

static int copy_cpu(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu, bool rest)
{
	size_t pages, n = 1;
	int err = count_pages(b, cpu, rest, &pages);

	for (; !err && n && pages; pages -= n)
		err = read_pages(r, b, cpu, pages, &n);
	return err;
}

static int splice_all(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu)
{
	uint64_t sum = 0;
	size_t n;
	int err;

	do {
		err = packs(r) || r->counts ? pack_pages(r, b, cpu, &n) :
					      splice_pages(r, b, cpu, &n);
		sum += n;
		/* Do not follow a CPU that fills its buffer as fast as it is emptied. */
	} while (!err && n && sum < b->size);
	return err;
}

/*
 * Kernels before 6.1 splice nothing, whatever follows, while the first page is one of which a read has taken a part.
 * Reads that page to its end, and splices what follows.
 */
static int splice_after_torn(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu,
			     bool rest)
{
	size_t pages = 1, n = 0;
	int err = rest ? 0 : count_pages(b, cpu, false, &pages);

	if (!err && pages)
		err = read_pages(r, b, cpu, 1, &n);
	return err || !n ? err : splice_all(r, b, cpu);
}

static int splice_cpu(struct dkt_recorder *r, struct dkt__recorder_buffer *b, int cpu, bool rest)
{
	int err = splice_all(r, b, cpu);
	size_t n;

	if (!err && b->cpus[cpu].torn)
		err = splice_after_torn(r, b, cpu, rest);
	/* The splice has left the page that the kernel is filling; one read takes it. */
	return err || !rest ? err : read_pages(r, b, cpu, 1, &n);
}

int dkt__recorder_move(struct dkt_recorder *r, bool rest)
{
	int err = dkt__recorder_flush(r);

	r->pack_left = r->pack_most;
	for (size_t i = 0; !err && i < r->n; i++) {
		struct dkt__recorder_buffer *b = &r->buffers[i];
		size_t n;

		for (int cpu = 0; !err && cpu < b->n_cpus; cpu++) {
			/* The first page is changed, so it is copied. */
			if (b->cpus[cpu].fresh)
				err = read_pages(r, b, cpu, 1, &n);
			if (!err && r->pipe_size)
				err = splice_cpu(r, b, cpu, rest);
			/* The first splice may have shown that the kernel cannot do it. */
			if (!err && !r->pipe_size)
				err = copy_cpu(r, b, cpu, rest);
		}
	}
	return err;
}
