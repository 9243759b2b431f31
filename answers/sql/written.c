/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statements that create a table, and insert into it. */
#include "answers/sql/writing.h"

struct written *written_of(struct database *db, void **writer, const char *name)
{
	struct written *table = *writer;

	if (!table) {
		table = *writer = dkt__arena_alloc(&db->arena, sizeof(*table));
		if (table)
			table->name = name;
	}
	return table;
}

int written_column(struct database *db, struct written *table, const char *name, const char *type)
{
	const char *kept = dkt__arena_strndup(&db->arena, name, strlen(name));
	struct written_column *columns =
		dkt__arena_grow(&db->arena, table->columns, table->n, sizeof(*columns));

	if (!kept || !columns)
		return -ENOMEM;
	table->columns = columns;
	columns[table->n++] = (struct written_column){ kept, type, false };
	return 0;
}

static void put_column(struct database *db, const struct written *table, size_t i)
{
	if (i < table->plain)
		dkt_buf_str(db->sql, table->columns[i].name);
	else
		database_quote(db->sql, table->columns[i].name);
	dkt_buf_printf(db->sql, " %s", table->columns[i].type);
}

static void put_create(struct database *db, const struct written *table)
{
	dkt_buf_str(db->sql, "CREATE TABLE ");
	database_quote(db->sql, table->name);
	for (size_t i = 0; i < table->n; i++) {
		dkt_buf_str(db->sql, i ? ", " : "(");
		put_column(db, table, i);
	}
	dkt_buf_str(db->sql, ");");
}

int written_create(struct database *db, struct written *table)
{
	/* Rows that wait have fewer columns. */
	int err = database_pass(db, &table->batch);

	if (err)
		return err;
	batch_end(&table->batch);
	if (!table->declared)
		put_create(db, table);
	for (size_t i = table->declared; table->declared && i < table->n; i++) {
		dkt_buf_str(db->sql, "ALTER TABLE ");
		database_quote(db->sql, table->name);
		dkt_buf_str(db->sql, " ADD COLUMN ");
		put_column(db, table, i);
		dkt_buf_str(db->sql, ";");
	}
	table->declared = table->n;
	return database_run(db);
}

int written_prepare(struct database *db, struct written *table)
{
	size_t n = 0;

	dkt_buf_str(db->sql, "INSERT INTO ");
	database_quote(db->sql, table->name);
	for (size_t i = 0; i < table->n; i++) {
		if (i && !written_fills(db, table, i))
			continue;
		dkt_buf_str(db->sql, n++ ? ", " : "(");
		database_quote(db->sql, table->columns[i].name);
	}
	dkt_buf_str(db->sql, ") ");
	return database_prepare(db, &table->batch, n);
}
