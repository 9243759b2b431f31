/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of events. */
#include "base/escape.h"
#include "database/writing.h"

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

	if (!it)
		return dkt__no_memory(db->ctx);
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
	sqlite3_finalize(it->insert);
	it->insert = NULL;
	return database_run(db);
}

static bool is_filled(const struct database *db, const struct written *it, size_t column)
{
	return !db->chosen || (column < it->n_wanted && it->wanted[column]);
}

/* seq is always filled. */
static int prepare(struct database *db, const struct schema_table *table, struct written *it)
{
	size_t n = 1;

	dkt_buf_str(db->sql, "INSERT INTO ");
	database_quote(db->sql, table->name);
	dkt_buf_str(db->sql, "(seq");
	for (size_t i = 1; i < SCHEMA_N_FIXED + table->n; i++) {
		if (!is_filled(db, it, i))
			continue;
		dkt_buf_str(db->sql, ", ");
		database_quote(db->sql, i < SCHEMA_N_FIXED ?
						schema_fixed(i)->name :
						table->columns[i - SCHEMA_N_FIXED].name);
		n++;
	}
	dkt_buf_str(db->sql, ") VALUES(?");
	while (--n)
		dkt_buf_str(db->sql, ", ?");
	dkt_buf_str(db->sql, ")");
	return database_prepare(db, &it->insert);
}

/* ---- values ---- */

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

void events_bind_text(sqlite3_stmt *statement, int at, const char *text, size_t len)
{
	if (dkt__likely(is_utf8(text, len)))
		sqlite3_bind_text64(statement, at, text, len, SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_blob64(statement, at, text, len, SQLITE_STATIC);
}

static void bind_fixed(const struct database *db, sqlite3_stmt *insert, int at,
		       enum schema_fixed column, size_t file, struct dkt_source *source,
		       const struct dkt_record *record)
{
	const char *comm;

	switch (column) {
	case SCHEMA_SEQ:
		sqlite3_bind_int64(insert, at, db->seq);
		return;
	case SCHEMA_TS:
		sqlite3_bind_int64(insert, at, (int64_t)record->ts);
		return;
	case SCHEMA_HOST:
		sqlite3_bind_int64(insert, at, (int64_t)db->files[file].host + 1);
		return;
	case SCHEMA_CPU:
		sqlite3_bind_int64(insert, at, record->cpu);
		return;
	case SCHEMA_PID:
		sqlite3_bind_int64(insert, at, record->pid);
		return;
	case SCHEMA_COMM:
		comm = dkt_source_comm(source, record);
		events_bind_text(insert, at, comm, strlen(comm));
		return;
	default:
		sqlite3_bind_int64(insert, at, record->flags);
	}
}

/* Lists of one record share the buffer, which may move: SQLite copies them. */
static void bind_list(struct database *db, sqlite3_stmt *insert, int at,
		      const struct schema_value *value)
{
	const char *text;
	size_t len;

	dkt_buf_reset(db->text);
	schema_list_text(value, db->text);
	text = dkt_buf_data(db->text, &len);
	sqlite3_bind_text64(insert, at, text, len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void bind_field(struct database *db, sqlite3_stmt *insert, int at,
		       const struct dkt_record *record, const struct dkt_field *field,
		       enum schema_type type)
{
	struct schema_value value;

	schema_value(record, field, type, &value);
	if (dkt__unlikely(!value.known))
		sqlite3_bind_null(insert, at);
	else if (type <= SCHEMA_UNSIGNED)
		sqlite3_bind_int64(insert, at, value.number);
	else if (type == SCHEMA_TEXT)
		events_bind_text(insert, at, value.bytes, value.len);
	else if (type == SCHEMA_LIST)
		bind_list(db, insert, at, &value);
	else
		sqlite3_bind_blob64(insert, at, value.bytes, value.len, SQLITE_STATIC);
}

int events_add(struct database *db, size_t file, struct dkt_source *source,
	       const struct dkt_record *record)
{
	struct schema_event *event;
	int err = schema_event_of(&db->schema, record->event, &event), at = 1;
	struct schema_table *table;
	struct written *it;

	if (err)
		return err;
	table = event->table;
	it = table->writer;
	if (dkt__unlikely(!it || !it->created || it->columns < table->n)) {
		if (db->opts.wants && !db->opts.wants(db->opts.data, table->name))
			return 0;
		err = events_create(db, table);
		it = table->writer;
	}
	if (dkt__unlikely(!err && !it->insert))
		err = prepare(db, table, it);
	if (dkt__unlikely(err))
		return err;
	for (size_t i = 0; i < SCHEMA_N_FIXED; i++)
		if (!i || is_filled(db, it, i))
			bind_fixed(db, it->insert, at++, i, file, source, record);
	for (size_t i = 0; i < table->n; i++)
		if (is_filled(db, it, SCHEMA_N_FIXED + i))
			bind_field(db, it->insert, at++, record,
				   i < event->n ? event->fields[i] : NULL, table->columns[i].type);
	it->rows++;
	return database_step(db, it->insert);
}
