/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A load that runs, as its parts see it. */
#pragma once

#include "answers/load/columns.h"
#include "answers/load/layout.h"
#include "answers/load/load.h"
#include "answers/load/sender.h"
#include "answers/tables/answers.h"
#include "answers/tables/schema.h"
#include "compat/pipeline/losses.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

/* The rows of a file in a table. */
struct target_part {
	uint64_t there; /* rows of earlier loads; they are the first ones of the file */
	uint64_t last; /* the seq of the last of them */
	uint64_t seen; /* rows so far */
	size_t in; /* the place of the file in the block, plus 1; 0: it has no row there */
};

/* A table of the server that gets rows. */
struct target {
	const char *name;
	struct column_type *columns;
	size_t n;
	size_t first; /* columns before those of fields */
	size_t declared; /* columns that the server's table has, from the first on */
	bool created;
	unsigned int aliases; /* that the server's table has, see aliases.c */
	char *insert; /* the statement */
	struct target_part *parts; /* by file */
	struct block *block; /* the rows that wait */
	size_t waiting; /* their bytes when they were counted */
	uint32_t day; /* of these rows */
	unsigned int sender; /* the same for all blocks of a table, which keeps their order */
};

struct load_file {
	uint64_t id;
	int lock; /* while the file is loaded; -1: none */
	bool whole; /* an earlier load was complete */
	bool ended; /* all its records are here */
	uint64_t error; /* the largest one of its times, ns */
	struct losses losses;
	const char *host;
	struct answers answers;
	struct load *load; /* for rows of answers */
	uint64_t seq; /* of the last record */
	uint64_t ts; /* of the last record */
};

/* Threads that send. */
#define SENDERS 2

/* A column that the server has. */
struct known_column {
	const char *table, *name, *type;
	bool alias; /* for another column */
};

struct load {
	struct pipeline *p;
	struct dkt_ctx *ctx;
	struct load_opts opts;
	struct server server;
	struct link *link;
	char runs[SENDERS][40]; /* by sender: begins the names of its statements */
	struct sender *senders[SENDERS];
	struct chunks *chunks;
	struct layout layout;
	struct dkt__arena arena;
	struct known_column *known;
	size_t n_known;
	bool old_low; /* low cardinality is a setting, not yet usual */
	const char *insert_settings;
	const char *database;
	struct load_file *files;
	size_t n; /* files */
	size_t n_all; /* with those of hosts that have sent nothing */
	int64_t wall; /* to add to times */
	struct schema schema;
	struct target **targets;
	size_t n_targets;
	struct target *disks, *losses, *events,
		*sources; /* the last has a row for each complete file */
	struct target **results; /* by table of the answers; NULL: no row yet */
	uint64_t waiting; /* bytes in blocks that are not full */
	uint64_t rows, there;
	struct dkt_buf *sql;
};

/* Sets the error message from what the server or libcurl says. Returns err. */
int load_fail(const struct load *load, int err, const char *words);

/* Each shard has the rows when an INSERT ends. */
#define INSERT_SETTINGS "&insert_distributed_sync=1"

/* ---- targets.c: tables ---- */

/* Asks which settings the server has, and which database. */
int targets_ask_settings(struct load *load);

/* Gets what the server has: its tables, their columns, and which event has which table. */
int targets_ask(struct load *load);

/* Adds a table, with the columns that each has before its own: load, seq, time, host. NULL: memory is out. */
struct target *target_new(struct load *load, const char *name);

/* Adds a column. type is a constant. */
int target_column(struct load *load, struct target *target, const char *name, const char *type);

/* Creates the table or the columns that the server lacks. section: what to create beside it. */
int target_create(struct load *load, struct target *target, enum layout_section section);

/* Runs the statements of a section, or only tells them. */
int targets_run_section(struct load *load, enum layout_section section,
			const struct layout_values *values);

/* Creates a view of the table by the SELECT in sql, which gets a NUL at its end. */
int targets_create_view(struct load *load, const char *table, const char *view,
			struct dkt_buf *sql);

/* Appends the name of a table, as the statement of a view has it. */
void targets_put_name(const struct load *load, const char *name, struct dkt_buf *sql);

/* Makes the statement that counts the rows of files; files NULL: of the first n. The caller frees it. */
int target_count_text(const struct load *load, const struct target *target, const size_t *files,
		      size_t n, char **text);

/* ---- aliases.c: columns in other letter cases ---- */

#define ALIASES_MOST 9

/* Takes those that the server's table has. */
void aliases_know(const struct load *load, struct target *target);

/* Sets the columns to add for those that the table lacks. They are valid as long as the load. */
int aliases_add(struct load *load, struct target *target, struct column_type aliases[ALIASES_MOST],
		size_t *n);

/* Sets the names of those whose place a column takes that is not declared yet. Returns their number. */
size_t aliases_drop(const struct load *load, struct target *target,
		    const char *names[ALIASES_MOST]);

/* ---- blocks.c: rows ---- */

/*
 * Begins the row of a file with the columns that each table has. Sets row to NULL if the server has it.
 * ts: on the clock of the pipeline.
 */
int block_row(struct load *load, struct target *target, size_t file, uint64_t seq, uint64_t ts,
	      struct columns **row);

/* Ends the row. */
int block_end(struct load *load, struct target *target);

/* Sends the rows of a table that wait. */
int block_send(struct load *load, struct target *target);

/* Sends the rows of all tables, and waits for the server. */
int blocks_send_all(struct load *load);

/* ---- rows.c: tables of events ---- */

int rows_add(struct load *load, size_t file, struct dkt_source *source,
	     const struct dkt_record *record);

/* ---- answers: tables and views of the analyses ---- */

int load_answer_row(void *data, struct answer *answer, size_t host,
		    const struct result_cell *cells);
int load_answers_create(struct load *load, struct load_file *file);

/* Calls fn with the name and the statement of each view on a log. */
int load_views(struct load *load, const struct load_file *file, const struct answer *log);
