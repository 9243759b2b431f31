/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a word that nobody knows was perhaps meant to be. */
#include <strings.h>

#include "expr.h"

#include "banned.h"

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

void expr__guess_start(struct expr_guess *guess, const char *word, size_t len)
{
	memset(guess, 0, sizeof(*guess));
	if (len >= sizeof(guess->word))
		return;
	memcpy(guess->word, word, len);
	guess->cost = DKT__MIN(1 + (unsigned int)len / 4, 3) + 1;
}

void expr__guess_try(struct expr_guess *guess, const char *candidate)
{
	size_t len = strlen(candidate), word = strlen(guess->word);
	unsigned int cost;

	if (!word || !len || len >= sizeof(guess->best))
		return;
	if (!strcasecmp(guess->word, candidate) || is_part(guess->word, candidate))
		cost = 1;
	else
		cost = distance(guess->word, candidate);
	/* A word all of whose letters change is not meant. */
	if (cost >= guess->cost || cost >= word)
		return;
	guess->cost = cost;
	memcpy(guess->best, candidate, len + 1);
}

const char *expr__guess_words(struct expr_guess *guess, char room[static 96])
{
	int n = 0;

	if (guess->best[0])
		n = snprintf(room, 96, "; did you mean %s?", guess->best);
	return n > 0 && n < 96 ? room : "";
}

const char *dkt_guess(const char *word, const char *const *names, size_t n)
{
	struct expr_guess guess;
	size_t i;

	expr__guess_start(&guess, word, strlen(word));
	for (i = 0; i < n; i++)
		expr__guess_try(&guess, names[i]);
	for (i = 0; i < n; i++)
		if (guess.best[0] && !strcmp(names[i], guess.best))
			return names[i];
	return NULL;
}
