/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The statements that create tables and views. They come from a file of sections, so that a cluster can
 * have others.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/util.h"

enum layout_section {
	LAYOUT_ONCE, /* before all others */
	LAYOUT_TABLE, /* for each table */
	LAYOUT_COLUMN, /* for each column that a table lacks */
	LAYOUT_DROP, /* for each column whose place another one takes */
	LAYOUT_EVENT, /* for each table of an event, after LAYOUT_TABLE */
	LAYOUT_LOG, /* for each table of intervals */
	LAYOUT_VIEW,
	LAYOUT_N,
};

struct layout {
	char *text; /* the file */
	char **statements[LAYOUT_N];
	size_t n[LAYOUT_N];
	bool qualifies; /* a table's name has its database before it */
};

/* Values for the words of statements. NULL: the section has none. */
struct layout_values {
	const char *
		table; /* @TABLE@, quoted; @TABLE_MORE@ is the name with _MORE; @NAME@: within quotes */
	const char *columns; /* @COLUMNS@: all, with types */
	const char *column; /* @COLUMN@, in LAYOUT_DROP without type */
	const char *database; /* @DATABASE@, quoted; @DATABASE_NAME@: within quotes */
	const char *view, *select; /* @VIEW@, quoted, and @SELECT@ */
};

/* Reads the layout of that name, or the file. NULL: the usual one. */
int layout_read(struct dkt_ctx *ctx, const char *name, struct layout *layout);

/* The same of a text, which is changed. from: for messages. */
int layout_parse(struct dkt_ctx *ctx, char *text, const char *from, struct layout *layout);
void layout_clear(struct layout *layout);

/* Appends a statement with values in place of its words. */
void layout_fill(const char *statement, const struct layout_values *values, struct dkt_buf *buf);

/* True if the text begins with the name of the table, quoted or not, with or without its database before it. */
bool layout_is_name(const char *text, const char *database, const char *table);

/* Appends a text in quotes. */
void layout_quote_text(struct dkt_buf *buf, const char *text);

/* Appends a name in backquotes. */
void layout_quote(struct dkt_buf *buf, const char *name, const char *more);
