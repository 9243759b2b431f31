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
	dkt_buf_str(db->sql, " ");
	return database_prepare_batch(db, &it->batch, creation.n);
}

static void add_text(struct batch *batch, const char *text)
{
	if (text)
		batch_text(batch, text, strlen(text));
	else
		batch_null(batch);
}

static void add_cell(struct batch *batch, const struct result_column *column,
		     const struct result_cell *cell)
{
	enum answer_type type = answer_type(column);

	if (!cell->known)
		batch_null(batch);
	else if (type == ANSWER_TEXT || (type == ANSWER_ANY && cell->text))
		add_text(batch, cell->text);
	else if (type == ANSWER_REAL)
		batch_real(batch, cell->real);
	else
		batch_integer(batch, (int64_t)cell->number);
	if (column->number_key && cell->known)
		batch_integer(batch, (int64_t)cell->number);
	else if (column->number_key)
		batch_null(batch);
	if (column->type == RESULT_PROCESS)
		batch_integer(batch, cell->process);
}

int results_row(void *data, struct answer *answer, size_t host, const struct result_cell *cells)
{
	struct database *db = data;
	const struct result_table *table = answer_table(&db->answers, answer);
	struct written *it;
	int err;

	/* An analysis counts only at the end, and from too few events it counts nothing. */
	if (!answer->set && !answer_suffices(&db->answers, answer))
		return 0;
	err = results_create(db, answer);
	if (err)
		return err;
	it = answer->writer;
	/* SQLite numbers the rows. */
	batch_null(&it->batch);
	batch_integer(&it->batch, (int64_t)host + 1);
	for (size_t i = 0; i < table->n; i++)
		add_cell(&it->batch, &table->columns[i], &cells[i]);
	return database_end_row(db, it);
}
