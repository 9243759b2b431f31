/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of events, and their rows. */
#include "answers/load/loading.h"

static const char *const types[] = {
	[SCHEMA_NUMBER] = "Int64", [SCHEMA_UNSIGNED] = "Int64",    [SCHEMA_TEXT] = "String",
	[SCHEMA_BYTES] = "String", [SCHEMA_LIST] = "Array(Int64)",
};

/* Those of SQLite's tables that do not come with every row. */
static const struct {
	enum schema_fixed column;
	const char *type;
} fixed[] = {
	{ SCHEMA_TS, "Int64" },    { SCHEMA_CPU, "Int32" },
	{ SCHEMA_PID, "Int32" },   { SCHEMA_COMM, "LowCardinality(String)" },
	{ SCHEMA_FLAGS, "UInt8" },
};

static struct target *new_target(struct load *load, const char *name)
{
	struct target *target = target_new(load, name);
	int err = target ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < ARRAY_SIZE(fixed); i++)
		err = target_column(load, target, schema_fixed(fixed[i].column)->name,
				    fixed[i].type);
	if (err)
		return NULL;
	target->first = target->n;
	return target;
}

/* Makes the target as wide as the table. Rows that wait have fewer columns. */
static int widen(struct load *load, struct schema_table *table)
{
	struct target *target = table->writer;
	int err = 0;

	if (!target)
		target = table->writer = new_target(load, table->name);
	else
		err = block_send(load, target);
	if (!target)
		return dkt__no_memory(load->ctx);
	for (size_t i = target->n; !err && i < target->first + table->n; i++) {
		const struct schema_column *column = &table->columns[i - target->first];

		err = target_column(load, target, column->name, types[column->type]);
	}
	return err ? err : target_create(load, target, LAYOUT_EVENT);
}

/* A row has a value for each column: that of a field which a record lacks is 0 or empty. */
static void put_field(struct columns *row, const struct dkt_record *record,
		      const struct dkt_field *field, enum schema_type type)
{
	struct schema_value value;

	schema_value(record, field, type, &value);
	if (type <= SCHEMA_UNSIGNED) {
		row_u64(row, value.known ? (uint64_t)value.number : 0);
	} else if (type != SCHEMA_LIST) {
		row_text(row, value.bytes, value.known ? value.len : 0);
	} else {
		size_t n = value.known ? schema_elements(&value) : 0;

		row_list(row, n);
		for (size_t i = 0; i < n; i++)
			row_element(row, (uint64_t)schema_element(&value, i));
	}
}

static int add_event(struct load *load, size_t file, struct dkt_source *source,
		     const struct dkt_record *record)
{
	struct schema_event *event;
	int err = schema_event_of(&load->schema, record->event, &event);
	struct schema_table *table;
	struct target *target;
	struct columns *row;
	const char *comm;

	if (err)
		return err;
	table = event->table;
	target = table->writer;
	if (dkt__unlikely(!target || target->n < target->first + table->n)) {
		err = widen(load, table);
		target = table->writer;
	}
	if (!err)
		err = block_row(load, target, file, load->files[file].seq, record->ts, &row);
	if (err || !row)
		return err;
	comm = dkt_source_comm(source, record);
	row_u64(row, record->ts);
	row_u32(row, record->cpu);
	row_u32(row, (uint32_t)record->pid);
	row_text(row, comm, strlen(comm));
	row_u8(row, record->flags);
	for (size_t i = 0; i < table->n; i++)
		put_field(row, record, i < event->n ? event->fields[i] : NULL,
			  table->columns[i].type);
	return block_end(load, target);
}

static int add_loss(struct load *load, size_t file, const struct dkt_record *gap)
{
	struct columns *row;
	int err = block_row(load, load->losses, file, load->files[file].seq, gap->ts, &row);

	if (err || !row)
		return err;
	row_u64(row, gap->ts);
	row_u32(row, gap->cpu);
	row_known_u64(row, gap->lost != DKT_LOST_UNKNOWN, gap->lost);
	row_u8(row, gap->paused);
	return block_end(load, load->losses);
}

int rows_add(struct load *load, size_t file, struct dkt_source *source,
	     const struct dkt_record *record)
{
	return record->event ? add_event(load, file, source, record) : add_loss(load, file, record);
}
