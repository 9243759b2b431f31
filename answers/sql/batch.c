/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes many rows to SQLite by one statement. */
#include "answers/sql/batch.h"

#include "lib/base/escape.h"
#include "lib/base/memory.h"

/* Cells of a batch, unless one row has more. */
#define CELLS 1024

#define COLUMNS (SCHEMA_N_FIXED + SCHEMA_COLUMNS)

/* ---- the virtual table ---- */

struct table {
	sqlite3_vtab base;
	const struct batches *batches;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct batch *batch;
	size_t at; /* the first cell of the row */
};

static int connect(sqlite3 *sqlite, void *data, int argc, const char *const *argv,
		   sqlite3_vtab **to, char **error)
{
	struct table *table;
	struct dkt_buf *sql;
	size_t len;
	int rc;

	(void)argc, (void)argv, (void)error;
	if (dkt_buf_new(&sql))
		return SQLITE_NOMEM;
	for (size_t i = 0; i < COLUMNS; i++)
		dkt_buf_printf(sql, i ? ",c%zu" : "CREATE TABLE x(c%zu", i);
	dkt__buf_add(sql, ")", 2);
	rc = dkt_buf_error(sql) ? SQLITE_NOMEM :
				  sqlite3_declare_vtab(sqlite, dkt_buf_data(sql, &len));
	dkt_buf_free(sql);
	if (rc)
		return rc;
	table = calloc(1, sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	table->batches = data;
	*to = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table, (void)info;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **to)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	*to = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int nr, const char *text, int argc,
		  sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;

	(void)nr, (void)text, (void)argc, (void)argv;
	cursor->batch = ((struct table *)base->pVtab)->batches->now;
	cursor->at = 0;
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	cursor->at += cursor->batch->columns;
	return SQLITE_OK;
}

/* Outside of batch_pass() the table is empty. */
static int is_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (struct cursor *)base;

	return !cursor->batch || cursor->at >= cursor->batch->n;
}

/* The bytes stay while the statement runs. */
static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	const struct cursor *cursor = (struct cursor *)base;
	const struct batch_cell *cell = &cursor->batch->cells[cursor->at + (size_t)i];
	const char *bytes;

	if (dkt__likely(cell->type == BATCH_INTEGER)) {
		sqlite3_result_int64(to, cell->number);
		return SQLITE_OK;
	}
	if (cell->type == BATCH_NULL)
		return SQLITE_OK;
	if (cell->type == BATCH_REAL) {
		sqlite3_result_double(to, cell->real);
		return SQLITE_OK;
	}
	bytes = cell->len ? cursor->batch->text->data + cell->at : "";
	if (cell->type == BATCH_TEXT)
		sqlite3_result_text64(to, bytes, cell->len, SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_result_blob64(to, bytes, cell->len, SQLITE_STATIC);
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((struct cursor *)base)->at;
	return SQLITE_OK;
}

/* Without xCreate it is there without a statement that creates it. */
static const sqlite3_module module = {
	.xConnect = connect,
	.xBestIndex = plan,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = is_end,
	.xColumn = column,
	.xRowid = row_id,
};

int batches_begin(struct batches *batches, sqlite3 *sqlite)
{
	return sqlite3_create_module_v2(sqlite, BATCH_TABLE, &module, batches, NULL);
}

void batches_end(sqlite3 *sqlite)
{
	sqlite3_create_module_v2(sqlite, BATCH_TABLE, NULL, NULL, NULL);
}

/* ---- rows ---- */

void batch_put_select(struct dkt_buf *sql, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		dkt_buf_printf(sql, i ? ", c%zu" : "SELECT c%zu", i);
	dkt_buf_str(sql, " FROM " BATCH_TABLE);
}

int batch_begin(struct batch *batch, sqlite3_stmt *insert, size_t columns)
{
	batch->insert = insert;
	batch->columns = columns;
	batch->most = DKT__MAX(columns, (size_t)CELLS);
	batch->cells = calloc(batch->most, sizeof(*batch->cells));
	return batch->cells ? dkt_buf_new(&batch->text) : -ENOMEM;
}

int batch_pass(struct batch *batch, struct batches *batches)
{
	int rc = SQLITE_NOMEM;

	if (!batch->n)
		return SQLITE_OK;
	if (!dkt_buf_error(batch->text)) {
		batches->now = batch;
		rc = sqlite3_step(batch->insert);
		batches->now = NULL;
		sqlite3_reset(batch->insert);
	}
	dkt_buf_reset(batch->text);
	batch->n = 0;
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

void batch_end(struct batch *batch)
{
	sqlite3_finalize(batch->insert);
	free(batch->cells);
	dkt_buf_free(batch->text);
	*batch = (struct batch){ 0 };
}

static bool is_utf8(const char *text, size_t len)
{
	unsigned int n;

	if (dkt__is_plain(text, len))
		return true;
	for (; len; text += n, len -= n) {
		n = dkt__utf8_len(text, len);
		if (!n)
			return false;
	}
	return true;
}

void batch_text(struct batch *batch, const char *text, size_t len)
{
	batch_bytes(batch, dkt__likely(is_utf8(text, len)) ? BATCH_TEXT : BATCH_BLOB, text, len);
}

void batch_text_or_null(struct batch *batch, const char *text)
{
	if (text)
		batch_text(batch, text, strlen(text));
	else
		batch_null(batch);
}

void batch_list(struct batch *batch, const struct schema_value *value)
{
	size_t at = batch->text->len;

	schema_list_text(value, batch->text);
	batch->cells[batch->n++] = (struct batch_cell){ .at = at,
							.len = (uint32_t)(batch->text->len - at),
							.type = BATCH_TEXT };
}
