/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A statement of SQL, from its text to the commands for the kernel. */
#pragma once

#include "lib/ctx.h"

/* The kernel's limit for a trigger. A longer statement would produce a longer trigger. */
#define SQL_MAX 4095

enum sql_kind {
	SQL_END,
	SQL_FIELD, /* a name of any kind */
	SQL_NUMBER,
	SQL_STRING,
	SQL_MARK, /* an operator, a comma, a parenthesis */
	SQL_SELECT,
	SQL_AS,
	SQL_FROM,
	SQL_JOIN,
	SQL_ON,
	SQL_WHERE,
	SQL_CAST,
};

struct sql_token {
	enum sql_kind kind;
	size_t at;
	size_t len; /* 0: missing */
};

/* One item of SELECT: FIELD, CAST(FIELD AS TYPE) or FIELD - FIELD, and its label. */
struct sql_item {
	struct sql_token field;
	struct sql_token other;
	struct sql_token type;
	struct sql_token label;
};

/* FROM's and JOIN's event. */
struct sql_event {
	struct sql_token name;
	struct sql_token alias;
	struct dkt_event *event;
};

/* A field that libtracefs knows by another name than the statement's. */
struct sql_rename {
	size_t at, len;
	const struct sql_token *event; /* to be named before it, or NULL */
	const char *name;
};

struct sql {
	struct dkt_ctx *ctx;
	char *text; /* as one line */
	struct sql_token *tokens; /* the last one is SQL_END */
	size_t n_tokens;
	struct sql_item *items;
	size_t n_items;
	struct sql_event events[2];
	size_t n_events;
	struct sql_rename *renames; /* in their order in the text */
	size_t n_renames;
	size_t rest; /* the token after the last event: ON or WHERE or the end */
};

/* Splits the text into tokens. */
int dkt__sql_scan(struct sql *sql);

/* Parses SELECT, FROM, JOIN and ON. */
int dkt__sql_parse(struct sql *sql);

/* Finds the events and fields of the names, and rejects statements that libtracefs gets wrong. */
int dkt__sql_bind(struct sql *sql);

/*
 * Has libtracefs translate the statement. Sets *text to the output of tracefs_synth_echo_cmd() or
 * tracefs_hist_echo_cmd(), one command on each line; the caller frees it. name is the synthetic
 * event's.
 */
int dkt__sql_translate(struct sql *sql, const char *name, char **text);

/* Sets an error message with a caret under the token. Returns -EINVAL. */
#define dkt__sql_fail_as(sql, err, token, ...)                                                     \
	dkt__fail_at((sql)->ctx, err, "sql", (sql)->text, (token)->at, __VA_ARGS__)
#define dkt__sql_fail(sql, token, ...) dkt__sql_fail_as(sql, -EINVAL, token, __VA_ARGS__)

bool dkt__sql_is(const struct sql *sql, const struct sql_token *token, const char *word);
bool dkt__sql_same(const struct sql *sql, const struct sql_token *a, const struct sql_token *b);

/* For "%.*s" */
#define SQL_TEXT(sql, token) (int)(token)->len, (sql)->text + (token)->at
