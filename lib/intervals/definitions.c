/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made intervals: reads their files, as dktrace-intervals(5) describes them. */
#include "lib/base/data_files.h"
#include "lib/base/glob.h"
#include "lib/base/guess.h"
#include "lib/base/yaml.h"
#include "lib/event.h"
#include "lib/intervals.h"
#include "lib/intervals/way.h"

struct named {
	const char *name, *about, *analysis;
	struct way *ways;
	const char *file; /* the last one that had it */
	struct named *next;
};

struct dkt__intervals {
	struct dkt_ctx *ctx;
	struct dkt__arena *arena;
	struct named *names; /* in the order of the files */
	struct dkt_interval *list;
	size_t n;
	char *why;
};

/* Intervals within each other at most. */
#define WITHIN_MAX 8

/* ---- a name ---- */

enum { NAME_ABOUT, NAME_ENTRIES, NAME_ANALYSIS };

static const char *const name_words[] = { "about", "entries", "analysis" };

static const struct dkt__yaml_keys name_keys = { "key", name_words, ARRAY_SIZE(name_words), NULL };

/* Reads into the named interval of the file, whose entries replace those of earlier files. */
struct reading {
	struct dkt__intervals *all;
	struct named *named;
	struct way **end; /* where the next way goes */
};

static int read_way(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct reading *reading = data;
	struct way *way = dkt__arena_alloc(r->arena, sizeof(*way));
	int err;

	(void)key;
	if (!way)
		return dkt__yaml_no_memory(r);
	err = dkt__way_read(r, reading->all->ctx, way);
	*reading->end = way;
	reading->end = &way->next;
	return err;
}

/* Which analyses there are is known to the program that has them. */
static int read_analysis(struct dkt__yaml *r, const char **analysis)
{
	int err = dkt__yaml_text(r, name_words[NAME_ANALYSIS], analysis);

	return err || dkt__way_is_name(*analysis) ?
		       err :
		       DKT__YAML_REFUSE(r, "analysis '%s' is not a name", *analysis);
}

static int read_name_key(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct reading *reading = data;

	if (key == NAME_ABOUT)
		return dkt__yaml_text(r, name_words[key], &reading->named->about);
	if (key == NAME_ANALYSIS)
		return read_analysis(r, &reading->named->analysis);
	reading->named->ways = NULL;
	reading->end = &reading->named->ways;
	return dkt__yaml_list(r, name_words[key], key, read_way, reading);
}

/* Returns the link to the interval of the name, or the last link, which is NULL. */
static struct named **link_of(struct dkt__intervals *all, const char *name)
{
	struct named **at = &all->names;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

static struct named *find_named(struct dkt__intervals *all, const char *name)
{
	struct named **at = link_of(all, name);

	if (!*at)
		*at = dkt__arena_alloc(all->arena, sizeof(**at));
	return *at;
}

static int read_interval(struct dkt__yaml *r, const char *name, void *data)
{
	struct reading reading = { .all = data };
	const yaml_mark_t mark = r->event.start_mark;
	int err;

	if (!dkt__way_is_name(name))
		return DKT__YAML_REFUSE(r, "'%s' is not a name: use letters, digits, '-' and '_'",
					name);
	reading.named = find_named(data, name);
	if (!reading.named)
		return dkt__yaml_no_memory(r);
	if (reading.named->file == r->file)
		return DKT__YAML_REFUSE(r, "duplicate interval '%s'", name);
	reading.named->file = r->file;
	reading.named->name = name;
	err = dkt__yaml_mapping(r, &name_keys, read_name_key, &reading);
	if (!err && (!reading.named->ways || !reading.named->about))
		err = dkt__yaml_refuse_at(r, &mark, "interval '%s' needs '%s'", name,
					  reading.named->ways ? "about" : "entries");
	return err;
}

/* ---- the file ---- */

static const char *const section_words[] = { "intervals" };

static const struct dkt__yaml_keys sections = { "key", section_words, ARRAY_SIZE(section_words),
						NULL };

static int read_section(struct dkt__yaml *r, unsigned int key, void *data)
{
	(void)key;
	return dkt__yaml_names(r, "interval", read_interval, data);
}

static int read_file(struct dkt__yaml *r, unsigned int key, void *data)
{
	(void)key;
	return dkt__yaml_mapping(r, &sections, read_section, data);
}

static int add_file(void *data, const char *path, const char *text, size_t len)
{
	struct dkt__intervals *all = data;
	/* Outer intervals are looked for when all files are read, and the path is gone. */
	const char *file = dkt__arena_strndup(all->arena, path, strlen(path));
	struct dkt__yaml r = { .arena = all->arena, .file = file, .text = text, .len = len };
	int err = file ? dkt__yaml_file(&r, read_file, all) : -ENOMEM;

	all->why = r.why;
	return err;
}

/* An outer interval may come in a later file. All ways of a name are in the same one, so that it has one meaning. */
static int check_within(struct dkt__intervals *all, const struct named *named,
			const struct way *way)
{
	struct dkt__yaml r = { .file = way->file };
	const char *within = way->interval.within, *first = named->ways->interval.within;
	const struct named *outer = within ? *link_of(all, within) : NULL;
	int err = 0;

	if (!within != !first || (within && strcmp(within, first) != 0))
		err = dkt__yaml_refuse_at(&r, &way->within,
					  "all entries of '%s' must be within the same interval",
					  named->name);
	else if (within && !outer)
		err = dkt__yaml_refuse_at(&r, &way->within, "within: there is no interval '%s'",
					  within);
	for (int depth = 0; !err && outer; depth++) {
		if (depth == WITHIN_MAX)
			err = dkt__yaml_refuse_at(
				&r, &way->within,
				"within: '%s' is within itself, or more than %d intervals deep",
				named->name, WITHIN_MAX);
		within = outer->ways->interval.within;
		outer = within ? *link_of(all, within) : NULL;
	}
	all->why = r.why;
	return err;
}

static int check_all_within(struct dkt__intervals *all)
{
	int err = 0;

	for (const struct named *named = all->names; named; named = named->next)
		for (const struct way *way = named->ways; !err && way; way = way->next)
			err = check_within(all, named, way);
	return err;
}

/* The ways of a name are beside each other. */
static void link_ways(struct dkt__intervals *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct dkt_interval *interval = &all->list[i];
		size_t outer = 0;

		if (i + 1 < all->n && !strcmp(interval->name, interval[1].name))
			interval->next = &interval[1];
		while (interval->within && strcmp(all->list[outer].name, interval->within) != 0)
			outer++;
		interval->outer = interval->within ? &all->list[outer] : NULL;
	}
}

/* Makes one list of all ways, those of a name beside each other. */
static int flatten(struct dkt__intervals *all)
{
	for (const struct named *named = all->names; named; named = named->next)
		for (const struct way *way = named->ways; way; way = way->next) {
			all->list =
				dkt__arena_grow(all->arena, all->list, all->n, sizeof(*all->list));
			if (!all->list)
				return -ENOMEM;
			all->list[all->n] = way->interval;
			all->list[all->n].name = named->name;
			all->list[all->n].analysis = named->analysis;
			all->list[all->n++].about = named->about;
		}
	return 0;
}

/* Keeps what was read, if nothing is wrong with it. */
static int finish(struct dkt__intervals *all, int err)
{
	struct dkt_ctx *ctx = all->ctx;

	if (!err)
		err = check_all_within(all);
	if (!err)
		err = flatten(all);
	if (!err)
		link_ways(all);
	if (!err && all->n > DKT_INTERVALS_MAX)
		err = dkt_fail(ctx, -E2BIG, "intervals: %zu entries, but at most %d can be used",
			       all->n, DKT_INTERVALS_MAX);
	else if (err && all->why)
		dkt_fail(ctx, err, "%s", all->why);
	free(all->why);
	all->why = NULL;
	if (!err)
		ctx->intervals = all;
	return dkt__with_words(ctx, err);
}

static struct dkt__intervals *begin(struct dkt_ctx *ctx)
{
	struct dkt__intervals *all = dkt__ctx_keep(ctx, sizeof(*all));

	if (all)
		*all = (struct dkt__intervals){ .ctx = ctx, .arena = &ctx->memory };
	return all;
}

static int load_files(struct dkt_ctx *ctx)
{
	struct dkt__intervals *all;
	char *why = NULL;
	int err;

	if (ctx->intervals)
		return 0;
	all = begin(ctx);
	if (!all)
		return dkt__no_memory(ctx);
	err = dkt__data_read(DKT__DATA_INTERVALS, add_file, all, &why);
	all->why = all->why ?: why;
	return finish(all, err);
}

int dkt__interval_load_text(struct dkt_ctx *ctx, const char *file, const char *text, size_t len)
{
	struct dkt__intervals *all = begin(ctx);

	return all ? finish(all, add_file(all, file, text, len)) : dkt__no_memory(ctx);
}

/* ---- use ---- */

int dkt_interval_list(struct dkt_ctx *ctx, const struct dkt_interval **list, size_t *n)
{
	dkt__needs(ctx, dkt__clear(list) && dkt__clear(n) && ctx);

	int err = load_files(ctx);

	if (err)
		return err;
	*list = ctx->intervals->list;
	*n = ctx->intervals->n;
	return 0;
}

const struct dkt_interval *dkt_interval_find(struct dkt_ctx *ctx, const char *name)
{
	if (!ctx || !name || load_files(ctx))
		return NULL;
	for (size_t i = 0; i < ctx->intervals->n; i++)
		if (!strcmp(ctx->intervals->list[i].name, name))
			return &ctx->intervals->list[i];
	return NULL;
}

void dkt__interval_guess(struct dkt_ctx *ctx, struct dkt__guess *guess, const char *name)
{
	const struct dkt_interval *list;
	size_t n;

	dkt__guess_start(guess, name, strlen(name));
	if (dkt_interval_list(ctx, &list, &n))
		return;
	for (size_t i = 0; i < n; i++)
		dkt__guess_try(guess, list[i].name);
}

static bool has(const char *globs, const struct dkt_event *event)
{
	for (const char *at = globs; *at;) {
		const size_t len = strcspn(at, ","), system = strcspn(at, ":");

		if (dkt__glob_match(at, system, event->system, strlen(event->system)) &&
		    dkt__glob_match(at + system + 1, len - system - 1, event->name,
				    strlen(event->name)))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

uint32_t dkt_interval_roles(const struct dkt_interval *interval, const struct dkt_event *event)
{
	if (!interval || !event)
		return 0;
	return (has(interval->begin, event) ? DKT_INTERVAL_BEGIN : 0) |
	       (has(interval->end, event) ? DKT_INTERVAL_END : 0);
}

uint32_t dkt__interval_roles_of(const struct dkt_interval *interval,
				struct dkt_event *const *events, size_t n)
{
	uint32_t roles = 0;

	for (size_t i = 0; i < n; i++)
		roles |= dkt_interval_roles(interval, events[i]);
	return roles;
}

int dkt_intervals_bind(struct dkt_intervals *pairs, const struct dkt_interval *interval,
		       struct dkt_event *const *events, size_t n)
{
	dkt__needs(pairs ? pairs->ctx : NULL, pairs && interval && (events || !n));

	static const uint32_t order[] = { DKT_INTERVAL_BEGIN, 0 };
	uint32_t have = 0;
	int err = 0;

	/* Those that begin come first. */
	for (size_t side = 0; side < ARRAY_SIZE(order); side++)
		for (size_t i = 0; !err && i < n; i++) {
			const uint32_t roles = dkt_interval_roles(interval, events[i]);

			if (!roles || (roles & DKT_INTERVAL_BEGIN) != order[side])
				continue;
			have |= roles;
			err = dkt_intervals_event(pairs, events[i], roles);
		}
	if (err)
		return err;
	if (have == (DKT_INTERVAL_BEGIN | DKT_INTERVAL_END))
		return dkt__intervals_within(pairs, interval, events, n);
	return dkt_fail(pairs->ctx, -ENOENT, "no event of '%s'",
			have & DKT_INTERVAL_BEGIN ? interval->end : interval->begin);
}
