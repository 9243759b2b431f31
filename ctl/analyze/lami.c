/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of LAMI 1.0, the machine interface of lttng-analyses, which Trace Compass reads. */
#include "ctl/analyze/lami.h"

#include "ctl/out/json.h"
#include "lib/base/json_number.h"
#include "lib/base/util.h"
#include "lib/base/when.h"

/* The classes of data objects, and of the columns that have them. */
static const char *const classes[] = {
	[RESULT_TEXT] = "string",     [RESULT_NUMBER] = "number",   [RESULT_REAL] = "number",
	[RESULT_SHARE] = "ratio",     [RESULT_TIME] = "timestamp",  [RESULT_DURATION] = "duration",
	[RESULT_BYTES] = "size",      [RESULT_PROCESS] = "process", [RESULT_CPU] = "cpu",
	[RESULT_IRQ] = "irq",         [RESULT_SOFTIRQ] = "irq",     [RESULT_DISK] = "disk",
	[RESULT_SYSCALL] = "syscall", [RESULT_PATH] = "path",       [RESULT_VALUE] = "string",
};

static void put_text(struct json_object *o, const char *key, const char *text)
{
	if (text)
		json_object_object_add(o, key, json_object_new_string(text));
}

static struct json_object *object_of(enum result_type type)
{
	struct json_object *o = json_object_new_object();

	put_text(o, "class", classes[type]);
	return o;
}

/* ---- metadata ---- */

static struct json_object *column_object(const struct result_column *column)
{
	struct json_object *o = json_object_new_object();

	put_text(o, "title", column->title);
	put_text(o, "class", classes[column->type]);
	put_text(o, "unit", column->unit);
	return o;
}

static struct json_object *class_object(const struct result_table *table)
{
	struct json_object *o = json_object_new_object(), *columns = json_object_new_array();

	put_text(o, "title", table->title);
	for (size_t i = 0; i < table->n; i++)
		json_object_array_add(columns, column_object(&table->columns[i]));
	json_object_object_add(o, "column-descriptions", columns);
	return o;
}

static struct json_object *version_object(int major, int minor, int patch)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "major", json_object_new_int(major));
	json_object_object_add(o, "minor", json_object_new_int(minor));
	if (patch >= 0)
		json_object_object_add(o, "patch", json_object_new_int(patch));
	return o;
}

struct json_object *lami_metadata(const struct run *run)
{
	struct json_object *o = json_object_new_object(), *tables = json_object_new_object();
	struct json_object *authors = json_object_new_array(), *tags = json_object_new_array();
	const struct result_table *table;

	json_object_object_add(o, "mi-version", version_object(LAMI_MAJOR, LAMI_MINOR, -1));
	json_object_object_add(o, "version",
			       version_object(DKT_VERSION_MAJOR, DKT_VERSION_MINOR,
					      DKT_VERSION_PATCH));
	put_text(o, "title", run->analysis->name);
	put_text(o, "description", run->analysis->help);
	json_object_array_add(authors, json_object_new_string("dktrace"));
	json_object_object_add(o, "authors", authors);
	json_object_array_add(tags, json_object_new_string("linux-kernel"));
	json_object_object_add(o, "tags", tags);
	for (size_t i = 0; (table = run_table(run, i)); i++)
		json_object_object_add(tables, table->key, class_object(table));
	json_object_object_add(o, "table-classes", tables);
	return o;
}

/* ---- results ---- */

static struct json_object *number_of(const struct result_cell *cell)
{
	return (int64_t)cell->number < 0 ? json_object_new_int64((int64_t)cell->number) :
					   dkt__json_u64(cell->number);
}

static struct json_object *time_object(const struct run *run, uint64_t time)
{
	struct json_object *o = object_of(RESULT_TIME);

	json_object_object_add(o, "value", json_object_new_int64(dkt__wall_time(time, run->wall)));
	return o;
}

/* A text; a number becomes one, because the column has one class. */
static void put_value(struct json_object *o, const struct result_cell *cell)
{
	struct json_object *number = cell->text ? NULL : number_of(cell);

	put_text(o, "value", cell->text ? cell->text : json_object_get_string(number));
	json_object_put(number);
}

static struct json_object *cell_object(const struct run *run, enum result_type type,
				       const struct result_cell *cell)
{
	struct json_object *o;

	if (!cell->known)
		return NULL;
	if (type == RESULT_TIME)
		return time_object(run, cell->number);
	o = object_of(type);
	switch (type) {
	case RESULT_PROCESS:
		put_text(o, "name", cell->text);
		json_object_object_add(o, "tid", number_of(cell));
		break;
	case RESULT_CPU:
		json_object_object_add(o, "id", number_of(cell));
		break;
	case RESULT_IRQ:
	case RESULT_SOFTIRQ:
		json_object_object_add(o, "hard", json_object_new_boolean(type == RESULT_IRQ));
		json_object_object_add(o, "nr", number_of(cell));
		put_text(o, "name", cell->text);
		break;
	case RESULT_DISK:
	case RESULT_SYSCALL:
		put_text(o, "name", cell->text);
		break;
	case RESULT_PATH:
		put_text(o, "path", cell->text);
		break;
	case RESULT_TEXT:
		put_text(o, "value", cell->text);
		break;
	case RESULT_VALUE:
		put_value(o, cell);
		break;
	case RESULT_REAL:
	case RESULT_SHARE:
		json_object_object_add(o, "value", json_object_new_double(cell->real));
		break;
	default:
		json_object_object_add(o, "value", number_of(cell));
	}
	return o;
}

static struct json_object *row_array(const struct run *run, const struct result_table *table,
				     const struct result_cell *cells)
{
	struct json_object *row = json_object_new_array();

	for (size_t i = 0; i < table->n; i++)
		json_object_array_add(row, cell_object(run, table->columns[i].type, &cells[i]));
	return row;
}

static struct json_object *range_object(const struct run *run)
{
	struct json_object *range = json_object_new_object();
	uint64_t from, to;

	run_range(run, &from, &to);
	put_text(range, "class", "time-range");
	json_object_object_add(range, "begin", time_object(run, from));
	json_object_object_add(range, "end", time_object(run, to));
	return range;
}

/* Takes the object. */
static int print_part(struct json_object *o, FILE *f)
{
	int err = json_part(o, f);

	json_object_put(o);
	return err;
}

void lami_begin_table(const struct result_table *table, FILE *f)
{
	fprintf(f, "{\"class\":\"%s\",\"data\":[", table->key);
}

int lami_print_row(const struct run *run, const struct result_table *table,
		   const struct result_cell *cells, bool first, FILE *f)
{
	fputs(first ? "" : ",", f);
	return print_part(row_array(run, table, cells), f);
}

int lami_end_table(const struct run *run, FILE *f)
{
	int err;

	fputs("],\"time-range\":", f);
	err = print_part(range_object(run), f);
	fputs("}", f);
	return err;
}

struct json_object *lami_error(const char *message)
{
	struct json_object *o = json_object_new_object();

	put_text(o, "error-message", message);
	return o;
}
