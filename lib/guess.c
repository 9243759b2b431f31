/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a word that nobody knows was perhaps meant to be. */
#include <strings.h>

#include "expr.h"

#include "base/banned.h"

/* Letters to add, drop, change or swap with their neighbour; words are short. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][64], i, j, cost;
	unsigned int m = (unsigned int)strlen(a), n = (unsigned int)strlen(b);
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *spare;

	for (j = 0; j <= n; j++)
		last[j] = j;
	for (i = 1; i <= m; i++) {
		row[0] = i;
		for (j = 1; j <= n; j++) {
			cost = last[j - 1] + (a[i - 1] != b[j - 1]);
			cost = DKT__MIN(cost, last[j] + 1);
			cost = DKT__MIN(cost, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cost = DKT__MIN(cost, before[j - 2] + 1);
			row[j] = cost;
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[n];
}

/* True if the candidate is the word with something before or after an underscore. */
static bool is_part(const char *word, const char *candidate)
{
	size_t len = strlen(word);
	const char *p = candidate;

	if (len < 2)
		return false;
	while ((p = strstr(p, word))) {
		if ((p == candidate || p[-1] == '_') && (!p[len] || p[len] == '_'))
			return true;
		p++;
	}
	return false;
}

void dkt_guess_start(struct dkt_guess *guess, const char *word, size_t len)
{
	memset(guess, 0, sizeof(*guess));
	if (len >= sizeof(guess->word))
		return;
	memcpy(guess->word, word, len);
	guess->cost = DKT__MIN(1 + (unsigned int)len / 4, 3) + 1;
}

void dkt_guess_as(struct dkt_guess *guess, const char *candidate, const char *name)
{
	size_t len = strlen(candidate), word = strlen(guess->word);
	unsigned int cost;

	if (!word || !len || len >= sizeof(guess->word) || strlen(name) >= sizeof(guess->best))
		return;
	if (!strcasecmp(guess->word, candidate) || is_part(guess->word, candidate))
		cost = 1;
	else
		cost = distance(guess->word, candidate);
	/* A word all of whose letters change is not meant. */
	if (cost >= guess->cost || cost >= word)
		return;
	guess->cost = cost;
	memcpy(guess->best, name, strlen(name) + 1);
}

void dkt_guess_try(struct dkt_guess *guess, const char *candidate)
{
	dkt_guess_as(guess, candidate, candidate);
}

const char *dkt_guess_words(struct dkt_guess *guess)
{
	int n = 0;

	if (guess->best[0])
		n = snprintf(guess->words, sizeof(guess->words), "; did you mean %s?", guess->best);
	return n > 0 ? guess->words : "";
}

/* A word without a colon can be an event's name whose system was left out. */
static void try_event(struct dkt_guess *guess, const struct dkt_event *event)
{
	char whole[sizeof(guess->best)];
	int n = snprintf(whole, sizeof(whole), "%s:%s", event->system, event->name);

	if (n < 0 || (size_t)n >= sizeof(whole))
		return;
	if (strchr(guess->word, ':')) {
		dkt_guess_try(guess, whole);
		return;
	}
	dkt_guess_try(guess, event->system);
	dkt_guess_as(guess, event->name, whole);
}

void dkt_guess_events(struct dkt_guess *guess, struct dkt_ctx *ctx)
{
	struct dkt_event *const *all;
	size_t n, i;

	if (dkt_events(ctx, &all, &n))
		return;
	for (i = 0; i < n; i++)
		try_event(guess, all[i]);
}

/* Names that are as near as the nearest one, and in how many events. */
#define NEAR_MAX 8

/* The field that most events have, among those whose names are near. */
struct near {
	struct dkt_guess *guess;
	char names[NEAR_MAX][64];
	size_t events[NEAR_MAX];
	size_t n;
};

/* Counts a name that is as near as the best so far; a nearer one begins anew. */
static void count_near(struct near *near, const char *name)
{
	struct dkt_guess one;
	size_t i;

	dkt_guess_start(&one, near->guess->word, strlen(near->guess->word));
	dkt_guess_try(&one, name);
	if (!one.best[0] || one.cost > near->guess->cost ||
	    (!near->n && one.cost == near->guess->cost))
		return;
	if (one.cost < near->guess->cost)
		near->n = 0;
	near->guess->cost = one.cost;
	for (i = 0; i < near->n && strcmp(near->names[i], name) != 0; i++)
		;
	if (i == NEAR_MAX)
		return;
	if (i == near->n) {
		memcpy(near->names[i], one.best, sizeof(one.best));
		near->events[near->n++] = 0;
	}
	near->events[i]++;
}

static void take_most(struct near *near)
{
	size_t i, most = 0;

	for (i = 1; i < near->n; i++)
		if (near->events[i] > near->events[most])
			most = i;
	if (near->n)
		memcpy(near->guess->best, near->names[most], sizeof(near->guess->best));
}

void dkt_guess_fields(struct dkt_guess *guess, struct dkt_event *const *events, size_t n)
{
	const struct dkt_field *fields;
	struct near near = { .guess = guess };
	size_t i, j, n_fields;

	for (i = 0; i < n; i++) {
		if (dkt_event_fields(events[i], &fields, &n_fields))
			continue;
		for (j = 0; j < n_fields; j++)
			count_near(&near, fields[j].name);
	}
	take_most(&near);
}

int dkt__no_event(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct dkt_guess guess;
	char word[sizeof(guess.word)];
	int n = snprintf(word, sizeof(word), "%s:%s", system, name);

	dkt_guess_start(&guess, word, n > 0 ? (size_t)n : 0);
	dkt_guess_events(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "there is no event %s:%s%s", system, name,
			dkt_guess_words(&guess));
}
