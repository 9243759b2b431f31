/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Suggests a name for a misspelt word: the most similar of the names tried. */
#include <strings.h>

#include "lib/base/guess.h"
#include "lib/base/util.h"

/* The number of letters to add, drop, change or swap with their neighbour; words are short. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][64], cost;
	unsigned int m = (unsigned int)strlen(a), n = (unsigned int)strlen(b);
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *spare;

	for (unsigned int j = 0; j <= n; j++)
		last[j] = j;
	for (unsigned int i = 1; i <= m; i++) {
		row[0] = i;
		for (unsigned int j = 1; j <= n; j++) {
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

void dkt__guess_start(struct dkt__guess *guess, const char *word, size_t len)
{
	memset(guess, 0, sizeof(*guess));
	if (len >= sizeof(guess->word))
		return;
	memcpy(guess->word, word, len);
	guess->cost = DKT__MIN(1 + (unsigned int)len / 4, 3) + 1;
}

/* Compares the word with candidate, but suggests name. */
static void try_as(struct dkt__guess *guess, const char *candidate, const char *name)
{
	size_t len = strlen(candidate), word = strlen(guess->word);
	unsigned int cost;

	if (!word || !len || len >= sizeof(guess->word) || strlen(name) >= sizeof(guess->best))
		return;
	if (!strcasecmp(guess->word, candidate) || is_part(guess->word, candidate))
		cost = 1;
	else
		cost = distance(guess->word, candidate);
	/* If every letter changes, the user did not mean the candidate. */
	if (cost >= guess->cost || cost >= word)
		return;
	guess->cost = cost;
	memcpy(guess->best, name, strlen(name) + 1);
}

void dkt__guess_try(struct dkt__guess *guess, const char *candidate)
{
	try_as(guess, candidate, candidate);
}

const char *dkt__guess_words(struct dkt__guess *guess)
{
	int n = 0;

	if (guess->best[0])
		n = snprintf(guess->words, sizeof(guess->words), "; did you mean %s?", guess->best);
	return n > 0 ? guess->words : "";
}

void dkt__guess_member(struct dkt__guess *guess, const char *group, const char *name)
{
	char whole[sizeof(guess->best)];
	int n = snprintf(whole, sizeof(whole), "%s:%s", group, name);

	if (n < 0 || (size_t)n >= sizeof(whole))
		return;
	if (strchr(guess->word, ':')) {
		dkt__guess_try(guess, whole);
		return;
	}
	/* The user may have left out the group. */
	dkt__guess_try(guess, group);
	try_as(guess, name, whole);
}

/* A name that is more similar than all earlier ones discards their votes. */
void dkt__guess_vote(struct dkt__guess_votes *votes, const char *name)
{
	struct dkt__guess one;
	size_t i;

	dkt__guess_start(&one, votes->guess->word, strlen(votes->guess->word));
	dkt__guess_try(&one, name);
	if (!one.best[0] || one.cost > votes->guess->cost ||
	    (!votes->n && one.cost == votes->guess->cost))
		return;
	if (one.cost < votes->guess->cost)
		votes->n = 0;
	votes->guess->cost = one.cost;
	for (i = 0; i < votes->n && strcmp(votes->names[i], name) != 0; i++)
		;
	if (i == DKT__NEAR_MAX)
		return;
	if (i == votes->n) {
		memcpy(votes->names[i], one.best, sizeof(one.best));
		votes->votes[votes->n++] = 0;
	}
	votes->votes[i]++;
}

void dkt__guess_elect(struct dkt__guess_votes *votes)
{
	size_t most = 0;

	for (size_t i = 1; i < votes->n; i++)
		if (votes->votes[i] > votes->votes[most])
			most = i;
	if (votes->n)
		memcpy(votes->guess->best, votes->names[most], sizeof(votes->guess->best));
}
