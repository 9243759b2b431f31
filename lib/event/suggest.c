/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds events by a name without a system; suggests events and fields for misspelt names. */
#include "lib/event.h"

struct dkt_event *dkt__event_anywhere(struct dkt_ctx *ctx, const char *name, size_t *n)
{
	struct dkt_event *const *all;
	struct dkt_event *found = NULL;
	size_t total;

	*n = 0;
	if (dkt_events(ctx, &all, &total))
		return NULL;
	for (size_t i = 0; i < total; i++) {
		if (strcmp(all[i]->name, name) != 0)
			continue;
		found = all[i];
		++*n;
	}
	return found;
}

void dkt__guess_events(struct dkt__guess *guess, struct dkt_ctx *ctx)
{
	struct dkt_event *const *all;
	size_t n;

	if (dkt_events(ctx, &all, &n))
		return;
	for (size_t i = 0; i < n; i++)
		dkt__guess_member(guess, all[i]->system, all[i]->name);
}

void dkt__guess_fields(struct dkt__guess *guess, struct dkt_event *const *events, size_t n)
{
	struct dkt__guess_votes votes = { .guess = guess };
	const struct dkt_field *const *fields;
	size_t n_fields;

	for (size_t i = 0; i < n; i++) {
		if (dkt_event_fields(events[i], &fields, &n_fields))
			continue;
		for (size_t j = 0; j < n_fields; j++)
			dkt__guess_vote(&votes, fields[j]->name);
	}
	dkt__guess_elect(&votes);
}

int dkt__no_event(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct dkt__guess guess;
	char word[sizeof(guess.word)];
	int n = snprintf(word, sizeof(word), "%s:%s", system, name);

	dkt__guess_start(&guess, word, n > 0 ? (size_t)n : 0);
	dkt__guess_events(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "there is no event %s:%s%s", system, name,
			dkt__guess_words(&guess));
}
