/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends blocks of rows in a thread of its own. Blocks of a table go in their order, one after the other,
 * so that the server always has the first rows of a file: how many tells what is missing.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/load/columns.h"

/* Rows of one file in a block. */
struct block_part {
	uint64_t load; /* the file */
	uint64_t before; /* the rows of the file that the table has before the block */
	uint64_t n;
};

/* Rows that one INSERT writes, all or none: they are of one table and of one day. */
struct block {
	char *insert; /* the statement */
	char *count; /* the statement that counts the rows of these files, see target_count_text() */
	struct columns *rows; /* NULL: their bytes are in squeezed */
	struct statement_piece *pieces; /* the rows, when they are sent */
	size_t n_pieces;
	struct chunks *chunks; /* of the rows and of squeezed */
	struct bytes squeezed; /* the pieces */
	struct block_part *parts;
	size_t n_parts;
};

void block_free(struct block *block);

struct sender;

/*
 * Starts the thread. run: begins the names by which the server lists the statements. settings: of each
 * INSERT. patience: seconds to try again after an error. squeezes: blocks are compressed.
 */
int sender_new(const struct server *server, const char *run, const char *settings, double patience,
	       bool squeezes, struct sender **sender);

/* Takes the block, also if it returns an error; waits while others wait to be sent. */
int sender_put(struct sender *sender, struct block *block);

/* Waits until the server has all blocks. */
int sender_wait(struct sender *sender);

/* Returns why blocks could not be sent, after an error. */
const char *sender_words(const struct sender *sender);

/* Ends the thread; blocks that wait are not sent. */
void sender_free(struct sender *sender);

/*
 * Runs a statement that can run twice, and again after an error that may pass, for as many seconds as
 * patience.
 */
int sender_insist(struct link *link, const struct statement *statement, double patience);

/*
 * Waits until the server has the rows of all replicas of its tables. -ESTALE: it has not after so many seconds
 * as patience.
 */
int sender_catch_up(struct link *link, double patience);

/*
 * Waits until statements of dktrace end that ran when it was called: one of a loader that was killed or
 * whose connection broke may still write its rows. -EBUSY: they still run after so many seconds as patience.
 */
int sender_settle(struct link *link, double patience);
