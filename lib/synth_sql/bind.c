/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolves the names in a statement. libtracefs does so too, but its version 1.6.4 has faults that
 * this code avoids; each has a comment.
 */
#include "lib/base/every_field.h"
#include "lib/event.h"
#include "lib/expr.h"
#include "lib/synth_sql/sql.h"

/* A field of one of the events. */
struct field {
	size_t table; /* 0: FROM's, 1: JOIN's */
	const char *name; /* of len bytes */
	size_t len;
	const struct dkt_field *field; /* NULL: a special name, see below */
};

static bool field_is(const struct field *field, const char *name)
{
	return field->len == strlen(name) && !strncmp(field->name, name, field->len);
}

static bool is_time(const struct field *field)
{
	return !field->field &&
	       (field_is(field, "TIMESTAMP") || field_is(field, "TIMESTAMP_USECS"));
}

static bool is_comm(const struct field *field)
{
	return !field->field && dkt__every_field(field->name, field->len) == DKT__EVERY_COMM;
}

/* ---- events ---- */

static int no_event(struct sql *sql, const struct sql_token *token, const char *name)
{
	struct dkt_event *const *all;
	struct dkt__guess guess;
	size_t n;

	dkt__guess_start(&guess, name, strlen(name));
	if (strchr(name, ':'))
		dkt__guess_events(&guess, sql->ctx);
	else
		for (size_t i = 0; !dkt_events(sql->ctx, &all, &n) && i < n; i++)
			dkt__guess_try(&guess, all[i]->name);
	return dkt__sql_fail_as(sql, -ENOENT, token, "there is no event '%.*s'%s",
				SQL_TEXT(sql, token), dkt__guess_words(&guess));
}

static int find_event(struct sql *sql, struct sql_event *event)
{
	char *name __cleanup(free) = strndup(sql->text + event->name.at, event->name.len);
	char *dot;
	size_t n = 1;

	if (!name)
		return dkt__no_memory(sql->ctx);
	dot = strchr(name, '.');
	if (dot) {
		*dot = '\0';
		event->event = dkt_event_find(sql->ctx, name, dot + 1);
		*dot = ':';
	} else {
		event->event = dkt__event_anywhere(sql->ctx, name, &n);
	}
	if (!event->event)
		return no_event(sql, &event->name, name);
	if (n > 1)
		return dkt__sql_fail(sql, &event->name,
				     "%zu systems have an event '%s'; write it as SYSTEM.%s", n,
				     name, name);
	if (memchr(sql->text + event->alias.at, '.', event->alias.len))
		return dkt__sql_fail(sql, &event->alias,
				     "the name of an event cannot have a period");
	/* libtracefs looks for events in the context's handle. */
	return dkt__event_load(event->event);
}

/* ---- fields ---- */

/* Removes the prefix and a period from the field's name; false: it does not begin with them. */
static bool cut(struct field *field, const char *prefix, size_t len)
{
	if (field->len <= len + 1 || strncmp(field->name, prefix, len) != 0 ||
	    field->name[len] != '.')
		return false;
	field->name += len + 1;
	field->len -= len + 1;
	return true;
}

static bool is_of(const struct sql *sql, struct field *field, const struct sql_event *event)
{
	if (event->alias.len && cut(field, sql->text + event->alias.at, event->alias.len))
		return true;
	cut(field, event->event->system, strlen(event->event->system));
	return cut(field, event->event->name, strlen(event->event->name));
}

/* Tells libtracefs the name that it knows of a field. */
static int rename_field(struct sql *sql, const struct field *field, const struct sql_token *event,
			const char *name)
{
	const struct sql_rename renamed = { .at = (size_t)(field->name - sql->text),
					    .len = field->len,
					    .event = event,
					    .name = name };

	/* Fields are looked up in their order in the text, and some again. */
	for (size_t i = 0; i < sql->n_renames; i++)
		if (sql->renames[i].at == renamed.at)
			return 0;
	return dkt__append(sql->renames, sql->n_renames, renamed) ? dkt__no_memory(sql->ctx) : 0;
}

/* Finds what every record has. libtracefs has no name for the CPU, and takes COMM with its event only. */
static int find_every(struct sql *sql, struct field *field, const struct dkt_field *const *fields,
		      size_t n, bool bare)
{
	const struct sql_event *event = &sql->events[field->table];

	if (is_comm(field))
		return rename_field(sql, field,
				    !bare            ? NULL :
				    event->alias.len ? &event->alias :
						       &event->name,
				    "COMM");
	if (dkt__every_field(field->name, field->len) != DKT__EVERY_PID)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(fields[i]->name, EXPR_COMMON_PID))
			field->field = fields[i];
	return rename_field(sql, field, NULL, EXPR_COMMON_PID);
}

/* Finds the field in its event. bare: the name has no event, which is FROM's without JOIN. */
static int find_in_event(struct sql *sql, const struct sql_token *token, struct field *field,
			 bool bare)
{
	struct dkt_event *event = sql->events[field->table].event;
	const struct dkt_field *const *fields;
	struct dkt__guess guess;
	size_t n;
	int err = dkt_event_fields(event, &fields, &n);

	dkt__guess_start(&guess, field->name, field->len);
	for (size_t i = 0; !err && i < n; i++) {
		dkt__guess_try(&guess, fields[i]->name);
		if (field_is(field, fields[i]->name)) {
			field->field = fields[i];
			return 0;
		}
	}
	if (!err)
		err = find_every(sql, field, fields, n, bare);
	if (err || field->field || is_comm(field) || (!bare && is_time(field)))
		return err;
	if (is_time(field))
		return dkt__sql_fail(sql, token, "'%.*s' needs its event: write %s.%.*s",
				     SQL_TEXT(sql, token), event->name, SQL_TEXT(sql, token));
	return dkt__sql_fail_as(sql, -ENOENT, token, "event %s:%s has no field '%.*s'%s",
				event->system, event->name, (int)field->len, field->name,
				dkt__guess_words(&guess));
}

static int find_field(struct sql *sql, const struct sql_token *token, struct field *field)
{
	const struct field raw = { .name = sql->text + token->at, .len = token->len };

	for (size_t i = 0; i < sql->n_events; i++) {
		*field = raw;
		field->table = i;
		if (is_of(sql, field, &sql->events[i]))
			return find_in_event(sql, token, field, false);
	}
	*field = raw;
	if (memchr(raw.name, '.', raw.len))
		return dkt__sql_fail(sql, token, "the statement has no event '%.*s'",
				     (int)strcspn(raw.name, "."), raw.name);
	if (sql->n_events > 1)
		return dkt__sql_fail(sql, token, "'%.*s' needs its event: write EVENT.%.*s",
				     SQL_TEXT(sql, token), SQL_TEXT(sql, token));
	return find_in_event(sql, token, field, true);
}

/* ---- names with two meanings ---- */

/* Returns a token that uses the name as a field, or NULL. */
static const struct sql_token *used_as_field(const struct sql *sql, const struct sql_token *name)
{
	for (size_t i = 0; i < sql->n_items; i++) {
		if (dkt__sql_same(sql, &sql->items[i].field, name))
			return &sql->items[i].field;
		if (dkt__sql_same(sql, &sql->items[i].other, name))
			return &sql->items[i].other;
	}
	for (size_t i = sql->rest; i < sql->n_tokens; i++)
		if (sql->tokens[i].kind == SQL_FIELD && dkt__sql_same(sql, &sql->tokens[i], name))
			return &sql->tokens[i];
	return NULL;
}

static int two_meanings(struct sql *sql, const struct sql_token *token)
{
	return dkt__sql_fail(sql, token, "'%.*s' has two meanings in this statement",
			     SQL_TEXT(sql, token));
}

/*
 * libtracefs has one list of names for fields, events and labels. If a name has two meanings, it may
 * use the wrong one.
 */
static int check_events(struct sql *sql)
{
	const struct sql_event *from = &sql->events[0], *join = &sql->events[1];

	for (size_t i = 0; i < sql->n_events; i++) {
		const struct sql_event *event = &sql->events[i];

		if (used_as_field(sql, &event->name))
			return two_meanings(sql, used_as_field(sql, &event->name));
		if (event->alias.len && used_as_field(sql, &event->alias))
			return two_meanings(sql, &event->alias);
	}
	if (sql->n_events < 2)
		return 0;
	if (from->event == join->event && (!from->alias.len || !join->alias.len))
		return dkt__sql_fail(sql, &join->name,
				     "an event that is joined to itself needs two names: AS name");
	if (join->alias.len && (dkt__sql_same(sql, &join->alias, &from->alias) ||
				dkt__sql_same(sql, &join->alias, &from->name)))
		return two_meanings(sql, &join->alias);
	return dkt__sql_same(sql, &from->alias, &join->name) ? two_meanings(sql, &from->alias) : 0;
}

static int check_label(struct sql *sql, const struct sql_item *item)
{
	const struct sql_token *label = &item->label;
	const char *text = sql->text + label->at;

	if (!label->len)
		return 0;
	/* Names of variables begin with "__". */
	if (memchr(text, '.', label->len) || !strncmp(text, "__", DKT__MIN(label->len, (size_t)2)))
		return dkt__sql_fail(sql, label, "'%.*s' cannot be the name of a field",
				     SQL_TEXT(sql, label));
	if (!dkt__sql_same(sql, label, &item->field) && used_as_field(sql, label))
		return two_meanings(sql, label);
	for (size_t i = 0; i < sql->n_events; i++)
		if (dkt__sql_same(sql, label, &sql->events[i].name) ||
		    dkt__sql_same(sql, label, &sql->events[i].alias))
			return two_meanings(sql, label);
	return 0;
}

/* ---- SELECT ---- */

/* CAST defines keys and sums of a histogram. */
static int check_cast(struct sql *sql, const struct sql_item *item, const struct field *field)
{
	bool counter = dkt__sql_is(sql, &item->type, "_COUNTER_") ||
		       dkt__sql_is(sql, &item->type, "__COUNTER__");
	unsigned int text = DKT_FIELD_STRING | DKT_FIELD_ARRAY;

	if (sql->n_events > 1)
		return dkt__sql_fail(sql, &item->type,
				     "CAST is for histograms, which have no JOIN");
	/* verify_field_type() prints an uninitialised message for these. */
	if (!field->field)
		return dkt__sql_fail(sql, &item->field, "'%.*s' cannot be cast",
				     SQL_TEXT(sql, &item->field));
	if (counter && field->field->flags & text)
		return dkt__sql_fail(sql, &item->field, "only numbers can be summed");
	/* tracefs_synth_get_start_hist() takes the first item for a key. */
	if (counter && item == sql->items && sql->n_items > 1)
		return dkt__sql_fail(sql, &item->field, "put the keys first, then the sums");
	return 0;
}

/* build_compare() always subtracts FROM's field from JOIN's, whatever the statement says. */
static int check_calculation(struct sql *sql, const struct sql_item *item,
			     const struct field *field)
{
	struct field other;
	int err = find_field(sql, &item->other, &other);

	if (err)
		return err;
	if (sql->n_events < 2)
		return dkt__sql_fail(sql, &item->other, "a calculation needs two events: JOIN");
	if (field->table != 1 || other.table != 0)
		return dkt__sql_fail(
			sql, &item->field,
			"in a calculation, put the field of JOIN's event first and the one"
			" of FROM's second");
	if (!item->label.len)
		return dkt__sql_fail(sql, &item->field, "a calculation needs a name: AS name");
	return is_comm(&other) ? dkt__sql_fail(sql, &item->other, "COMM is for WHERE") : 0;
}

/* For a field that is selected twice, libtracefs builds an endless list. */
static int check_twice(struct sql *sql, const struct sql_item *item)
{
	for (const struct sql_item *one = sql->items; one < item; one++) {
		if (!one->other.len && !item->other.len &&
		    dkt__sql_same(sql, &one->field, &item->field))
			return dkt__sql_fail(sql, &item->field, "'%.*s' is selected twice",
					     SQL_TEXT(sql, &item->field));
		if (item->label.len && dkt__sql_same(sql, &one->label, &item->label))
			return dkt__sql_fail(sql, &item->label, "two fields have the name '%.*s'",
					     SQL_TEXT(sql, &item->label));
	}
	return 0;
}

static int check_item(struct sql *sql, const struct sql_item *item)
{
	struct field field;
	int err = find_field(sql, &item->field, &field);

	if (!err)
		err = check_label(sql, item);
	if (!err)
		err = check_twice(sql, item);
	if (!err && is_comm(&field))
		err = dkt__sql_fail(
			sql, &item->field, "COMM is for WHERE%s",
			sql->n_events > 1 ? "" : "; as a key write CAST(common_pid AS comm)");
	if (!err && is_time(&field) && !item->other.len && !item->label.len)
		err = dkt__sql_fail(sql, &item->field, "a time needs a name: AS name");
	if (!err && item->type.len)
		err = check_cast(sql, item, &field);
	if (!err && item->other.len)
		err = check_calculation(sql, item, &field);
	return err;
}

/* ---- ON and WHERE ---- */

/* TRACING_MAP_KEYS_MAX */
#define KEYS_MAX 3

/* Checks a "field = field". If an event is joined to itself, libtracefs takes the left for FROM's. */
static int check_match(struct sql *sql, size_t i, bool itself, bool *differ)
{
	const struct sql_token *left = &sql->tokens[i], *right = &sql->tokens[i + 2];
	struct field a, b;
	int err = find_field(sql, left, &a);

	if (!err)
		err = find_field(sql, right, &b);
	if (err)
		return err;
	if (is_comm(&a) || is_comm(&b))
		return dkt__sql_fail(sql, is_comm(&a) ? left : right, "COMM is for WHERE");
	if (itself && (a.table != 0 || b.table != 1))
		return dkt__sql_fail(sql, left, "the field of FROM's event is on the left");
	*differ |= a.field != b.field;
	return 0;
}

/* Checks the fields after ON and moves *at past them. */
static int check_on(struct sql *sql, size_t *at)
{
	bool itself = sql->events[0].event == sql->events[1].event, differ = !itself;
	size_t i = *at + 1, n = 0;
	int err = 0;

	/* field = field, field = field ... */
	for (; !err && sql->tokens[i].kind == SQL_FIELD; i += 3) {
		if (n++ == KEYS_MAX)
			return dkt__sql_fail(sql, &sql->tokens[i],
					     "the kernel's limit is %d fields", KEYS_MAX);
		err = check_match(sql, i, itself, &differ);
		i += sql->tokens[i + 3].kind == SQL_MARK;
	}
	*at = i;
	return err || differ ?
		       err :
		       dkt__sql_fail(sql, &sql->events[1].name,
				     "each record would be joined to itself: the fields after ON"
				     " must differ");
}

/*
 * Outside parentheses libtracefs gives || precedence over &&. If a part between two && has fields of
 * two events, it prints memory as text.
 */
static int check_where(struct sql *sql, size_t i)
{
	bool has_and = false, has_or = false, known = false;
	struct field field;
	size_t table = 0, depth = 0;
	int err = 0;

	for (; !err && sql->tokens[i].kind != SQL_END; i++) {
		const struct sql_token *token = &sql->tokens[i];
		bool mark = token->kind == SQL_MARK;

		depth += mark && dkt__sql_is(sql, token, "(");
		depth -= mark && depth && dkt__sql_is(sql, token, ")");
		if (!depth && mark &&
		    (dkt__sql_is(sql, token, "&&") || dkt__sql_is(sql, token, ","))) {
			has_and = true;
			known = false;
		}
		has_or |= !depth && mark && dkt__sql_is(sql, token, "||");
		if (has_and && has_or)
			err = dkt__sql_fail(sql, token,
					    "&& and || beside each other need parentheses");
		if (err || token->kind != SQL_FIELD)
			continue;
		err = find_field(sql, token, &field);
		if (!err && known && field.table != table)
			err = dkt__sql_fail(sql, token,
					    "what is between two && can be about one event only");
		table = field.table;
		known = true;
	}
	return err;
}

int dkt__sql_bind(struct sql *sql)
{
	size_t at = sql->rest;
	int err = 0;

	for (size_t i = 0; !err && i < sql->n_events; i++)
		err = find_event(sql, &sql->events[i]);
	if (!err)
		err = check_events(sql);
	for (size_t i = 0; !err && i < sql->n_items; i++)
		err = check_item(sql, &sql->items[i]);
	if (!err && sql->n_events > 1)
		err = check_on(sql, &at);
	return err ? err : check_where(sql, at);
}
