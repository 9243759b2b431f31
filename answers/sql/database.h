/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A database of SQLite with the records of files: a table for each kind of event, the intervals between
 * events, the answers of the analyses as tables and views, losses, hosts, files.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/pipeline/bounds.h"

struct database;
struct pipeline_absent;
struct sqlite3;

/* A file whose records come. */
struct database_file {
	const char *name;
	struct dkt_ctx *ctx; /* the kernel of its records */
	struct dkt_source *source;
	size_t host; /* index of its host: files of one boot of a machine share one */
	int64_t offset; /* added to its times to get those of the first file, ns */
	const char *accuracy; /* of the offset, in words; NULL: none */
	const char *lacks; /* why not all of it came, in words; NULL: it is whole */
};

struct database_opts {
	const char *path; /* the name for messages of the file fd; NULL: a temporary database */
	int fd; /* an empty file */
	/* True if a table or view is wanted. NULL: all, but those without records are not created. */
	bool (*wants)(void *data, const char *name);
	void *data;
	const struct database_file *files; /* copied */
	size_t n_files;
	const struct pipeline_absent
		*absent; /* files that should be among them; they outlive the database */
	size_t n_absent;
	/* After the last record: returns the most that the times of a file are off, ns, or BOUNDS_UNKNOWN. */
	uint64_t (*clock_error)(const void *clocks, size_t file);
	const void *clocks; /* for clock_error */
	bool several_clocks; /* the errors depend on the times of all records */
	int64_t wall; /* ns to add to times to get the time of day */
	bool has_wall;
};

/* Creates the database, with those tables and views that are wanted by name. */
int database_new(struct dkt_ctx *ctx, const struct database_opts *opts, struct database **db);

/* Closes the database. Rows are lost unless database_finish() has succeeded. */
void database_free(struct database *db);

/* The connection, for statements. Valid as long as the database. */
struct sqlite3 *database_handle(const struct database *db);

/*
 * Before the first record: fills only this column of a table of an event. After the first call, no
 * column is filled for which there was none.
 */
int database_want(struct database *db, const char *table, const char *column);

/* A dkt_event_fn: true if the wanted tables need the event. data is the struct database. */
bool database_wants(void *data, struct dkt_event *event);

/* Takes a record or a gap of a file. */
int database_add(struct database *db, size_t file, struct dkt_source *source,
		 const struct dkt_record *record);

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
