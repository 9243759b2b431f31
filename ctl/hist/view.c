/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints tables of counts: keys, sums, rates, and bars as wide as the terminal allows. */
#include "ctl/hist/view.h"

#include <inttypes.h>

#include "compat/io/say.h"
#include "ctl/app/print.h"
#include "ctl/out/disk.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"

/* ---- cells ---- */

char *hist_text(const struct dkt_table *table, size_t row, size_t column)
{
	struct dkt_buf buf = { 0 };

	dkt_table_text(table, row, column, &buf);
	return dkt__buf_take(&buf);
}

char *hist_cell(const struct dkt_table *table, size_t row, size_t column)
{
	char *text __cleanup(free) = hist_text(table, row, column);

	return text ? dkl_shown(text) : NULL;
}

const char *hist_name(const struct dkt_table_info *info, size_t column, char buf[HIST_NAME_SIZE])
{
	const char *name = info->columns[column]->name;

	for (size_t i = 0; column >= info->n_keys && i < info->n_keys; i++)
		if (!strcmp(info->columns[i]->name, name)) {
			snprintf(buf, HIST_NAME_SIZE, "%s_sum", name);
			return buf;
		}
	return name;
}

/* True if the table shows differences to an earlier table. They can be negative. */
static bool shows_growth(const struct hist_view *view)
{
	return view->before && view->seconds <= 0;
}

/* The sum in a row, or its difference. */
static uint64_t sum_of(const struct hist_view *view, size_t row, size_t column)
{
	uint64_t sum = dkt_table_value(view->table, row, column);

	return shows_growth(view) ? sum - hist_sum_before(view, row, column) : sum;
}

size_t hist_row_count(const struct hist_view *view)
{
	size_t n = dkt_table_info(view->table)->n_rows;

	return view->top && view->top < n ? view->top : n;
}

/* ---- columns ---- */

/* Keys, sums, a rate, saved values, a bar, names of disks. */
#define COLUMNS_MAX 20

struct printer {
	const struct hist_view *view;
	bool no_memory; /* the text of a cell was not made */
	const struct dkt_table_info *info;
	struct column columns[COLUMNS_MAX];
	char keys[COLUMNS_MAX][HIST_NAME_SIZE];
	char headings[COLUMNS_MAX][HIST_NAME_SIZE];
	size_t n;
	size_t bar; /* the column that bars show */
	bool is_text; /* for people */
};

static bool ends_in(const char *name, const char *end)
{
	const char *last = strrchr(name, '_');

	return last && !strcmp(last, end);
}

/*
 * Formats have no units. These names have the same unit in every event of the kernel: bytes (kmem, block,
 * page pools) and nanoseconds (sched_stat_runtime).
 */
static enum column_type unit_of(const struct hist_view *view, const char *name)
{
	if (!strncmp(name, "bytes", 5) || ends_in(name, "_bytes"))
		return COL_BYTES;
	if (!strcmp(name, "runtime") || !strcmp(name, "vruntime") || ends_in(name, "_ns") ||
	    (view->ns && !strcmp(name, view->ns)))
		return COL_DURATION;
	return COL_NUMBER;
}

/* Writes "2049-4096" as "2-4 KiB" if both ends are whole numbers of a unit. False: they are not. */
static bool range_text(const char *text, char *to, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	const char *p = text;
	uint64_t from, below;
	size_t unit = 0;

	if (dkt__take_u64(&p, NULL, DKT__DEC, &from) || *p++ != '-' ||
	    dkt__take_u64(&p, NULL, DKT__DEC, &below) || *p || !from)
		return false;
	/* The ranges begin after a power of two. */
	from--;
	while (unit + 1 < ARRAY_SIZE(units) && below >= 2048 && !(from % 1024) && !(below % 1024)) {
		from /= 1024;
		below /= 1024;
		unit++;
	}
	if (!unit && below > 1024)
		return false;
	snprintf(to, size, "%" PRIu64 "-%" PRIu64 " %s", from, below, units[unit]);
	return true;
}

static bool is_disk(const struct dkt_column *column)
{
	return column->is_number && !*column->modifier && dkt__disk_is_field(column->name);
}

static void disk_at(const struct hist_view *view, size_t row, size_t column, char text[DISK_SIZE])
{
	disk_text(dkt_table_value(view->table, row, column), view->source, text);
}

char *hist_words(const struct hist_view *view, size_t row, size_t column)
{
	const struct dkt_column *key_column = dkt_table_info(view->table)->columns[column];
	char *text = NULL, disk[DISK_SIZE];
	char range[64], *short_text;

	if (is_disk(key_column)) {
		disk_at(view, row, column, disk);
		return strdup(disk);
	}
	text = hist_text(view->table, row, column);
	if (!text || strcmp(key_column->modifier, "log2") != 0 ||
	    unit_of(view, key_column->name) != COL_BYTES || !range_text(text, range, sizeof(range)))
		return text;
	short_text = strdup(range);
	free(text);
	return short_text;
}

static bool is_decimal(const struct dkt_column *column)
{
	const char *modifier = column->modifier;

	return !*modifier || !strcmp(modifier, "dec") || !strcmp(modifier, "usecs");
}

static enum column_type type_of(const struct printer *p, const struct dkt_column *column)
{
	if (column->is_key && p->is_text && is_disk(column))
		return COL_TEXT;
	if (column->is_key)
		return column->is_number && !column->is_named && is_decimal(column) ? COL_NUMBER :
										      COL_TEXT;
	if (!strcmp(column->modifier, "percent"))
		return COL_PERCENT;
	if (!strcmp(column->modifier, "hex"))
		return COL_HEX;
	return *column->modifier ? COL_NUMBER : unit_of(p->view, column->name);
}

/* The unit in the heading, for columns that show plain numbers of a field with a unit. */
static const char *unit_text(const struct printer *p, const struct dkt_column *column)
{
	bool stamp = !strcmp(column->name, "common_timestamp");

	if (!strcmp(column->modifier, "percent"))
		return ".%";
	if (!column->is_key || (!stamp && unit_of(p->view, column->name) != COL_DURATION))
		return "";
	return strcmp(column->modifier, "usecs") ? "(ns)" : "(us)";
}

/* The field's name without "common_"; SYSCALL for numbers of system calls, printed as names. */
static void set_heading(struct printer *p, const struct dkt_column *column)
{
	const char *name = strcmp(column->modifier, "syscall") ? column->name : "syscall";
	char *heading = p->headings[p->n], *c;

	name += strncmp(name, "common_", 7) ? 0 : 7;
	snprintf(heading, HIST_NAME_SIZE, "%s", name);
	for (c = heading; *c; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	snprintf(c, (size_t)(heading + HIST_NAME_SIZE - c), "%s", unit_text(p, column));
	p->columns[p->n].heading = heading;
}

static uint64_t column_total(const struct printer *p, size_t column)
{
	uint64_t total = 0;

	for (size_t row = 0; row < p->info->n_rows; row++)
		total += sum_of(p->view, row, column);
	return total;
}

static void add_columns(struct printer *p)
{
	for (size_t i = 0; i < p->info->n_columns; i++) {
		const struct dkt_column *from = p->info->columns[i];
		struct column *column = &p->columns[p->n];

		column->key = hist_name(p->info, i, p->keys[p->n]);
		column->type = type_of(p, from);
		if (column->type == COL_PERCENT)
			column->total = column_total(p, i);
		set_heading(p, from);
		p->n++;
	}
	if (p->view->seconds > 0)
		p->columns[p->n++] = (struct column){ .key = "rate",
						      .type = COL_RATE,
						      .flags = COL_PEOPLE,
						      .heading = "PER SECOND" };
	if (p->info->has_more)
		p->columns[p->n++] = (struct column){ .key = "saved" };
	/* They come last, so that the columns of CSV have the same numbers without them. */
	for (size_t i = 0; i < p->info->n_keys; i++) {
		if (!is_disk(p->info->columns[i]))
			continue;
		snprintf(p->keys[p->n], HIST_NAME_SIZE, "%s" DISK_BESIDE, p->columns[i].key);
		p->columns[p->n] = (struct column){ .key = p->keys[p->n], .flags = COL_DATA };
		p->n++;
	}
	p->columns[p->n++] = (struct column){ .key = "bar", .type = COL_BAR, .heading = "" };
}

size_t hist_bar_column(const struct hist_view *view, const struct dkt_table_info *info)
{
	size_t i, len = view->sort ? strcspn(view->sort, ",.") : 0;

	for (i = info->n_columns; i-- > 0;)
		if (!strcmp(info->columns[i]->modifier, "graph"))
			return i;
	for (i = info->n_keys; i < info->n_columns; i++)
		if (strlen(info->columns[i]->name) == len &&
		    !strncmp(info->columns[i]->name, view->sort, len))
			return i;
	return info->n_keys;
}

/* ---- rows ---- */

static struct json_object *number_value(bool is_signed, uint64_t number)
{
	return is_signed ? json_object_new_int64((int64_t)number) : val_number(number);
}

static struct json_object *value_of(struct printer *p, size_t row, size_t column)
{
	const struct dkt_column *about = p->info->columns[column];
	char *text __cleanup(free) = NULL;

	if (!about->is_key)
		return number_value(about->is_signed || shows_growth(p->view),
				    sum_of(p->view, row, column));
	if (p->columns[column].type == COL_NUMBER)
		return number_value(about->is_signed, dkt_table_value(p->view->table, row, column));
	text = p->is_text ? hist_words(p->view, row, column) :
			    hist_text(p->view->table, row, column);
	p->no_memory |= !text;
	return val_text(text ? text : "");
}

static struct json_object *rate_value(const struct printer *p, size_t row)
{
	size_t column = p->info->n_keys;
	uint64_t now = dkt_table_value(p->view->table, row, column);

	return json_object_new_double((double)(now - hist_sum_before(p->view, row, column)) /
				      p->view->seconds);
}

static size_t add_disks(const struct printer *p, size_t row, struct json_object **values)
{
	char disk[DISK_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < p->info->n_keys; i++)
		if (is_disk(p->info->columns[i])) {
			disk_at(p->view, row, i, disk);
			values[n++] = val_text(disk);
		}
	return n;
}

static struct rows *make_rows(struct printer *p)
{
	size_t n, n_rows = hist_row_count(p->view);
	struct json_object *values[COLUMNS_MAX];
	struct rows *rows;

	add_columns(p);
	rows = rows_new("rows", p->columns, p->n);
	for (size_t row = 0; row < n_rows; row++) {
		for (size_t i = n = 0; i < p->info->n_columns; i++)
			values[n++] = value_of(p, row, i);
		if (p->view->seconds > 0)
			values[n++] = rate_value(p, row);
		if (p->info->has_more)
			values[n++] = val_text(dkt_table_more(p->view->table, row));
		n += add_disks(p, row, values + n);
		values[n] = json_object_get(values[p->bar]);
		rows_add_values(rows, values);
	}
	return rows;
}

int hist_view_print(const struct app *app, const struct hist_view *view)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	struct printer p = { .view = view, .info = info, .bar = hist_bar_column(view, info) };
	size_t n = hist_row_count(view);
	struct out out;

	print_begin(app, &out, 0);
	p.is_text = out.form == OUT_TEXT;
	out_rows(&out, make_rows(&p));
	out_keep(&out, p.no_memory ? -ENOMEM : 0);
	out_json(&out, "hits", val_number(info->hits));
	out_json(&out, "entries", val_number(info->n_rows));
	out_json(&out, "dropped", val_number(info->dropped));
	if (out.form == OUT_TEXT && info->n_rows > n)
		printf("(%zu more row%s)\n", info->n_rows - n, info->n_rows - n == 1 ? "" : "s");
	if (out.form == OUT_TEXT)
		printf("%s%" PRIu64 " hits in %zu row%s, %" PRIu64 " did not fit\n", n ? "\n" : "",
		       info->hits, info->n_rows, info->n_rows == 1 ? "" : "s", info->dropped);
	return out_end(&out);
}

/* ---- stacks ---- */

/* Writes the other keys before the frames. */
static int put_stack(const struct dkt_table *table, size_t row, size_t stack, FILE *f)
{
	char *frames __cleanup(free) = hist_cell(table, row, stack);

	for (size_t i = 0; i < dkt_table_info(table)->n_keys; i++) {
		char *text __cleanup(free) = i == stack ? NULL : hist_cell(table, row, i);

		if (text)
			fprintf(f, "%s;", text);
	}
	fputs(frames ? frames : "", f);
	return frames ? 0 : -ENOMEM;
}

int hist_view_stack(struct dkt_ctx *ctx, const struct hist_view *view, size_t row, char **text,
		    uint64_t *sum)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	size_t stack = 0, len;
	FILE *f;
	int err;

	while (stack < info->n_keys && !strstr(info->columns[stack]->name, "stacktrace") &&
	       strcmp(info->columns[stack]->modifier, "stacktrace") != 0)
		stack++;
	if (stack == info->n_keys)
		return dkt_fail(ctx, -EINVAL, "--folded: no key is a stack");
	f = open_memstream(text, &len);
	if (!f)
		return -ENOMEM;
	err = put_stack(view->table, row, stack, f);
	*sum = sum_of(view, row, info->n_keys);
	return fclose(f) ? -ENOMEM : err;
}

int hist_view_folded(struct dkt_ctx *ctx, const struct hist_view *view)
{
	size_t n = hist_row_count(view);
	int err = 0;

	for (size_t row = 0; !err && row < n; row++) {
		char *text __cleanup(free) = NULL;
		uint64_t sum;

		err = hist_view_stack(ctx, view, row, &text, &sum);
		if (!err)
			printf("%s %" PRId64 "\n", text, (int64_t)sum);
	}
	return err;
}
