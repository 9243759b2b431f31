/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints counts: a row for each event, by CPU or thread if asked for. */
#include <math.h>

#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/out/bar.h"
#include "ctl/stat/stat.h"
#include "lib/base/buf.h"

enum {
	TIME,
	CPU,
	THREAD,
	COMM,
	TID,
	EVENT,
	SHOWN,
	COUNT,
	UNIT,
	ERROR,
	RATE,
	RATIO_SHOWN,
	RATIO,
	RATIO_TO,
	RAN,
	STATE,
	COLUMNS
};

static const struct column all_columns[COLUMNS] = {
	[TIME] = { .key = "time", .type = COL_TIME },
	[CPU] = { .key = "cpu", .type = COL_NUMBER },
	[THREAD] = { .key = "thread", .flags = COL_PEOPLE },
	[COMM] = { .key = "comm", .flags = COL_DATA },
	[TID] = { .key = "tid", .type = COL_NUMBER, .flags = COL_DATA },
	[EVENT] = { .key = "event" },
	[SHOWN] = { .key = "shown", .type = COL_NUMBER, .flags = COL_PEOPLE, .heading = "COUNT" },
	[COUNT] = { .key = "count", .type = COL_NUMBER, .flags = COL_DATA },
	[UNIT] = { .key = "unit", .flags = COL_DATA },
	[ERROR] = { .key = "error", .type = COL_SHARE, .heading = "+-" },
	[RATE] = { .key = "per_second", .type = COL_RATE, .heading = "PER SECOND" },
	[RATIO_SHOWN] = { .key = "ratio_shown", .flags = COL_PEOPLE, .heading = "RATIO" },
	[RATIO] = { .key = "ratio", .type = COL_NUMBER, .flags = COL_DATA },
	[RATIO_TO] = { .key = "ratio_to", .flags = COL_DATA },
	[RAN] = { .key = "ran", .type = COL_SHARE },
	[STATE] = { .key = "state", .flags = COL_DATA },
};

/* Those of an interval are printed bit by bit, where only the last column can be of any width. */
static const int usual_order[] = { CPU,   THREAD, COMM,        TID,   EVENT,    SHOWN, COUNT, UNIT,
				   ERROR, RATE,   RATIO_SHOWN, RATIO, RATIO_TO, RAN,   STATE };
static const int interval_order[] = { TIME, CPU,         THREAD, COMM,     TID, SHOWN, COUNT, UNIT,
				      RATE, RATIO_SHOWN, RATIO,  RATIO_TO, RAN, EVENT, STATE };

/* ---- values ---- */

static const char *state_words(enum stat_state state)
{
	static const char *const words[] = { [STAT_COUNTED] = "counted",
					     [STAT_NEVER_RAN] = "not counted",
					     [STAT_UNSUPPORTED] = "not supported",
					     [STAT_REFUSED] = "not permitted" };

	return words[state];
}

static const char *unit_of(const struct stat *stat, size_t row)
{
	const struct stat_row *of = &stat->events.rows[row];

	return of->n == 1 ? stat->events.list[of->events[0]].perf.unit : "";
}

static struct json_object *shown_value(const struct stat_cell *cell, const char *unit)
{
	const double mean = cell->count.mean;
	char text[UNIT_SIZE + 32];

	if (cell->state != STAT_COUNTED)
		return val_text(state_words(cell->state));
	if (!strcmp(unit, "ns"))
		duration_text((uint64_t)mean, text);
	else if (*unit)
		snprintf(text, sizeof(text), "%.2f %s", mean, unit);
	else
		/* A mean of small numbers needs its fraction. */
		snprintf(text, sizeof(text),
			 cell->count.n > 1 && mean < 100 && floor(mean) < mean ? "%.1f" : "%.0f",
			 mean);
	return val_text(text);
}

static struct json_object *count_value(const struct stat_cell *cell, const char *unit)
{
	if (cell->state != STAT_COUNTED)
		return NULL;
	if (cell->count.n > 1 || (*unit && strcmp(unit, "ns") != 0))
		return json_object_new_double(cell->count.mean);
	return val_number((uint64_t)llround(cell->count.mean));
}

static struct json_object *ratio_shown(const struct stat *stat, const struct stat_cell *cell)
{
	const double mean = cell->ratio.mean;
	const char *to = cell->to.to;
	char *text __cleanup(free) = NULL;
	const int calls = stat_calls_row(&stat->events);

	if (!cell->ratio.n)
		return NULL;
	if (!strcmp(to, "elapsed"))
		text = dkt__format("%.2f CPUs", mean);
	else if (cell->to.is_share)
		text = dkt__format("%.2f %% of %s", 100 * mean, to);
	else if (calls >= 0 && to == stat->events.rows[calls].name)
		text = dkt__format("%.3g per call", mean);
	else
		text = dkt__format("%.2f per cycle", mean);
	return val_text(text);
}

static struct json_object *mean_value(const struct stat_spread *spread)
{
	return spread->n ? json_object_new_double(spread->mean) : NULL;
}

static struct json_object *thread_value(const struct stat_group *group)
{
	char *text __cleanup(free) = dkt__format("%s-%d", group->comm, group->tid);

	return val_text(text);
}

static struct json_object *value_of(const struct stat *stat, int column, size_t nr, size_t row)
{
	const struct stat_group *group = &stat->places.groups[nr];
	const struct stat_cell *cell = &stat->cells[nr * stat->events.n_rows + row];
	const char *unit = unit_of(stat, row);

	switch (column) {
	case TIME:
		return val_number(stat->read - stat->started);
	case CPU:
		return val_number((uint64_t)group->cpu);
	case THREAD:
		return thread_value(group);
	case COMM:
		return val_text(group->comm);
	case TID:
		return val_number((uint64_t)group->tid);
	case EVENT:
		return val_text(stat->events.rows[row].name);
	case SHOWN:
		return shown_value(cell, unit);
	case COUNT:
		return count_value(cell, unit);
	case UNIT:
		return val_words(unit);
	case ERROR:
		return cell->count.n > 1 ? json_object_new_double(stat_spread_error(&cell->count)) :
					   NULL;
	case RATE:
		return mean_value(&cell->rate);
	case RATIO_SHOWN:
		return ratio_shown(stat, cell);
	case RATIO:
		return mean_value(&cell->ratio);
	case RATIO_TO:
		return cell->ratio.n ? val_text(cell->to.to) : NULL;
	case RAN:
		return cell->state == STAT_COUNTED ? json_object_new_double(cell->ran) : NULL;
	default:
		return val_text(state_words(cell->state));
	}
}

/* ---- columns ---- */

/* The reasons for columns; text leaves out those that would be empty. */
struct shape {
	bool text, json, rate, ratio, ran;
};

/* True if an event needs a counter of the hardware, of which there are few. */
static bool needs_hardware(const struct stat *stat)
{
	for (size_t i = 0; i < stat->events.n; i++)
		if (stat->counts.counters[i] && !stat_event_always_runs(&stat->events.list[i]))
			return true;
	return false;
}

static void look(const struct stat *stat, struct shape *shape)
{
	const size_t n = stat->events.n_rows * stat->places.n_groups;

	/* Later intervals have the columns of the first one. */
	if (stat->interval > 0) {
		shape->rate = true;
		shape->ran = needs_hardware(stat);
		shape->ratio = shape->ran || stat_clock_row(&stat->events) >= 0 ||
			       stat_calls_row(&stat->events) >= 0;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		shape->rate |= stat->cells[i].rate.n > 0;
		shape->ratio |= stat->cells[i].ratio.n > 0;
		shape->ran |= stat->cells[i].ran < 0.9995;
	}
}

static bool has_column(const struct stat *stat, const struct shape *shape, int column)
{
	switch (column) {
	case TIME: /* JSON has an object for each interval */
		return !shape->json;
	case CPU:
		return stat->by == STAT_BY_CPU;
	case THREAD:
	case COMM:
	case TID:
		return stat->by == STAT_BY_THREAD;
	case ERROR:
		return stat->runs > 1;
	case RATE:
		return shape->rate || !shape->text;
	case RATIO_SHOWN:
		return shape->ratio;
	case RAN:
		return shape->ran || !shape->text;
	default:
		return true;
	}
}

static size_t choose_columns(const struct stat *stat, struct column columns[COLUMNS],
			     int shown[COLUMNS])
{
	const bool interval = stat->interval > 0;
	const int *order = interval ? interval_order : usual_order;
	const size_t most = interval ? ARRAY_SIZE(interval_order) : ARRAY_SIZE(usual_order);
	const struct print_options *print = OPT(stat->app, print);
	struct shape shape = { .text = !print->json && !print->csv, .json = print->json };
	size_t n = 0;

	look(stat, &shape);
	for (size_t i = 0; i < most; i++) {
		if (!has_column(stat, &shape, order[i]))
			continue;
		columns[n] = all_columns[order[i]];
		shown[n++] = order[i];
	}
	return n;
}

/* ---- rows ---- */

/* Most of all the machine's threads do nothing. */
static bool is_idle(const struct stat *stat, size_t group)
{
	const struct stat_options *given = OPT(stat->app, stat);
	const size_t n = stat->events.n_rows;

	if (stat->by != STAT_BY_THREAD || given->pid || given->comm)
		return false;
	for (size_t row = 0; row < n; row++)
		if (stat->cells[group * n + row].count.mean > 0)
			return false;
	return true;
}

static struct rows *make_rows(const struct stat *stat, struct column columns[COLUMNS])
{
	struct json_object *values[COLUMNS];
	int shown[COLUMNS];
	const size_t n = choose_columns(stat, columns, shown);
	struct rows *rows = rows_new("events", columns, n);

	for (size_t group = 0; group < stat->places.n_groups; group++) {
		if (is_idle(stat, group))
			continue;
		for (size_t row = 0; row < stat->events.n_rows; row++) {
			for (size_t i = 0; i < n; i++)
				values[i] = value_of(stat, shown[i], group, row);
			rows_add_values(rows, values);
		}
	}
	return rows;
}

/* ---- times ---- */

static void put_time(struct out *out, const char *key, const struct stat_spread *spread)
{
	char text[UNIT_SIZE], error[UNIT_SIZE] = "";

	out_json(out, key, val_number((uint64_t)spread->mean));
	duration_text((uint64_t)spread->mean, text);
	if (spread->n > 1)
		snprintf(error, sizeof(error), " +- %.2f %%", 100 * stat_spread_error(spread));
	out_line(out, key, "%s%s", text, error);
}

static void put_members(const struct stat *stat, struct out *out)
{
	const int row = stat_clock_row(&stat->events);

	put_time(out, "elapsed", &stat->times.elapsed);
	if (stat->command) {
		put_time(out, "user", &stat->times.user);
		put_time(out, "system", &stat->times.system);
	}
	out_json(out, "runs", val_number(stat->times.elapsed.n));
	out_json(out, "per_second_of",
		 val_text(row >= 0 && stat->cells[row].state == STAT_COUNTED ?
				  stat->events.rows[row].name :
				  "elapsed"));
}

int stat_print(const struct stat *stat)
{
	struct column columns[COLUMNS];
	struct out out;

	print_begin(stat->app, &out, (int)strlen("elapsed "));
	put_members(stat, &out);
	out_rows(&out, make_rows(stat, columns));
	return out_end(&out);
}

/* ---- intervals ---- */

static int print_json(const struct stat *stat, struct rows *rows)
{
	struct out out;

	print_begin(stat->app, &out, 0);
	out_json(&out, "time", val_number(stat->read - stat->started));
	out_rows(&out, rows);
	return out_end(&out);
}

int stat_print_interval(struct stat *stat)
{
	const struct print_options *print = OPT(stat->app, print);
	struct column columns[COLUMNS];
	struct rows *rows = make_rows(stat, columns);
	int err = rows ? rows->err : -ENOMEM;

	if (print->json)
		return print_json(stat, rows);
	if (!err && print->csv)
		err = stat->printed ? rows_csv_lines(rows, false, stdout) :
				      rows_csv(rows, false, stdout);
	else if (!err)
		err = rows_lines(rows, !stat->printed, false, stdout);
	stat->printed = true;
	fflush(stdout);
	rows_free(rows);
	return err;
}
