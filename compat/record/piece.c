/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts as many records as fit into memory, and writes them as one run. */
#include "record/piece.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/* Records lie anywhere in the piece: they are fetched so many before their turn. */
#define AHEAD 12

int piece_open(struct piece *piece, struct dkt_ctx *ctx, size_t memory, struct spill *spill,
	       struct runs *runs)
{
	*piece = (struct piece){ .ctx = ctx,
				 .spill = spill,
				 .runs = runs,
				 .max_len = memory / 8 * 5,
				 .max_n = memory / 96,
				 .first_sec = UINT32_MAX };
	if (piece->max_len < RECORD_MAX)
		piece->max_len = RECORD_MAX;
	if (!piece->max_n)
		piece->max_n = 1;
	piece->bytes = malloc(piece->max_len);
	piece->entries = malloc(piece->max_n * sizeof(*piece->entries));
	piece->other = malloc(piece->max_n * sizeof(*piece->other));
	if (piece->bytes && piece->entries && piece->other)
		return 0;
	piece_close(piece);
	return -ENOMEM;
}

void piece_close(struct piece *piece)
{
	free(piece->bytes);
	free(piece->entries);
	free(piece->other);
	*piece = (struct piece){ 0 };
}

/* Sorts by one digit of the key; entries that have the same stay in their order. */
static void sort_digit(struct piece *piece, unsigned int shift)
{
	struct piece_entry *from = piece->entries, *to = piece->other;
	uint32_t at[DIGITS] = { 0 }, sum = 0, count;
	size_t i;

	for (i = 0; i < piece->n; i++)
		at[from[i].key >> shift & (DIGITS - 1)]++;
	for (i = 0; i < DIGITS; i++) {
		count = at[i];
		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < piece->n; i++)
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
	piece->entries = to;
	piece->other = from;
}

/* From the lowest digit on, as many as keys have, which begin with the first second. */
static void sort_entries(struct piece *piece)
{
	unsigned int shift;
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < piece->n; i++) {
		uint64_t key = piece->entries[i].key;

		/* Lustre's lctl takes 0 to 1000000000 microseconds. */
		key = ((key >> 32) - piece->first_sec) * 1000000001 + (key & UINT32_MAX);
		piece->entries[i].key = key;
		all |= key;
	}
	for (shift = 0; shift < 64 && all >> shift; shift += DIGIT_BITS)
		sort_digit(piece, shift);
}

static int write_piece(struct piece *piece)
{
	size_t i;
	int err = 0;

	sort_entries(piece);
	for (i = 0; !err && i < piece->n; i++) {
		const struct piece_entry *entry = &piece->entries[i];
		const uint8_t *rec = piece->bytes + entry->offset;

		if (i + AHEAD < piece->n) {
			const uint8_t *next = piece->bytes + entry[AHEAD].offset;

			__builtin_prefetch(next);
			__builtin_prefetch(next + 64);
			__builtin_prefetch(next + 128);
		}
		err = runs_add(piece->runs, piece->spill->size, entry->len, record_key(rec));
		if (!err)
			err = spill_add(piece->ctx, piece->spill, rec, entry->len);
	}
	piece->n = 0;
	piece->len = 0;
	piece->first_sec = UINT32_MAX;
	return err;
}

int piece_add(struct piece *piece, const uint8_t *rec, uint32_t len)
{
	uint64_t key = record_key(rec);

	if (piece->len + len > piece->max_len || piece->n == piece->max_n) {
		int err = write_piece(piece);

		if (err)
			return err;
	}
	if (key >> 32 < piece->first_sec)
		piece->first_sec = (uint32_t)(key >> 32);
	piece->entries[piece->n++] =
		(struct piece_entry){ .key = key, .offset = (uint32_t)piece->len, .len = len };
	memcpy(piece->bytes + piece->len, rec, len);
	piece->len += len;
	return 0;
}

int piece_finish(struct piece *piece)
{
	int err = write_piece(piece);

	return err ? err : spill_flush(piece->ctx, piece->spill);
}
