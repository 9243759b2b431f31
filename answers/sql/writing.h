/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A database that is written, as its parts see it. */
#pragma once

#include <sqlite3.h>

#include "answers/sql/answers.h"
#include "answers/sql/batch.h"
#include "answers/sql/database.h"
#include "answers/sql/open_file.h"
#include "answers/tables/schema.h"
#include "compat/pipeline/losses.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

/* The part of a table that the database has so far. */
struct written {
	struct batch batch; /* without an insertion: not prepared */
	size_t columns; /* of fields, that the table has so far */
	bool created;
	bool left; /* not wanted: its records are only counted */
	bool *wanted; /* by column, with the fixed ones first; NULL: as the database says */
	size_t n_wanted;
	uint64_t rows;
};

/*
 * Tables of events at most, a few times as many as a kernel has events: SQLite looks at all tables whenever it
 * creates one, so that many more take time by the square of their number.
 */
#define DATABASE_EVENTS 8192

struct database {
	struct dkt_ctx *ctx;
	struct open_file file; /* of a database that is not temporary */
	sqlite3 *sqlite;
	struct database_opts opts;
	struct database_file *files;
	struct losses *losses; /* by file */
	size_t n_hosts;
	struct schema schema;
	size_t n_events; /* tables of events */
	struct answers answers;
	struct dkt__arena arena; /* of written */
	struct dkt_buf *sql; /* for the text of statements */
	struct batches batches;
	bool chosen; /* database_want() was called */
	bool counting; /* the records of all tables are counted, also of those that are not wanted */
	sqlite3_stmt *loss;
	int64_t seq; /* of the last record */
};

/* Sets the error message from SQLite's. Returns -errno. */
int database_fail(struct database *db, const char *what);

/* Runs the statements in db->sql. */
int database_run(struct database *db);

/* Prepares the statement in db->sql. */
int database_prepare(struct database *db, sqlite3_stmt **statement);

/* Prepares the insertion of a batch, whose text so far is in db->sql. */
int database_prepare_batch(struct database *db, struct batch *batch, size_t columns);

/* Passes the rows of a batch to the table. */
int database_pass(struct database *db, struct batch *batch);

/* After the values of a row: passes the rows if it is time. */
static inline int database_end_row(struct database *db, struct written *it)
{
	it->rows++;
	return dkt__unlikely(batch_is_full(&it->batch)) ? database_pass(db, &it->batch) : 0;
}

/* Runs an insertion, and makes it ready for the next row. */
static inline int database_step(struct database *db, sqlite3_stmt *insert)
{
	int rc = sqlite3_step(insert);

	sqlite3_reset(insert);
	return dkt__likely(rc == SQLITE_DONE) ? 0 : database_fail(db, "insert");
}

/* The state of a table of the schema, or of an answer. NULL: memory is out. */
struct written *database_written(struct database *db, void **writer);

/* ---- what is wanted ---- */

/* True if the table or view has that name and a statement may read it. */
bool database_is_wanted(const struct database *db, const char *name);

/* True if rows have a value in the column; one that no statement reads has none. */
static inline bool database_fills(const struct database *db, const struct written *it,
				  size_t column)
{
	return !db->chosen || (column < it->n_wanted && it->wanted[column]);
}

/* ---- tables of events ---- */

/* Creates the table, or adds columns that it does not have yet. */
int events_create(struct database *db, struct schema_table *table);
int events_add(struct database *db, size_t file, struct dkt_source *source,
	       const struct dkt_record *record);

/* ---- tables and views of answers ---- */

int results_create(struct database *db, struct answer *answer);
/*
 * Finds a column by its name, in upper or lower case. Returns its number, or the number of columns if there is no
 * such column.
 */
size_t results_column(struct database *db, const struct answer *answer, const char *name);

int results_row(void *data, struct answer *answer, size_t host, const struct result_cell *cells);

/* Creates the views on a log: statistics, the longest, frequencies. */
int views_create(struct database *db, const struct answer *log);
