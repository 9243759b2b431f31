/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that analyses fill, and the views on them. */
#include "answers/load/loading.h"

/* ---- tables ---- */

static const char *const types[] = {
	[ANSWER_INTEGER] = "Nullable(Int64)",
	[ANSWER_REAL] = "Nullable(Float64)",
	[ANSWER_TEXT] = "LowCardinality(Nullable(String))",
	[ANSWER_ANY] = "Nullable(String)",
};

/* An interval always has its times. */
static bool is_time(const char *key)
{
	return !strcmp(key, "begin") || !strcmp(key, "end") || !strcmp(key, "duration");
}

struct creation {
	struct load *load;
	struct target *target;
	const struct result_table *table;
	bool log;
};

/* There are as many paths as files; other texts are few. */
static bool is_path(const struct result_table *table, const char *key)
{
	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->columns[i].key, key))
			return table->columns[i].type == RESULT_PATH;
	return false;
}

static int add_column(void *data, const char *name, enum answer_type type)
{
	const struct creation *creation = data;

	return target_column(creation->load, creation->target, name,
			     creation->log && is_time(name) ? "Int64" :
			     is_path(creation->table, name) ? "Nullable(String)" :
							      types[type]);
}

static size_t answer_nr(const struct load_file *file, const struct answer *answer)
{
	return (size_t)(answer - file->answers.list);
}

/* Creates the table of an answer, and the views on it. */
static int create(struct load *load, const struct load_file *file, const struct answer *answer)
{
	struct target *target = target_new(load, answer->name);
	struct creation creation = { load, target, answer_table(&file->answers, answer),
				     answer->log };
	int err = target ? 0 : -ENOMEM;

	load->results[answer_nr(file, answer)] = target;
	if (!err)
		err = answer_each_column(creation.table, add_column, &creation);
	if (!err)
		err = target_create(load, target, answer->log ? LAYOUT_LOG : LAYOUT_TABLE);
	if (!err && answer->log)
		err = load_views(load, file, answer);
	return dkt__with_words(load->ctx, err);
}

/* A log whose analysis found its events is there even if it has no row. */
int load_answers_create(struct load *load, struct load_file *file)
{
	int err = 0;

	for (size_t i = 0; !err && i < file->answers.n; i++) {
		const struct answer *answer = &file->answers.list[i];

		if (!load->results[i] && answer_suffices(&file->answers, answer))
			err = create(load, file, answer);
	}
	return err;
}

/* ---- rows ---- */

static void put_cell(struct columns *row, const struct result_column *column,
		     const struct result_cell *cell)
{
	enum answer_type type = answer_type(column);
	char number[24];

	if (type == ANSWER_ANY && !cell->text) {
		snprintf(number, sizeof(number), "%lld", (long long)cell->number);
		row_known_text(row, cell->known ? number : NULL);
	} else if (type == ANSWER_TEXT || type == ANSWER_ANY) {
		row_known_text(row, cell->known ? cell->text : NULL);
	} else if (type == ANSWER_REAL) {
		row_known_real(row, cell->known, cell->real);
	} else {
		row_known_u64(row, cell->known, cell->number);
	}
	if (column->number_key)
		row_known_u64(row, cell->known, cell->number);
	if (column->type == RESULT_PROCESS)
		row_known_u64(row, true, cell->process);
}

/* The time of a row is that of the end of its interval, or of the last record. */
static uint64_t time_of(const struct load_file *file, const struct answer *answer,
			const struct result_table *table, const struct result_cell *cells)
{
	for (size_t i = 0; answer->log && i < table->n; i++)
		if (!strcmp(table->columns[i].key, "end"))
			return cells[i].number;
	return file->ts;
}

int load_answer_row(void *data, struct answer *answer, size_t host, const struct result_cell *cells)
{
	struct load_file *file = data;
	struct load *load = file->load;
	const size_t nr = (size_t)(file - load->files);
	const struct result_table *table = answer_table(&file->answers, answer);
	struct target *target = load->results[answer_nr(file, answer)];
	struct columns *row;
	int err = 0;

	(void)host;
	/* An analysis counts only at the end, and from too few events it counts nothing. */
	if (!answer->log && !answer_suffices(&file->answers, answer))
		return 0;
	if (!target)
		err = create(load, file, answer);
	if (err)
		return err;
	target = load->results[answer_nr(file, answer)];
	err = block_row(load, target, nr, target->parts[nr].seen + 1,
			time_of(file, answer, table, cells), &row);
	if (err || !row)
		return err;
	for (size_t i = 0; i < table->n; i++)
		if (answer->log && is_time(table->columns[i].key))
			row_u64(row, cells[i].number);
		else
			put_cell(row, &table->columns[i], &cells[i]);
	return block_end(load, target);
}
