/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables: columns are rows of a table, libsmartcols prints them as text or JSON. */
#include "out/out.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>

#include "base/util.h"
#include "io/say.h"
#include "out/fold.h"
#include "out/shown.h"

struct table {
	struct libscols_table *scols;
	size_t n;
	size_t fold; /* the column that is folded; n: none */
	bool json;
	bool raw;
};

static int scols_flags(unsigned int flags)
{
	int scols = 0;

	if (flags & (COL_RIGHT | COL_NUMBER))
		scols |= SCOLS_FL_RIGHT;
	if (flags & COL_FOLD)
		scols |= SCOLS_FL_WRAP;
	return scols;
}

struct table *table_new(const char *name, const struct column *columns, size_t n, bool json)
{
	struct table *table = calloc(1, sizeof(*table));
	size_t i;

	if (!table)
		return NULL;
	*table = (struct table){ .n = n, .fold = n, .json = json };
	table->scols = scols_new_table();
	if (!table->scols) {
		free(table);
		return NULL;
	}
	scols_table_set_name(table->scols, name);
	scols_table_enable_json(table->scols, json);
	for (i = 0; i < n; i++) {
		struct libscols_column *column = scols_table_new_column(
			table->scols, columns[i].name, 0, scols_flags(columns[i].flags));

		if (!column) {
			table_free(table);
			return NULL;
		}
		/* Backslashes are those of table_add()'s escapes. */
		scols_column_set_safechars(column, columns[i].flags & COL_FOLD ? "\n\\" : "\\");
		if (columns[i].flags & COL_FOLD) {
			table->fold = i;
			scols_column_set_wrapfunc(column, scols_wrapnl_chunksize,
						  scols_wrapnl_nextchunk, NULL);
		}
		if (columns[i].flags & COL_NUMBER)
			scols_column_set_json_type(column, SCOLS_JSON_NUMBER);
		if (columns[i].flags & COL_BOOL)
			scols_column_set_json_type(column, SCOLS_JSON_BOOLEAN);
	}
	return table;
}

void table_raw(struct table *table)
{
	table->raw = true;
}

int table_add(struct table *table, const char *const *cells)
{
	struct libscols_line *line = scols_table_new_line(table->scols, NULL);
	size_t i;

	if (!line)
		return -ENOMEM;
	for (i = 0; i < table->n; i++) {
		/* JSON is escaped as a whole. */
		bool escape = cells[i] && !table->json && !table->raw;
		char *text __cleanup(free) = escape ? shown(cells[i]) : NULL;

		if (escape && !text)
			return -ENOMEM;
		if (cells[i] && scols_line_set_data(line, i, text ? text : cells[i]))
			return -ENOMEM;
	}
	return 0;
}

size_t table_rows(const struct table *table)
{
	return scols_table_get_nlines(table->scols);
}

/* The widest text of a column. */
static size_t column_width(struct table *table, size_t nr)
{
	struct libscols_column *column = scols_table_get_column(table->scols, nr);
	size_t line, lines = scols_table_get_nlines(table->scols);
	size_t width = fold_columns(scols_column_get_name(column));

	for (line = 0; line < lines; line++) {
		const char *text = scols_line_get_column_data(
			scols_table_get_line(table->scols, line), column);
		size_t columns = text ? fold_columns(text) : 0;

		width = columns > width ? columns : width;
	}
	return width;
}

/* libsmartcols would cut words in two. */
static int fold_column(struct table *table)
{
	struct libscols_column *column = scols_table_get_column(table->scols, table->fold);
	size_t line, lines = scols_table_get_nlines(table->scols);
	size_t i, others = 0, width = fold_width();

	for (i = 0; i < table->n; i++)
		others += i == table->fold ? 0 : column_width(table, i) + 1;
	if (width <= others)
		return 0;
	for (line = 0; line < lines; line++) {
		struct libscols_cell *cell = scols_line_get_column_cell(
			scols_table_get_line(table->scols, line), column);
		const char *text = scols_cell_get_data(cell);
		char *folded __cleanup(free) = text ? fold_text(text, width - others) : NULL;

		if (text && (!folded || scols_cell_set_data(cell, folded)))
			return -ENOMEM;
	}
	return 0;
}

/* libsmartcols escapes text, and without that does not come to an end of it. */
static int print_raw(struct table *table)
{
	size_t i, line, lines = scols_table_get_nlines(table->scols);
	size_t *width __cleanup(free) = calloc(table->n, sizeof(*width));

	if (!width)
		return -ENOMEM;
	for (i = 0; i < table->n; i++)
		width[i] = column_width(table, i);
	for (line = 0; line <= lines; line++) {
		for (i = 0; i < table->n; i++) {
			struct libscols_column *column = scols_table_get_column(table->scols, i);
			const char *text =
				line ? scols_line_get_column_data(scols_table_get_line(table->scols,
										       line - 1),
								  column) :
				       scols_column_get_name(column);
			int blanks = (int)(width[i] - fold_columns(text ? text : ""));
			bool right = scols_column_get_flags(column) & SCOLS_FL_RIGHT;

			printf("%s%*s%s%*s", i ? " " : "", right ? blanks : 0, "", text ? text : "",
			       right || i + 1 == table->n ? 0 : blanks, "");
		}
		putchar('\n');
	}
	return 0;
}

int table_print(struct table *table)
{
	char *json __cleanup(free) = NULL;
	int err = 0;

	if (table->fold < table->n && !table->json)
		err = fold_column(table);
	if (err)
		return err;
	if (table->raw)
		return print_raw(table);
	if (!table->json)
		return scols_print_table(table->scols) ? -EIO : 0;
	if (scols_print_table_to_string(table->scols, &json))
		return -EIO;
	return shown_json(json, stdout);
}

void table_free(struct table *table)
{
	if (!table)
		return;
	scols_unref_table(table->scols);
	free(table);
}
