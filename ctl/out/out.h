/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables: columns are rows of a table, libsmartcols prints them as text or JSON. */
#ifndef CTL_OUT_H
#define CTL_OUT_H

#include <stdbool.h>
#include <stddef.h>

enum column_flags {
	COL_RIGHT = 1,
	COL_NUMBER = 2, /* a number in JSON; also on the right */
	COL_FOLD = 4, /* the one column that gives way on a narrow terminal */
	COL_BOOL = 8,
};

struct column {
	const char *name;
	unsigned int flags;
};

struct table;

/* name is that of the array in JSON. NULL when memory is out. */
struct table *table_new(const char *name, const struct column *columns, size_t n, bool json);

/* Text is printed as it is, with no escapes. */
void table_raw(struct table *table);

/* One text for each column; NULL: empty. Returns 0 or -ENOMEM. */
int table_add(struct table *table, const char *const *cells);

size_t table_rows(const struct table *table);

/* Prints on stdout. */
int table_print(struct table *table);
void table_free(struct table *table);

#endif
