/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of an analysis: tables with typed columns, for text, JSON, CSV and LAMI alike. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The members of a cell that have the value. */
enum result_type {
	RESULT_TEXT, /* text */
	RESULT_NUMBER, /* number */
	RESULT_REAL, /* real: any number */
	RESULT_SHARE, /* real: a part of 1 */
	RESULT_TIME, /* number: ns on the clock of the source */
	RESULT_DURATION, /* number: ns */
	RESULT_BYTES, /* number */
	RESULT_PROCESS, /* text: the name; number: the PID */
	RESULT_CPU, /* number */
	RESULT_IRQ, /* text: the name; number: that of the interrupt */
	RESULT_SOFTIRQ, /* the same */
	RESULT_DISK, /* text */
	RESULT_SYSCALL, /* text */
	RESULT_PATH, /* text */
	RESULT_VALUE, /* text; NULL: number */
};

struct result_column {
	const char *key; /* in JSON and CSV */
	enum result_type type;
	const char *title; /* in words, for LAMI */
	const char *unit; /* of a number, for LAMI; NULL: none */
	const char *number_key; /* of the number of a process or an interrupt */
};

struct result_cell {
	const char *text; /* valid as long as the analysis */
	union {
		uint64_t number;
		double real;
	};
	bool known; /* otherwise the cell is empty */
	uint32_t process; /* tells a process from others that had its PID; it may change its name */
};

/* A kind of table. An analysis fills each of its tables once. */
struct result_table {
	const char *key; /* in JSON and LAMI */
	const char *title;
	const struct result_column *columns;
	size_t n; /* columns */
	bool log; /* rows come while records are read, in the order in which they end */
	/* The column that orders the rows, the largest value first; -1: as they come. */
	int by;
	int bar; /* the column whose values text shows as bars, too; -1: none */
};

static inline struct result_cell cell_text(const char *text)
{
	return (struct result_cell){ .text = text, .known = text };
}

static inline struct result_cell cell_number(uint64_t number)
{
	return (struct result_cell){ .number = number, .known = true };
}

/* A process or an interrupt. The name may be NULL. */
static inline struct result_cell cell_named(const char *text, uint64_t number)
{
	return (struct result_cell){ .text = text, .number = number, .known = true };
}

/* A part of the whole; empty if the whole is 0. */
static inline struct result_cell cell_share(uint64_t part, uint64_t whole)
{
	return (struct result_cell){ .real = whole ? (double)part / (double)whole : 0,
				     .known = whole };
}

/* The rows of a table. */
struct result_rows {
	const struct result_table *table;
	struct result_cell *cells; /* table->n for each row */
	size_t n; /* rows */
	size_t room;
};

/* Returns -ENOMEM, or 0. */
int result_add(struct result_rows *rows, const struct result_cell *cells);

/* Sorts by a column, stably; empty cells are the smallest. Returns -ENOMEM, or 0. */
int result_sort(struct result_rows *rows, size_t column, bool descending);
void result_clear(struct result_rows *rows);

static inline const struct result_cell *result_row(const struct result_rows *rows, size_t i)
{
	return rows->cells + i * rows->table->n;
}
