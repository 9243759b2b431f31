/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses SELECT, FROM, JOIN and ON of a statement. libtracefs parses WHERE.
 *
 *   SELECT item {, item} FROM event [JOIN event ON field = field {, field = field}] [WHERE ...]
 */
#include "lib/expr.h"
#include "lib/synth_sql/sql.h"

struct reader {
	struct sql *sql;
	const struct sql_token *p; /* the next token */
};

static bool is_mark(const struct reader *r, const struct sql_token *token, const char *mark)
{
	return token->kind == SQL_MARK && dkt__sql_is(r->sql, token, mark);
}

static int expected(const struct reader *r, const char *what)
{
	if (r->p->kind == SQL_END)
		return dkt__sql_fail(r->sql, r->p, "expected %s before the end", what);
	return dkt__sql_fail(r->sql, r->p, "expected %s before '%.*s'", what,
			     SQL_TEXT(r->sql, r->p));
}

static int take_mark(struct reader *r, const char *mark, const char *what)
{
	if (!is_mark(r, r->p, mark))
		return expected(r, what);
	r->p++;
	return 0;
}

static int take(struct reader *r, enum sql_kind kind, const char *what, struct sql_token *token)
{
	if (r->p->kind != kind)
		return expected(r, what);
	if (token)
		*token = *r->p;
	r->p++;
	return 0;
}

/* Takes "AS name" or "name", if present. */
static int take_label(struct reader *r, struct sql_token *label)
{
	if (r->p->kind == SQL_AS) {
		r->p++;
		return take(r, SQL_FIELD, "a name", label);
	}
	return r->p->kind == SQL_FIELD ? take(r, SQL_FIELD, "a name", label) : 0;
}

/* ---- SELECT ---- */

static int take_cast(struct reader *r, struct sql_item *item)
{
	int err;

	r->p++;
	err = take_mark(r, "(", "'('");
	if (!err)
		err = take(r, SQL_FIELD, "a field", &item->field);
	if (!err)
		err = take(r, SQL_AS, "AS", NULL);
	if (!err)
		err = take(r, SQL_FIELD, "a type", &item->type);
	return err ? err : take_mark(r, ")", "')'");
}

static int take_field(struct reader *r, struct sql_item *item)
{
	bool grouped = is_mark(r, r->p, "(");
	int err;

	r->p += grouped;
	err = take(r, SQL_FIELD, "a field", &item->field);
	if (!err && (is_mark(r, r->p, "-") || is_mark(r, r->p, "+"))) {
		r->p++;
		err = take(r, SQL_FIELD, "a field", &item->other);
	}
	return err || !grouped ? err : take_mark(r, ")", "')'");
}

static int take_items(struct reader *r)
{
	struct sql *sql = r->sql;
	int err;

	sql->items = calloc(sql->n_tokens, sizeof(*sql->items));
	if (!sql->items)
		return dkt__no_memory(sql->ctx);
	for (;; r->p++) {
		struct sql_item *item = &sql->items[sql->n_items++];

		err = r->p->kind == SQL_CAST ? take_cast(r, item) : take_field(r, item);
		if (!err)
			err = take_label(r, &item->label);
		if (err || !is_mark(r, r->p, ","))
			return err;
	}
}

/* ---- FROM, JOIN, ON ---- */

static int take_event(struct reader *r)
{
	struct sql_event *event = &r->sql->events[r->sql->n_events++];
	int err = take(r, SQL_FIELD, "an event", &event->name);

	if (!err)
		err = take_label(r, &event->alias);
	r->sql->rest = (size_t)(r->p - r->sql->tokens);
	return err;
}

static int take_join(struct reader *r)
{
	int err = take(r, SQL_JOIN, "JOIN", NULL);

	if (!err)
		err = take_event(r);
	if (!err)
		err = take(r, SQL_ON, "ON", NULL);
	for (; !err; r->p++) {
		err = take(r, SQL_FIELD, "a field", NULL);
		if (!err && !is_mark(r, r->p, "=") && !is_mark(r, r->p, "=="))
			err = expected(r, "'='");
		r->p += !err;
		if (!err)
			err = take(r, SQL_FIELD, "a field", NULL);
		if (!is_mark(r, r->p, ","))
			break;
	}
	return err;
}

int dkt__sql_parse(struct sql *sql)
{
	struct reader r = { .sql = sql, .p = sql->tokens };
	int err = take(&r, SQL_SELECT, "SELECT", NULL);

	if (!err)
		err = take_items(&r);
	if (!err)
		err = take(&r, SQL_FROM, "FROM", NULL);
	if (!err)
		err = take_event(&r);
	if (!err && r.p->kind == SQL_JOIN)
		err = take_join(&r);
	if (!err && r.p->kind != SQL_WHERE && r.p->kind != SQL_END)
		err = expected(&r,
			       sql->n_events == 1 ? "JOIN, WHERE or the end" : "WHERE or the end");
	return err;
}
