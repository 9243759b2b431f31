/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stat: the command's options, and the cells of its rows. */
#pragma once

#include "ctl/app/app.h"
#include "ctl/out/rows.h"
#include "recording/stat/counts.h"

struct stat_options {
	const char *classes, *comm, *events, *interval, *pid, *repeat;
	bool per_class, per_cpu, per_thread;
};
extern const struct opt_values stat_values;

/* A row in a group, over all runs. */
struct stat_cell {
	enum stat_state state;
	struct stat_spread count, rate, ratio;
	struct stat_ratio to; /* what the ratio is to */
	double ran; /* the least of all runs */
};

/* How long a COMMAND took, in ns. */
struct stat_times {
	struct stat_spread elapsed, user, system;
};

struct stat {
	struct app *app;
	char **command; /* NULL: none */
	double seconds, interval; /* 0: none */
	int runs;
	enum stat_by by;
	bool stopped; /* by a signal */
	int status; /* the first of the runs' exit statuses that is not 0 */
	struct stat_events events;
	struct stat_places places;
	struct stat_counts counts;
	struct stat_cell *cells; /* by group and row */
	struct stat_times times;
	uint64_t started, read; /* when counting began, and when the counts were last read, in ns */
	bool printed; /* rows of an interval, below their headings */
};

/* Adds the counts since the last reading, which are of so many ns, to the cells. */
int stat_cells_add(struct stat *stat, double elapsed);

/* Makes new cells. */
int stat_cells_new(struct stat *stat);

/* Prints the cells and the times of all runs. */
int stat_print(const struct stat *stat);

/* Prints the cells of one interval, which is now over. */
int stat_print_interval(struct stat *stat);
