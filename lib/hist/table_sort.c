/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts the rows of a table. */
#include "lib/hist/table.h"

/* The kernel sorts by at most two columns. */
#define SORT_MAX 2

struct sort_key {
	uint32_t column;
	bool descending;
};

struct sort {
	const struct dkt_table *table;
	struct sort_key keys[SORT_MAX];
	uint32_t n;
};

/* ---- columns to sort by ---- */

static bool read_direction(const char *text, size_t len, bool *descending)
{
	*descending = len == strlen("descending") && !memcmp(text, "descending", len);
	return *descending || (len == strlen("ascending") && !memcmp(text, "ascending", len));
}

static int no_column(const struct dkt_table *table, const char *sort, const char *at, size_t len)
{
	char *names __cleanup(free) = NULL;
	struct dkt__guess guess;
	size_t size;
	FILE *f = open_memstream(&names, &size);

	dkt__guess_start(&guess, at, len);
	for (size_t i = 0; f && i < table->info.n_columns; i++) {
		fprintf(f, "%s%s", i ? ", " : "", table->columns[i].name);
		dkt__guess_try(&guess, table->columns[i].name);
	}
	if (!f || fclose(f))
		return dkt__no_memory(table->ctx);
	return dkt__fail_at(table->ctx, -ENOENT, "sort", sort, (size_t)(at - sort),
			    "'%.*s' is not a column; the columns are %s%s",
			    (int)DKT__MIN(len, (size_t)60), at, names, dkt__guess_words(&guess));
}

static int parse_sort(struct sort *sort, const char *text)
{
	const struct dkt_table *table = sort->table;
	const char *p = text;

	for (;;) {
		size_t len = strcspn(p, ","), n = strcspn(p, ",.");
		struct sort_key *key = &sort->keys[sort->n];

		if (sort->n == SORT_MAX)
			return dkt__fail_at(table->ctx, -EINVAL, "sort", text, (size_t)(p - text),
					    "more than %d columns", SORT_MAX);
		*key = (struct sort_key){ 0 };
		while (key->column < table->info.n_columns &&
		       (strlen(table->columns[key->column].name) != n ||
			memcmp(table->columns[key->column].name, p, n) != 0))
			key->column++;
		if (key->column == table->info.n_columns)
			return no_column(table, text, p, n);
		if (n < len && !read_direction(p + n + 1, len - n - 1, &key->descending))
			return dkt__fail_at(table->ctx, -EINVAL, "sort", text,
					    (size_t)(p + n + 1 - text),
					    "ascending or descending is expected here");
		sort->n++;
		p += len;
		if (!*p)
			return 0;
		p++;
	}
}

/*
 * By default the keys ascend if one is a range, because ranges form a picture, and other rows descend by
 * hitcount.
 */
static void default_sort(struct sort *sort)
{
	const struct dkt_table *table = sort->table;

	sort->keys[0] = (struct sort_key){ .column = table->n_keys, .descending = true };
	sort->n = 1;
	for (uint32_t i = 0; i < table->n_keys; i++) {
		uint8_t mod = table->keys[i].spec.mod;

		/* Equal rows are sorted by their keys. */
		if (mod == MOD_LOG2 || mod == MOD_BUCKETS)
			sort->n = 0;
	}
}

/* ---- sorting ---- */

static int compare_column(const struct dkt_table *table, uint32_t column, uint32_t a, uint32_t b)
{
	const struct table_column *about;
	uint64_t x, y;

	if (column >= table->n_keys) {
		about = &table->vals[column - table->n_keys];
		x = dkt__table_sums(table, a)[column - table->n_keys];
		y = dkt__table_sums(table, b)[column - table->n_keys];
	} else {
		about = &table->keys[column];
		x = dkt__keymap_key(&table->map, a)[column];
		y = dkt__keymap_key(&table->map, b)[column];
	}
	if (about->kind != TABLE_NUMBER) {
		uint32_t len;
		const char *text = dkt__interned(&table->strings, x, &len);

		return strcmp(text, dkt__interned(&table->strings, y, &len));
	}
	if (about->is_signed)
		return (int64_t)x < (int64_t)y ? -1 : (int64_t)x > (int64_t)y;
	return x < y ? -1 : x > y;
}

static int compare(const void *a, const void *b, void *data)
{
	const struct sort *sort = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (uint32_t i = 0; i < sort->n; i++) {
		int order = compare_column(sort->table, sort->keys[i].column, x, y);

		if (order)
			return sort->keys[i].descending ? -order : order;
	}
	/* Sort equal rows by their keys, so that two runs print the same. */
	for (uint32_t i = 0; i < sort->table->n_keys; i++) {
		int order = compare_column(sort->table, i, x, y);

		if (order)
			return order;
	}
	return 0;
}

int dkt_table_sort(struct dkt_table *table, const char *text)
{
	dkt__needs(NULL, table);

	struct sort sort = { .table = table };
	int err = 0;

	if (text)
		err = parse_sort(&sort, text);
	else
		default_sort(&sort);
	if (!err && table->info.n_rows)
		qsort_r(table->order, table->info.n_rows, sizeof(*table->order), compare, &sort);
	return err;
}
