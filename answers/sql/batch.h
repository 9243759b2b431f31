/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows on their way into a table. A statement of SQLite for each row would mostly begin and end; one for many
 * rows reads them from here, as a virtual table.
 */
#pragma once

#include <sqlite3.h>

#include "answers/tables/schema.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

/* The virtual table of the rows that batch_pass() passes. */
#define BATCH_TABLE "dktrace_batch"

enum batch_type {
	BATCH_NULL,
	BATCH_INTEGER,
	BATCH_REAL,
	BATCH_TEXT,
	BATCH_BLOB,
};

struct batch_cell {
	union {
		int64_t number;
		double real;
		size_t at; /* in the text of the batch */
	};
	uint32_t len;
	enum batch_type type;
};

/* The rows of a table that SQLite does not have yet. */
struct batch {
	struct batch_cell *cells;
	size_t n, most, columns;
	struct dkt_buf *text;
	sqlite3_stmt *insert; /* the insertion that reads the cells; NULL: not prepared */
};

/* The virtual table, which has the rows of one batch at a time. */
struct batches {
	const struct batch *now;
};

/* Creates the virtual table. batches must live until batches_end() or the end of the connection. */
int batches_begin(struct batches *batches, sqlite3 *sqlite);

/* Removes it. */
void batches_end(sqlite3 *sqlite);

/* Appends a SELECT of the columns, of which a batch has so many. */
void batch_put_select(struct dkt_buf *sql, size_t columns);

/* For an empty batch: takes the insertion, and makes room for rows. */
int batch_begin(struct batch *batch, sqlite3_stmt *insert, size_t columns);

/* Passes the rows to SQLite. Returns a code of SQLite, or SQLITE_OK. */
int batch_pass(struct batch *batch, struct batches *batches);

/* Removes the insertion; rows that were not passed are lost. */
void batch_end(struct batch *batch);

/* True after a row: it is time to pass the rows. */
static inline bool batch_is_full(const struct batch *batch)
{
	/* As much as stays in the first cache of a CPU. */
	return batch->n + batch->columns > batch->most || batch->text->len > (size_t)16 << 10;
}

/* Each row has batch->columns values, which come one by one. */
static inline void batch_null(struct batch *batch)
{
	batch->cells[batch->n++] = (struct batch_cell){ .type = BATCH_NULL };
}

static inline void batch_integer(struct batch *batch, int64_t number)
{
	batch->cells[batch->n++] = (struct batch_cell){ .number = number, .type = BATCH_INTEGER };
}

static inline void batch_real(struct batch *batch, double real)
{
	batch->cells[batch->n++] = (struct batch_cell){ .real = real, .type = BATCH_REAL };
}

/* Copies the bytes. */
static inline void batch_bytes(struct batch *batch, enum batch_type type, const void *bytes,
			       size_t len)
{
	batch->cells[batch->n++] =
		(struct batch_cell){ .at = batch->text->len, .len = (uint32_t)len, .type = type };
	dkt__buf_add(batch->text, bytes, len);
}

/* Takes a text, as bytes if it is not UTF-8. */
void batch_text(struct batch *batch, const char *text, size_t len);

/* The same; NULL: the value is NULL. */
void batch_text_or_null(struct batch *batch, const char *text);

/* Takes a list as a text in JSON. */
void batch_list(struct batch *batch, const struct schema_value *value);
