/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the rows of a statement. */
#include <math.h>

#include "compat/io/say.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/out/json.h"
#include "ctl/sql/sql.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

/* Rows that are kept, so that text has columns as wide as they need. */
#define BATCH 1000

struct result {
	struct query *query;
	enum out_form form;
	struct column *columns;
	char **names; /* as they print, unique */
	size_t n;
	struct rows *rows;
	bool begun; /* a batch was printed */
};

/* ---- columns ---- */

/* Two columns of a statement can have one name; an object of JSON cannot. */
static char *unique(const struct result *result, const char *name)
{
	char *text = strdup(name);

	for (size_t nr = 2, i = 0; text && i < result->n; i++)
		if (!strcmp(result->names[i], text)) {
			free(text);
			text = dkt__format("%s_%zu", name, nr++);
			i = SIZE_MAX;
		}
	return text;
}

static bool is_number(sqlite3_stmt *statement, int i)
{
	int type = sqlite3_column_type(statement, i);
	const char *declared = sqlite3_column_decltype(statement, i);

	if (type == SQLITE_NULL)
		return declared && (!strcmp(declared, "INTEGER") || !strcmp(declared, "REAL"));
	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* The first row tells the types. */
static int set_columns(struct result *result)
{
	sqlite3_stmt *statement = result->query->statement;
	size_t n = (size_t)sqlite3_column_count(statement);

	result->columns = calloc(n + 1, sizeof(*result->columns));
	result->names = calloc(2 * n + 1, sizeof(*result->names));
	if (!result->columns || !result->names)
		return -ENOMEM;
	for (; result->n < n; result->n++) {
		const char *name = sqlite3_column_name(statement, (int)result->n);
		char *key = name ? unique(result, name) : NULL;

		result->names[result->n] = key;
		/* A name comes from a file or from the statement. */
		result->names[n + result->n] = key ? dkl_shown(key) : NULL;
		if (!result->names[n + result->n])
			return -ENOMEM;
		result->columns[result->n] = (struct column){
			.key = key,
			.heading = result->names[n + result->n],
			.type = is_number(statement, (int)result->n) ? COL_NUMBER : COL_TEXT,
		};
	}
	result->rows = rows_new("rows", result->columns, result->n);
	return result->rows ? 0 : -ENOMEM;
}

/* ---- values ---- */

static struct json_object *text_value(const void *text, int len)
{
	return json_object_new_string_len(text ? text : "", len);
}

/* The shortest text that is this number. JSON has no infinity. */
static struct json_object *real_value(double real)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	return isfinite(real) ? json_object_new_double_s(real, text) : json_object_new_string(text);
}

static struct json_object *value_of(sqlite3_stmt *statement, int i)
{
	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_NULL:
		return NULL;
	case SQLITE_INTEGER:
		return json_object_new_int64(sqlite3_column_int64(statement, i));
	case SQLITE_FLOAT:
		return real_value(sqlite3_column_double(statement, i));
	case SQLITE_BLOB:
		return text_value(sqlite3_column_blob(statement, i),
				  sqlite3_column_bytes(statement, i));
	default:
		return text_value(sqlite3_column_text(statement, i),
				  sqlite3_column_bytes(statement, i));
	}
}

static int add_row(struct result *result)
{
	struct json_object **values __cleanup(free) = calloc(result->n + 1, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < result->n; i++)
		values[i] = value_of(result->query->statement, (int)i);
	rows_add_values(result->rows, values);
	return result->rows->err;
}

/* ---- printing ---- */

static int print_lines(const struct rows *rows)
{
	struct json_object *list = rows_json(rows);
	int err = 0;

	for (size_t i = 0; !err && i < json_object_array_length(list); i++)
		err = json_line(json_object_array_get_idx(list, i), stdout);
	json_object_put(list);
	return err;
}

/* Prints the rows so far. A longer result has no columns of one width. */
static int print_batch(struct result *result, bool last)
{
	bool raw = OPT(result->query->app, print)->raw_text, first = !result->begun;
	int err;

	if (result->form == OUT_JSON)
		err = print_lines(result->rows);
	else if (result->form == OUT_CSV)
		err = first ? rows_csv(result->rows, raw, stdout) :
			      rows_csv_lines(result->rows, raw, stdout);
	else if (first && last)
		err = rows_table(result->rows, raw, stdout);
	else
		err = rows_lines(result->rows, first, raw, stdout);
	result->begun = true;
	rows_cut(result->rows, 0);
	if (!err && ferror(stdout))
		err = -EPIPE;
	return err;
}

static int run(struct result *result)
{
	int rc, err = 0;

	while (!err && (rc = sqlite3_step(result->query->statement)) == SQLITE_ROW) {
		if (!result->rows)
			err = set_columns(result);
		else if (rows_count(result->rows) == BATCH)
			err = print_batch(result, false);
		if (!err)
			err = add_row(result);
	}
	if (err)
		return dkt__with_words(result->query->app->ctx, err);
	if (rc != SQLITE_DONE)
		return query_fail(result->query);
	/* CSV has its line of names also without rows. */
	if (!result->rows)
		err = set_columns(result);
	return dkt__with_words(result->query->app->ctx, err ? err : print_batch(result, true));
}

int query_print(struct query *query)
{
	struct result result = { .query = query,
				 .form = OPT(query->app, print)->json ? OUT_JSON :
					 OPT(query->app, print)->csv  ? OUT_CSV :
									OUT_TEXT };
	struct query_watch watch;
	int err = query_watch_begin(query, &watch);

	if (err)
		return err;
	err = run(&result);
	query_watch_end(&watch);
	rows_free(result.rows);
	for (size_t i = 0; result.names && i < result.n; i++) {
		free(result.names[i]);
		free(result.names[sqlite3_column_count(query->statement) + (int)i]);
	}
	free(result.names);
	free(result.columns);
	return err;
}
