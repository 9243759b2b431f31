/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows the tables of an analysis as text, JSON or CSV. */
#include "ctl/analyze/show.h"

#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/app/order.h"
#include "ctl/app/print.h"
#include "ctl/out/json.h"
#include "lib/base/guess.h"
#include "lib/base/memory.h"

/* Rows of a sorted table that text shows without --top. */
#define TOP_TEXT 10

/* Rows of a log between two writes. */
#define LOG_ROWS 256

/* The columns of a table at most, with those of numbers and bars. */
#define MAX_COLUMNS 32

/* ---- columns ---- */

static const enum column_type types[] = {
	[RESULT_TEXT] = COL_TEXT,    [RESULT_NUMBER] = COL_NUMBER, [RESULT_REAL] = COL_RATE,
	[RESULT_SHARE] = COL_SHARE,  [RESULT_TIME] = COL_TIME,     [RESULT_DURATION] = COL_DURATION,
	[RESULT_BYTES] = COL_BYTES,  [RESULT_PROCESS] = COL_TEXT,  [RESULT_CPU] = COL_NUMBER,
	[RESULT_IRQ] = COL_TEXT,     [RESULT_SOFTIRQ] = COL_TEXT,  [RESULT_DISK] = COL_TEXT,
	[RESULT_SYSCALL] = COL_TEXT, [RESULT_PATH] = COL_TEXT,     [RESULT_VALUE] = COL_TEXT,
};

/* A narrow terminal can do without them. */
static bool is_spare(const struct result_column *column)
{
	return !strcmp(column->key, "mean") || !strcmp(column->key, "p90") ||
	       !strcmp(column->key, "p99.9");
}

/* A name and a number: two columns. */
static bool has_number(const struct result_column *column)
{
	return column->number_key;
}

/* Puts the column of the machine before the others. */
static int add_host(struct shown *shown)
{
	struct result_table *table = &shown->table;

	shown->with_host = calloc(table->n + 1, sizeof(*shown->with_host));
	if (!shown->with_host)
		return -ENOMEM;
	shown->with_host[0] = (struct result_column){ "host", RESULT_TEXT, "Host", NULL, NULL };
	memcpy(shown->with_host + 1, table->columns, table->n * sizeof(*table->columns));
	table->columns = shown->with_host;
	table->n++;
	table->by += table->by >= 0;
	table->bar += table->bar >= 0;
	return 0;
}

static int set_columns(struct shown *shown, bool several)
{
	const struct result_table *table = &shown->table;
	struct column *to = calloc(2 * table->n + 2, sizeof(*to));

	shown->rows.table = table;
	shown->columns = to;
	if (!to)
		return -ENOMEM;
	/* A line of a log of several tables names its table. */
	if (several)
		*to++ = (struct column){ .key = "table", .heading = "WHAT" };
	for (size_t i = 0; i < table->n; i++) {
		const struct result_column *from = &table->columns[i];

		*to++ = (struct column){ .key = from->key,
					 .type = types[from->type],
					 .flags = is_spare(from) ? COL_SPARE : 0 };
		if (has_number(from))
			*to++ = (struct column){ .key = from->number_key, .type = COL_NUMBER };
	}
	if (table->bar >= 0)
		*to++ = (struct column){
			.key = "bar", .type = COL_BAR, .flags = COL_PEOPLE, .heading = ""
		};
	shown->n = (size_t)(to - shown->columns);
	return 0;
}

static int unknown_column(struct show *show)
{
	char *word __cleanup(free) = strndup(show->sort, show->sort_len);
	struct dkt__strings seen = { 0 };
	struct dkt__guess guess;
	char *list __cleanup(free) = NULL;
	size_t size;
	FILE *f = word ? open_memstream(&list, &size) : NULL;

	if (!f)
		return dkt__no_memory(show->run->ctx);
	dkt__guess_start(&guess, word, show->sort_len);
	for (size_t i = 0; i < show->n; i++)
		for (size_t c = 0; c < show->tables[i].table.n; c++) {
			const char *key = show->tables[i].table.columns[c].key;

			/* Several tables have the same column. */
			if (dkt__strings_has(&seen, key) || dkt__strings_add(&seen, key))
				continue;
			fprintf(f, "%s%s", seen.n > 1 ? ", " : "", key);
			dkt__guess_try(&guess, key);
		}
	dkt__strings_clear(&seen);
	show->run->app->wrong = true;
	return fclose(f) ? dkt__no_memory(show->run->ctx) :
			   dkt_fail(show->run->ctx, -EINVAL,
				    "--sort: '%s' is not a column; the columns are %s%s", word,
				    list, dkt__guess_words(&guess));
}

static int begin(struct show *show)
{
	const struct run *run = show->run;
	const struct result_table *table;
	bool known = !show->sort;
	size_t n = 0;
	int err = 0;

	while (run_table(run, n))
		n++;
	show->tables = calloc(n, sizeof(*show->tables));
	if (!show->tables)
		return -ENOMEM;
	for (; !err && show->n < n; show->n++) {
		struct shown *shown = &show->tables[show->n];

		shown->table = *run_table(run, show->n);
		table = &shown->table;
		if (run->n_machines > 1)
			err = add_host(shown);
		if (!err)
			err = set_columns(shown, n > 1 && table->log);
		for (size_t i = 0; !known && i < table->n; i++)
			known = strlen(table->columns[i].key) == show->sort_len &&
				!strncmp(table->columns[i].key, show->sort, show->sort_len);
	}
	return err || known ? err : unknown_column(show);
}

/* ---- rows ---- */

static struct json_object *cell_value(const struct result_column *column,
				      const struct result_cell *cell)
{
	if (!cell->known)
		return NULL;
	if (column->type == RESULT_VALUE && !cell->text)
		return json_object_new_int64((int64_t)cell->number);
	switch (types[column->type]) {
	case COL_TEXT:
		return val_text(cell->text);
	case COL_RATE:
	case COL_SHARE:
		return json_object_new_double(cell->real);
	default:
		return (int64_t)cell->number < 0 ? json_object_new_int64((int64_t)cell->number) :
						   val_number(cell->number);
	}
}

/* Bars are drawn by whole numbers. */
static struct json_object *bar_value(const struct result_column *column,
				     const struct result_cell *cell)
{
	if (!cell->known)
		return NULL;
	return val_number(column->type == RESULT_SHARE ? (uint64_t)(cell->real * 1e9) :
							 cell->number);
}

static void add_row(struct rows *rows, const struct result_table *table,
		    const struct result_cell *cells)
{
	struct json_object *values[MAX_COLUMNS];
	size_t n = 0;

	if (!strcmp(rows->columns[0].key, "table"))
		values[n++] = val_text(table->key);
	for (size_t i = 0; i < table->n; i++) {
		values[n++] = cell_value(&table->columns[i], &cells[i]);
		if (has_number(&table->columns[i]))
			values[n++] = cells[i].known ?
					      json_object_new_int64((int64_t)cells[i].number) :
					      NULL;
	}
	if (table->bar >= 0)
		values[n++] = bar_value(&table->columns[table->bar], &cells[table->bar]);
	rows_add_values(rows, values);
}

/* Returns at most limit rows as they print; NULL: out of memory. */
static struct rows *printed(const struct shown *shown, size_t limit)
{
	const struct result_table *table = shown->rows.table;
	struct rows *rows = rows_new(table->key, shown->columns, shown->n);

	for (size_t i = 0; rows && i < shown->rows.n && i < limit; i++)
		add_row(rows, table, result_row(&shown->rows, i));
	return rows;
}

static struct shown *find(struct show *show, const struct run_machine *machine,
			  const struct result_table *table)
{
	size_t i = 0;

	while (analyze_table(machine->analyze, i) != table)
		i++;
	return &show->tables[i];
}

static int keep_row(struct shown *shown, const struct run_machine *machine,
		    const struct result_cell *cells)
{
	struct result_cell with_host[MAX_COLUMNS] = { cell_text(machine->name) };

	if (!shown->with_host)
		return result_add(&shown->rows, cells);
	memcpy(with_host + 1, cells, (shown->table.n - 1) * sizeof(*cells));
	return result_add(&shown->rows, with_host);
}

/* ---- a log ---- */

static int print_log(struct show *show, const struct rows *rows)
{
	struct json_object *list;
	int err = 0;

	if (show->out.form == OUT_CSV)
		return show->begun ? rows_csv_lines(rows, show->out.raw, stdout) :
				     rows_csv(rows, show->out.raw, stdout);
	if (show->out.form == OUT_TEXT)
		return rows_lines(rows, !show->begun, show->out.raw, stdout);
	list = rows_json(rows);
	for (size_t i = 0; !err && i < json_object_array_length(list); i++)
		err = json_line(json_object_array_get_idx(list, i), stdout);
	json_object_put(list);
	return err;
}

static int write_log(struct show *show, struct shown *shown)
{
	struct rows *rows;
	int err;

	if (!shown->rows.n)
		return 0;
	rows = printed(shown, SIZE_MAX);
	err = rows ? rows->err : -ENOMEM;
	if (!err)
		err = print_log(show, rows);
	rows_free(rows);
	show->begun = true;
	shown->rows.n = 0;
	return err;
}

/* Rows of several tables must stay in order. */
static int write_others(struct show *show, const struct shown *but)
{
	int err = 0;

	for (size_t i = 0; !err && i < show->n; i++)
		if (&show->tables[i] != but && show->tables[i].rows.table->log)
			err = write_log(show, &show->tables[i]);
	return err;
}

int show_row(void *data, const struct run_machine *machine, const struct result_table *table,
	     const struct result_cell *cells)
{
	struct show *show = data;
	int err = show->tables ? 0 : begin(show);
	struct shown *shown;

	if (err)
		return err;
	shown = find(show, machine, table);
	if (table->log)
		err = write_others(show, shown);
	if (!err)
		err = keep_row(shown, machine, cells);
	if (!err && table->log && shown->rows.n >= LOG_ROWS)
		err = write_log(show, shown);
	return err;
}

int show_idle(void *data)
{
	struct show *show = data;
	int err = show->tables ? write_others(show, NULL) : 0;

	return err || !fflush(stdout) ? err : -EPIPE;
}

/* ---- tables ---- */

static int sort_table(struct show *show, struct shown *shown)
{
	const struct result_table *table = shown->rows.table;

	for (size_t i = 0; show->sort && i < table->n; i++)
		if (strlen(table->columns[i].key) == show->sort_len &&
		    !strncmp(table->columns[i].key, show->sort, show->sort_len))
			return result_sort(&shown->rows, i, show->descending);
	return table->by < 0 ? 0 : result_sort(&shown->rows, (size_t)table->by, true);
}

static size_t limit_of(const struct show *show, const struct result_table *table)
{
	/* The rows of the other tables belong together. */
	if (table->by < 0)
		return SIZE_MAX;
	return show->top ? show->top : show->out.form == OUT_TEXT ? TOP_TEXT : SIZE_MAX;
}

static int put_table(struct show *show, struct shown *shown)
{
	size_t n = shown->rows.n, limit = limit_of(show, shown->rows.table);
	struct out *out = &show->out;
	int err = sort_table(show, shown);

	if (err)
		return err;
	if (out->form == OUT_TEXT && n) {
		printf("%s%s\n", out->any ? "\n" : "", shown->rows.table->title);
		out->any = false;
	}
	out_rows(out, printed(shown, limit));
	if (out->form == OUT_TEXT && n > limit)
		printf("(%zu more rows)\n", n - limit);
	return 0;
}

/* JSON only. */
static void put_facts(struct show *show)
{
	const struct run *run = show->run;
	struct analyze_missed missed;
	uint64_t from, to;

	run_missed(run, &missed);
	run_range(run, &from, &to);
	out_json(&show->out, "analysis", val_text(run->analysis->name));
	out_json(&show->out, "begin", val_number(from));
	out_json(&show->out, "end", val_number(to));
	print_losses(&show->out, &run->all);
	out_json(&show->out, "doubtful", val_number(missed.lost));
	out_json(&show->out, "open", val_number(missed.open));
	out_json(&show->out, "unmatched_begins", val_number(missed.endless));
	out_json(&show->out, "unmatched_ends", val_number(missed.unbegun));
	if (run->periods)
		out_json(&show->out, "cut_by_parent", val_number(missed.cut));
}

static void say_missed(const struct run *run)
{
	struct analyze_missed missed;
	const struct {
		const uint64_t *n;
		const char *words;
	} rows[] = {
		{ &missed.lost, "because records were lost" },
		{ &missed.open, "that had not ended at the last record" },
		{ &missed.endless, "with no recorded end" },
		{ &missed.unbegun, "with no recorded beginning" },
		{ &missed.cut, "whose parent ended before them" },
	};
	char text[256] = "";
	size_t used = 0;

	run_missed(run, &missed);
	fflush(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (*rows[i].n)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%s%" PRIu64 " %s", used ? ", " : "", *rows[i].n,
						 rows[i].words);
	if (used)
		app_say("intervals left out: %s", text);
	if (missed.restarts)
		app_say("times begin again, as after a boot: no interval crosses that, and the processes"
			" after it are others");
	if (missed.backwards)
		app_say("the clock went back before %" PRIu64 " records: times there are wrong",
			missed.backwards);
}

int show_finish(void *data)
{
	struct show *show = data;
	const struct analysis *analysis = show->run->analysis;
	int err = show->tables ? write_others(show, NULL) : begin(show);

	if (analysis->view != VIEW_LOG)
		put_facts(show);
	for (size_t i = 0; !err && analysis->view != VIEW_LOG && i < show->n; i++)
		err = put_table(show, &show->tables[i]);
	if (!err && show->out.form == OUT_TEXT && !show->begun && !show->out.any)
		app_say("%s: nothing to show", analysis->name);
	/* JSON's tables come with these numbers. */
	if (show->out.form != OUT_JSON || analysis->view == VIEW_LOG)
		say_missed(show->run);
	return err;
}

/* ---- options ---- */

int show_read(struct show *show, const struct app *app)
{
	const struct analyze_options *given = OPT(app, analyze);
	int top = 0, rc = opt_number("top", OPT(app, print)->top, &top);

	show->top = (size_t)top;
	show->sort = given->sort;
	if (given->sort)
		show->sort_len = order_read(given->sort, &show->descending);
	return rc;
}

void show_clear(struct show *show)
{
	for (size_t i = 0; i < show->n; i++) {
		result_clear(&show->tables[i].rows);
		free(show->tables[i].columns);
		free(show->tables[i].with_host);
	}
	free(show->tables);
}
