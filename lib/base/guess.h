/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Suggests a name for a misspelt word: the most similar of the names tried. */
#pragma once

#include <stddef.h>

struct dkt__guess {
	char word[64];
	char best[64]; /* "": no similar name */
	unsigned int cost;
	char words[96];
};

/* Starts with a word of len bytes. No name is similar to a word that is too long. */
void dkt__guess_start(struct dkt__guess *guess, const char *word, size_t len);
void dkt__guess_try(struct dkt__guess *guess, const char *candidate);

/* Tries GROUP:NAME; for a word without a colon the group and the name, too. */
void dkt__guess_member(struct dkt__guess *guess, const char *group, const char *name);

/* Returns "; did you mean NAME?" to append to a message, or "". Lives as long as the guess. */
const char *dkt__guess_words(struct dkt__guess *guess);

/* Equally similar names, and how often each was tried. */
#define DKT__NEAR_MAX 8

struct dkt__guess_votes {
	struct dkt__guess *guess;
	char names[DKT__NEAR_MAX][64];
	size_t votes[DKT__NEAR_MAX];
	size_t n;
};

/* Tries a name that may be repeated; the most frequent one of equally similar names wins. */
void dkt__guess_vote(struct dkt__guess_votes *votes, const char *name);
void dkt__guess_elect(struct dkt__guess_votes *votes);
