/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that analyses fill: logs of intervals, and what they count. */
#include "database/writing.h"

static const char *const types[] = {
	[ANSWER_INTEGER] = "INTEGER",
	[ANSWER_REAL] = "REAL",
	[ANSWER_TEXT] = "TEXT",
	[ANSWER_ANY] = "",
};

struct creation {
	struct database *db;
	size_t n; /* columns so far */
};

static int put_column(void *data, const char *name, enum answer_type type)
{
	struct creation *creation = data;
	struct dkt_buf *sql = creation->db->sql;

	dkt_buf_str(sql, ", ");
	database_quote(sql, name);
	dkt_buf_printf(sql, " %s", types[type]);
	creation->n++;
	return 0;
}

int results_create(struct database *db, struct answer *answer)
{
	struct written *it = database_written(db, &answer->writer);
	const struct result_table *table = answer_table(&db->answers, answer);
	struct creation creation = { db, 2 };
	int err;

	if (!it)
		return dkt__no_memory(db->ctx);
	if (it->created)
		return 0;
	dkt_buf_str(db->sql, "CREATE TABLE ");
	database_quote(db->sql, answer->name);
	dkt_buf_str(db->sql, "(seq INTEGER PRIMARY KEY, host INTEGER");
	err = answer_each_column(table, put_column, &creation);
	dkt_buf_str(db->sql, ");");
	if (err) {
		dkt_buf_reset(db->sql);
		return dkt__no_memory(db->ctx);
	}
	err = database_run(db);
	it->created = true;
	it->columns = creation.n;
	if (err)
		return err;
	dkt_buf_str(db->sql, "INSERT INTO ");
	database_quote(db->sql, answer->name);
	dkt_buf_str(db->sql, " VALUES(NULL");
	for (size_t i = 1; i < creation.n; i++)
		dkt_buf_str(db->sql, ", ?");
	dkt_buf_str(db->sql, ")");
	return database_prepare(db, &it->insert);
}

static bool is_text(const struct result_column *column, const struct result_cell *cell)
{
	enum answer_type type = answer_type(column);

	return type == ANSWER_TEXT || (type == ANSWER_ANY && cell->text);
}

static int bind_cell(sqlite3_stmt *insert, int at, const struct result_column *column,
		     const struct result_cell *cell)
{
	if (!cell->known)
		sqlite3_bind_null(insert, at);
	else if (is_text(column, cell) && cell->text)
		events_bind_text(insert, at, cell->text, strlen(cell->text));
	else if (is_text(column, cell))
		sqlite3_bind_null(insert, at);
	else if (answer_type(column) == ANSWER_REAL)
		sqlite3_bind_double(insert, at, cell->real);
	else
		sqlite3_bind_int64(insert, at, (int64_t)cell->number);
	at++;
	if (column->number_key) {
		if (cell->known)
			sqlite3_bind_int64(insert, at, (int64_t)cell->number);
		else
			sqlite3_bind_null(insert, at);
		at++;
	}
	if (column->type == RESULT_PROCESS)
		sqlite3_bind_int64(insert, at++, cell->process);
	return at;
}

int results_row(void *data, struct answer *answer, size_t host, const struct result_cell *cells)
{
	struct database *db = data;
	const struct result_table *table = answer_table(&db->answers, answer);
	struct written *it;
	int err, at = 2;

	/* An analysis counts only at the end, and from too few events it counts nothing. */
	if (!answer->set && !answer_suffices(&db->answers, answer))
		return 0;
	err = results_create(db, answer);
	if (err)
		return err;
	it = answer->writer;
	sqlite3_bind_int64(it->insert, 1, (int64_t)host + 1);
	for (size_t i = 0; i < table->n; i++)
		at = bind_cell(it->insert, at, &table->columns[i], &cells[i]);
	it->rows++;
	return database_step(db, it->insert);
}
