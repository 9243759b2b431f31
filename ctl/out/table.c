/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints rows as aligned text, with libsmartcols. */
#include <inttypes.h>
#include <libsmartcols.h>

#include "compat/io/say.h"
#include "ctl/out/bar.h"
#include "ctl/out/fold.h"
#include "ctl/out/rows.h"
#include "lib/base/buf.h"
#include "lib/base/json_number.h"
#include "lib/base/util.h"

/* The texts of headings and values. */
struct table {
	const struct rows *rows;
	size_t n; /* columns that text shows */
	size_t lines; /* the headings and the rows */
	size_t *nrs; /* these columns' indices in the rows */
	char **texts; /* n for each line */
	bool raw;
};

static char **text_at(const struct table *table, size_t line, size_t i)
{
	return &table->texts[line * table->n + i];
}

static const struct column *column_at(const struct table *table, size_t i)
{
	return &table->rows->columns[table->nrs[i]];
}

static bool is_right(const struct table *table, size_t i)
{
	const struct column *column = column_at(table, i);

	return column->type != COL_TEXT && column->type != COL_BOOL && column->type != COL_MASK &&
	       column->type != COL_BAR;
}

/* ---- texts ---- */

static char *heading_text(const struct column *column)
{
	const char *unit = column->type == COL_SHARE ? "(%)" : "";
	char *text = dkt__format("%s%s", column->heading ? column->heading : column->key,
				 column->type == COL_TIME ? "(s)" : unit);

	for (char *p = text; p && !column->heading && *p && *p != '('; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	return text;
}

static char *number_text(const struct column *column, struct json_object *value)
{
	int64_t low = json_object_get_int64(value);
	uint64_t number = low < 0 ? (uint64_t)low : dkt__json_get_u64(value);
	char text[UNIT_SIZE + 4] = "<= ";

	/* Negative numbers have no unit. */
	if (column->type == COL_NUMBER || (low < 0 && column->type != COL_HEX))
		return strdup(json_object_get_string(value));
	if (column->type == COL_HEX)
		snprintf(text, sizeof(text), "0x%" PRIx64, number);
	else if (column->type == COL_MASK)
		snprintf(text, sizeof(text), "%08" PRIx64, number);
	else if (column->type == COL_RATE)
		rate_text(json_object_get_double(value), text);
	else if (column->type == COL_SHARE)
		snprintf(text, sizeof(text), "%.2f", 100 * json_object_get_double(value));
	else if (column->type == COL_TIME)
		time_text(number, text);
	else if (column->type == COL_PERCENT)
		snprintf(text, sizeof(text), "%.2f",
			 column->total ? 100.0 * (double)number / (double)column->total : 0);
	else if (column->type == COL_BYTES)
		size_text(number, text);
	else
		duration_text(number, column->type == COL_BOUND ? text + 3 : text);
	return strdup(text);
}

/* A cell ends at a NUL, so that raw text with one is escaped too. */
static char *value_shown(struct json_object *value, bool raw)
{
	size_t len;
	const char *text = val_bytes(value, &len);

	return raw && !memchr(text, 0, len) ? strdup(text) : dkl_shown_bytes(text, len);
}

static char *value_text(const struct column *column, struct json_object *value, bool raw)
{
	if (!value)
		return strdup(column->none ? column->none : "");
	switch (column->type) {
	case COL_TEXT:
		return value_shown(value, raw);
	case COL_BOOL:
		return strdup(json_object_get_boolean(value) ? "yes" : "no");
	case COL_BAR:
		return strdup("");
	default:
		return number_text(column, value);
	}
}

static int fill(struct table *table)
{
	for (size_t line = 0; line < table->lines; line++)
		for (size_t i = 0; i < table->n; i++) {
			char **text = text_at(table, line, i);
			size_t nr = table->nrs[i];

			*text = line ? value_text(column_at(table, i),
						  table->rows->list[line - 1]->values[nr],
						  table->raw) :
				       heading_text(column_at(table, i));
			if (!*text)
				return -ENOMEM;
		}
	return 0;
}

static int table_begin(struct table *table, const struct rows *rows, bool raw)
{
	*table = (struct table){ .rows = rows, .lines = rows->n_rows + 1, .raw = raw };
	table->nrs = calloc(rows->n, sizeof(*table->nrs));
	for (size_t i = 0; table->nrs && i < rows->n; i++)
		if (!(rows->columns[i].flags & COL_DATA) && rows->columns[i].type != COL_LIST)
			table->nrs[table->n++] = i;
	table->texts = calloc(table->lines, (table->n + 1) * sizeof(*table->texts));
	return table->nrs && table->texts ? fill(table) : -ENOMEM;
}

static void table_end(struct table *table)
{
	for (size_t i = 0; table->texts && i < table->lines * table->n; i++)
		free(table->texts[i]);
	free(table->texts);
	free(table->nrs);
}

/* ---- widths ---- */

/* The widest text of a column. */
static size_t column_width(const struct table *table, size_t i)
{
	size_t width = 0;

	for (size_t line = 0; line < table->lines; line++) {
		size_t columns = fold_columns(*text_at(table, line, i));

		width = columns > width ? columns : width;
	}
	return width;
}

/* The width of the other columns, with the spaces after them. */
static size_t others_width(const struct table *table, size_t but)
{
	size_t used = 0;

	for (size_t i = 0; i < table->n; i++)
		used += i == but ? 0 : column_width(table, i) + 1;
	return used;
}

/* A folded column takes no more if it has to. */
#define FOLD_LEAST 20

/* The width of the table, with folded columns as narrow as they can be, and without bars. */
static size_t least_width(const struct table *table)
{
	size_t width = 0;

	for (size_t i = 0; i < table->n; i++) {
		size_t column = column_width(table, i);

		if (column_at(table, i)->flags & COL_FOLD && column > FOLD_LEAST)
			column = FOLD_LEAST;
		if (column_at(table, i)->type != COL_BAR)
			width += column + (width > 0);
	}
	return width;
}

static void remove_column(struct table *table, size_t column)
{
	char **to = table->texts;

	for (size_t k = 0; k < table->lines * table->n; k++) {
		if (k % table->n == column)
			free(table->texts[k]);
		else
			*to++ = table->texts[k];
	}
	table->n--;
	memmove(&table->nrs[column], &table->nrs[column + 1],
		(table->n - column) * sizeof(*table->nrs));
}

/* Leaves out spare columns, the last one first, until the others fit the terminal. */
static void leave_out(struct table *table)
{
	size_t width = fold_width();

	for (size_t i = table->n; width && i-- > 0 && least_width(table) > width;)
		if (column_at(table, i)->flags & COL_SPARE)
			remove_column(table, i);
}

/* libsmartcols would break lines within words. */
static int fold_column(struct table *table, size_t i)
{
	size_t others = others_width(table, i), width = fold_width();

	for (size_t line = 1; line < table->lines && width > others; line++) {
		char **text = text_at(table, line, i);
		char *folded = fold_text(*text, width - others);

		if (!folded)
			return -ENOMEM;
		free(*text);
		*text = folded;
	}
	return 0;
}

static uint64_t bar_value(const struct table *table, size_t line, size_t i)
{
	return dkt__json_get_u64(table->rows->list[line - 1]->values[table->nrs[i]]);
}

static int draw_bars(struct table *table, size_t i)
{
	size_t room = bar_room(others_width(table, i));
	uint64_t max = 0;
	char bar[BAR_SIZE];

	for (size_t line = 1; line < table->lines; line++)
		max = bar_value(table, line, i) > max ? bar_value(table, line, i) : max;
	for (size_t line = 1; line < table->lines; line++) {
		char **text = text_at(table, line, i);

		bar_text(bar_value(table, line, i), max, bar, room);
		free(*text);
		*text = strdup(bar);
		if (!*text)
			return -ENOMEM;
	}
	return 0;
}

static int fit(struct table *table)
{
	int err = 0;

	leave_out(table);
	for (size_t i = 0; !err && i < table->n; i++) {
		if (column_at(table, i)->flags & COL_FOLD)
			err = fold_column(table, i);
		else if (column_at(table, i)->type == COL_BAR)
			err = draw_bars(table, i);
	}
	return err;
}

/* ---- printing ---- */

/* libsmartcols always escapes text; told not to, it loops forever. */
static int print_raw(const struct table *table, FILE *f)
{
	size_t i, line, *width __cleanup(free) = calloc(table->n, sizeof(*width));

	if (!width)
		return -ENOMEM;
	for (i = 0; i < table->n; i++)
		width[i] = column_width(table, i);
	for (line = 0; line < table->lines; line++) {
		for (i = 0; i < table->n; i++) {
			const char *text = *text_at(table, line, i);
			int spaces = (int)(width[i] - fold_columns(text));
			bool right = is_right(table, i);

			fprintf(f, "%s%*s%s%*s", i ? " " : "", right ? spaces : 0, "", text,
				right || i + 1 == table->n ? 0 : spaces, "");
		}
		fputc('\n', f);
	}
	return 0;
}

static int add_columns(const struct table *table, struct libscols_table *scols)
{
	for (size_t i = 0; i < table->n; i++) {
		bool fold = column_at(table, i)->flags & COL_FOLD;
		struct libscols_column *column = scols_table_new_column(
			scols, *text_at(table, 0, i), 0,
			(is_right(table, i) ? SCOLS_FL_RIGHT : 0) | (fold ? SCOLS_FL_WRAP : 0));

		if (!column)
			return -ENOMEM;
		/* Do not escape the backslashes of text that is already escaped. */
		scols_column_set_safechars(column, fold ? "\n\\" : "\\");
		if (fold)
			scols_column_set_wrapfunc(column, scols_wrapnl_chunksize,
						  scols_wrapnl_nextchunk, NULL);
	}
	return 0;
}

/* The texts then belong to libsmartcols. */
static int add_lines(const struct table *table, struct libscols_table *scols)
{
	for (size_t line = 1; line < table->lines; line++) {
		struct libscols_line *row = scols_table_new_line(scols, NULL);

		for (size_t i = 0; i < table->n; i++) {
			char **text = text_at(table, line, i);

			if (!row || scols_line_refer_data(row, i, *text))
				return -ENOMEM;
			*text = NULL;
		}
	}
	return 0;
}

static int print(const struct table *table, FILE *f)
{
	struct libscols_table *scols = scols_new_table();
	int err = scols ? add_columns(table, scols) : -ENOMEM;

	if (!err)
		err = add_lines(table, scols);
	if (!err)
		err = scols_table_set_stream(scols, f) || scols_print_table(scols) ? -EIO : 0;
	scols_unref_table(scols);
	return err;
}

/* ---- lines ---- */

/* Most texts of the type fit. */
static int usual_width(const struct column *column)
{
	switch (column->type) {
	case COL_TIME:
		return 17;
	case COL_DURATION:
	case COL_BYTES:
		return 8;
	case COL_TEXT:
		return 15;
	default:
		return 7;
	}
}

int rows_lines(const struct rows *rows, bool first, bool raw, FILE *f)
{
	struct table table;
	int err = table_begin(&table, rows, raw);

	for (size_t line = first ? 0 : 1; !err && line < table.lines; line++)
		for (size_t i = 0; i < table.n; i++) {
			const char *text = *text_at(&table, line, i);
			int spaces = usual_width(column_at(&table, i)) - (int)fold_columns(text);
			bool right = is_right(&table, i), last = i + 1 == table.n;

			spaces = spaces < 0 ? 0 : spaces;
			fprintf(f, "%*s%s%*s%s", right ? spaces : 0, "", text,
				right || last ? 0 : spaces, "", last ? "\n" : " ");
		}
	table_end(&table);
	return err;
}

int rows_table(const struct rows *rows, bool raw, FILE *f)
{
	struct table table;
	int err;

	if (!rows->n_rows)
		return 0;
	err = table_begin(&table, rows, raw);
	if (!err)
		err = fit(&table);
	if (!err)
		err = raw ? print_raw(&table, f) : print(&table, f);
	table_end(&table);
	return err;
}
