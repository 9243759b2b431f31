/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A statement: its words, what it may do, and its errors. */
#include <ctype.h>

#include "answers/tables/schema.h"
#include "ctl/sql/sql.h"
#include "lib/base/buf.h"
#include "lib/base/every_field.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"

/* Limits for a statement: memory, and the length of a text. */
#define MEMORY     (INT64_C(512) << 20)
#define TEXT_BYTES (64 << 20)

/* Steps of SQLite between two looks at the signals. */
#define STEPS 10000

/* ---- words ---- */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Adds a quoted word; a quote within it is doubled. Returns the text after it. */
static const char *add_quoted(struct query *query, const char *p, int *err)
{
	char end = *p == '[' ? ']' : *p;
	char *word __cleanup(free) = strdup(p + 1), *to = word;

	if (!word) {
		*err = -ENOMEM;
		return "";
	}
	for (p++; *p && (*p != end || (end != ']' && p[1] == end)); p++) {
		p += *p == end;
		*to++ = *p;
	}
	*to = '\0';
	*err = dkt__strings_add(&query->words, word);
	return *p ? p + 1 : p;
}

static const char *add_word(struct query *query, const char *p, int *err)
{
	size_t len = 0;
	char *word;

	while (in_word(p[len]))
		len++;
	word = strndup(p, len);
	*err = word ? dkt__strings_take(&query->words, word) : -ENOMEM;
	return p + len;
}

/* A word that is no name, or within a comment, does no harm: a table more is read. */
int query_words(struct query *query)
{
	const char *p = query->text;
	int err = 0;

	while (!err && p && *p) {
		if (strchr("\"'`[", *p))
			p = add_quoted(query, p, &err);
		else if (in_word(*p))
			p = add_word(query, p, &err);
		else
			p++;
	}
	return dkt__with_words(query->app->ctx, err);
}

bool query_names(const struct query *query, const char *name)
{
	for (size_t i = 0; i < query->words.n; i++)
		if (!strcasecmp(query->words.list[i], name))
			return true;
	return false;
}

/* ---- what it may do ---- */

/* sqlite3_set_authorizer(3): it may read, and nothing else. */
static int allow(void *data, int action, const char *table, const char *column, const char *schema,
		 const char *view)
{
	struct query *query = data;

	(void)schema, (void)view;
	switch (action) {
	case SQLITE_READ:
		if (query->marking)
			database_want(query->database, table, column);
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return column && !strcasecmp(column, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static int look(void *data)
{
	(void)data;
	return dkt__stopped();
}

/*
 * SQLite makes a table of a module when a statement first names it, and asks for that what it asks for a
 * change of the schema. So these, which read only their argument, are made before the guard stands; in the
 * schema temp no table of a foreign file can have their name. Every other module stays closed.
 */
static int open_json_tables(sqlite3 *sqlite)
{
	sqlite3_stmt *statement;
	int rc = sqlite3_prepare_v2(sqlite,
				    "SELECT 1 FROM temp.json_each('[]'), temp.json_tree('[]')", -1,
				    &statement, NULL);

	sqlite3_finalize(statement);
	return rc;
}

int query_guard(struct query *query)
{
	sqlite3 *sqlite = query->sqlite;

#if SQLITE_VERSION_NUMBER >= 3031000
	sqlite3_hard_heap_limit64(MEMORY);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#else
	sqlite3_soft_heap_limit64(MEMORY);
#endif
	sqlite3_limit(sqlite, SQLITE_LIMIT_LENGTH, TEXT_BYTES);
	sqlite3_limit(sqlite, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	/* Its tokenizers are addresses of code, which a statement could read and set. */
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_progress_handler(sqlite, STEPS, look, NULL);
	if (open_json_tables(sqlite))
		return query_fail(query);
	return sqlite3_set_authorizer(sqlite, allow, query) ? -EINVAL : 0;
}

/* ---- errors ---- */

/* The beginnings of SQLite's messages, which have no code of their own. */
#define NO_COLUMN "no such column: "
#define NO_TABLE  "no such table: "

/* Returns the analysis that has the intervals for which a table is missing, or NULL. */
static const char *analysis_of_missing(const struct query *query, const char *words)
{
	const struct dkt_interval *interval;

	if (strncmp(words, NO_TABLE, strlen(NO_TABLE)) != 0)
		return NULL;
	interval = dkt_interval_find(query->app->ctx, words + strlen(NO_TABLE));
	return interval ? interval->analysis : NULL;
}

/* Where the statement has the error in its text; -1: unknown. */
static int error_at(const struct query *query)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	return sqlite3_error_offset(query->sqlite);
#else
	/* Older ones only tell the name. */
	const char *words = sqlite3_errmsg(query->sqlite), *at = query->text;
	size_t n;

	if (strncmp(words, NO_COLUMN, strlen(NO_COLUMN)) != 0)
		return -1;
	words += strlen(NO_COLUMN);
	n = strlen(words);
	while ((at = strstr(at, words))) {
		if ((at == query->text || !dkt__in_name(at[-1])) && !dkt__in_name(at[n]))
			return (int)(at - query->text);
		at += n;
	}
	return -1;
#endif
}

/* The message, and the line of the statement with a caret under the place. */
static int fail_at(const struct query *query, int err)
{
	int at = error_at(query), from = at;
	const char *text = query->text, *words = sqlite3_errmsg(query->sqlite);
	const char *analysis = analysis_of_missing(query, words);
	const char *hint = analysis ? "; these intervals are those of the analysis " : "";

	analysis = analysis ? analysis : "";
	if (at < 0)
		return dkt_fail(query->app->ctx, err, "sql: %s%s%s", words, hint, analysis);
	while (from && text[from - 1] != '\n')
		from--;
	return dkt_fail(query->app->ctx, err, "sql: %s%s%s\n  %.*s\n  %*s^", words, hint, analysis,
			(int)strcspn(text + from, "\n"), text + from, at - from, "");
}

int query_fail(struct query *query)
{
	switch (sqlite3_errcode(query->sqlite)) {
	case SQLITE_NOMEM:
		return dkt_fail(query->app->ctx, -ENOMEM,
				"sql: the statement needs more than %d MB of memory",
				(int)(MEMORY >> 20));
	case SQLITE_AUTH:
		return dkt_fail(query->app->ctx, -EPERM,
				"sql: a statement can read the tables, and nothing else");
	case SQLITE_INTERRUPT:
		return dkt_fail(query->app->ctx, -EINTR, QUERY_INTERRUPTED);
	default:
		return fail_at(query, -EINVAL);
	}
}

static bool is_empty(const char *text)
{
	return !text[strspn(text, " \t\r\n;")];
}

/* ---- names ---- */

/*
 * Writes the column of the event for comm, pid or cpu, which the table lacks, into the text. False: SQLite does
 * not name such a column.
 */
static bool name_column(struct query *query)
{
	static const enum schema_fixed columns[] = {
		[DKT__EVERY_COMM] = SCHEMA_COMM,
		[DKT__EVERY_PID] = SCHEMA_PID,
		[DKT__EVERY_CPU] = SCHEMA_CPU,
	};
	const char *words = sqlite3_errmsg(query->sqlite), *name, *dot;
	const int at = error_at(query);
	enum dkt__every_field every;
	size_t before;
	char *text;

	if (at < 0 || strncmp(words, NO_COLUMN, strlen(NO_COLUMN)) != 0)
		return false;
	name = words + strlen(NO_COLUMN);
	if (strncmp(query->text + at, name, strlen(name)) != 0)
		return false;
	dot = strrchr(name, '.');
	before = (size_t)at + (dot ? (size_t)(dot + 1 - name) : 0);
	name = dot ? dot + 1 : name;
	every = dkt__every_field(name, strlen(name));
	/* The name of the column itself is missing if the table is none of events. */
	if (!every || !strcmp(name, schema_fixed(columns[every])->name))
		return false;
	text = dkt__format("%.*s%s%s", (int)before, query->text, schema_fixed(columns[every])->name,
			   query->text + before + strlen(name));
	if (!text)
		return false;
	free(query->own_text);
	query->text = query->own_text = text;
	return true;
}

/* True if the statement names a table or a column that these files lack, and others may have. */
static bool lacks_name(const struct query *query)
{
	const char *words = sqlite3_errmsg(query->sqlite);

	return !strncmp(words, NO_COLUMN, strlen(NO_COLUMN)) ||
	       !strncmp(words, NO_TABLE, strlen(NO_TABLE));
}

int query_prepare(struct query *query)
{
	const char *rest = NULL;
	int rc;

	do
		rc = sqlite3_prepare_v3(query->sqlite, query->text, -1, SQLITE_PREPARE_PERSISTENT,
					&query->statement, &rest);
	while (rc == SQLITE_ERROR && name_column(query));
	query->app->wrong = rc == SQLITE_AUTH || (rc == SQLITE_ERROR && !lacks_name(query));
	if (rc)
		return query_fail(query);
	query->app->wrong = true;
	if (!query->statement)
		return dkt_fail(query->app->ctx, -EINVAL, "sql: the statement is empty");
	if (!is_empty(rest))
		return dkt_fail(query->app->ctx, -EINVAL,
				"sql: give one statement; this is after the first: %s", rest);
	if (sqlite3_bind_parameter_count(query->statement))
		return dkt_fail(query->app->ctx, -EINVAL,
				"sql: a statement cannot have parameters (?, :NAME)");
	query->app->wrong = false;
	return 0;
}

void query_clear(struct query *query)
{
	sqlite3_finalize(query->statement);
	if (query->database)
		database_free(query->database);
	else
		sqlite3_close(query->sqlite);
	dkt__strings_clear(&query->words);
	free(query->own_text);
}
