/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made pairs of latency as definitions of periods. */
#include "answers/analyze/period_pair.h"

#include "answers/analyze/period_def.h"
#include "answers/analyze/period_field.h"
#include "lib/base/buf.h"
#include "lib/base/disks.h"
#include "lib/base/glob.h"
#include "lib/base/guess.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/request.h"
#include "lib/base/strings.h"
#include "lib/inside.h"

static int unknown(struct dkt_ctx *ctx, const char *name)
{
	const struct dkt_interval *list;
	struct dkt__guess guess;
	size_t n;
	int err = dkt_interval_list(ctx, &list, &n);

	if (err)
		return err;
	dkt__interval_guess(ctx, &guess, name);
	return dkt_fail(ctx, -EINVAL,
			"'%s' is not a ready-made pair, which 'dktrace latency' lists, nor a"
			" definition: NAME: begin EVENTS; end EVENTS%s",
			name, dkt__guess_words(&guess));
}

static bool is_of(const struct dkt_event *event, const char *word)
{
	const char *system = dkt_event_system(event), *name = dkt_event_name(event);
	const char *colon = strchr(word, ':') + 1;

	return dkt__glob_match(word, (size_t)(colon - 1 - word), system, strlen(system)) &&
	       dkt__glob_match(colon, strcspn(colon, ","), name, strlen(name));
}

/* Returns an event of the kernel that is of the first word, or NULL. */
static struct dkt_event *find_event(struct dkt_ctx *ctx, const char *word)
{
	struct dkt_event *const *all;
	size_t n;

	if (dkt_events(ctx, &all, &n)) {
		free(dkt__error_take(ctx));
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		if (is_of(all[i], word))
			return all[i];
	return NULL;
}

/* The events of one side have the same fields. */
static bool has_field(struct dkt_ctx *ctx, const char *words, const char *field, size_t len)
{
	char *name __cleanup(free) = strndup(field, len);
	struct dkt_event *event = find_event(ctx, words);

	return name && event && period_has_field(event, name);
}

/* Writes "b == $begin.a && c == $begin.c" for the key "a=b,c" and the side "begin". */
static void put_key(FILE *f, const char *key, const char *side)
{
	const char *p = key, *first = p;

	while (*p) {
		int left = (int)strcspn(p, ",="), len = (int)strcspn(p, ",");
		const char *end = p[left] == '=' ? p + left + 1 : p;

		fprintf(f, "%s%.*s == $%s.%.*s", p == first ? "" : " && ", len - (int)(end - p),
			end, side, left, p);
		p += len + (p[len] == ',');
	}
}

/* Writes "id == a || id == b" for the calls "a,b". */
static void put_calls(FILE *f, const struct dkt_interval *pair)
{
	const char *field = dkt__interval_call_field(pair);

	for (const char *p = pair->calls; *p;) {
		int len = (int)strcspn(p, ",");

		fprintf(f, "%s%s == %.*s", p == pair->calls ? "" : " || ", field, len, p);
		p += len + (p[len] == ',');
	}
}

static void put_begin_filter(FILE *f, const struct dkt_interval *pair)
{
	if (pair->calls && pair->within)
		fputc('(', f);
	if (pair->calls)
		put_calls(f, pair);
	if (pair->calls && pair->within)
		fputs(") && ", f);
	if (pair->within)
		put_key(f, pair->within_match, "parent.begin");
}

/* Each event of the list gets the filter. */
static void put_events(FILE *f, const struct dkt_interval *pair, bool end)
{
	const char *const list = end ? pair->end : pair->begin;
	const bool filtered = end ? strcmp(pair->match, DKT__REQUEST_KEY) != 0 :
				    pair->calls || pair->within;

	for (const char *p = list; *p;) {
		int len = (int)strcspn(p, ",");

		fprintf(f, "%s%.*s%s", p == list ? "" : ",", len, p, filtered ? "[" : "");
		if (filtered && end)
			put_key(f, pair->match, "begin");
		else if (filtered)
			put_begin_filter(f, pair);
		if (filtered)
			fputc(']', f);
		p += len + (p[len] == ',');
	}
	if (end && !filtered)
		fprintf(f, "; match " DKT__REQUEST_KEY);
}

/* ---- columns ---- */

/* Returns "$begin.FIELD", or FIELD if only records of the end have it; with its modifier if periods have that. */
static char *value_of(struct dkt_ctx *ctx, const struct dkt_interval *pair, const char *field,
		      size_t len)
{
	static const char syscall[] = ".syscall";
	const bool ends = !has_field(ctx, pair->begin, field, len) &&
			  has_field(ctx, pair->end, field, len);

	return dkt__format("%s%.*s%s", ends ? "" : "$begin.", (int)len, field,
			   !strcmp(field + len, syscall) ? syscall : "");
}

/* Adds the columns "KEY=VALUE" by which a way groups. */
static int add_keys(struct dkt_ctx *ctx, const struct dkt_interval *pair,
		    struct dkt__strings *columns)
{
	const char *field = pair->keys;
	const size_t len = field ? strcspn(field, ".") : 0;
	char *value __cleanup(free) = field ? value_of(ctx, pair, field, len) : NULL;
	int err;

	if (!field)
		return 0;
	if (!value)
		return -ENOMEM;
	err = dkt__strings_take(columns, dkt__format("%.*s=%s", (int)len, field, value));
	if (err || !dkt__disk_is_field(field))
		return err;
	return dkt__strings_take(columns, dkt__format("%s_disk=%s.disk", field, value));
}

/* Adds the columns that a way shows. The key is the name that is given, or that of the field. */
static int add_shown(const struct dkt_interval *pair, struct dkt__strings *columns)
{
	static const char begin[] = "$begin.";
	int err = 0;

	for (const char *p = pair->show; !err && p && *p;) {
		const int len = (int)strcspn(p, ","), key = (int)strcspn(p, "=,");
		const char *field = p + (strncmp(p, begin, strlen(begin)) ? 0 : strlen(begin));

		err = dkt__strings_take(columns, key < len ? dkt__format("%.*s", len, p) :
							     dkt__format("%.*s=%.*s",
									 (int)strcspn(field, ".,"),
									 field, len, p));
		p += len + (p[len] == ',');
	}
	return err;
}

static const char *find_column(const struct dkt__strings *columns, const char *like)
{
	const size_t len = strcspn(like, "=") + 1;

	for (size_t i = 0; i < columns->n; i++)
		if (!strncasecmp(columns->list[i], like, len))
			return columns->list[i];
	return NULL;
}

/* True if each row has a column of that name, also in a database. */
static bool is_taken(const char *column)
{
	static const char *const own[] = {
		"table=", "begin=", "end=",         "duration=",    "parent_begin=",
		"seq=",   "host=",  "common_load=", "common_time=",
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strncasecmp(own[i], column, strlen(own[i])))
			return true;
	return false;
}

/* Adds those whose keys are new, as far as there is room. own: the columns of the way that measures. */
static int join_columns(const struct dkt__strings *more, const struct dkt__strings *own,
			struct dkt__strings *columns)
{
	int err = 0;

	for (size_t i = 0; !err && i < more->n && columns->n < PERIOD_COLUMNS; i++) {
		const char *column = find_column(own, more->list[i]) ?: more->list[i];
		const int key = (int)strcspn(column, "=");

		if (!find_column(columns, column))
			err = dkt__strings_take(columns, dkt__format("%.*s%s%s", key, column,
								     is_taken(column) ? "_2" : "",
								     column + key));
	}
	return err;
}

/*
 * Gets the columns of the ways of one name, in their order, with the values of one of them: first those by which
 * the times are grouped.
 */
static int get_columns(struct dkt_ctx *ctx, struct dkt_ctx *definitions,
		       const struct dkt_interval *pair, struct dkt__strings *columns,
		       size_t *n_groups)
{
	struct dkt__strings own = { 0 }, keys = { 0 }, shown = { 0 };
	const struct dkt_interval *way = dkt_interval_find(definitions, pair->name);
	int err = add_keys(ctx, pair, &own);

	if (!err)
		err = add_shown(pair, &own);
	for (; !err && way; way = way->next) {
		err = add_keys(ctx, way, &keys);
		if (!err)
			err = add_shown(way, &shown);
	}
	if (!err)
		err = join_columns(&keys, &own, columns);
	*n_groups = columns->n;
	if (!err)
		err = join_columns(&shown, &own, columns);
	dkt__strings_clear(&own);
	dkt__strings_clear(&keys);
	dkt__strings_clear(&shown);
	return dkt__with_words(ctx, err);
}

/* The same for one way alone. */
static int get_own_columns(struct dkt_ctx *ctx, const struct dkt_interval *pair,
			   struct dkt__strings *columns)
{
	struct dkt__strings own = { 0 };
	int err = add_keys(ctx, pair, &own);

	if (!err)
		err = add_shown(pair, &own);
	if (!err)
		err = join_columns(&own, &own, columns);
	dkt__strings_clear(&own);
	return dkt__with_words(ctx, err);
}

/* ---- the definition ---- */

char *period_pair_name(const char *name)
{
	char *copy = strdup(name);

	for (char *p = copy; p && *p; p++)
		*p = *p == '-' ? '_' : *p;
	return copy;
}

/* Returns the way that the kernel has the events of, or else the first one; NULL: there is no such name. */
static const struct dkt_interval *choose(struct dkt_ctx *ctx, struct dkt_ctx *definitions,
					 const char *name)
{
	const struct dkt_interval *first = dkt_interval_find(definitions, name), *pair = first;

	while (pair && !find_event(ctx, pair->begin))
		pair = pair->next;
	return pair ? pair : first;
}

static int put_pair(FILE *f, struct dkt_ctx *ctx, const struct dkt_interval *pair,
		    const struct dkt__strings *columns)
{
	char *name __cleanup(free) = period_pair_name(pair->name);
	char *within __cleanup(free) = pair->within ? period_pair_name(pair->within) : NULL;

	if (!name || (pair->within && !within))
		return dkt__no_memory(ctx);
	fprintf(f, "%s%s%s%s: begin ", name, within ? "(" : "", within ?: "", within ? ")" : "");
	put_events(f, pair, false);
	fputs("; end ", f);
	put_events(f, pair, true);
	for (size_t i = 0; i < columns->n; i++)
		fprintf(f, "%s%s", i ? ", " : "; show ", columns->list[i]);
	return 0;
}

/* Writes the interval that another one is within, the outermost first. */
static int put_outer(FILE *f, struct dkt_ctx *ctx, struct dkt_ctx *definitions, const char *name)
{
	const struct dkt_interval *pair = choose(ctx, definitions, name);
	struct dkt__strings columns = { 0 };
	int err = pair->within ? put_outer(f, ctx, definitions, pair->within) : 0;

	if (!err)
		err = get_own_columns(ctx, pair, &columns);
	if (!err)
		err = put_pair(f, ctx, pair, &columns);
	fputc(PERIOD_SEPARATOR, f);
	dkt__strings_clear(&columns);
	return err;
}

static int put_text(struct dkt_ctx *ctx, struct dkt_ctx *definitions,
		    const struct dkt_interval *pair, const struct dkt__strings *columns,
		    char **text)
{
	size_t size;
	FILE *f = open_memstream(text, &size);
	int err;

	if (!f)
		return dkt__no_memory(ctx);
	err = pair->within ? put_outer(f, ctx, definitions, pair->within) : 0;
	if (!err)
		err = put_pair(f, ctx, pair, columns);
	return dkt__with_words(ctx, dkt__text_end(f, err, text));
}

int period_pair_text(struct dkt_ctx *ctx, const char *name, char **text)
{
	const struct dkt_interval *pair = choose(ctx, ctx, name);
	struct dkt__strings columns = { 0 };
	int err;

	*text = NULL;
	if (!pair)
		return unknown(ctx, name);
	err = get_own_columns(ctx, pair, &columns);
	if (!err)
		err = put_text(ctx, ctx, pair, &columns, text);
	dkt__strings_clear(&columns);
	return err;
}

int period_pair_table(struct dkt_ctx *ctx, struct dkt_ctx *definitions, const char *name,
		      char **text, size_t *n_groups)
{
	const struct dkt_interval *pair = choose(ctx, definitions, name);
	struct dkt__strings columns = { 0 };
	int err;

	*text = NULL;
	if (!pair)
		return unknown(ctx, name);
	err = get_columns(ctx, definitions, pair, &columns, n_groups);
	if (!err)
		err = put_text(ctx, definitions, pair, &columns, text);
	dkt__strings_clear(&columns);
	return err;
}
