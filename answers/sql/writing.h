/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A database that is written, as its parts see it. */
#pragma once

#include <sqlite3.h>

#include "answers/sql/batch.h"
#include "answers/sql/database.h"
#include "answers/sql/open_file.h"
#include "answers/tables/answers.h"
#include "answers/tables/schema.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

struct written_column {
	const char *name, *type;
	bool wanted; /* a statement reads it */
};

/* A table of an event or an answer. */
struct written {
	const char *name;
	struct written_column *columns;
	size_t n;
	size_t plain; /* columns at the beginning whose names are not quoted */
	size_t declared; /* columns that the database's table has; 0: it is not created */
	bool left; /* not wanted: its records are only counted */
	struct batch batch; /* without an insertion: not prepared */
	uint64_t rows;
};

/* The tables that describe the others. */
enum own_table {
	OWN_HOSTS,
	OWN_FILES,
	OWN_DISKS,
	OWN_LOSSES,
	OWN_EVENTS,
	OWN_CLASSES,
	OWN_TABLES,
};

struct database {
	struct dkt_ctx *ctx;
	struct open_file file; /* of a database that is not temporary */
	sqlite3 *sqlite;
	struct database_opts opts;
	const struct pipeline *p;
	size_t *hosts; /* by file: its host */
	size_t n_hosts;
	struct losses *losses; /* by file */
	int64_t wall; /* ns to add to times to get the time of day */
	bool has_wall;
	struct schema schema;
	size_t n_events; /* tables of events */
	struct answers answers;
	struct batch own[OWN_TABLES];
	struct dkt__arena arena; /* of written */
	struct dkt_buf *sql; /* for the text of statements */
	struct batches batches;
	bool chosen; /* database_want() was called */
	bool counting; /* the records of all tables are counted, also of those that are not wanted */
	int64_t seq; /* of the last record */
};

/* Runs the statements in db->sql. */
int database_run(struct database *db);

/* Prepares the insertion of a batch, whose text so far is in db->sql. */
int database_prepare(struct database *db, struct batch *batch, size_t columns);

/* Passes the rows of a batch to the table. */
int database_pass(struct database *db, struct batch *batch);

/* After the values of a row: passes the rows if it is time. */
static inline int database_end_row(struct database *db, struct batch *batch)
{
	return dkt__unlikely(batch_is_full(batch)) ? database_pass(db, batch) : 0;
}

/* True if the table or view has that name and a statement may read it. */
bool database_is_wanted(const struct database *db, const char *name);

/* ---- written.c: any table ---- */

/* The table of a writer, which gets one without columns. NULL: memory is out. */
struct written *written_of(struct database *db, void **writer, const char *name);

/* Adds a column. type is a constant. */
int written_column(struct database *db, struct written *table, const char *name, const char *type);

/* Creates the table, or adds the columns that it does not have yet. */
int written_create(struct database *db, struct written *table);

/* Prepares the insertion into the columns that are filled. The first one always is. */
int written_prepare(struct database *db, struct written *table);

/* True if rows have a value in the column; one that no statement reads has none. */
static inline bool written_fills(const struct database *db, const struct written *table,
				 size_t column)
{
	return !db->chosen || table->columns[column].wanted;
}

/* ---- own.c: the tables that describe the others ---- */

int own_create(struct database *db);
int own_add_loss(struct database *db, size_t file, const struct dkt_record *gap);

/* After the last record: fills the other tables. */
int own_finish(struct database *db);

/* ---- tables of events ---- */

/* Creates the table, or adds columns that it does not have yet. */
int events_create(struct database *db, struct schema_table *table);
int events_add(struct database *db, size_t file, const struct dkt_record *record);

/* ---- tables and views of answers ---- */

int results_create(struct database *db, struct answer *answer);
int results_row(void *data, struct answer *answer, size_t host, const struct result_cell *cells);

/* Creates the views on a log: statistics, the longest, frequencies. */
int views_create(struct database *db, const struct answer *log);
