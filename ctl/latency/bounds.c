/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of what the kernel has counted: bounds, since it counts by powers of two. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "hist/hist.h"
#include "latency/latency.h"
#include "out/bar.h"
#include "out/out.h"

static const double parts[] = { 0.5, 0.9, 0.99, 0.999, 1 };

#define N_PARTS ARRAY_SIZE(parts)

/* Rows of one group, in order of their times. */
struct rows {
	const struct dkt_table *table;
	size_t from, n;
};

static uint64_t cell(const struct rows *rows, size_t i, size_t column)
{
	return dkt_table_value(rows->table, rows->from + i, column);
}

static uint64_t sum_of(const struct rows *rows, size_t column)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < rows->n; i++)
		sum += cell(rows, i, column);
	return sum;
}

/* The end of the range that holds that part of the pairs: the first row that reaches it. */
static uint64_t bound_of(const struct rows *rows, size_t n_keys, uint64_t count, double part)
{
	uint64_t seen = 0, power = 0;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		seen += cell(rows, i, n_keys);
		power = cell(rows, i, n_keys - 1);
		if ((double)seen >= part * (double)count)
			break;
	}
	return power < 64 ? UINT64_C(1) << power : UINT64_MAX;
}

static int add_group(struct table *table, const struct rows *rows, bool named)
{
	const size_t n_keys = dkt_table_info(rows->table)->n_keys;
	char *name __cleanup(free) = named ? hist_cell(rows->table, rows->from, 0) : NULL;
	char text[N_PARTS][DURATION_SIZE + 3], total[DURATION_SIZE], count[24];
	const char *cells[3 + N_PARTS];
	uint64_t pairs = sum_of(rows, n_keys);
	size_t i, n = 0;

	if (named)
		cells[n++] = name;
	snprintf(count, sizeof(count), "%" PRIu64, pairs);
	cells[n++] = count;
	for (i = 0; i < N_PARTS; i++) {
		char bound[DURATION_SIZE];

		duration_text(bound_of(rows, n_keys, pairs, parts[i]), bound);
		snprintf(text[i], sizeof(text[i]), "<= %s", bound);
		cells[n++] = text[i];
	}
	duration_text(sum_of(rows, n_keys + 1), total);
	cells[n] = total;
	return table_add(table, cells);
}

/* How many rows from there on are of its group. */
static size_t group_rows(const struct dkt_table *table, size_t from)
{
	const struct dkt_table_info *info = dkt_table_info(table);
	char *first __cleanup(free) = hist_cell(table, from, 0);
	size_t n;

	if (info->n_keys == 1)
		return info->n_rows - from;
	for (n = 1; first && from + n < info->n_rows; n++) {
		char *name __cleanup(free) = hist_cell(table, from + n, 0);

		if (!name || strcmp(first, name) != 0)
			break;
	}
	return n;
}

int latency_print_bounds(const struct dkt_table *table, const char *title)
{
	static const struct column columns[] = {
		{ "COUNT", COL_RIGHT }, { "P50", COL_RIGHT },   { "P90", COL_RIGHT },
		{ "P99", COL_RIGHT },   { "P99.9", COL_RIGHT }, { "MAX", COL_RIGHT },
		{ "TOTAL", COL_RIGHT },
	};
	const struct dkt_table_info *info = dkt_table_info(table);
	char head[LATENCY_TITLE_SIZE];
	struct column with_name[1 + ARRAY_SIZE(columns)] = { { head, 0 } };
	bool named = info->n_keys > 1;
	struct rows rows = { .table = table };
	struct table *out;
	int err = 0;

	if (!info->n_rows)
		return 0;
	latency_title(title, head);
	memcpy(with_name + 1, columns, sizeof(columns));
	out = table_new("latency", named ? with_name : columns, ARRAY_SIZE(columns) + named, false);
	if (!out)
		return -ENOMEM;
	for (; !err && rows.from < info->n_rows; rows.from += rows.n) {
		rows.n = group_rows(table, rows.from);
		err = add_group(out, &rows, named);
	}
	putchar('\n');
	fflush(stdout);
	if (!err)
		err = table_print(out);
	table_free(out);
	return err;
}
