/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns counts into the cells of rows: rates, ratios, and their means over several runs. */
#include "ctl/stat/stat.h"

#include "lib/base/memory.h"

int stat_cells_new(struct stat *stat)
{
	const size_t n = stat->events.n_rows * stat->places.n_groups;

	free(stat->cells);
	stat->cells = calloc(n + 1, sizeof(*stat->cells));
	for (size_t i = 0; stat->cells && i < n; i++)
		stat->cells[i].ran = 1;
	return stat->cells ? 0 : dkt__no_memory(stat->app->ctx);
}

/* Returns the seconds that rates of a group are of: those of its clock, or those that have passed. */
static double rate_seconds(const struct stat *stat, const struct stat_value *values, double elapsed)
{
	const int row = stat_clock_row(&stat->events);
	const bool clock = row >= 0 && values[row].state == STAT_COUNTED;

	return (clock ? values[row].count : elapsed) / 1e9;
}

static void add_value(const struct stat *stat, struct stat_cell *cell,
		      const struct stat_value *values, size_t row, double elapsed)
{
	const struct stat_value *value = &values[row];
	const double seconds = rate_seconds(stat, values, elapsed);
	struct stat_ratio ratio;

	/* A later run in which it was not counted does not undo those in which it was. */
	if (!cell->count.n)
		cell->state = value->state;
	if (value->state != STAT_COUNTED)
		return;
	stat_spread_add(&cell->count, value->count);
	cell->state = STAT_COUNTED;
	cell->ran = value->ran < cell->ran ? value->ran : cell->ran;
	if ((int)row != stat_clock_row(&stat->events) && seconds > 0)
		stat_spread_add(&cell->rate, value->count / seconds);
	if (stat_ratio(&stat->events, values, row, elapsed, &ratio)) {
		stat_spread_add(&cell->ratio, ratio.value);
		cell->to = ratio;
	}
}

int stat_cells_add(struct stat *stat, double elapsed)
{
	const size_t n = stat->events.n_rows;
	struct stat_value *values __cleanup(free) = calloc(n + 1, sizeof(*values));

	if (!values)
		return dkt__no_memory(stat->app->ctx);
	for (size_t group = 0; group < stat->places.n_groups; group++) {
		for (size_t row = 0; row < n; row++)
			stat_counts_get(&stat->counts, row, group, &values[row]);
		for (size_t row = 0; row < n; row++)
			add_value(stat, &stat->cells[group * n + row], values, row, elapsed);
	}
	return 0;
}
