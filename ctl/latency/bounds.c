/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of the kernel's counts: only bounds, because it counts in powers of two. */
#include "ctl/app/print.h"
#include "ctl/hist/view.h"
#include "ctl/latency/latency.h"

static const double parts[] = { 0.5, 0.9, 0.99, 0.999, 1 };

#define N_PARTS ARRAY_SIZE(parts)

/* Group, count, the parts, total. */
#define COLUMNS (3 + N_PARTS)

/* The rows of one group, sorted by time. */
struct bins {
	const struct dkt_table *table;
	size_t from, n;
};

static uint64_t cell(const struct bins *bins, size_t i, size_t column)
{
	return dkt_table_value(bins->table, bins->from + i, column);
}

static uint64_t sum_of(const struct bins *bins, size_t column)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bins->n; i++)
		sum += cell(bins, i, column);
	return sum;
}

/* An upper bound of the times of that part of the pairs: the end of the first row that reaches it. */
static uint64_t bound_of(const struct bins *bins, size_t n_keys, uint64_t count, double part)
{
	uint64_t seen = 0, power = 0;

	for (size_t i = 0; i < bins->n; i++) {
		seen += cell(bins, i, n_keys);
		power = cell(bins, i, n_keys - 1);
		if ((double)seen >= part * (double)count)
			break;
	}
	return power < 64 ? UINT64_C(1) << power : UINT64_MAX;
}

static void add_group(struct rows *to, const struct bins *bins, bool named)
{
	const size_t n_keys = dkt_table_info(bins->table)->n_keys;
	char *name __cleanup(free) = hist_text(bins->table, bins->from, 0);
	struct json_object *values[COLUMNS];
	uint64_t pairs = sum_of(bins, n_keys);
	size_t n = 0;

	values[n++] = named ? val_text(name) : NULL;
	values[n++] = val_number(pairs);
	for (size_t i = 0; i < N_PARTS; i++)
		values[n++] = val_number(bound_of(bins, n_keys, pairs, parts[i]));
	values[n] = val_number(sum_of(bins, n_keys + 1));
	rows_add_values(to, values + !named);
}

/* The number of rows of the group that begins at row from. */
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

int latency_print_bounds(const struct app *app, const struct dkt_table *table, const char *title)
{
	const struct dkt_table_info *info = dkt_table_info(table);
	char heading[LATENCY_TITLE_SIZE];
	const struct column columns[COLUMNS] = {
		{ .key = "group", .heading = heading }, { .key = "count", .type = COL_NUMBER },
		{ .key = "p50", .type = COL_BOUND },    { .key = "p90", .type = COL_BOUND },
		{ .key = "p99", .type = COL_BOUND },    { .key = "p99.9", .type = COL_BOUND },
		{ .key = "max", .type = COL_BOUND },    { .key = "total", .type = COL_DURATION },
	};
	bool named = info->n_keys > 1;
	struct bins bins = { .table = table };
	struct rows *rows = rows_new("bounds", columns + !named, COLUMNS - !named);

	latency_title(title, heading);
	for (; bins.from < info->n_rows; bins.from += bins.n) {
		bins.n = group_rows(table, bins.from);
		add_group(rows, &bins, named);
	}
	if (info->n_rows)
		putchar('\n');
	fflush(stdout);
	return print_rows(app, 0, rows, NULL);
}
