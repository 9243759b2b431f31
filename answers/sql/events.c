/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of events. */
#include "answers/sql/writing.h"

/*
 * Tables of events at most, a few times as many as a kernel has events: SQLite looks at all tables whenever it
 * creates one, so that many more take time by the square of their number.
 */
#define EVENTS_MOST 8192

static const char *const types[] = {
	[SCHEMA_NUMBER] = "INTEGER", [SCHEMA_UNSIGNED] = "INTEGER", [SCHEMA_TEXT] = "TEXT",
	[SCHEMA_BYTES] = "BLOB",     [SCHEMA_LIST] = "TEXT",
};

static int add_column(struct database *db, struct written *to, const struct schema_column *column)
{
	return written_column(db, to, column->name, types[column->type]);
}

int events_create(struct database *db, struct schema_table *table)
{
	struct written *to = written_of(db, &table->writer, table->name);
	int err = to ? 0 : -ENOMEM;

	if (!err && !to->n) {
		if (db->n_events++ == EVENTS_MOST)
			return dkt_fail(db->ctx, -E2BIG,
					"the records are of more than %d events, each of which is a"
					" table; choose fewer with --event",
					EVENTS_MOST);
		to->plain = 1;
		err = written_column(db, to, schema_fixed(SCHEMA_SEQ)->name, "INTEGER PRIMARY KEY");
		for (size_t i = SCHEMA_SEQ + 1; !err && i < SCHEMA_N_FIXED; i++)
			err = add_column(db, to, schema_fixed(i));
	}
	for (size_t i = err ? 0 : to->n - SCHEMA_N_FIXED; !err && i < table->n; i++)
		err = add_column(db, to, &table->columns[i]);
	return err ? dkt__no_memory(db->ctx) : written_create(db, to);
}

/* ---- values ---- */

static void add_fixed(struct database *db, struct written *to, size_t file,
		      const struct dkt_record *record)
{
	const int64_t values[SCHEMA_N_FIXED] = {
		[SCHEMA_SEQ] = db->seq,     [SCHEMA_TS] = (int64_t)record->ts,
		[SCHEMA_CPU] = record->cpu, [SCHEMA_HOST] = (int64_t)db->hosts[file] + 1,
		[SCHEMA_PID] = record->pid, [SCHEMA_FLAGS] = record->flags,
	};

	batch_integer(&to->batch, db->seq);
	for (size_t i = SCHEMA_SEQ + 1; i < SCHEMA_N_FIXED; i++) {
		if (!written_fills(db, to, i))
			continue;
		if (i == SCHEMA_COMM)
			batch_text_or_null(&to->batch, dkt_source_comm(db->p->source, record));
		else
			batch_integer(&to->batch, values[i]);
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

/* Makes the table ready for a row, unless it is not wanted. */
static int open_table(struct database *db, struct schema_table *table)
{
	struct written *to = written_of(db, &table->writer, table->name);
	int err = 0;

	if (!to)
		return dkt__no_memory(db->ctx);
	to->left = !database_is_wanted(db, table->name);
	if (to->left)
		return 0;
	if (to->declared < SCHEMA_N_FIXED + table->n)
		err = events_create(db, table);
	return err || to->batch.insert ? err : written_prepare(db, to);
}

static bool is_ready(const struct schema_table *table)
{
	const struct written *to = table->writer;

	return to && (to->left || (to->batch.insert && to->declared >= SCHEMA_N_FIXED + table->n));
}

int events_add(struct database *db, size_t file, const struct dkt_record *record)
{
	struct schema_event *event;
	int err = schema_event_of(&db->schema, record->event, &event);
	struct schema_table *table;
	struct written *to;

	if (err)
		return err;
	table = event->table;
	if (dkt__unlikely(!is_ready(table)))
		err = open_table(db, table);
	if (dkt__unlikely(err))
		return err;
	to = table->writer;
	to->rows++;
	if (to->left)
		return 0;
	add_fixed(db, to, file, record);
	for (size_t i = 0; i < table->n; i++)
		if (written_fills(db, to, SCHEMA_N_FIXED + i))
			add_field(&to->batch, record, i < event->n ? event->fields[i] : NULL,
				  table->columns[i].type);
	return database_end_row(db, &to->batch);
}
