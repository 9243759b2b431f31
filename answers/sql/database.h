/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A database of SQLite with the records of a pipeline: a table for each kind of event, the intervals between
 * events, the answers of the analyses as tables and views, losses, hosts, files.
 */
#pragma once

#include "compat/pipeline/sink.h"

struct database;
struct sqlite3;

struct database_opts {
	const char *path; /* the name for messages of the file fd; NULL: a temporary database */
	int fd; /* an empty file */
	/* True if a table or view is wanted. NULL: all, but those without records are not created. */
	bool (*wants)(void *data, const char *name);
	void *data;
};

/*
 * Creates the database, with those tables and views that are wanted by name. Files of one boot of a machine are
 * of one host. The pipeline must outlive the database.
 */
int database_new(const struct pipeline *p, const struct database_opts *opts, struct database **db);

/* Closes the database. Rows are lost unless database_finish() has succeeded. */
void database_free(struct database *db);

/* The connection, for statements. Valid as long as the database. */
struct sqlite3 *database_handle(const struct database *db);

/*
 * Before the first record: fills only this column of a table. After the first call, no column is filled for
 * which there was none.
 */
void database_want(struct database *db, const char *table, const char *column);

/* A dkt_event_fn: true if the wanted tables need the event. data is the struct database. */
bool database_wants(void *data, struct dkt_event *event);

/* Takes a record or a gap of the pipeline. */
int database_add(struct database *db, const struct dkt_record *record);

/* After the last record: completes the tables and writes the rest. */
int database_finish(struct database *db);

/*
 * Calls fn for each wanted table of an answer whose events had no record, with the names of the events that
 * its analysis can take.
 */
void database_lacks(const struct database *db,
		    void (*fn)(void *data, const char *table, const char *event), void *data);

/* Appends a name in double quotes. */
void database_quote(struct dkt_buf *buf, const char *name);

/* A database as the output of convert and merge. */
extern const struct sink_writer database_writer;
