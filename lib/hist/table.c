/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of histograms: rows of keys with their sums. */
#include "lib/hist/table.h"

struct dkt_table *dkt__table_new(struct dkt_ctx *ctx)
{
	struct dkt_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->ctx = ctx;
	table->n_vals = 1;
	table->vals[0].spec = (struct dkt__key_spec){ .name = "hitcount" };
	return table;
}

void dkt_table_free(struct dkt_table *table)
{
	if (!table)
		return;
	dkt__keymap_clear(&table->map);
	dkt__intern_clear(&table->strings);
	free(table->sums);
	free(table->more);
	free(table->comms);
	free(table->order);
	free(table->columns);
	free(table);
}

void dkt__table_begin(struct dkt_table *table)
{
	table->map.n_words = table->n_keys;
}

static int grow_array(void **array, uint32_t had, uint32_t n, size_t size)
{
	void *more = dkt__widen(*array, had, n, size);

	if (more)
		*array = more;
	return more ? 0 : -ENOMEM;
}

/* Extends the arrays that are indexed by entry. */
static int grow(struct dkt_table *table)
{
	uint32_t had = table->room, n = table->map.room;
	int err = grow_array((void **)&table->sums, had, n, table->n_vals * sizeof(*table->sums));

	if (!err)
		err = grow_array((void **)&table->more, had, n, sizeof(*table->more));
	if (!err)
		err = grow_array((void **)&table->comms, had, n, sizeof(*table->comms));
	if (!err)
		table->room = n;
	return err;
}

uint32_t dkt__table_entry(struct dkt_table *table, const uint64_t *words, bool *added, int *err)
{
	uint32_t entry;

	*err = 0;
	*added = false;
	if (dkt__unlikely(table->size && table->map.n >= table->size)) {
		entry = dkt__keymap_find(&table->map, words);
		table->dropped += entry == DKT__KEYMAP_NONE;
		return entry;
	}
	entry = dkt__keymap_add(&table->map, words, added);
	if (dkt__unlikely(entry == DKT__KEYMAP_NONE || (entry >= table->room && grow(table)))) {
		*err = dkt__no_memory(table->ctx);
		return DKT__KEYMAP_NONE;
	}
	return entry;
}

uint32_t dkt__table_string(struct dkt_table *table, const char *text, uint32_t len)
{
	return dkt__intern(&table->strings, text, len) + 1;
}

int dkt__table_intern(struct dkt_table *table, const void *bytes, size_t len, uint64_t *number)
{
	*number = dkt__intern(&table->strings, bytes, (uint32_t)len);
	return *number == UINT32_MAX ? dkt__no_memory(table->ctx) : 0;
}

/* ---- sums of tables ---- */

/* Replaces the word of the other table's key by the word of this table for the same key. */
static int take_word(struct dkt_table *table, const struct dkt_table *other, uint32_t key,
		     uint64_t *word)
{
	const char *text;
	uint32_t len;

	if (other->keys[key].kind == TABLE_NUMBER)
		return 0;
	text = dkt__interned(&other->strings, *word, &len);
	return dkt__table_intern(table, text, len, word);
}

static uint32_t take_note(struct dkt_table *table, const struct dkt_table *other, uint32_t note)
{
	const char *text;
	uint32_t len;

	if (!note)
		return 0;
	text = dkt__interned(&other->strings, note - 1, &len);
	return dkt__table_string(table, text, len);
}

static int add_entry(struct dkt_table *table, const struct dkt_table *other, uint32_t from,
		     const uint64_t *event)
{
	const uint64_t *sums = dkt__table_sums(other, from);
	uint64_t words[TABLE_KEYS + 1];
	uint32_t n = event ? 1 : 0, entry;
	bool added;
	int err = 0;

	if (event)
		words[0] = *event;
	for (uint32_t i = 0; !err && i < other->n_keys && n < table->n_keys; i++) {
		words[n] = dkt__keymap_key(&other->map, from)[i];
		err = take_word(table, other, i, &words[n++]);
	}
	if (err)
		return err;
	entry = dkt__table_entry(table, words, &added, &err);
	if (entry == DKT__KEYMAP_NONE)
		return err;
	for (uint32_t i = 0; i < table->n_vals; i++)
		dkt__table_sums(table, entry)[i] += sums[i];
	if (!table->comms[entry])
		table->comms[entry] = take_note(table, other, other->comms[from]);
	table->more[entry] = take_note(table, other, other->more[from]);
	table->has_more |= table->more[entry] != 0;
	if ((other->comms[from] && !table->comms[entry]) ||
	    (other->more[from] && !table->more[entry]))
		return dkt__no_memory(table->ctx);
	return 0;
}

int dkt__table_add(struct dkt_table *table, const struct dkt_table *other, const char *event)
{
	uint64_t word = 0;
	int err = event ? dkt__table_intern(table, event, strlen(event), &word) : 0;

	/* The kernel's text shows only in its rows whether a column holds strings. */
	for (uint32_t i = 0; i < other->n_keys && i + !!event < table->n_keys; i++)
		table->keys[i + !!event].kind = other->keys[i].kind;
	/* Entries are never removed from a table: their numbers have no holes. */
	for (uint32_t i = 0; !err && i < other->map.n; i++)
		err = add_entry(table, other, i, event ? &word : NULL);
	table->hits += other->hits;
	table->dropped += other->dropped;
	table->bad += other->bad;
	return err;
}

/* ---- reading ---- */

int dkt__table_finish(struct dkt_table *table)
{
	uint32_t n = table->n_keys + table->n_vals;

	free(table->columns);
	table->columns = calloc(n + 1, sizeof(*table->columns) + sizeof(*table->column_list));
	free(table->order);
	table->order = calloc((size_t)table->map.n + 1, sizeof(*table->order));
	if (!table->columns || !table->order)
		return dkt__no_memory(table->ctx);
	table->column_list = (const struct dkt_column **)(table->columns + n + 1);
	for (uint32_t i = 0; i < n; i++) {
		bool is_key = i < table->n_keys;
		const struct table_column *column = is_key ? &table->keys[i] :
							     &table->vals[i - table->n_keys];

		table->columns[i] = (struct dkt_column){
			.name = column->spec.name,
			.modifier = dkt__mod_name(column->spec.mod),
			.is_key = is_key,
			.is_number = column->kind == TABLE_NUMBER,
			.is_signed = column->is_signed,
			.is_named = is_key && (column->names.step || column->names.is_device),
			.buckets = column->spec.buckets,
		};
		table->column_list[i] = &table->columns[i];
	}
	for (uint32_t i = 0; i < table->map.n; i++)
		table->order[i] = i;
	table->info = (struct dkt_table_info){
		.columns = table->column_list,
		.n_keys = table->n_keys,
		.n_columns = n,
		.n_rows = table->map.n,
		.has_more = table->has_more,
		.hits = table->hits,
		.dropped = table->dropped,
		.bad = table->bad,
	};
	return 0;
}

int dkt__table_return(struct dkt_table *table, int err, struct dkt_table **out)
{
	if (!err)
		err = dkt__table_finish(table);
	if (err)
		dkt_table_free(table);
	else
		*out = table;
	return err;
}

const struct dkt_table_info *dkt_table_info(const struct dkt_table *table)
{
	if (!table)
		return NULL;

	return &table->info;
}

uint64_t dkt_table_value(const struct dkt_table *table, size_t row, size_t column)
{
	if (!table)
		return 0;

	uint32_t entry;

	if (row >= table->info.n_rows || column >= table->info.n_columns)
		return 0;
	entry = table->order[row];
	if (column >= table->n_keys)
		return dkt__table_sums(table, entry)[column - table->n_keys];
	return table->keys[column].kind == TABLE_NUMBER ?
		       dkt__keymap_key(&table->map, entry)[column] :
		       0;
}

/* Returns the string that is stored with an entry, or NULL. */
static const char *note_text(const struct dkt_table *table, uint32_t note)
{
	uint32_t len;

	return note ? dkt__interned(&table->strings, note - 1, &len) : NULL;
}

void dkt_table_text(const struct dkt_table *table, size_t row, size_t column, struct dkt_buf *buf)
{
	if (!table || !buf)
		return;

	const struct table_column *about;
	const char *text;
	uint32_t entry, len;
	uint64_t word;

	if (row >= table->info.n_rows || column >= table->info.n_columns)
		return;
	entry = table->order[row];
	if (column >= table->n_keys) {
		about = &table->vals[column - table->n_keys];
		dkt__key_text(table->ctx, &about->spec, NULL, about->is_signed,
			      dkt_table_value(table, row, column), NULL, buf);
		return;
	}
	about = &table->keys[column];
	word = dkt__keymap_key(&table->map, entry)[column];
	if (about->kind == TABLE_NUMBER) {
		dkt__key_text(table->ctx, &about->spec, &about->names, about->is_signed, word,
			      note_text(table, table->comms[entry]), buf);
		return;
	}
	text = dkt__interned(&table->strings, word, &len);
	if (about->kind == TABLE_STACK)
		dkt__stack_text(table->ctx, text, len, buf);
	else
		dkt__buf_add(buf, text, len);
}

const char *dkt_table_more(const struct dkt_table *table, size_t row)
{
	if (!table)
		return NULL;

	const char *text =
		row < table->info.n_rows ? note_text(table, table->more[table->order[row]]) : NULL;

	return text ? text : "";
}
