/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads an entry of the files of ready-made intervals: one way to measure. */
#include "lib/intervals/way.h"

#include "lib/base/glob.h"
#include "lib/base/request.h"
#include "lib/base/util.h"

enum {
	WAY_BEGIN,
	WAY_END,
	WAY_MATCH,
	WAY_KEYS,
	WAY_CALLS,
	WAY_PER_TASK,
	WAY_FEW_KEYS,
	WAY_SHOW,
	WAY_WITHIN,
};

static const char *const way_words[] = {
	"begin", "end", "match", "keys", "calls", "per_task", "few_keys", "show", "within",
};

bool dkt__way_is_name(const char *word)
{
	return *word && !word[strspn(word, DKT__FIELD_CHARS "-")];
}

/* Fields to show at most, beside the two columns that keys can have. */
#define SHOW_MAX 5

static int check_event(struct dkt__yaml *r, const char *word)
{
	const char *colon = strchr(word, ':'), *why;
	char *system __cleanup(free) = colon ? strndup(word, (size_t)(colon - word)) : NULL;
	size_t at;

	if (!colon)
		return DKT__YAML_REFUSE(r, "'%s' is not of the form system:event", word);
	if (!system)
		return dkt__yaml_no_memory(r);
	why = dkt__glob_check(system, &at) ?: dkt__glob_check(colon + 1, &at);
	return why ? DKT__YAML_REFUSE(r, "event '%s': %s", word, why) : 0;
}

/* A word of show is "FIELD" or "NAME=FIELD", of the end or after "$begin." of the beginning. */
static int check_shown(struct dkt__yaml *r, const char *text, const char *word)
{
	static const char begin[] = "$begin.";
	const char *equals = strchr(word, '='), *field = equals ? equals + 1 : word, *rest;
	const size_t name = strspn(word, DKT__FIELD_CHARS);
	size_t n = 1;

	if (!strncmp(field, begin, strlen(begin)))
		field += strlen(begin);
	rest = field + strspn(field, DKT__FIELD_CHARS);
	if (rest == field ||
	    (*rest && strcmp(rest, ".syscall") != 0 && strcmp(rest, ".disk") != 0) ||
	    (equals && (!name || word + name != equals)))
		return DKT__YAML_REFUSE(r, "'%s' is not FIELD, $begin.FIELD or NAME=FIELD", word);
	for (; text && *text; text++)
		n += *text == ',';
	return text && n == SHOW_MAX ?
		       DKT__YAML_REFUSE(r, "more than %d fields to show", SHOW_MAX) :
		       0;
}

/* Appends a word of a list to the text, after a comma. */
static int add_word(struct dkt__yaml *r, unsigned int key, void *data)
{
	const char **text = data, *word;
	char *both;
	size_t size;
	int err = dkt__yaml_text(r, way_words[key], &word);

	if (err)
		return err;
	if (key == WAY_SHOW)
		err = check_shown(r, *text, word);
	else if (key != WAY_CALLS)
		err = check_event(r, word);
	if (err)
		return err;
	if (!*text) {
		*text = word;
		return 0;
	}
	size = strlen(*text) + strlen(word) + 2;
	both = dkt__arena_alloc(r->arena, size);
	if (!both)
		return dkt__yaml_no_memory(r);
	snprintf(both, size, "%s,%s", *text, word);
	*text = both;
	return 0;
}

static int read_words(struct dkt__yaml *r, unsigned int key, const char **text)
{
	if (r->event.type == YAML_SCALAR_EVENT)
		return add_word(r, key, text);
	return dkt__yaml_list(r, way_words[key], key, add_word, text);
}

enum { WITHIN_INTERVAL, WITHIN_MATCH };

static const char *const within_words[] = { "interval", "match" };

static const struct dkt__yaml_keys within_keys = { "key", within_words, ARRAY_SIZE(within_words),
						   NULL };

static int read_within_key(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct dkt_interval *interval = data;

	return dkt__yaml_text(r, within_words[key],
			      key == WITHIN_INTERVAL ? &interval->within : &interval->within_match);
}

static int read_within(struct dkt__yaml *r, struct way *way)
{
	int err;

	way->within = r->event.start_mark;
	err = dkt__yaml_mapping(r, &within_keys, read_within_key, &way->interval);
	if (err || (way->interval.within && way->interval.within_match))
		return err;
	return dkt__yaml_refuse_at(
		r, &way->within, "within needs '%s'",
		within_words[way->interval.within ? WITHIN_MATCH : WITHIN_INTERVAL]);
}

static int read_way_key(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct way *way = data;
	struct dkt_interval *interval = &way->interval;

	switch (key) {
	case WAY_BEGIN:
		return read_words(r, key, &interval->begin);
	case WAY_END:
		return read_words(r, key, &interval->end);
	case WAY_MATCH:
		return dkt__yaml_text(r, way_words[key], &interval->match);
	case WAY_KEYS:
		return dkt__yaml_text(r, way_words[key], &interval->keys);
	case WAY_CALLS:
		return read_words(r, key, &interval->calls);
	case WAY_PER_TASK:
		return dkt__yaml_bool(r, way_words[key], &interval->per_task);
	case WAY_SHOW:
		return read_words(r, key, &interval->show);
	case WAY_WITHIN:
		return read_within(r, way);
	default:
		return dkt__yaml_bool(r, way_words[key], &interval->few_keys);
	}
}

static const struct dkt__yaml_keys way_keys = { "key", way_words, ARRAY_SIZE(way_words), NULL };

/* The pairs of dkt_intervals(3) know which fields can be compared and grouped by. */
static int check_fields(struct dkt__yaml *r, const yaml_mark_t *mark, struct dkt_ctx *ctx,
			const char *match, const char *keys)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = match, .by = keys);
	struct dkt_intervals *pairs;
	int err = dkt_intervals_new(ctx, &opts, &pairs);

	dkt_intervals_free(pairs);
	if (err == -ENOMEM)
		return dkt__yaml_no_memory(r);
	return err ? dkt__yaml_refuse_at(r, mark, "%s", dkt_error(ctx)) : 0;
}

/* A file that cannot be measured by is refused where it is read, not when it is used. */
static int check_way(struct dkt__yaml *r, const yaml_mark_t *mark, struct dkt_ctx *ctx,
		     const struct way *way)
{
	const struct dkt_interval *interval = &way->interval;
	int err;

	if (!interval->begin || !interval->end || !interval->match)
		return dkt__yaml_refuse_at(r, mark, "an entry needs %s",
					   !interval->begin ? "'begin'" :
					   !interval->end   ? "'end'" :
							      "'match'");
	err = check_fields(r, mark, ctx, interval->match, interval->keys);
	if (err || !interval->within)
		return err;
	if (!strcmp(interval->within_match, DKT__REQUEST_KEY))
		return dkt__yaml_refuse_at(r, &way->within,
					   "within: match has fields, not " DKT__REQUEST_KEY);
	return check_fields(r, &way->within, ctx, interval->within_match, NULL);
}

int dkt__way_read(struct dkt__yaml *r, struct dkt_ctx *ctx, struct way *way)
{
	const yaml_mark_t mark = r->event.start_mark;
	int err;

	way->file = r->file;
	way->within = mark;
	err = dkt__yaml_mapping(r, &way_keys, read_way_key, way);
	return err ? err : check_way(r, &mark, ctx, way);
}
