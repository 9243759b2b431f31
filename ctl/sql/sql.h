/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sql: answers statements in SQL from recordings. */
#pragma once

#include <pthread.h>
#include <sqlite3.h>

#include "answers/sql/database.h"
#include "ctl/app/app.h"
#include "lib/base/strings.h"

/* A statement, and the database that it reads. */
struct query {
	struct app *app;
	const char *text; /* NULL: list the tables */
	char *own_text; /* the text with other names, or NULL */
	struct dkt__strings words; /* of the statement: names of tables are among them */
	struct database *database; /* NULL: a file is the database */
	sqlite3 *sqlite;
	sqlite3_stmt *statement;
	bool marking; /* the columns that the statement reads are told to the database */
};

/* Reads the words of the statement. */
int query_words(struct query *query);

/* True if a word of the statement is that name. */
bool query_names(const struct query *query, const char *name);

/* Lets statements read the database and do nothing else, with limits on memory. */
int query_guard(struct query *query);

/* Prepares the statement. -EINVAL: it is wrong; the error message shows the place. */
int query_prepare(struct query *query);

/* Sets the error message from SQLite's. Returns -errno. */
int query_fail(struct query *query);

#define QUERY_INTERRUPTED "sql: interrupted"

/* A thread that ends a statement on a signal. */
struct query_watch {
	sqlite3 *sqlite;
	pthread_t thread;
	int pipe[2];
};

int query_watch_begin(struct query *query, struct query_watch *watch);
void query_watch_end(struct query_watch *watch);

/* Runs the statement, and prints its rows. */
int query_print(struct query *query);

/* Prints the tables and views, with their columns. */
int query_list(struct query *query);

void query_clear(struct query *query);
