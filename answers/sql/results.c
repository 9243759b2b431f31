/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that analyses fill: logs of intervals, and what they count. */
#include "answers/sql/writing.h"

static const char *const types[] = {
	[ANSWER_INTEGER] = "INTEGER",
	[ANSWER_REAL] = "REAL",
	[ANSWER_TEXT] = "TEXT",
	[ANSWER_ANY] = "",
};

/* Columns that the database adds to those of an answer, before them: the number of a row, and the host. */
enum { SEQ, HOST, OWN_COLUMNS };

/* ---- tables ---- */

struct creation {
	struct database *db;
	struct written *table;
};

static int add_column(void *data, const char *name, enum answer_type type)
{
	const struct creation *creation = data;

	return written_column(creation->db, creation->table, name, types[type]);
}

int results_create(struct database *db, struct answer *answer)
{
	struct written *table = written_of(db, &answer->writer, answer->name);
	struct creation creation = { db, table };
	int err = table ? 0 : -ENOMEM;

	if (!err && table->declared)
		return 0;
	if (!err)
		err = written_column(db, table, "seq", "INTEGER PRIMARY KEY");
	if (!err)
		err = written_column(db, table, "host", "INTEGER");
	if (!err)
		err = answer_each_column(answer_table(&db->answers, answer), add_column, &creation);
	if (err)
		return dkt__no_memory(db->ctx);
	table->plain = OWN_COLUMNS;
	return written_create(db, table);
}

/* ---- rows ---- */

static void add_value(struct batch *batch, enum answer_type type, const struct result_cell *cell)
{
	if (!cell->known)
		batch_null(batch);
	else if (type == ANSWER_TEXT || (type == ANSWER_ANY && cell->text))
		batch_text_or_null(batch, cell->text);
	else if (type == ANSWER_REAL)
		batch_real(batch, cell->real);
	else
		batch_integer(batch, (int64_t)cell->number);
}

/* Adds the values of a cell that are filled, the first of which is of column i. Returns the next column. */
static size_t add_cell(const struct database *db, struct written *table, size_t i,
		       const struct result_column *column, const struct result_cell *cell)
{
	struct batch *batch = &table->batch;

	if (written_fills(db, table, i++))
		add_value(batch, answer_type(column), cell);
	if (column->number_key && written_fills(db, table, i++))
		add_value(batch, ANSWER_INTEGER, cell);
	if (column->type == RESULT_PROCESS && written_fills(db, table, i++))
		batch_integer(batch, cell->process);
	return i;
}

int results_row(void *data, struct answer *answer, size_t host, const struct result_cell *cells)
{
	struct database *db = data;
	const struct result_table *columns = answer_table(&db->answers, answer);
	struct written *table;
	size_t at = OWN_COLUMNS;
	int err;

	/* An analysis counts only at the end, and from too few events it counts nothing. */
	if (!answer->log && !answer_suffices(&db->answers, answer))
		return 0;
	err = results_create(db, answer);
	table = answer->writer;
	if (!err && dkt__unlikely(!table->batch.insert))
		err = written_prepare(db, table);
	if (err)
		return err;
	/* SQLite numbers the rows. */
	batch_null(&table->batch);
	if (written_fills(db, table, HOST))
		batch_integer(&table->batch, (int64_t)host + 1);
	for (size_t i = 0; i < columns->n; i++)
		at = add_cell(db, table, at, &columns->columns[i], &cells[i]);
	return database_end_row(db, &table->batch);
}
