/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A piece of a log, as many records as fit into memory: sorts it and writes it to a file. */
#include "compat/lustre/binary/piece.h"

#include "lib/base/io.h"

#define OUT_SIZE (256 * 1024)

_Static_assert(RECORD_MAX <= OUT_SIZE, "the longest record fits");

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/* Records are prefetched so many before their turn, because they are anywhere in the piece. */
#define AHEAD 12

int dkl_piece_open(struct piece *piece, size_t memory)
{
	*piece = (struct piece){ .max_len = memory / 8 * 5,
				 .max_n = memory / 96,
				 .first_sec = UINT32_MAX };
	if (piece->max_len < 2 * RECORD_MAX)
		piece->max_len = 2 * RECORD_MAX;
	if (!piece->max_n)
		piece->max_n = 1;
	piece->bytes = malloc(piece->max_len);
	piece->entries = malloc(piece->max_n * sizeof(*piece->entries));
	piece->other = malloc(piece->max_n * sizeof(*piece->other));
	piece->out = malloc(OUT_SIZE);
	return piece->bytes && piece->entries && piece->other && piece->out ? 0 : -ENOMEM;
}

void dkl_piece_close(struct piece *piece)
{
	free(piece->bytes);
	free(piece->entries);
	free(piece->other);
	free(piece->out);
	*piece = (struct piece){ 0 };
}

void dkl_piece_add(struct piece *piece, const uint8_t *rec, uint32_t len)
{
	uint64_t key = record_key(rec);

	if (key >> 32 < piece->first_sec)
		piece->first_sec = (uint32_t)(key >> 32);
	piece->entries[piece->n++] =
		(struct piece_entry){ .key = key, .offset = (uint32_t)piece->len, .len = len };
	memcpy(piece->bytes + piece->len, rec, len);
	piece->len += len;
}

/* Sorts by one digit of the key, and keeps the order of entries with equal digits. */
static void sort_digit(struct piece *piece, unsigned int shift)
{
	struct piece_entry *from = piece->entries, *to = piece->other;
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

int dkl_piece_write(struct piece *piece, int fd, uint64_t offset, struct runs *runs)
{
	size_t len = 0;
	int err = 0;

	sort_entries(piece);
	for (size_t i = 0; !err && i < piece->n; i++) {
		const struct piece_entry *entry = &piece->entries[i];
		const uint8_t *rec = piece->bytes + entry->offset;

		if (i + AHEAD < piece->n) {
			const uint8_t *next = piece->bytes + entry[AHEAD].offset;

			__builtin_prefetch(next);
			__builtin_prefetch(next + 64);
			__builtin_prefetch(next + 128);
		}
		if (len + entry->len > OUT_SIZE) {
			err = dkt__pwrite_all(fd, piece->out, len, offset);
			offset += len;
			len = 0;
		}
		if (!err)
			err = dkl_runs_add(runs, offset + len, entry->len, record_key(rec));
		memcpy(piece->out + len, rec, entry->len);
		len += entry->len;
	}
	if (!err)
		err = dkt__pwrite_all(fd, piece->out, len, offset);
	piece->n = 0;
	piece->len = 0;
	piece->first_sec = UINT32_MAX;
	return err;
}
