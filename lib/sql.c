/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SQL as in tracefs_sql(3): makes a histogram of one event, or an event of two. */
#include "sql/sql.h"
#include "event.h"
#include "expr.h"
#include "probe.h"

struct made {
	struct dkt_sql sql; /* its strings are those below */
	char *event;
	char *end;
	char *keys;
	char *vals;
	char *filter;
	char *fields;
	char *begin_trigger;
	char *end_trigger;
};

/* ---- the commands of libtracefs ---- */

/* Returns TEXT of a line "echo 'TEXT' >> FILE", a part of the line, and moves to the next line. */
static char *take_echo(char **rest)
{
	static const char echo[] = "echo '";
	char *line = strsep(rest, "\n"), *end = NULL, *p;

	if (!line || strncmp(line, echo, strlen(echo)))
		return NULL;
	line += strlen(echo);
	/* A string can contain a quote, so the last one ends TEXT. */
	for (p = line; (p = strstr(p, "' >")); p++)
		end = p;
	if (end)
		*end = '\0';
	return end ? line : NULL;
}

/*
 * libtracefs names variables "__NAME_RANDOM_N". The event's name in place of the random number also
 * makes them unique, and shows what they are for.
 */
static char *name_variables(const char *text, const char *random, size_t n, const char *name)
{
	char *named;
	size_t size;
	FILE *out = open_memstream(&named, &size);

	while (out && *text) {
		const char *p = strstr(text, "__");
		size_t word = p ? strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "0123456789_.") :
				  0;
		const char *at = p ? memmem(p, word, random, n) : NULL;

		if (!p)
			p = text + strlen(text);
		if (!at)
			fwrite(text, 1, (size_t)(p - text) + word, out);
		else
			fprintf(out, "%.*s_%s_%.*s", (int)(at - text), text, name,
				(int)(p + word - at - (ptrdiff_t)n), at + n);
		text = p + word;
	}
	return out && !fclose(out) ? named : NULL;
}

/* Finds "_12345_" in "hist:keys=a,b:__lat_12345_3=...". Returns its length; 0: not found. */
static size_t find_random(const char *end_trigger, const char **random)
{
	const char *p = strstr(end_trigger, ":__"), *end, *from;

	end = p ? p + strcspn(p, "=") : NULL;
	while (end && end > p && *end != '_')
		end--;
	for (from = end; from && from - 1 > p && from[-1] != '_';)
		from--;
	if (!from || from == end)
		return 0;
	*random = from - 1;
	return (size_t)(end - from) + 2;
}

/* Inserts a variable after the keys: ":__WORD_NAME_0=VALUE". */
static int add_variable(char **trigger, const char *word, const char *name, const char *value)
{
	size_t keys = strcspn(*trigger, ":");
	char *added;

	keys += 1 + strcspn(*trigger + keys + 1, ": ");
	added = dkt__format("%.*s:__%s_%s_0=%s%s", (int)keys, *trigger, word, name, value,
			    *trigger + keys);
	if (!added)
		return -ENOMEM;
	free(*trigger);
	*trigger = added;
	return 0;
}

/*
 * The kernel clears a variable only when a calculation uses it. Otherwise each further record of
 * JOIN's event would produce a record, too (every record, if no field of FROM's event is selected).
 * libtracefs has no call for this, so add a calculation with common_pid.
 */
static int pair_once(struct made *made, const char *name)
{
	char *both __cleanup(free) = dkt__format("common_pid-$__from_%s_0", name);
	int err = both ? add_variable(&made->begin_trigger, "from", name, "common_pid") : -ENOMEM;

	return err ? err : add_variable(&made->end_trigger, "join", name, both);
}

static int take_event(struct made *made, char *text, const char *name)
{
	char *definition = take_echo(&text);
	char *begin = take_echo(&text);
	char *end = take_echo(&text);
	const char *random = NULL;
	size_t n = end ? find_random(end, &random) : 0;
	char *space = definition && begin && n ? strchr(definition, ' ') : NULL, *p;

	if (!space)
		return -EINVAL;
	made->fields = strdup(space + 1);
	made->begin_trigger = name_variables(begin, random, n, name);
	made->end_trigger = name_variables(end, random, n, name);
	if (!made->fields || !made->begin_trigger || !made->end_trigger)
		return -ENOMEM;
	p = made->fields + strlen(made->fields);
	while (p > made->fields && (p[-1] == ';' || p[-1] == ' '))
		*--p = '\0';
	return pair_once(made, name);
}

/* "hist:keys=a,b:vals=c if FILTER" */
static int take_hist(struct made *made, char *text)
{
	static const char keys[] = "hist:keys=", vals[] = ":vals=";
	char *trigger = take_echo(&text);
	char *filter = trigger ? strstr(trigger, " if ") : NULL, *sums;

	if (!trigger || strncmp(trigger, keys, strlen(keys)))
		return -EINVAL;
	if (filter)
		*filter = '\0';
	sums = strstr(trigger, vals);
	if (sums)
		*sums = '\0';
	made->keys = strdup(trigger + strlen(keys));
	made->vals = sums ? strdup(sums + strlen(vals)) : NULL;
	made->filter = filter ? strdup(filter + strlen(" if ")) : NULL;
	return made->keys && !sums == !made->vals && !filter == !made->filter ? 0 : -ENOMEM;
}

/* ---- the statement ---- */

static int event_name(const struct sql_event *it, char **name)
{
	*name = dkt__format("%s:%s", it->event->system, it->event->name);
	return *name ? 0 : -ENOMEM;
}

static int make(struct sql *sql, const char *name, struct made *made)
{
	char *text __cleanup(free) = NULL;
	int err = dkt__sql_translate(sql, name ? name : "", &text);

	if (!err)
		err = event_name(&sql->events[0], &made->event);
	if (!err && sql->n_events > 1)
		err = event_name(&sql->events[1], &made->end);
	if (!err)
		err = sql->n_events > 1 ? take_event(made, text, name) : take_hist(made, text);
	made->sql = (struct dkt_sql){ .event = made->event,
				      .end = made->end,
				      .keys = made->keys,
				      .vals = made->vals,
				      .filter = made->filter,
				      .fields = made->fields,
				      .begin_trigger = made->begin_trigger,
				      .end_trigger = made->end_trigger };
	return err == -EINVAL && text ? dkt_fail(sql->ctx, err, "sql: libtracefs says '%s'", text) :
					err;
}

static int read_statement(struct sql *sql, const char *text, const char *name)
{
	struct dkt_event *const *events;
	size_t n;
	int err = dkt_events(sql->ctx, &events, &n);

	if (err)
		return err;
	if (name && (!dkt__probe_is_name(name) || strlen(name) > PROBE_NAME_MAX))
		return dkt_fail(sql->ctx, -EINVAL, "sql: '%.60s' cannot be the name of an event",
				name);
	if (strlen(text) > SQL_MAX)
		return dkt_fail(sql->ctx, -E2BIG,
				"sql: the statement has %zu bytes; the limit is %d", strlen(text),
				SQL_MAX);
	sql->text = strdup(text);
	err = sql->text ? dkt__sql_scan(sql) : dkt__no_memory(sql->ctx);
	if (!err)
		err = dkt__sql_parse(sql);
	if (!err && sql->n_events > 1 && !name)
		err = dkt__sql_fail(sql, &sql->events[1].name,
				    "a statement with JOIN is an event, not a histogram");
	if (!err && sql->n_events < 2 && name)
		err = dkt__sql_fail(sql, &sql->tokens[sql->n_tokens - 1],
				    "a statement without JOIN is a histogram, not an event");
	return err ? err : dkt__sql_bind(sql);
}

int dkt_sql_new(struct dkt_ctx *ctx, const char *text, const char *name, const struct dkt_sql **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && text);

	struct sql sql = { .ctx = ctx };
	struct made *made = calloc(1, sizeof(*made));
	int err = made ? read_statement(&sql, text, name) : dkt__no_memory(ctx);

	if (!err)
		err = dkt__with_words(ctx, make(&sql, name, made));
	free(sql.text);
	free(sql.tokens);
	free(sql.items);
	if (err)
		dkt_sql_free(made ? &made->sql : NULL);
	else
		*out = &made->sql;
	return err;
}

void dkt_sql_free(const struct dkt_sql *sql)
{
	struct made *made = (struct made *)(uintptr_t)sql;

	if (!made)
		return;
	free(made->event);
	free(made->end);
	free(made->keys);
	free(made->vals);
	free(made->filter);
	free(made->fields);
	free(made->begin_trigger);
	free(made->end_trigger);
	free(made);
}
