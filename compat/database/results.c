/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that analyses fill: logs of intervals, and what they count. */
#include "database/writing.h"

/* A process has a number beside its PID, which another one may have later. */
#define NUMBER "_nr"

static const char *type_of(enum result_type type)
{
	switch (type) {
	case RESULT_REAL:
	case RESULT_SHARE:
		return "REAL";
	case RESULT_TEXT:
	case RESULT_PROCESS:
	case RESULT_IRQ:
	case RESULT_SOFTIRQ:
	case RESULT_DISK:
	case RESULT_SYSCALL:
	case RESULT_PATH:
		return "TEXT";
	case RESULT_VALUE:
		return "";
	default:
		return "INTEGER";
	}
}

static void put_column(struct database *db, const char *key, const char *type)
{
	dkt_buf_str(db->sql, ", ");
	database_quote(db->sql, key);
	dkt_buf_printf(db->sql, " %s", type);
}

int results_create(struct database *db, struct answer *answer)
{
	struct written *it = database_written(db, &answer->writer);
	const struct result_table *table = answer_table(&db->answers, answer);
	size_t n = 2;
	int err;

	if (!it)
		return dkt__no_memory(db->ctx);
	if (it->created)
		return 0;
	dkt_buf_str(db->sql, "CREATE TABLE ");
	database_quote(db->sql, answer->name);
	dkt_buf_str(db->sql, "(seq INTEGER PRIMARY KEY, host INTEGER");
	for (size_t i = 0; i < table->n; i++) {
		const struct result_column *column = &table->columns[i];

		put_column(db, column->key, type_of(column->type));
		n++;
		if (column->number_key) {
			put_column(db, column->number_key, "INTEGER");
			n++;
		}
		if (column->type == RESULT_PROCESS) {
			char *key __cleanup(free) = dkt__format("%s" NUMBER, column->key);

			put_column(db, key ? key : "", "INTEGER");
			n++;
		}
	}
	dkt_buf_str(db->sql, ");");
	err = database_run(db);
	it->created = true;
	it->columns = n;
	if (err)
		return err;
	dkt_buf_str(db->sql, "INSERT INTO ");
	database_quote(db->sql, answer->name);
	dkt_buf_str(db->sql, " VALUES(NULL");
	while (--n)
		dkt_buf_str(db->sql, ", ?");
	dkt_buf_str(db->sql, ")");
	return database_prepare(db, &it->insert);
}

static bool is_text(const struct result_column *column, const struct result_cell *cell)
{
	return *type_of(column->type) == 'T' || (column->type == RESULT_VALUE && cell->text);
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
	else if (*type_of(column->type) == 'R')
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
