/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Periods that have begun. */
#include "answers/analyze/period_state.h"

#include "lib/base/memory.h"

/* Periods that never end must not use up memory. */
#define OPEN_MAX (1u << 20)

/* ---- memory ---- */

static void free_open(struct period_open *open)
{
	free(open->sums);
	free(open->links);
	free(open);
}

void period_free_spare(struct period *period)
{
	while (period->spare) {
		struct period_open *next = period->spare->next;

		free_open(period->spare);
		period->spare = next;
	}
}

static struct period_open *new_open(struct period *period, size_t n_all)
{
	struct period_open *open = period->spare;

	if (open) {
		period->spare = open->next;
	} else {
		open = calloc(1, sizeof(*open) + period->def->n_fields * sizeof(open->values[0]));
		if (!open)
			return NULL;
		open->links = calloc(period->n_links, sizeof(*open->links));
	}
	/* The interval of a period that ended has taken its sums. */
	if (period->n_links > 1 && !open->sums)
		open->sums = calloc(n_all, sizeof(*open->sums));
	if (open->links && (open->sums || period->n_links == 1))
		return open;
	free_open(open);
	return NULL;
}

/* ---- lists ---- */

static struct period_open **siblings(struct period_open *open)
{
	return open->parent ? &open->parent->children : &open->period->roots;
}

static void add_sibling(struct period_open *open)
{
	struct period_open **first = siblings(open);

	open->prev = NULL;
	open->next = *first;
	if (open->next)
		open->next->prev = open;
	*first = open;
	open->period->n_open++;
}

/* The period has no children any more. */
static void remove_open(struct period_open *open)
{
	struct period *period = open->period;

	if (open->next)
		open->next->prev = open->prev;
	if (open->prev)
		open->prev->next = open->next;
	else
		*siblings(open) = open->next;
	for (uint32_t i = 0; i < period->n_links; i++)
		period_index_remove(&open->links[i]);
	period->n_open--;
	open->next = period->spare;
	period->spare = open;
}

void period_drop(struct period_open *open, uint64_t *n, uint64_t *inside)
{
	/* As deep as periods are defined within each other. */
	while (open->children)
		period_drop(open->children, inside, inside);
	++*n;
	remove_open(open);
}

void period_drop_all(struct period *period, uint64_t *n)
{
	while (period->roots)
		period_drop(period->roots, n, n);
}

/* ---- beginning ---- */

static bool same_for_end(const struct period *period, const struct period_open *open,
			 const struct period_open *parent)
{
	const struct period_def *def = period->def;

	if (open->parent != parent)
		return false;
	for (uint32_t i = 0; i < def->n_fields; i++)
		if (def->fields[i]->by_end && !period_same(&open->values[i], &period->now[i]))
			return false;
	return true;
}

/* The later of two beginnings counts, as in the kernel's own pairing. */
static void drop_same(struct analyze *a, struct period *period, const struct period_open *parent,
		      const uint64_t *words)
{
	struct period_link *link = period_index_find(&period->index, words);

	for (; link; link = link->next)
		if (same_for_end(period, link->open, parent)) {
			period_drop(link->open, &a->missed.endless, &a->missed.cut);
			return;
		}
}

/* Adds it to its own index, and to that of each definition whose parent it is. */
static int add_links(struct periods *all, struct period_open *open, const uint64_t *words)
{
	struct period *period = open->period;
	uint64_t key[PERIOD_KEYS];
	int err = period_index_add(&period->index, words, &open->links[0]);

	for (uint32_t i = 0; i < period->n_links; i++)
		open->links[i].open = open;
	for (size_t i = period->nr + 1; !err && period->n_links > 1 && i < all->n; i++) {
		struct period *child = &all->list[i];

		if (child->parent == period &&
		    period_key_words(&child->parent_key, open->values, key))
			err = period_index_add(&child->parents, key, &open->links[child->link]);
	}
	return err;
}

int period_go_on(struct analyze *a, struct period_open *open,
		 const uint64_t words[DKT__REQUEST_WORDS], uint64_t sectors)
{
	const uint64_t rest[DKT__REQUEST_WORDS] = { words[0], words[1] + sectors, words[2] };
	struct period_index *index = &open->period->index;
	struct period_link *link;

	open->left -= sectors;
	period_index_remove(&open->links[0]);
	/* Another request that began there cannot be in the device any more. */
	link = period_index_find(index, rest);
	while (link && link->open->parent != open->parent)
		link = link->next;
	if (link)
		period_drop(link->open, &a->missed.endless, &a->missed.cut);
	return dkt__with_words(a->ctx, period_index_add(index, rest, &open->links[0]));
}

/* False: no record can end a period that begins now. */
static bool key_of_now(const struct period *period, uint64_t words[PERIOD_KEYS])
{
	if (!period->def->requests)
		return period_key_words(&period->key, period->now, words);
	memcpy(words, period->request, sizeof(period->request));
	return true;
}

int period_begin(struct analyze *a, struct periods *all, struct period *period,
		 struct period_open *parent, uint64_t ts)
{
	uint64_t words[PERIOD_KEYS];
	struct period_open *open;

	if (!key_of_now(period, words)) {
		a->missed.endless++;
		return 0;
	}
	drop_same(a, period, parent, words);
	if (period->n_open >= OPEN_MAX && !parent)
		period_drop_all(period, &a->missed.endless);
	if (period->n_open >= OPEN_MAX) {
		a->missed.endless++;
		return 0;
	}
	open = new_open(period, all->n);
	if (!open)
		return dkt__no_memory(a->ctx);
	open->period = period;
	open->begin = ts;
	open->left = period->sectors;
	open->parent = parent;
	open->children = NULL;
	if (open->sums)
		memset(open->sums, 0, all->n * sizeof(*open->sums));
	memcpy(open->values, period->now, period->def->n_fields * sizeof(open->values[0]));
	add_sibling(open);
	return dkt__with_words(a->ctx, add_links(all, open, words));
}
