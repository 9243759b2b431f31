/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the events of a pair: for a ready-made pair, those that exist. */
#include <fnmatch.h>

#include "compat/lustre/log_source.h"
#include "compat/lustre/named.h"
#include "compat/lustre/select.h"
#include "ctl/latency/latency.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/inside.h"

/* Stores the error message for an unknown event, with a similar name. */
static int no_event(struct dkt_ctx *ctx, const char *word)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, word, strlen(word));
	dkl_select_guess(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "there is no event %s%s", word, dkt__guess_words(&guess));
}

static bool matches(const char *system, const char *name, const struct dkt_event *event)
{
	return (!system || !strcmp(dkt_event_system(event), system)) &&
	       !fnmatch(name, dkt_event_name(event), 0);
}

/*
 * Adds the events that match; system NULL: of all systems. Events such as those of system calls are found only
 * by both names.
 */
static int add_matching(struct latency_set *set, struct dkt_ctx *ctx, const char *system,
			const char *name, size_t *n)
{
	const bool glob = !system || strpbrk(name, "*?[");
	struct dkt_event *event = glob ? NULL : dkt_event_find(ctx, system, name);
	struct dkt_event *const *all = &event;
	struct dkt_event **found __cleanup(free) = NULL;
	size_t total = event != NULL;
	int err = glob ? dkt_events(ctx, &all, &total) : 0;

	*n = 0;
	for (size_t i = 0; !err && i < total; i++)
		if (matches(system, name, all[i]))
			err = dkt__append(found, *n, all[i]);
	if (!err && !system)
		err = dkl_named_unique(ctx, name, found, *n);
	for (size_t i = 0; !err && i < *n; i++)
		err = dkt__append(set->events, set->n, (struct live_event){ .event = found[i] });
	return err;
}

static int add_missing(struct latency_set *set, const char *word)
{
	char *more = dkt__format("%s%s%s", set->missing ? set->missing : "",
				 set->missing ? ", " : "", word);

	if (!more)
		return -ENOMEM;
	free(set->missing);
	set->missing = more;
	return 0;
}

static int find_word(struct latency_set *set, struct dkt_ctx *ctx, const char *word)
{
	const char *colon = strchr(word, ':');
	char *system __cleanup(free) = colon ? strndup(word, (size_t)(colon - word)) : NULL;
	size_t n;
	int err;

	if (colon && !system)
		return -ENOMEM;
	err = add_matching(set, ctx, system, colon ? colon + 1 : word, &n);
	if (err || n)
		return err;
	return set->pair.name ? add_missing(set, word) : no_event(ctx, word);
}

/* Finds the events of one side of the pair. */
static int find_side(struct latency_set *set, struct dkt_ctx *ctx, const char *names)
{
	char *copy __cleanup(free) = strdup(names), *word, *save = NULL;
	const size_t before = set->n;
	int err = copy ? 0 : -ENOMEM;

	for (word = err ? NULL : strtok_r(copy, ",", &save); !err && word;
	     word = strtok_r(NULL, ",", &save))
		err = find_word(set, ctx, word);
	if (!err && set->n == before && !set->pair.name)
		err = dkt_fail(ctx, -EINVAL, "'%s': no event", names);
	return err;
}

/* ---- what it is within ---- */

static int add_outer(struct latency_set *set, const struct dkt_interval *outer,
		     struct dkt_event *const *all, size_t n)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		if (dkt_interval_roles(outer, all[i]))
			err = dkt__append(set->events, set->n,
					  (struct live_event){ .event = all[i] });
	return err;
}

/* A file may have records of any way to measure the outer interval; a live recording needs one. */
static int find_outer(struct latency_set *set, const struct dkt_interval *interval,
		      struct dkt_event *const *all, size_t n, bool live)
{
	const struct dkt_interval *chosen = dkt__interval_outer(interval, all, n);
	int err = 0;

	for (const struct dkt_interval *way = interval->outer; !err && way; way = way->next) {
		if (live ? way != chosen : !dkt__interval_is_whole(way, all, n))
			continue;
		err = add_outer(set, way, all, n);
		if (!err)
			err = find_outer(set, way, all, n, live);
	}
	return err;
}

static int add_missing_outer(struct latency_set *set, const struct dkt_interval *outer)
{
	char *both __cleanup(free) = dkt__format("%s, %s", outer->begin, outer->end);

	return both ? add_missing(set, both) : -ENOMEM;
}

static int find_within(struct latency_set *set, struct dkt_ctx *ctx, bool live)
{
	const size_t before = set->n;
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(ctx, &all, &n);

	if (!err)
		err = find_outer(set, &set->pair, all, n, live);
	if (err || set->n > before)
		return err;
	set->usable = false;
	return add_missing_outer(set, set->pair.outer);
}

/* ---- all ---- */

int latency_find(struct dkt_ctx *ctx, const struct dkt_interval *pair, bool live,
		 struct latency_set *set)
{
	int err;

	*set = (struct latency_set){ .pair = *pair };
	err = find_side(set, ctx, pair->begin);
	set->n_begin = set->n;
	if (!err && set->n > 1 && pair->name && !strpbrk(pair->begin, "*?["))
		set->needed = set->events[0].event;
	if (!err)
		err = find_side(set, ctx, pair->end);
	set->n_pair = set->n;
	set->usable = !err && set->n_begin && set->n > set->n_begin;
	return !err && pair->outer ? find_within(set, ctx, live) : err;
}

void latency_set_clear(struct latency_set *set)
{
	dkt_intervals_free(set->pairs);
	dkt_expr_free(set->filter);
	free(set->events);
	free(set->missing);
	if (set->map)
		heat_clear(&set->map->heat);
	free(set->map);
	*set = (struct latency_set){ 0 };
}

#define HOW_TO_RECORD "dktrace record"

static void put_events(FILE *f, const struct dkt_interval *interval)
{
	fputs(interval->begin, f);
	if (strcmp(interval->begin, interval->end) != 0)
		fprintf(f, ",%s", interval->end);
	if (!interval->outer)
		return;
	fputc(',', f);
	put_events(f, interval->outer);
}

/* Returns "dktrace record -e 'a:b,c:d'"; the caller frees it. */
static char *how_to_record(const struct dkt_interval *pair)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(HOW_TO_RECORD " -e '", f);
	put_events(f, pair);
	fputc('\'', f);
	return dkt__text_end(f, 0, &text) ? NULL : text;
}

int latency_fail_missing(struct dkt_ctx *ctx, const struct latency_set *set,
			 const struct dkt_source *source)
{
	char *how __cleanup(free) = how_to_record(&set->pair);

	if (!source)
		return dkt_fail(ctx, -ENOENT, "pair '%s': this kernel has no event %s",
				set->pair.name, set->missing);
	if (dkl_log_source_is(source))
		return dkt_fail(ctx, -ENOENT,
				"pair '%s': lines of a debug log have no fields to pair by;"
				" 'dktrace dk --format trace.dat FILE' saves records that have",
				set->pair.name);
	return dkt_fail(ctx, -ENOENT, "pair '%s': the file has no event %s; to record it: %s",
			set->pair.name, set->missing, how ? how : HOW_TO_RECORD);
}

void latency_report_missing(const struct latency_set *set, const char *file)
{
	if (set->missing)
		app_say("%s has no event %s: it is not measured", file ? file : "this kernel",
			set->missing);
}

void latency_report_unpaired(const struct latency_set *set, const char *file)
{
	char *how __cleanup(free) = how_to_record(&set->pair);
	struct dkt_intervals_info info;

	dkt_intervals_info(set->pairs, &info, sizeof(info));
	if (info.pairs || (info.begins && info.ends))
		return;
	if (set->pair.outer) {
		app_say("%s has no '%s' that began within '%s'; to record both: %s", file,
			set->pair.name, set->pair.within, how ? how : HOW_TO_RECORD);
		return;
	}
	app_say("%s has no record of %s%s%s; to record them: %s", file,
		info.begins ? "" : set->pair.begin, info.begins || info.ends ? "" : " and of ",
		info.ends ? "" : set->pair.end, how ? how : HOW_TO_RECORD);
}
