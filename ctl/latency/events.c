/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the events of a pair: for a ready-made pair, those that exist. */
#include <fnmatch.h>

#include "base/buf.h"
#include "base/io.h"
#include "latency/latency.h"
#include "lustre/log_source.h"
#include "lustre/select.h"

/* Stores the error message for an unknown event, with a similar name. */
static int no_event(struct dkt_ctx *ctx, const char *system, const char *name)
{
	char *word __cleanup(free) = dkt__format("%s:%s", system, name);
	struct dkt__guess guess;

	if (!word)
		return -ENOMEM;
	dkt__guess_start(&guess, word, strlen(word));
	select_guess(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "there is no event %s%s", word, dkt__guess_words(&guess));
}

/* Adds the events that match. Events such as those of system calls are found only by name. */
static int add_matching(struct latency_set *set, struct dkt_ctx *ctx, const char *system,
			const char *name, size_t *n)
{
	struct dkt_event *event = NULL, *const * all;
	size_t total;
	int err = 0;

	*n = 0;
	if (!strpbrk(name, "*?["))
		event = dkt_event_find(ctx, system, name);
	else
		err = dkt_events(ctx, &all, &total);
	if (event) {
		*n = 1;
		return dkt__append(set->events, set->n, (struct live_event){ .event = event });
	}
	for (size_t i = 0; !err && strpbrk(name, "*?[") && i < total; i++)
		if (!strcmp(dkt_event_system(all[i]), system) &&
		    !fnmatch(name, dkt_event_name(all[i]), 0)) {
			err = dkt__append(set->events, set->n,
					  (struct live_event){ .event = all[i] });
			++*n;
		}
	return err;
}

static int add_missing(struct latency_set *set, const char *system, const char *name)
{
	char *more = dkt__format("%s%s%s:%s", set->missing ? set->missing : "",
				 set->missing ? ", " : "", system, name);

	if (!more)
		return -ENOMEM;
	free(set->missing);
	set->missing = more;
	return 0;
}

/* Finds the events of one side of the pair. */
static int find_side(struct latency_set *set, struct dkt_ctx *ctx, const char *names)
{
	char *copy __cleanup(free) = strdup(names), *word, *save = NULL;
	size_t before = set->n, n;
	int err = copy ? 0 : -ENOMEM;

	for (word = err ? NULL : strtok_r(copy, ",", &save); !err && word;
	     word = strtok_r(NULL, ",", &save)) {
		char *colon = strchr(word, ':');

		if (!colon)
			return dkt_fail(ctx, -EINVAL,
					"'%s' is not an event: write SYSTEM:NAME; ready-made"
					" pairs are listed by 'dktrace latency'",
					word);
		*colon = '\0';
		err = add_matching(set, ctx, word, colon + 1, &n);
		if (!err && !n)
			err = set->pair.name ? add_missing(set, word, colon + 1) :
					       no_event(ctx, word, colon + 1);
	}
	if (!err && set->n == before && !set->pair.name)
		err = dkt_fail(ctx, -EINVAL, "'%s': no event", names);
	return err;
}

int latency_find(struct dkt_ctx *ctx, const struct latency_pair *pair, struct latency_set *set)
{
	int err;

	*set = (struct latency_set){ .pair = *pair };
	err = find_side(set, ctx, pair->begin);
	set->n_begin = set->n;
	if (!err)
		err = find_side(set, ctx, pair->end);
	set->usable = !err && set->n_begin && set->n > set->n_begin;
	return err;
}

void latency_set_clear(struct latency_set *set)
{
	dkt_pairs_free(set->pairs);
	free(set->events);
	free(set->missing);
	if (set->map)
		heat_clear(&set->map->heat);
	free(set->map);
	*set = (struct latency_set){ 0 };
}

/* Returns "trace-cmd record -e a:b -e c:d"; the caller frees it. */
static char *how_to_record(const struct latency_pair *pair)
{
	const char *sides[] = { pair->begin, pair->end }, *p;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs("trace-cmd record", f);
	for (size_t i = 0; i < 2; i++) {
		if (i && !strcmp(sides[0], sides[1]))
			break;
		for (p = sides[i]; *p; p += *p == ',') {
			size_t len = strcspn(p, ",");
			bool quote = memchr(p, '*', len);

			fprintf(f, " -e %s%.*s%s", quote ? "'" : "", (int)len, p, quote ? "'" : "");
			p += len;
		}
	}
	dkt__text_end(f, 0, &text);
	return text;
}

int latency_fail_missing(struct dkt_ctx *ctx, const struct latency_set *set,
			 const struct dkt_source *source)
{
	char *how __cleanup(free) = how_to_record(&set->pair);

	if (!source)
		return dkt_fail(ctx, -ENOENT, "pair '%s': this kernel has no event %s",
				set->pair.name, set->missing);
	if (log_source_is(source))
		return dkt_fail(ctx, -ENOENT,
				"pair '%s': lines of a debug log have no fields to pair by;"
				" 'dktrace dk --format trace.dat FILE' saves records that have",
				set->pair.name);
	return dkt_fail(ctx, -ENOENT, "pair '%s': the file has no event %s; to record it: %s",
			set->pair.name, set->missing, how ? how : "trace-cmd record");
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
	struct dkt_pairs_info info;

	dkt_pairs_info(set->pairs, &info, sizeof(info));
	if (info.pairs || (info.begins && info.ends))
		return;
	app_say("%s has no record of %s%s%s; to record them: %s", file,
		info.begins ? "" : set->pair.begin, info.begins || info.ends ? "" : " and of ",
		info.ends ? "" : set->pair.end, how ? how : "trace-cmd record");
}
