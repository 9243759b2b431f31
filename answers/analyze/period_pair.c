/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made pairs of latency as definitions of periods. */
#include "answers/analyze/period_pair.h"

#include "lib/base/disks.h"
#include "lib/base/glob.h"
#include "lib/base/guess.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/request.h"

static int unknown(struct dkt_ctx *ctx, const char *name)
{
	const struct dkt_interval *pair = NULL;
	struct dkt__guess guess;
	int err = dkt_interval_load(ctx);

	if (err)
		return err;
	dkt__guess_start(&guess, name, strlen(name));
	while ((pair = dkt_interval_next(ctx, pair)))
		dkt__guess_try(&guess, pair->name);
	return dkt_fail(ctx, -EINVAL,
			"'%s' is not a ready-made pair, which 'dktrace latency' lists, nor a"
			" definition: NAME: begin EVENTS; end EVENTS%s",
			name, dkt__guess_words(&guess));
}

/* True if the kernel has an event of the first word. */
static bool has_events(struct dkt_ctx *ctx, const char *words)
{
	const char *colon = strchr(words, ':'), *name = colon + 1;
	struct dkt_event *const *all;
	size_t n;

	if (dkt_events(ctx, &all, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *system = dkt_event_system(all[i]), *event = dkt_event_name(all[i]);

		if (dkt__glob_match(words, (size_t)(colon - words), system, strlen(system)) &&
		    dkt__glob_match(name, strcspn(name, ","), event, strlen(event)))
			return true;
	}
	return false;
}

/* Writes "b == $begin.a && c == $begin.c" for the key "a=b,c". */
static void put_key(FILE *f, const char *key)
{
	const char *p = key, *first = p;

	while (*p) {
		int left = (int)strcspn(p, ",="), len = (int)strcspn(p, ",");
		const char *end = p[left] == '=' ? p + left + 1 : p;

		fprintf(f, "%s%.*s == $begin.%.*s", p == first ? "" : " && ", len - (int)(end - p),
			end, left, p);
		p += len + (p[len] == ',');
	}
}

/* Each event of the list gets the filter. */
static void put_end(FILE *f, const struct dkt_interval *pair)
{
	if (!strcmp(pair->match, DKT__REQUEST_KEY)) {
		fprintf(f, "%s; match " DKT__REQUEST_KEY, pair->end);
		return;
	}
	for (const char *p = pair->end; *p;) {
		int len = (int)strcspn(p, ",");

		fprintf(f, "%s%.*s[", p == pair->end ? "" : ",", len, p);
		put_key(f, pair->match);
		fputc(']', f);
		p += len + (p[len] == ',');
	}
}

int period_pair_text(struct dkt_ctx *ctx, const char *name, char **text)
{
	const struct dkt_interval *first = dkt_interval_find(ctx, name, NULL), *pair = first;
	size_t size;
	FILE *f;

	*text = NULL;
	if (!first)
		return unknown(ctx, name);
	while (pair && (pair->calls || !has_events(ctx, pair->begin)))
		pair = dkt_interval_find(ctx, name, pair);
	pair = pair ? pair : first;
	f = open_memstream(text, &size);
	if (!f)
		return dkt__no_memory(ctx);
	/* The name of the pair may have a '-', which the name of a period has not. */
	for (const char *p = name; *p; p++)
		fputc(*p == '-' ? '_' : *p, f);
	fprintf(f, ": begin %s; end ", pair->begin);
	put_end(f, pair);
	if (pair->keys)
		fprintf(f, "; show $begin.%s", pair->keys);
	if (pair->keys && dkt__disk_is_field(pair->keys))
		fprintf(f, ", %s_disk=$begin.%s.disk", pair->keys, pair->keys);
	return dkt__with_words(ctx, dkt__text_end(f, 0, text));
}
