/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of values under columns. */
#include "ctl/out/rows.h"

#include "lib/base/json_number.h"
#include "lib/base/util.h"

void columns_in_ticks(struct column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (columns[i].type == COL_TIME)
			columns[i].type = COL_NUMBER;
		if (columns[i].type == COL_RATE)
			columns[i].flags |= COL_DATA;
	}
}

struct rows *rows_new(const char *name, const struct column *columns, size_t n)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		*rows = (struct rows){ .name = name, .columns = columns, .n = n };
	return rows;
}

static void free_row(const struct rows *rows, struct row *row)
{
	for (size_t i = 0; i < rows->n; i++)
		json_object_put(row->values[i]);
	free(row);
}

void rows_free(struct rows *rows)
{
	rows_cut(rows, 0);
	if (rows)
		free(rows->list);
	free(rows);
}

static struct row *next_row(struct rows *rows)
{
	struct row *row = malloc(sizeof(*row) + rows->n * sizeof(row->values[0]));

	if (row)
		row->nr = rows->n_rows;
	if (row && !dkt__append(rows->list, rows->n_rows, row))
		return row;
	free(row);
	return NULL;
}

void rows_add_values(struct rows *rows, struct json_object *const *values)
{
	struct row *row = rows ? next_row(rows) : NULL;

	if (row)
		memcpy(row->values, values, rows->n * sizeof(*values));
	else if (rows)
		rows->err = -ENOMEM;
	for (size_t i = 0; !row && rows && i < rows->n; i++)
		json_object_put(values[i]);
}

size_t rows_count(const struct rows *rows)
{
	return rows ? rows->n_rows : 0;
}

struct order {
	size_t column;
	bool descending;
};

static int compare(const void *a, const void *b, void *data)
{
	const struct order *by = data;
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	struct json_object *p = x->values[by->column], *q = y->values[by->column];
	uint64_t m = dkt__json_get_u64(p), n = dkt__json_get_u64(q);
	int64_t i = json_object_get_int64(p), j = json_object_get_int64(q);
	int order = i < 0 || j < 0 ? (i > j) - (i < j) : (m > n) - (m < n);

	if (json_object_is_type(p, json_type_string) && json_object_is_type(q, json_type_string))
		order = strverscmp(json_object_get_string(p), json_object_get_string(q));
	if (order)
		return by->descending ? -order : order;
	return x->nr < y->nr ? -1 : 1;
}

void rows_sort(struct rows *rows, size_t column, bool descending)
{
	struct order by = { .column = column, .descending = descending };

	if (rows && rows->n_rows)
		qsort_r(rows->list, rows->n_rows, sizeof(struct row *), compare, &by);
}

void rows_cut(struct rows *rows, size_t n)
{
	while (rows && rows->n_rows > n)
		free_row(rows, rows->list[--rows->n_rows]);
}
