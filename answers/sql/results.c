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
#define OWN_COLUMNS 2

/* ---- columns ---- */

/* A walk over the columns of a table in the database. */
struct walk {
	struct database *db;
	const struct written *it;
	const char *name; /* to find; NULL: none */
	size_t at; /* of the next column */
	size_t n; /* columns so far that rows fill */
};

static int put_column(void *data, const char *name, enum answer_type type)
{
	struct walk *walk = data;
	struct dkt_buf *sql = walk->db->sql;

	dkt_buf_str(sql, ", ");
	database_quote(sql, name);
	dkt_buf_printf(sql, " %s", types[type]);
	walk->at++;
	return 0;
}

static int put_name(void *data, const char *name, enum answer_type type)
{
	struct walk *walk = data;

	(void)type;
	if (!database_fills(walk->db, walk->it, walk->at++))
		return 0;
	dkt_buf_str(walk->db->sql, ", ");
	database_quote(walk->db->sql, name);
	walk->n++;
	return 0;
}

static int is_column(void *data, const char *name, enum answer_type type)
{
	struct walk *walk = data;

	(void)type;
	if (!strcasecmp(name, walk->name))
		return 1;
	walk->at++;
	return 0;
}

size_t results_column(struct database *db, const struct answer *answer, const char *name)
{
	struct walk walk = { .db = db, .name = name, .at = OWN_COLUMNS };

	if (!strcasecmp(name, "seq"))
		return 0;
	if (!strcasecmp(name, "host"))
		return 1;
	answer_each_column(answer_table(&db->answers, answer), is_column, &walk);
	return walk.at;
}

/* ---- tables ---- */

int results_create(struct database *db, struct answer *answer)
{
	struct written *it = database_written(db, &answer->writer);
	struct walk walk = { .db = db, .at = OWN_COLUMNS };
	int err;

	if (!it)
		return dkt__no_memory(db->ctx);
	if (it->created)
		return 0;
	dkt_buf_str(db->sql, "CREATE TABLE ");
	database_quote(db->sql, answer->name);
	dkt_buf_str(db->sql, "(seq INTEGER PRIMARY KEY, host INTEGER");
	err = answer_each_column(answer_table(&db->answers, answer), put_column, &walk);
	dkt_buf_str(db->sql, ");");
	if (err) {
		dkt_buf_reset(db->sql);
		return dkt__no_memory(db->ctx);
	}
	it->created = true;
	it->columns = walk.at;
	return database_run(db);
}

/* seq is always given: SQLite numbers the rows. */
static int prepare(struct database *db, const struct answer *answer)
{
	struct written *it = answer->writer;
	struct walk walk = { .db = db, .it = it, .at = 1, .n = 1 };
	int err;

	dkt_buf_str(db->sql, "INSERT INTO ");
	database_quote(db->sql, answer->name);
	dkt_buf_str(db->sql, "(seq");
	put_name(&walk, "host", ANSWER_INTEGER);
	err = answer_each_column(answer_table(&db->answers, answer), put_name, &walk);
	dkt_buf_str(db->sql, ") ");
	if (err) {
		dkt_buf_reset(db->sql);
		return dkt__no_memory(db->ctx);
	}
	return database_prepare_batch(db, &it->batch, walk.n);
}

/* ---- rows ---- */

static void add_text(struct batch *batch, const char *text)
{
	if (text)
		batch_text(batch, text, strlen(text));
	else
		batch_null(batch);
}

static void add_value(struct batch *batch, enum answer_type type, const struct result_cell *cell)
{
	if (!cell->known)
		batch_null(batch);
	else if (type == ANSWER_TEXT || (type == ANSWER_ANY && cell->text))
		add_text(batch, cell->text);
	else if (type == ANSWER_REAL)
		batch_real(batch, cell->real);
	else
		batch_integer(batch, (int64_t)cell->number);
}

/* Adds the values of a cell that are filled, the first of which is of column i. Returns the next column. */
static size_t add_cell(const struct database *db, struct written *it, size_t i,
		       const struct result_column *column, const struct result_cell *cell)
{
	struct batch *batch = &it->batch;

	if (database_fills(db, it, i++))
		add_value(batch, answer_type(column), cell);
	if (column->number_key && database_fills(db, it, i++)) {
		if (cell->known)
			batch_integer(batch, (int64_t)cell->number);
		else
			batch_null(batch);
	}
	if (column->type == RESULT_PROCESS && database_fills(db, it, i++))
		batch_integer(batch, cell->process);
	return i;
}

int results_row(void *data, struct answer *answer, size_t host, const struct result_cell *cells)
{
	struct database *db = data;
	const struct result_table *table = answer_table(&db->answers, answer);
	struct written *it;
	size_t at = OWN_COLUMNS;
	int err;

	/* An analysis counts only at the end, and from too few events it counts nothing. */
	if (!answer->set && !answer_suffices(&db->answers, answer))
		return 0;
	err = results_create(db, answer);
	it = answer->writer;
	if (!err && dkt__unlikely(!it->batch.insert))
		err = prepare(db, answer);
	if (err)
		return err;
	batch_null(&it->batch);
	if (database_fills(db, it, 1))
		batch_integer(&it->batch, (int64_t)host + 1);
	for (size_t i = 0; i < table->n; i++)
		at = add_cell(db, it, at, &table->columns[i], &cells[i]);
	return database_end_row(db, it);
}
