/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables: columns are rows of a table, libsmartcols prints them as text or JSON. */
#include "out.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>

struct table {
	struct libscols_table *scols;
	size_t n;
};

static int scols_flags(unsigned int flags)
{
	int scols = 0;

	if (flags & (COL_RIGHT | COL_NUMBER))
		scols |= SCOLS_FL_RIGHT;
	if (flags & COL_WRAP)
		scols |= SCOLS_FL_WRAP;
	return scols;
}

struct table *table_new(const char *name, const struct column *columns, size_t n, bool json)
{
	struct table *table = calloc(1, sizeof(*table));
	size_t i;

	if (!table)
		return NULL;
	table->n = n;
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
		if (columns[i].flags & COL_NUMBER)
			scols_column_set_json_type(column, SCOLS_JSON_NUMBER);
		if (columns[i].flags & COL_BOOL)
			scols_column_set_json_type(column, SCOLS_JSON_BOOLEAN);
	}
	return table;
}

int table_add(struct table *table, const char *const *cells)
{
	struct libscols_line *line = scols_table_new_line(table->scols, NULL);
	size_t i;

	if (!line)
		return -ENOMEM;
	for (i = 0; i < table->n; i++)
		if (cells[i] && scols_line_set_data(line, i, cells[i]))
			return -ENOMEM;
	return 0;
}

int table_print(struct table *table)
{
	int err = scols_print_table(table->scols);

	return err ? -EIO : 0;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	scols_unref_table(table->scols);
	free(table);
}
