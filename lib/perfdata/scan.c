/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first look at the records of perf.data: perf writes the buffers of all CPUs in turns, and what
 * it writes at once is in order of time. The runs of such records are noted.
 */
#include <byteswap.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <zstd.h>

#include "perfdata.h"

#include "banned.h"

/* More are not noted: a file with more is not in order anyhow. */
#define MAX_RUNS (1u << 20)

const uint8_t *dkt__perf_record(const struct dkt__perf_tape *tape, uint64_t at, uint32_t *size)
{
	struct perf_event_header head;

	*size = 0;
	if (at > tape->size || tape->size - at < sizeof(head))
		return NULL;
	memcpy(&head, tape->data + at, sizeof(head));
	if (tape->swap)
		head.size = bswap_16(head.size);
	if (head.size < sizeof(head) || head.size > tape->size - at)
		return NULL;
	*size = head.size;
	return tape->data + at;
}

uint32_t dkt__perf_type(const struct dkt__perf *perf, const uint8_t *record)
{
	uint32_t type;

	memcpy(&type, record, sizeof(type));
	return perf->swap ? bswap_32(type) : type;
}

/* Bytes that belong to a record and are not counted in its size. */
static uint64_t behind(const struct dkt__perf *perf, uint32_t type, const uint8_t *data,
		       uint32_t size)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, data, size);

	dkt__cursor_bytes(&cur, sizeof(struct perf_event_header));
	if (type == DKT__PERF_TRACING_DATA)
		return (dkt__cursor_number(&cur, 4) + 7) & ~UINT64_C(7);
	return type == DKT__PERF_AUXTRACE ? dkt__cursor_number(&cur, 8) : 0;
}

/* ---- compressed records ---- */

struct unpack {
	struct dkt__perf *perf;
	ZSTD_DCtx *zstd; /* all of them are one stream */
	uint8_t *out;
	size_t room;
	uint64_t size;
	uint64_t limit; /* of the size */
	uint64_t space; /* that the directory spares */
	bool bad;
	bool full; /* there was more than the limit */
};

static const char *temporary_dir(void)
{
	const char *dir = secure_getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

static int make_file(struct unpack *u)
{
	struct dkt__perf *perf = u->perf;
	char *name __cleanup(free) = NULL;
	struct statvfs fs;

	if (asprintf(&name, "%s/dktrace-XXXXXX", temporary_dir()) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	perf->fd = mkostemp(name, O_CLOEXEC);
	if (perf->fd < 0)
		return dkt_fail(perf->base.ctx, -errno, "make %s: %s", name, strerror(errno));
	unlink(name);
	u->limit = dkt__unpack_limit(perf->file.size);
	/* Others need the directory, too. */
	u->space = fstatvfs(perf->fd, &fs) ? UINT64_MAX : (uint64_t)fs.f_bavail * fs.f_frsize / 2;
	return 0;
}

static int write_out(struct unpack *u, size_t len)
{
	size_t done = 0;

	u->full |= len > u->limit - u->size;
	if (u->full)
		return 0;
	if (u->size + len > u->space)
		return dkt_fail(u->perf->base.ctx, -ENOSPC,
				"uncompress %s: it takes more than half of the free space in %s;"
				" set TMPDIR to a directory with more",
				u->perf->file.name, temporary_dir());
	while (done < len) {
		ssize_t n = write(u->perf->fd, u->out + done, len - done);

		if (n < 0 && errno != EINTR)
			return dkt_fail(u->perf->base.ctx, -errno, "uncompress %s: %s",
					u->perf->file.name, strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	u->size += len;
	return 0;
}

static int unpack(struct unpack *u, uint32_t type, const uint8_t *data, uint32_t size)
{
	struct dkt__cursor cur = dkt__perf_cursor(u->perf, data, size);
	ZSTD_inBuffer in = { 0 };
	uint64_t len = size;
	bool more = false;
	int err = 0;

	dkt__cursor_bytes(&cur, sizeof(struct perf_event_header));
	if (type == DKT__PERF_COMPRESSED2)
		len = dkt__cursor_number(&cur, 8);
	in.src = cur.p;
	in.size = DKT__MIN(dkt__cursor_left(&cur), len);
	if (u->perf->fd < 0)
		err = make_file(u);
	if (!u->out) {
		u->room = ZSTD_DStreamOutSize();
		u->out = malloc(u->room);
		u->zstd = ZSTD_createDCtx();
	}
	if (!err && (!u->out || !u->zstd))
		err = -ENOMEM;
	/* What did not fit is still within zstd when all of the input is taken. */
	while (!err && !u->bad && !u->full && (in.pos < in.size || more)) {
		ZSTD_outBuffer out = { .dst = u->out, .size = u->room };

		u->bad = ZSTD_isError(ZSTD_decompressStream(u->zstd, &out, &in));
		more = out.pos == out.size;
		err = write_out(u, out.pos);
	}
	return err;
}

static int unpack_end(struct unpack *u)
{
	struct dkt__perf *perf = u->perf;
	void *map;

	ZSTD_freeDCtx(u->zstd);
	free(u->out);
	if (u->bad)
		dkt__perf_damage(perf, "compressed records make no sense");
	if (u->full)
		dkt__perf_damage(perf,
				 "its records unpack to more than %llu MB, the limit for its size",
				 (unsigned long long)u->limit >> 20);
	if (!u->size)
		return 0;
	map = mmap(NULL, u->size, PROT_READ, MAP_PRIVATE, perf->fd, 0);
	if (map == MAP_FAILED)
		return dkt_fail(perf->base.ctx, -errno, "uncompress %s: %s", perf->file.name,
				strerror(errno));
	perf->tapes[1] =
		(struct dkt__perf_tape){ .data = map, .size = u->size, .swap = perf->swap };
	return 0;
}

/* Takes what perf added itself to the records: attributes and the like, compressed records. */
static int scan_users(struct dkt__perf *perf)
{
	const struct dkt__perf_tape *tape = &perf->tapes[0];
	struct unpack u = { .perf = perf };
	uint64_t at = 0, more;
	const uint8_t *data;
	uint32_t size, type;
	int err = 0, end;

	while (!err && (data = dkt__perf_record(tape, at, &size))) {
		type = dkt__perf_type(perf, data);
		at += size;
		more = behind(perf, type, data, size);
		more = DKT__MIN(more, tape->size - at);
		if (type == DKT__PERF_TRACING_DATA)
			err = dkt__perf_tracing_data(perf, tape->data + at, more);
		else if (type == DKT__PERF_COMPRESSED || type == DKT__PERF_COMPRESSED2)
			err = unpack(&u, type, data, size);
		else if (type >= DKT__PERF_ATTR)
			err = dkt__perf_head_record(perf, type, data, size);
		at += more;
	}
	end = unpack_end(&u);
	return err ? err : end;
}

/* ---- runs ---- */

static int note(struct dkt__perf *perf, uint32_t tape, uint64_t at, uint32_t size,
		const struct dkt__perf_item *item)
{
	struct dkt__perf_run *run = perf->n_runs ? &perf->runs[perf->n_runs - 1] : NULL;

	if (!run || run->tape != tape || (item->time < run->last && perf->n_runs < MAX_RUNS)) {
		if (perf->n_runs == perf->room_runs) {
			size_t room = perf->room_runs ? 2 * perf->room_runs : 64;
			struct dkt__perf_run *more = reallocarray(perf->runs, room, sizeof(*more));

			if (!more)
				return -ENOMEM;
			perf->runs = more;
			perf->room_runs = room;
		}
		run = &perf->runs[perf->n_runs++];
		*run = (struct dkt__perf_run){ .start = at, .first = item->time, .tape = tape };
	}
	run->end = at + size;
	run->last = DKT__MAX(run->last, item->time);
	run->tasks |= item->type != PERF_RECORD_SAMPLE && !item->lost;
	return 0;
}

static int note_cpu(struct dkt__perf *perf, uint32_t cpu)
{
	struct dkt_loss *more;

	if (cpu < perf->n_losses)
		return 0;
	more = reallocarray(perf->losses, cpu + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + perf->n_losses, 0, (cpu + 1 - perf->n_losses) * sizeof(*more));
	perf->losses = more;
	perf->n_losses = cpu + 1;
	return 0;
}

static int scan_tape(struct dkt__perf *perf, uint32_t nr)
{
	const struct dkt__perf_tape *tape = &perf->tapes[nr];
	struct dkt__perf_item item;
	const uint8_t *data;
	uint64_t at = 0;
	uint32_t size;
	int err = 0;

	while (!err && (data = dkt__perf_record(tape, at, &size))) {
		uint32_t type = dkt__perf_type(perf, data);
		uint64_t more = behind(perf, type, data, size);

		if (type >= DKT__PERF_ATTR) {
			at += size + DKT__MIN(more, tape->size - at - size);
			continue;
		}
		if (dkt__perf_item(perf, data, size, &item)) {
			err = note_cpu(perf, item.cpu < DKT__PERF_CPUS ? item.cpu : 0);
			if (item.lost && !item.placed)
				perf->lost_in_all += item.lost;
			else if (!err)
				err = note(perf, nr, at, size, &item);
			if (!err)
				err = dkt__perf_anchor(perf, &item);
			perf->lost_in_place += item.placed ? item.lost : 0;
		} else if (type == PERF_RECORD_SAMPLE &&
			   (!item.attr || item.attr->type == PERF_TYPE_TRACEPOINT)) {
			perf->bad++;
		}
		at += size;
	}
	if (!err && at < tape->size)
		dkt__perf_damage(perf, "its records end at byte %llu of %llu",
				 (unsigned long long)at, (unsigned long long)tape->size);
	return err;
}

static int run_cmp(const void *a, const void *b)
{
	const struct dkt__perf_run *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->tape != y->tape)
		return x->tape < y->tape ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

int dkt__perf_scan(struct dkt__perf *perf)
{
	int err = perf->has_users ? scan_users(perf) : 0;

	if (err)
		return err;
	dkt__perf_sort_ids(perf);
	err = note_cpu(perf, 0);
	if (!err)
		err = scan_tape(perf, 0);
	if (!err && perf->tapes[1].data) {
		err = scan_tape(perf, 1);
		/* The file has them when they are asked for again. */
		madvise((void *)perf->tapes[1].data, perf->tapes[1].size, MADV_DONTNEED);
	}
	if (!err && perf->n_runs)
		qsort(perf->runs, perf->n_runs, sizeof(*perf->runs), run_cmp);
	perf->heap = err ? NULL : calloc(perf->n_runs + 1, sizeof(struct dkt__perf_run *));
	return err ? err : perf->heap ? 0 : -ENOMEM;
}
