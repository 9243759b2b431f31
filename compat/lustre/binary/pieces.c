/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts a log whose records are out of order: threads write its pieces as sorted runs to a file. */
#include "compat/lustre/binary/pieces.h"

#include <pthread.h>

#include "compat/lustre/binary/crew.h"
#include "compat/lustre/binary/piece.h"

struct pieces {
	struct dkt_ctx *ctx;
	size_t memory; /* per thread */
	int fd;
	pthread_mutex_t lock; /* protects the members below, and ctx */
	pthread_cond_t turn;
	pieces_next next;
	void *data;
	bool end; /* no more records */
	uint64_t size; /* of the file after all pieces are written */
	uint64_t taken; /* number of pieces that were begun */
	uint64_t done; /* number of pieces whose runs were added to runs */
	struct runs *runs;
	int err; /* the error of any thread ends all threads */
};

/* The state of one thread. */
struct sorter {
	struct piece piece;
	struct runs runs; /* of the piece */
	uint64_t nr; /* number of the piece */
	uint64_t offset; /* of the piece in the file */
};

/* Fills the piece with records. 1: no more records. */
static int take_piece(struct pieces *pieces, struct sorter *sorter)
{
	struct piece *piece = &sorter->piece;
	const uint8_t *rec;
	uint32_t len;
	int err = 0;

	while (!pieces->end && piece_has_room(piece)) {
		err = pieces->next(pieces->data, &rec, &len);
		if (err)
			pieces->end = true;
		else
			dkl_piece_add(piece, rec, len);
	}
	if (err < 0 || !piece->n)
		return err < 0 ? err : 1;
	sorter->nr = pieces->taken++;
	sorter->offset = pieces->size;
	pieces->size += piece->len;
	return 0;
}

/* Waits until the runs of all earlier pieces are added, then adds those of this piece. */
static int end_piece(struct pieces *pieces, struct sorter *sorter)
{
	int err;

	while (pieces->done != sorter->nr && !pieces->err)
		pthread_cond_wait(&pieces->turn, &pieces->lock);
	err = dkl_runs_append(pieces->runs, &sorter->runs);
	dkl_runs_clear(&sorter->runs);
	pieces->done++;
	pthread_cond_broadcast(&pieces->turn);
	return err;
}

static void sort_pieces(void *data)
{
	struct pieces *pieces = data;
	struct sorter sorter = { 0 };
	int err = dkl_piece_open(&sorter.piece, pieces->memory);

	pthread_mutex_lock(&pieces->lock);
	while (!err && !pieces->err && !(err = take_piece(pieces, &sorter))) {
		pthread_mutex_unlock(&pieces->lock);
		err = dkl_piece_write(&sorter.piece, pieces->fd, sorter.offset, &sorter.runs);
		pthread_mutex_lock(&pieces->lock);
		if (!err)
			err = end_piece(pieces, &sorter);
		else if (err != -ENOMEM)
			dkt_fail(pieces->ctx, err, "write the temporary file: %s", strerror(-err));
	}
	if (err < 0)
		pieces->err = err;
	pthread_cond_broadcast(&pieces->turn);
	pthread_mutex_unlock(&pieces->lock);
	dkl_runs_clear(&sorter.runs);
	dkl_piece_close(&sorter.piece);
}

int dkl_pieces_sort(struct dkt_ctx *ctx, size_t memory, int fd, pieces_next next, void *data,
		    struct runs *runs)
{
	unsigned int threads = dkl_crew_size();
	struct pieces pieces = { .ctx = ctx,
				 .memory = memory / threads,
				 .fd = fd,
				 .next = next,
				 .data = data,
				 .runs = runs };

	pthread_mutex_init(&pieces.lock, NULL);
	pthread_cond_init(&pieces.turn, NULL);
	dkl_crew_run(threads, sort_pieces, &pieces);
	pthread_cond_destroy(&pieces.turn);
	pthread_mutex_destroy(&pieces.lock);
	return pieces.err;
}
