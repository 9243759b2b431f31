/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decompresses records of perf.data (perf record -z): one zstd stream, split over records of the
 * file. It is decompressed piece by piece while it is read, and a piece is freed when all before
 * its end has been read. perf writes the buffers of all CPUs in rounds, so about two rounds are
 * kept. If records are further out of order, a file takes the pieces that exceed the memory limit.
 */
#include <byteswap.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <zstd.h>

#include "lib/base/temporary.h"
#include "lib/perfdata.h"

/* The size of a piece: a multiple of every machine's page size, and longer than any record. */
#define PIECE (256u << 10)

/* The limit of memory for pieces, of all files of a directory. */
#define WINDOW (12u << 20)

/* The limit of perf_event_header.size, which has 16 bits. */
#define RECORD_MAX UINT16_MAX

/* A piece: complete records. */
struct piece {
	uint8_t *data;
	uint64_t start; /* in the stream */
	uint32_t size;
	bool mapped;
	uint64_t place; /* offset in the file, if it is mapped */
};

struct dkt__perf_unpack {
	ZSTD_DCtx *zstd;
	uint64_t next; /* next record of the file's tape */
	ZSTD_inBuffer in;
	bool more; /* zstd may hold more output */
	bool end; /* no bytes follow the pieces */
	bool bad, full;
	uint64_t size; /* size of the decompressed data */
	uint64_t limit; /* limit of the decompressed data */
	uint64_t skip; /* bytes after the last record that belong to it and are still missing */
	uint8_t tail[RECORD_MAX]; /* the beginning of a record that ends in the next piece */
	uint32_t n_tail;
	struct piece *pieces; /* by start; those before the first were dropped */
	uint32_t first, n;
	size_t room;
	uint64_t before; /* nothing before this offset will be read again */
	uint64_t held; /* bytes of pieces in memory */
	int fd; /* of the temporary file; -1: none */
	uint64_t file_size, in_file; /* with holes, without */
	uint64_t space; /* space that the directory can spare */
	int err;
};

/* ---- the file ---- */

static int make_file(struct dkt__perf *perf, struct dkt__perf_unpack *u)
{
	struct statvfs fs;

	u->fd = dkt__temporary_file(perf->streams.base.ctx, dkt__temporary_dir());
	if (u->fd < 0)
		return u->fd;
	/* Leave half of the free space to others. */
	u->space = fstatvfs(u->fd, &fs) ? UINT64_MAX : (uint64_t)fs.f_bavail * fs.f_frsize / 2;
	return 0;
}

static int write_piece(struct dkt__perf *perf, struct dkt__perf_unpack *u,
		       const struct piece *piece)
{
	int err;

	if (u->in_file + PIECE > u->space)
		return dkt_fail(perf->streams.base.ctx, -ENOSPC,
				"uncompress %s: it takes more than half of the free space in %s;"
				" set TMPDIR to a directory with more",
				perf->file.name, dkt__temporary_dir());
	err = dkt__pwrite_all(u->fd, piece->data, piece->size, u->file_size);
	return err ? dkt_fail(perf->streams.base.ctx, err, "uncompress %s: %s", perf->file.name,
			      strerror(-err)) :
		     0;
}

/* Moves the piece from memory to the file. */
static int to_file(struct dkt__perf *perf, struct dkt__perf_unpack *u, struct piece *piece)
{
	int err = u->fd < 0 ? make_file(perf, u) : 0;
	void *map;

	if (!err)
		err = write_piece(perf, u, piece);
	if (err)
		return err;
	map = mmap(NULL, piece->size, PROT_READ, MAP_SHARED, u->fd, (off_t)u->file_size);
	if (map == MAP_FAILED)
		return dkt_fail(perf->streams.base.ctx, -errno, "uncompress %s: %s",
				perf->file.name, strerror(errno));
	free(piece->data);
	*piece = (struct piece){ .data = map,
				 .start = piece->start,
				 .size = piece->size,
				 .mapped = true,
				 .place = u->file_size };
	u->file_size += PIECE;
	u->in_file += PIECE;
	return 0;
}

static void drop(struct dkt__perf_unpack *u, struct piece *piece)
{
	if (!piece->mapped) {
		u->held -= piece->size;
		free(piece->data);
		return;
	}
	munmap(piece->data, piece->size);
	/* Without support for holes the file keeps its bytes. */
	if (!fallocate(u->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)piece->place,
		       PIECE))
		u->in_file -= PIECE;
}

/* ---- unpacking ---- */

/* Finds the next compressed record of the file. */
static bool next_packed(const struct dkt__perf *perf, const struct dkt__perf_part *part)
{
	struct dkt__perf_unpack *u = part->unpack;
	const uint8_t *data;
	uint32_t size, type;

	while ((data = dkt__perf_whole(perf, &part->tape, u->next, &size))) {
		struct dkt__cursor cur = dkt__perf_cursor(perf, data, size);
		uint64_t len = size;

		type = dkt__perf_type(perf, data);
		u->next = dkt__perf_behind(perf, data, size, u->next);
		if (type != DKT__PERF_COMPRESSED && type != DKT__PERF_COMPRESSED2)
			continue;
		dkt__cursor_bytes(&cur, sizeof(struct perf_event_header));
		if (type == DKT__PERF_COMPRESSED2)
			len = dkt__cursor_number(&cur, 8);
		u->in = (ZSTD_inBuffer){ .src = cur.p,
					 .size = DKT__MIN(dkt__cursor_left(&cur), len) };
		return true;
	}
	return false;
}

/* Fills the piece from len on; returns its length. */
static uint32_t fill(const struct dkt__perf *perf, const struct dkt__perf_part *part, uint8_t *data,
		     uint32_t len)
{
	struct dkt__perf_unpack *u = part->unpack;

	while (len < PIECE && !u->end) {
		ZSTD_outBuffer out = { .dst = data, .size = PIECE, .pos = len };

		/* zstd still holds output that did not fit after it has taken all of the input. */
		if (u->in.pos == u->in.size && !u->more && !next_packed(perf, part)) {
			u->end = true;
			break;
		}
		u->bad = ZSTD_isError(ZSTD_decompressStream(u->zstd, &out, &u->in));
		u->more = out.pos == out.size;
		u->full = out.pos - len > u->limit - u->size;
		if (u->full)
			out.pos = len + (size_t)(u->limit - u->size);
		u->size += out.pos - len;
		u->end = u->bad || u->full;
		len = (uint32_t)out.pos;
	}
	return len;
}

/*
 * Returns the bytes of complete records in the piece. Bytes that are not a record end the stream.
 */
static uint32_t whole(const struct dkt__perf *perf, struct dkt__perf_unpack *u, const uint8_t *data,
		      uint32_t len)
{
	struct dkt__perf_tape tape = { .data = data, .size = len };
	uint64_t at = DKT__MIN(u->skip, len), next;
	struct perf_event_header head;
	uint32_t size;

	u->skip -= at;
	while (at < len && dkt__perf_whole(perf, &tape, at, &size)) {
		next = dkt__perf_behind(perf, data + at, size, at);
		u->skip = next > len ? next - len : 0;
		at = DKT__MIN(next, len);
	}
	if (len - at >= sizeof(head)) {
		memcpy(&head, data + at, sizeof(head));
		u->end |= (perf->swap ? bswap_16(head.size) : head.size) < sizeof(head);
	}
	return u->end ? len : (uint32_t)at;
}

/* Decompresses the next piece. Returns 0, or 1 at the end. */
static int step(struct dkt__perf *perf, const struct dkt__perf_part *part)
{
	struct dkt__perf_unpack *u = part->unpack;
	struct piece piece = { .start = u->size - u->n_tail };
	uint8_t *data;
	uint32_t len;
	int err = 0;

	if (u->end)
		return 1;
	data = piece.data = malloc(PIECE);
	if (!data)
		return -ENOMEM;
	memcpy(data, u->tail, u->n_tail);
	len = fill(perf, part, data, u->n_tail);
	piece.size = whole(perf, u, data, len);
	u->n_tail = len - piece.size;
	memcpy(u->tail, data + piece.size, u->n_tail);
	if (u->held + piece.size > WINDOW / perf->n_parts)
		err = to_file(perf, u, &piece);
	if (!err)
		err = dkt__append(u->pieces, u->n, piece);
	if (err) {
		drop(u, &piece);
		return err;
	}
	u->held += piece.mapped ? 0 : piece.size;
	return 0;
}

/* ---- the calls ---- */

int dkt__perf_unpack_new(struct dkt__perf *perf, struct dkt__perf_part *part)
{
	struct dkt__perf_unpack *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	part->unpack = u;
	perf->packed = true;
	u->fd = -1;
	u->limit = dkt__unpack_limit(part->file.size);
	u->zstd = ZSTD_createDCtx();
	return u->zstd ? 0 : -ENOMEM;
}

void dkt__perf_unpack_free(struct dkt__perf_unpack *u)
{
	if (!u)
		return;
	dkt__perf_unpack_drop(u, UINT64_MAX);
	ZSTD_freeDCtx(u->zstd);
	if (u->fd >= 0)
		close(u->fd);
	free(u->pieces);
	free(u);
}

void dkt__perf_unpack_rewind(struct dkt__perf_unpack *u)
{
	dkt__perf_unpack_drop(u, UINT64_MAX);
	ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
	u->in = (ZSTD_inBuffer){ 0 };
	u->more = u->end = u->bad = u->full = false;
	u->next = u->size = u->skip = u->before = 0;
	u->n_tail = u->n = u->first = 0;
}

void dkt__perf_unpack_drop(struct dkt__perf_unpack *u, uint64_t before)
{
	u->before = before;
	while (u->first < u->n && u->pieces[u->first].start + u->pieces[u->first].size <= before)
		drop(u, &u->pieces[u->first++]);
	if (u->first > 64 && u->first > u->n / 2) {
		memmove(u->pieces, u->pieces + u->first, (u->n - u->first) * sizeof(*u->pieces));
		u->n -= u->first;
		u->first = 0;
	}
}

static bool is_within(const struct piece *piece, uint64_t at)
{
	return at >= piece->start && at - piece->start < piece->size;
}

/* Returns the piece that contains the offset, or NULL. */
static const struct piece *find(const struct dkt__perf_unpack *u, uint64_t at)
{
	uint32_t low = u->first, high = u->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (u->pieces[mid].start + u->pieces[mid].size <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low < u->n && is_within(&u->pieces[low], at) ? &u->pieces[low] : NULL;
}

bool dkt__perf_unpack_get(struct dkt__perf *perf, struct dkt__perf_part *part, uint64_t at,
			  struct dkt__perf_tape *bytes)
{
	struct dkt__perf_unpack *u = part->unpack;
	const struct piece *piece = find(u, at);

	while (!piece && !u->err && at >= u->size - u->n_tail) {
		int err = step(perf, part);

		if (err) {
			u->err = err < 0 ? err : 0;
			return false;
		}
		dkt__perf_unpack_drop(u, DKT__MIN(u->before, at));
		piece = u->first < u->n && is_within(&u->pieces[u->n - 1], at) ?
				&u->pieces[u->n - 1] :
				NULL;
	}
	if (!piece)
		return false;
	*bytes = (struct dkt__perf_tape){ .data = piece->data + (at - piece->start),
					  .size = piece->size - (at - piece->start) };
	return true;
}

int dkt__perf_unpack_error(const struct dkt__perf_part *part)
{
	return part->unpack ? part->unpack->err : 0;
}

void dkt__perf_unpack_end(struct dkt__perf *perf, struct dkt__perf_part *part)
{
	const struct dkt__perf_unpack *u = part->unpack;

	part->unpacked = u->size;
	if (u->bad)
		dkt__streams_damage(&perf->streams, "%scompressed records are damaged",
				    part->label);
	if (u->full)
		dkt__streams_damage(
			&perf->streams,
			"%sits records unpack to more than %llu MB, the limit for its size",
			part->label, (unsigned long long)u->limit >> 20);
}
