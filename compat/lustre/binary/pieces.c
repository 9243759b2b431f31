/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts a log whose records are out of order: threads write its pieces as sorted runs to a file. */
#include "compat/lustre/binary/merge.h"

#include "lib/base/io.h"
#include "lib/base/pool.h"

#define OUT_SIZE (256 * 1024)

_Static_assert(RECORD_MAX <= OUT_SIZE, "the longest record fits");

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/* Records are prefetched so many before their turn, because they are anywhere in the piece. */
#define AHEAD 12

struct pieces {
	const struct merge_log *log;
	const struct record_index *index;
	int fd;
	size_t next; /* piece that no thread has taken; atomic */
	struct runs *runs; /* of each piece */
	int read_err, write_err; /* of any thread; atomic */
};

struct entry {
	uint64_t key;
	uint32_t offset; /* in the piece */
	uint32_t len;
};

/* A thread's piece. */
struct piece {
	uint8_t *bytes;
	struct entry *entries, *other;
	uint8_t *out; /* output buffer */
	size_t n;
	uint32_t first_sec; /* the earliest second */
};

/* Sorts by one digit of the key, and keeps the order of entries with equal digits. */
static void sort_digit(struct piece *piece, unsigned int shift)
{
	struct entry *from = piece->entries, *to = piece->other;
	uint32_t at[DIGITS] = { 0 }, sum = 0, count;

	for (size_t i = 0; i < piece->n; i++)
		at[from[i].key >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		count = at[i];
		at[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < piece->n; i++)
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
	piece->entries = to;
	piece->other = from;
}

/*
 * Sorts by all digits, from the lowest on. Keys count from the first second to have fewer digits.
 */
static void sort_entries(struct piece *piece)
{
	uint64_t all = 0;

	for (size_t i = 0; i < piece->n; i++) {
		uint64_t key = piece->entries[i].key;

		/* Valid records have 0 to 1000000000 microseconds. */
		key = ((key >> 32) - piece->first_sec) * 1000000001 + (key & UINT32_MAX);
		piece->entries[i].key = key;
		all |= key;
	}
	for (unsigned int shift = 0; shift < 64 && all >> shift; shift += DIGIT_BITS)
		sort_digit(piece, shift);
}

/* Finds the records that are shown in the bytes of the piece. */
static void find_records(struct piece *piece, size_t len, const struct record_masks *show)
{
	struct record_scan scan = { .buf = piece->bytes, .len = len, .eof = true };
	const uint8_t *rec;
	uint32_t rec_len;

	piece->n = 0;
	piece->first_sec = UINT32_MAX;
	while (!dkl_record_scan_next(&scan, &rec, &rec_len)) {
		uint64_t key = record_key(rec);

		if (!record_shown(rec, show))
			continue;
		piece->first_sec = DKT__MIN(piece->first_sec, (uint32_t)(key >> 32));
		piece->entries[piece->n++] = (struct entry){
			.key = key, .offset = (uint32_t)(rec - piece->bytes), .len = rec_len
		};
	}
}

/* Writes the records in their order from the offset on, and adds them to runs. */
static int write_piece(const struct piece *piece, int fd, uint64_t offset, struct runs *runs)
{
	size_t len = 0;

	for (size_t i = 0; i < piece->n; i++) {
		const struct entry *entry = &piece->entries[i];
		const uint8_t *rec = piece->bytes + entry->offset;
		int err;

		if (i + AHEAD < piece->n) {
			const uint8_t *next = piece->bytes + entry[AHEAD].offset;

			__builtin_prefetch(next);
			__builtin_prefetch(next + 64);
			__builtin_prefetch(next + 128);
		}
		if (len + entry->len > OUT_SIZE) {
			err = dkt__pwrite_all(fd, piece->out, len, offset);
			if (err)
				return err;
			offset += len;
			len = 0;
		}
		err = dkl_runs_add(runs, offset + len, entry->len, record_key(rec));
		if (err)
			return err;
		memcpy(piece->out + len, rec, entry->len);
		len += entry->len;
	}
	return dkt__pwrite_all(fd, piece->out, len, offset);
}

/* Sorts the piece of that number; the other file has it at the same offset. */
static void sort_piece(struct pieces *pieces, struct piece *piece, size_t nr)
{
	const struct record_piece *place = &pieces->index->pieces[nr];
	ssize_t len = dkt__pread_all(pieces->log->fd, piece->bytes, place->end - place->start,
				     place->start);
	int err;

	if (len < 0) {
		__atomic_store_n(&pieces->read_err, (int)len, __ATOMIC_RELAXED);
		return;
	}
	find_records(piece, (size_t)len, &pieces->log->show);
	sort_entries(piece);
	err = write_piece(piece, pieces->fd, place->start, &pieces->runs[nr]);
	if (err)
		__atomic_store_n(&pieces->write_err, err, __ATOMIC_RELAXED);
}

static bool failed(struct pieces *pieces)
{
	return __atomic_load_n(&pieces->read_err, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&pieces->write_err, __ATOMIC_RELAXED);
}

static void sort_pieces(void *data, unsigned int thread)
{
	struct pieces *pieces = data;
	struct piece piece = { 0 };
	uint64_t longest = 0, n;
	size_t nr;

	(void)thread;
	for (size_t i = 0; i < pieces->index->n_pieces; i++)
		longest = DKT__MAX(longest,
				   pieces->index->pieces[i].end - pieces->index->pieces[i].start);
	n = longest / sizeof(struct record_head) + 1;
	piece.bytes = dkt__read_buffer(longest);
	piece.entries = malloc(n * sizeof(*piece.entries));
	piece.other = malloc(n * sizeof(*piece.other));
	piece.out = malloc(OUT_SIZE);
	if (!piece.bytes || !piece.entries || !piece.other || !piece.out)
		__atomic_store_n(&pieces->write_err, -ENOMEM, __ATOMIC_RELAXED);
	while (!failed(pieces) && (nr = __atomic_fetch_add(&pieces->next, 1, __ATOMIC_RELAXED)) <
					  pieces->index->n_pieces)
		sort_piece(pieces, &piece, nr);
	free(piece.bytes);
	free(piece.entries);
	free(piece.other);
	free(piece.out);
}

int dkl_pieces_sort(struct dkt_ctx *ctx, struct merge_log *log, const struct record_index *index,
		    int fd)
{
	struct pieces pieces = { .log = log, .index = index, .fd = fd };
	uint64_t size = 0;
	int err = 0;

	pieces.runs = calloc(index->n_pieces + 1, sizeof(*pieces.runs));
	if (!pieces.runs)
		return -ENOMEM;
	/* So that the runs of all pieces are not too many. */
	for (size_t i = 0; i < index->n_pieces; i++)
		size += index->pieces[i].end - index->pieces[i].start;
	for (size_t i = 0; i < index->n_pieces; i++)
		pieces.runs[i].cut = DKT__MAX(RUNS_CUT, size / (RUNS_MAX / 2));
	dkt__pool_run(dkt__pool_size(THREADS_MAX), sort_pieces, &pieces);
	dkl_runs_clear(&log->runs);
	for (size_t i = 0; i < index->n_pieces; i++) {
		if (!err)
			err = dkl_runs_append(&log->runs, &pieces.runs[i]);
		dkl_runs_clear(&pieces.runs[i]);
	}
	free(pieces.runs);
	log->fd = fd;
	if (pieces.read_err)
		return dkt_fail(ctx, pieces.read_err, "read the log again: %s",
				strerror(-pieces.read_err));
	if (pieces.write_err && pieces.write_err != -ENOMEM)
		return dkt_fail(ctx, pieces.write_err, "write the temporary file: %s",
				strerror(-pieces.write_err));
	return pieces.write_err ? pieces.write_err : err;
}
