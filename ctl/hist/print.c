/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist's table for people: aligned, with bars as wide as the terminal allows. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "hist/hist.h"
#include "io/say.h"
#include "out/bar.h"
#include "out/fold.h"
#include "out/out.h"

/* Keys, sums, a rate, what was saved, a bar. */
#define COLUMNS_MAX 16

struct printer {
	const struct hist_view *view;
	const struct dkt_table_info *info;
	struct column columns[COLUMNS_MAX];
	char *names[COLUMNS_MAX];
	size_t n;
	char ***rows; /* texts of cells */
	size_t n_rows;
	size_t bar; /* the column that bars show */
};

static char *number_text(uint64_t value)
{
	char *text;

	return asprintf(&text, "%" PRIu64, value) < 0 ? NULL : text;
}

/*
 * Fields whose unit their name tells in every event that has them: sizes (kmem, block, page pools), and
 * nanoseconds (sched_stat_runtime). A format has no units of its own.
 */
static bool unit_text(const char *name, uint64_t value, char text[DURATION_SIZE])
{
	const char *last = strrchr(name, '_');

	if (!strncmp(name, "bytes", 5) || (last && !strcmp(last, "_bytes")))
		size_text(value, text);
	else if (!strcmp(name, "runtime") || !strcmp(name, "vruntime") ||
		 (last && !strcmp(last, "_ns")))
		duration_text(value, text);
	else
		return false;
	return true;
}

/* A cell of a sum, as its modifier says. */
static char *sum_text(const struct printer *p, size_t row, size_t column, uint64_t total)
{
	const struct dkt_column *it = &p->info->columns[column];
	uint64_t value = hist_sum(p->view, row, column);
	char unit[DURATION_SIZE];
	char *text;

	if (!*it->modifier && (!it->is_signed || (int64_t)value >= 0) &&
	    unit_text(it->name, value, unit))
		return strdup(unit);
	if (!strcmp(it->modifier, "percent")) {
		if (asprintf(&text, "%.2f", total ? 100.0 * (double)value / (double)total : 0) < 0)
			text = NULL;
		return text;
	}
	if (!strcmp(it->modifier, "hex"))
		return asprintf(&text, "0x%" PRIx64, value) < 0 ? NULL : text;
	if (it->is_signed)
		return asprintf(&text, "%" PRId64, (int64_t)value) < 0 ? NULL : text;
	return number_text(value);
}

static char *rate_text(const struct printer *p, size_t row)
{
	size_t column = p->info->n_keys;
	uint64_t now = dkt_table_value(p->view->table, row, column);
	double rate = (double)(now - hist_sum_before(p->view, row, column)) / p->view->seconds;
	char *text;

	return asprintf(&text, rate < 10 ? "%.1f" : "%.0f", rate) < 0 ? NULL : text;
}

static uint64_t column_total(const struct printer *p, size_t column)
{
	uint64_t total = 0;
	size_t row;

	for (row = 0; row < p->info->n_rows; row++)
		total += hist_sum(p->view, row, column);
	return total;
}

/* ---- columns ---- */

static int add_column(struct printer *p, const char *name, const char *suffix, unsigned int flags)
{
	char *text;
	size_t i;

	if (asprintf(&text, "%s%s%s", name, *suffix ? "." : "", suffix) < 0)
		return -ENOMEM;
	for (i = 0; text[i]; i++)
		if (text[i] >= 'a' && text[i] <= 'z')
			text[i] = (char)(text[i] - 'a' + 'A');
	p->names[p->n] = text;
	p->columns[p->n++] = (struct column){ .name = text, .flags = flags };
	return 0;
}

/* A system call's number has many names, and prints as its name; "common_" says nothing. */
static const char *title_of(const struct dkt_column *column)
{
	if (!strcmp(column->modifier, "syscall"))
		return "syscall";
	return column->name + (strncmp(column->name, "common_", 7) ? 0 : 7);
}

/* The column that the rows are sorted by; without one that bars can show, the first sum. */
static size_t sorted_by(const struct hist_view *view, const struct dkt_table_info *info)
{
	size_t i, len = view->sort ? strcspn(view->sort, ",.") : 0;

	for (i = info->n_keys; i < info->n_columns; i++)
		if (strlen(info->columns[i].name) == len &&
		    !strncmp(info->columns[i].name, view->sort, len))
			return i;
	return info->n_keys;
}

static int add_columns(struct printer *p)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < p->info->n_columns; i++) {
		const struct dkt_column *it = &p->info->columns[i];
		bool number = !it->is_key || (it->is_number && !it->is_named &&
					      (!*it->modifier || !strcmp(it->modifier, "dec")));

		err = add_column(p, title_of(it), !strcmp(it->modifier, "percent") ? "%" : "",
				 number ? COL_RIGHT : 0);
		if (!strcmp(it->modifier, "graph"))
			p->bar = i;
	}
	if (!err && p->view->seconds > 0)
		err = add_column(p, "PER SECOND", "", COL_RIGHT);
	if (!err && p->info->has_more)
		err = add_column(p, "SAVED", "", 0);
	return err;
}

/* ---- rows ---- */

static int fill_row(struct printer *p, size_t row, const uint64_t *totals, char **cells)
{
	size_t i, n = 0;

	for (i = 0; i < p->info->n_columns; i++)
		cells[n++] = i < p->info->n_keys ? hist_shown(p->view, row, i) :
						   sum_text(p, row, i, totals[i]);
	if (p->view->seconds > 0)
		cells[n++] = rate_text(p, row);
	if (p->info->has_more)
		cells[n++] = shown(dkt_table_more(p->view->table, row));
	for (i = 0; i < n; i++)
		if (!cells[i])
			return -ENOMEM;
	return 0;
}

static int fill_rows(struct printer *p)
{
	uint64_t totals[COLUMNS_MAX] = { 0 };
	size_t i, row, n = hist_rows(p->view);
	int err = 0;

	for (i = p->info->n_keys; i < p->info->n_columns; i++)
		totals[i] = column_total(p, i);
	p->rows = calloc(n + 1, sizeof(*p->rows));
	if (!p->rows)
		return -ENOMEM;
	for (row = 0; !err && row < n; row++) {
		p->rows[row] = calloc(COLUMNS_MAX, sizeof(**p->rows));
		if (!p->rows[row])
			return -ENOMEM;
		p->n_rows++;
		err = fill_row(p, row, totals, p->rows[row]);
	}
	return err;
}

/* Columns that are left for bars. */
static size_t room_for_bars(const struct printer *p)
{
	size_t used = 0, i, row;

	for (i = 0; i < p->n; i++) {
		size_t width = fold_columns(p->columns[i].name);

		for (row = 0; row < p->n_rows; row++) {
			size_t cell = fold_columns(p->rows[row][i]);

			width = cell > width ? cell : width;
		}
		used += width + 1;
	}
	return bar_room(used);
}

static int print_rows(struct printer *p)
{
	size_t row, room = room_for_bars(p);
	struct table *table;
	uint64_t max = 0;
	char bar[128];
	int err = 0;

	for (row = 0; row < p->n_rows; row++) {
		uint64_t value = hist_sum(p->view, row, p->bar);

		max = value > max ? value : max;
	}
	p->columns[p->n++] = (struct column){ .name = "" };
	table = table_new("hist", p->columns, p->n, false);
	if (!table)
		return -ENOMEM;
	if (p->view->raw_text)
		table_raw(table);
	for (row = 0; !err && row < p->n_rows; row++) {
		bar_text(hist_sum(p->view, row, p->bar), max, bar, room);
		p->rows[row][p->n - 1] = strdup(bar);
		err = table_add(table, (const char *const *)p->rows[row]);
	}
	if (!err)
		err = table_print(table);
	table_free(table);
	return err;
}

static void printer_clear(struct printer *p)
{
	size_t row, i;

	for (row = 0; row < p->n_rows; row++) {
		for (i = 0; i < COLUMNS_MAX; i++)
			free(p->rows[row][i]);
		free(p->rows[row]);
	}
	free(p->rows);
	for (i = 0; i < COLUMNS_MAX; i++)
		free(p->names[i]);
}

int hist_print(const struct hist_view *view, FILE *out)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	struct printer p = { .view = view, .info = info, .bar = sorted_by(view, info) };
	int err = add_columns(&p);

	if (!err)
		err = fill_rows(&p);
	if (!err && p.n_rows)
		err = print_rows(&p);
	if (!err && info->n_rows > p.n_rows)
		fprintf(out, "(%zu more rows)\n", info->n_rows - p.n_rows);
	if (!err)
		fprintf(out, "%s%" PRIu64 " hits in %zu rows, %" PRIu64 " dropped\n",
			p.n_rows ? "\n" : "", info->hits, info->n_rows, info->dropped);
	printer_clear(&p);
	return err;
}
