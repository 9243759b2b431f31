/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of events. */
#include "answers/sql/writing.h"

/* ---- tables ---- */

static const char *const types[] = {
	[SCHEMA_NUMBER] = "INTEGER", [SCHEMA_UNSIGNED] = "INTEGER", [SCHEMA_TEXT] = "TEXT",
	[SCHEMA_BYTES] = "BLOB",     [SCHEMA_LIST] = "TEXT",
};

static void put_column(struct database *db, const struct schema_column *column)
{
	database_quote(db->sql, column->name);
	dkt_buf_printf(db->sql, " %s", types[column->type]);
}

static void put_create(struct database *db, const struct schema_table *table)
{
	dkt_buf_str(db->sql, "CREATE TABLE ");
	database_quote(db->sql, table->name);
	dkt_buf_str(db->sql, "(seq INTEGER PRIMARY KEY");
	for (size_t i = SCHEMA_SEQ + 1; i < SCHEMA_N_FIXED + table->n; i++) {
		dkt_buf_str(db->sql, ", ");
		put_column(db, i < SCHEMA_N_FIXED ? schema_fixed(i) :
						    &table->columns[i - SCHEMA_N_FIXED]);
	}
	dkt_buf_str(db->sql, ");");
}

int events_create(struct database *db, struct schema_table *table)
{
	struct written *it = database_written(db, &table->writer);
	int err = it ? database_pass(db, &it->batch) : dkt__no_memory(db->ctx);

	if (err)
		return err;
	if (!it->created && db->n_events++ == DATABASE_EVENTS)
		return dkt_fail(db->ctx, -E2BIG,
				"the records are of more than %d events, each of which is a table;"
				" choose fewer with --event",
				DATABASE_EVENTS);
	if (!it->created) {
		put_create(db, table);
	} else {
		for (size_t i = it->columns; i < table->n; i++) {
			dkt_buf_str(db->sql, "ALTER TABLE ");
			database_quote(db->sql, table->name);
			dkt_buf_str(db->sql, " ADD COLUMN ");
			put_column(db, &table->columns[i]);
			dkt_buf_str(db->sql, ";");
		}
	}
	it->created = true;
	it->columns = table->n;
	batch_end(&it->batch);
	return database_run(db);
}

/* seq is always filled. */
static int prepare(struct database *db, const struct schema_table *table, struct written *it)
{
	size_t n = 1;

	dkt_buf_str(db->sql, "INSERT INTO ");
	database_quote(db->sql, table->name);
	dkt_buf_str(db->sql, "(seq");
	for (size_t i = 1; i < SCHEMA_N_FIXED + table->n; i++) {
		if (!database_fills(db, it, i))
			continue;
		dkt_buf_str(db->sql, ", ");
		database_quote(db->sql, i < SCHEMA_N_FIXED ?
						schema_fixed(i)->name :
						table->columns[i - SCHEMA_N_FIXED].name);
		n++;
	}
	dkt_buf_str(db->sql, ") ");
	return database_prepare_batch(db, &it->batch, n);
}

/* ---- values ---- */

static void add_fixed(const struct database *db, struct batch *batch, enum schema_fixed column,
		      size_t file, struct dkt_source *source, const struct dkt_record *record)
{
	const char *comm;

	switch (column) {
	case SCHEMA_SEQ:
		batch_integer(batch, db->seq);
		return;
	case SCHEMA_TS:
		batch_integer(batch, (int64_t)record->ts);
		return;
	case SCHEMA_HOST:
		batch_integer(batch, (int64_t)db->files[file].host + 1);
		return;
	case SCHEMA_CPU:
		batch_integer(batch, record->cpu);
		return;
	case SCHEMA_PID:
		batch_integer(batch, record->pid);
		return;
	case SCHEMA_COMM:
		comm = dkt_source_comm(source, record);
		batch_text(batch, comm, strlen(comm));
		return;
	default:
		batch_integer(batch, record->flags);
	}
}

static void add_field(struct batch *batch, const struct dkt_record *record,
		      const struct dkt_field *field, enum schema_type type)
{
	struct schema_value value;

	schema_value(record, field, type, &value);
	if (dkt__unlikely(!value.known))
		batch_null(batch);
	else if (type <= SCHEMA_UNSIGNED)
		batch_integer(batch, value.number);
	else if (type == SCHEMA_TEXT)
		batch_text(batch, value.bytes, value.len);
	else if (type == SCHEMA_LIST)
		batch_list(batch, &value);
	else
		batch_bytes(batch, BATCH_BLOB, value.bytes, value.len);
}

/* Creates the table or adds columns, unless it is not wanted. */
static int open_table(struct database *db, struct schema_table *table)
{
	struct written *it;

	if (database_is_wanted(db, table->name))
		return events_create(db, table);
	it = database_written(db, &table->writer);
	if (!it)
		return dkt__no_memory(db->ctx);
	it->left = true;
	return 0;
}

static bool is_ready(const struct schema_table *table)
{
	const struct written *it = table->writer;

	return it && (it->left || (it->created && it->columns >= table->n));
}

int events_add(struct database *db, size_t file, struct dkt_source *source,
	       const struct dkt_record *record)
{
	struct schema_event *event;
	int err = schema_event_of(&db->schema, record->event, &event);
	struct schema_table *table;
	struct written *it;

	if (err)
		return err;
	table = event->table;
	if (dkt__unlikely(!is_ready(table)))
		err = open_table(db, table);
	if (dkt__unlikely(err))
		return err;
	it = table->writer;
	if (it->left) {
		it->rows++;
		return 0;
	}
	if (dkt__unlikely(!it->batch.insert))
		err = prepare(db, table, it);
	if (dkt__unlikely(err))
		return err;
	for (size_t i = 0; i < SCHEMA_N_FIXED; i++)
		if (!i || database_fills(db, it, i))
			add_fixed(db, &it->batch, i, file, source, record);
	for (size_t i = 0; i < table->n; i++)
		if (database_fills(db, it, SCHEMA_N_FIXED + i))
			add_field(&it->batch, record, i < event->n ? event->fields[i] : NULL,
				  table->columns[i].type);
	return database_end_row(db, it);
}
