/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows the tables of an analysis as text, JSON or CSV. */
#pragma once

#include "ctl/analyze/run.h"
#include "ctl/out/out.h"

/* A table and its rows so far; of a log those that are not printed yet. */
struct shown {
	struct result_rows rows; /* of table */
	struct result_table table; /* of several machines: with a column for them */
	struct result_column *with_host; /* the columns of that table; NULL: of one machine */
	struct column *
		columns; /* as they print: one more for the number of a process, and one for bars */
	size_t n;
};

struct show {
	struct run *run;
	struct out out;
	struct shown *tables;
	size_t n;
	size_t top; /* rows of a table; 0: as usual */
	const char *sort; /* a column; NULL: as the table says */
	size_t sort_len;
	bool descending;
	bool begun; /* lines of a log were printed */
};

/* Reads --top and --sort. Returns 0 or EXIT_USAGE. */
int show_read(struct show *show, const struct app *app);

/* Takes a row. -EINVAL: no table has the column of --sort. */
int show_row(void *data, const struct run_machine *machine, const struct result_table *table,
	     const struct result_cell *cells);

/* Prints the rows of a log up to now; a live run calls it often. */
int show_idle(void *data);

/* After the last row: prints the tables, and on standard error what they leave out. */
int show_finish(void *data);
void show_clear(struct show *show);
