/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A panel's items as the user wants to see them: chosen, sorted, as rows. */
#include "ctl/out/bar.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"

/* ---- values ---- */

static bool is_known(const struct top *top, const struct top_column *column)
{
	return !column->have || column->have & top->frame.have;
}

static struct json_object *value_of(const struct top *top, const struct top_panel *panel, size_t nr,
				    const void *item)
{
	const struct top_column *column = &panel->columns[nr];
	char *text __cleanup(free) = column->text ? column->text(top, item) : NULL;
	double number;

	if (!is_known(top, column))
		return NULL;
	if (!column->text && !column->number)
		return panel->list(top, item);
	if (column->text)
		return val_text(text);
	number = column->number(top, item);
	if (number < 0)
		return NULL;
	/* Bytes per second are not rounded: multiplied by the seconds they are the exact number. */
	if (column->out.type == COL_RATE || number != (double)(uint64_t)number)
		return json_object_new_double(number);
	return val_number((uint64_t)number);
}

/* ---- choice ---- */

static bool has_text(const struct top *top, const struct top_panel *panel, const void *item)
{
	for (size_t i = 0; i < panel->n; i++) {
		char *text __cleanup(free) =
			panel->columns[i].text ? panel->columns[i].text(top, item) : NULL;
		char number[32] = "";

		/* A PID is looked for like a text. */
		if (!text && panel->columns[i].out.type == COL_NUMBER)
			snprintf(number, sizeof(number), "%.0f",
				 panel->columns[i].number(top, item));
		if (strcasestr(text ? text : number, top->filter))
			return true;
	}
	return false;
}

static bool shows(const struct top *top, const struct top_panel *panel, const void *item)
{
	if (panel->shows && !panel->shows(top, item))
		return false;
	return !top->filter[0] || has_text(top, panel, item);
}

/* ---- order ---- */

struct sorted {
	const void *item;
	double number;
	char *text;
	bool ascending;
};

static int compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	const int sign = x->ascending ? 1 : -1;

	if (x->text && y->text && strcmp(x->text, y->text) != 0)
		return sign * strcmp(x->text, y->text);
	if (x->number != y->number)
		return x->number < y->number ? -sign : sign;
	/* Equal rows keep the order of the frame. */
	return x->item < y->item ? -1 : x->item > y->item;
}

static int add_item(const struct top *top, const struct top_view *view, enum top_panel_nr nr,
		    const void *item, struct sorted *to)
{
	const struct top_column *column = &view->panel->columns[top->sort[nr].column];

	*to = (struct sorted){ .item = item, .ascending = top->sort[nr].ascending };
	if (column->number)
		to->number = column->number(top, item);
	else
		to->text = column->text(top, item);
	return column->text && !to->text ? -ENOMEM : 0;
}

int top_view_new(const struct top *top, enum top_panel_nr nr, struct top_view *view)
{
	const struct top_panel *panel = &top_panels[nr];
	struct sorted *all __cleanup(free) = NULL;
	size_t n = 0;
	int err = 0;

	*view = (struct top_view){ .panel = panel };
	for (size_t i = 0; i < panel->n; i++)
		view->columns[i] = panel->columns[i].out;
	while (panel->item(top, n))
		n++;
	all = calloc(n + 1, sizeof(*all));
	view->items = calloc(n + 1, sizeof(*view->items));
	if (!all || !view->items)
		return -ENOMEM;
	for (size_t i = 0; !err && i < n; i++)
		if (shows(top, panel, panel->item(top, i)))
			err = add_item(top, view, nr, panel->item(top, i), &all[view->n++]);
	qsort(all, view->n, sizeof(*all), compare);
	for (size_t i = 0; i < view->n; i++) {
		view->items[i] = all[i].item;
		free(all[i].text);
	}
	return err;
}

void top_view_clear(struct top_view *view)
{
	free(view->items);
	*view = (struct top_view){ 0 };
}

/* ---- rows ---- */

struct rows *top_view_rows(const struct top *top, const struct top_view *view, size_t from,
			   size_t n)
{
	const struct top_panel *panel = view->panel;
	struct rows *rows = rows_new(panel->name, view->columns, panel->n);
	struct json_object *values[TOP_COLUMNS];

	for (size_t i = from; i < view->n && i - from < n; i++) {
		for (size_t column = 0; column < panel->n; column++)
			values[column] = value_of(top, panel, column, view->items[i]);
		rows_add_values(rows, values);
	}
	return rows;
}

int top_view_print(const struct top *top, const struct top_view *view, size_t from, size_t n,
		   FILE *f)
{
	struct rows *rows = top_view_rows(top, view, from, n);
	int err = rows ? rows->err : -ENOMEM;

	if (!err && !rows->n_rows)
		fputs("none\n", f);
	else if (!err)
		err = rows_table(rows, false, f);
	rows_free(rows);
	return err;
}

static char *classes_title(const struct top *top)
{
	const struct top_buffer *log = &top->buffers[TOP_LOG];
	const char *title = top_panels[TOP_CLASSES].title;
	char lost[UNIT_SIZE];

	if (!log->name)
		return dkt__format("%s: there is no log", title);
	if (!top->count_log)
		return dkt__format("%s: %s counts them", title,
				   OPT(top->app, top)->batch ? "--log" : "key l");
	if (!log->known || !log->lost)
		return strdup(title);
	rate_text(top_per_second(top, (double)log->lost), lost);
	return dkt__format("%s, which loses %s records/s", title, lost);
}

char *top_title(const struct top *top, enum top_panel_nr nr)
{
	if (top->process && nr == TOP_PROCESSES)
		return dkt__format("Threads of process %d", top->process);
	if (top->process && nr == TOP_CALLS)
		return dkt__format("%s, of process %d", top_panels[nr].title, top->process);
	if (nr == TOP_CLASSES)
		return classes_title(top);
	if (nr == TOP_FUNCTIONS)
		return top_functions_title(top);
	if (nr == TOP_INTERVALS && !top->intervals.n)
		return dkt__format("%s: --interval names them", top_panels[nr].title);
	return strdup(top_panels[nr].title);
}
