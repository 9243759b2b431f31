/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translates SQL as in tracefs_sql(3) to a histogram of one event, or a synthetic event of two. */
#include "lib/event.h"
#include "lib/expr.h"
#include "lib/probe.h"
#include "lib/synth_sql/sql.h"

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

/* Returns the trigger with a variable after the keys: ":__WORD_NAME_0=VALUE". */
static char *add_variable(const char *trigger, const char *word, const char *name,
			  const char *value)
{
	size_t keys = strcspn(trigger, ":");

	keys += 1 + strcspn(trigger + keys + 1, ": ");
	return dkt__format("%.*s:__%s_%s_0=%s%s", (int)keys, trigger, word, name, value,
			   trigger + keys);
}

/*
 * The kernel clears a variable only when a calculation uses it. Otherwise each further record of
 * JOIN's event would produce a record, too (every record, if no field of FROM's event is selected).
 * libtracefs has no call for this, so add a calculation with common_pid.
 */
static int pair_once(struct dkt__sql *sql, const char *begin, const char *end, const char *name)
{
	char *both __cleanup(free) = dkt__format("common_pid-$__from_%s_0", name);

	if (!begin || !end || !both)
		return -ENOMEM;
	sql->begin_trigger = add_variable(begin, "from", name, "common_pid");
	sql->end_trigger = add_variable(end, "join", name, both);
	return sql->begin_trigger && sql->end_trigger ? 0 : -ENOMEM;
}

/* Newer libraries define a string as "__data_loc char path[]", which the kernel takes for three words. */
static void drop_places(char *fields)
{
	static const char place[] = "__data_loc ";

	for (char *p; (p = strstr(fields, place)); fields = p)
		memmove(p, p + strlen(place), strlen(p + strlen(place)) + 1);
}

static int take_event(struct dkt__sql *sql, char *text, const char *name)
{
	char *definition = take_echo(&text);
	char *begin = take_echo(&text);
	char *end = take_echo(&text);
	const char *random = NULL;
	size_t n = end ? find_random(end, &random) : 0, len;
	char *fields = definition && begin && n ? strchr(definition, ' ') : NULL;
	char *named_begin __cleanup(free) = NULL, *named_end __cleanup(free) = NULL;

	if (!fields)
		return -EINVAL;
	fields++;
	drop_places(fields);
	for (len = strlen(fields); len && strchr("; ", fields[len - 1]); len--)
		;
	sql->fields = strndup(fields, len);
	named_begin = name_variables(begin, random, n, name);
	named_end = name_variables(end, random, n, name);
	return sql->fields ? pair_once(sql, named_begin, named_end, name) : -ENOMEM;
}

/* "hist:keys=a,b:vals=c if FILTER" */
static int take_hist(struct dkt__sql *sql, char *text)
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
	sql->keys = strdup(trigger + strlen(keys));
	sql->vals = sums ? strdup(sums + strlen(vals)) : NULL;
	sql->filter = filter ? strdup(filter + strlen(" if ")) : NULL;
	return sql->keys && !sums == !sql->vals && !filter == !sql->filter ? 0 : -ENOMEM;
}

/* ---- the statement ---- */

static char *event_name(const struct sql_event *event)
{
	return dkt__format("%s:%s", event->event->system, event->event->name);
}

static int translate(struct sql *statement, const char *name, struct dkt__sql *sql)
{
	bool joined = statement->n_events > 1;
	char *text __cleanup(free) = NULL;
	int err = dkt__sql_translate(statement, name ? name : "", &text);

	if (err)
		return err;
	sql->event = event_name(&statement->events[0]);
	sql->end = joined ? event_name(&statement->events[1]) : NULL;
	if (!sql->event || (joined && !sql->end))
		return -ENOMEM;
	err = joined ? take_event(sql, text, name) : take_hist(sql, text);
	return err == -EINVAL ? dkt_fail(statement->ctx, err, "sql: libtracefs says '%s'", text) :
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

int dkt__sql_new(struct dkt_ctx *ctx, const char *text, const char *name,
		 const struct dkt__sql **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && text);

	struct sql statement = { .ctx = ctx };
	struct dkt__sql *sql = calloc(1, sizeof(*sql));
	int err = sql ? read_statement(&statement, text, name) : dkt__no_memory(ctx);

	if (!err)
		err = dkt__with_words(ctx, translate(&statement, name, sql));
	free(statement.text);
	free(statement.renames);
	free(statement.tokens);
	free(statement.items);
	if (err)
		dkt__sql_free(sql);
	else
		*out = sql;
	return err;
}

void dkt__sql_free(const struct dkt__sql *sql)
{
	if (!sql)
		return;
	free((char *)(uintptr_t)sql->event);
	free((char *)(uintptr_t)sql->end);
	free((char *)(uintptr_t)sql->keys);
	free((char *)(uintptr_t)sql->vals);
	free((char *)(uintptr_t)sql->filter);
	free((char *)(uintptr_t)sql->fields);
	free((char *)(uintptr_t)sql->begin_trigger);
	free((char *)(uintptr_t)sql->end_trigger);
	free((struct dkt__sql *)(uintptr_t)sql);
}
