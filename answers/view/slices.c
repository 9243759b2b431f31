/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much of a tree's nodes lies in which slice of time. */
#include "answers/view/slices.h"

/* 24 MB. */
#define SLICES_MAX (1u << 20)

void slices_clear(struct slices *slices)
{
	free(slices->list);
	free(slices->last);
	slices->list = NULL;
	slices->last = NULL;
	slices->n = slices->n_last = 0;
}

/*
 * Adds to the last slice of the node. Nodes have their slices mostly in the order of time, so that equal ones follow
 * each other. Returns 0; 1: that is another slice, and this one comes last now, at the end; or -ENOMEM.
 */
static int add_to_last(struct slices *slices, const struct slice *slice)
{
	uint32_t *last = dkt__reach(slices->last, slices->n_last, slice->node);
	struct slice *had = last && *last ? &slices->list[*last - 1] : NULL;

	if (!last)
		return -ENOMEM;
	if (!had || had->nr != slice->nr) {
		*last = (uint32_t)slices->n + 1;
		return 1;
	}
	had->samples += slice->samples;
	had->weight += slice->weight;
	return 0;
}

/* Puts all slices again: those that have become equal are added up. */
static int merge(struct slices *slices)
{
	const size_t n = slices->n;
	int err = 0;

	if (slices->n_last)
		memset(slices->last, 0, slices->n_last * sizeof(*slices->last));
	slices->n = 0;
	for (size_t i = 0; err >= 0 && i < n; i++) {
		const struct slice slice = slices->list[i];

		err = add_to_last(slices, &slice);
		if (err == 1)
			slices->list[slices->n++] = slice;
	}
	return err < 0 ? err : 0;
}

/* Makes the slices twice as long. */
static int widen(struct slices *slices)
{
	slices->shift++;
	for (size_t i = 0; i < slices->n; i++)
		slices->list[i].nr /= 2;
	return merge(slices);
}

static bool is_one_slice(const struct slices *slices)
{
	for (size_t i = 0; i < slices->n; i++)
		if (slices->list[i].nr)
			return false;
	return true;
}

static int widen_to(struct slices *slices, size_t most)
{
	int err = 0;

	while (!err && slices->n > most && !slices->given_up) {
		if (is_one_slice(slices)) {
			slices_clear(slices);
			slices->given_up = true;
		} else {
			err = widen(slices);
		}
	}
	return err;
}

/* Returns the number of the shortest slice of a time. */
static uint64_t shortest_of(const struct slices *slices, uint64_t ts)
{
	return ts > slices->origin ? (ts - slices->origin) / SLICE_NS : 0;
}

static uint32_t nr_of(const struct slices *slices, uint64_t ts)
{
	return (uint32_t)(shortest_of(slices, ts) >> slices->shift);
}

static void count_all(struct slices *slices, uint64_t ts)
{
	const uint64_t at = shortest_of(slices, ts);

	for (; at >> slices->all_shift >= SLICES_TIME; slices->all_shift++)
		for (uint32_t i = 0; i < SLICES_TIME; i++)
			slices->all[i] = 2 * i + 1 < SLICES_TIME ?
						 slices->all[2 * i] + slices->all[2 * i + 1] :
						 0;
	slices->all[at >> slices->all_shift]++;
}

uint32_t slices_all(const struct slices *slices)
{
	uint32_t n = SLICES_TIME;

	while (n && !slices->all[n - 1])
		n--;
	return n;
}

/* Makes sure that the time has a slice. */
static int reach(struct slices *slices, uint64_t ts)
{
	int err = 0;

	if (!slices->begun) {
		slices->begun = true;
		slices->origin = ts;
	}
	while (!err && shortest_of(slices, ts) >> slices->shift >= SLICES_TIME)
		err = widen(slices);
	return err;
}

static int add(struct slices *slices, const struct slice *slice)
{
	int err = add_to_last(slices, slice);

	if (err == 1)
		err = dkt__append(slices->list, slices->n, *slice);
	return !err && slices->n >= SLICES_MAX ? widen_to(slices, SLICES_MAX / 2) : err;
}

int slices_add(struct slices *slices, uint32_t node, uint64_t ts)
{
	int err = reach(slices, ts);

	if (!err)
		count_all(slices, ts);
	return err || slices->given_up ?
		       err :
		       add(slices,
			   &(struct slice){ .node = node, .nr = nr_of(slices, ts), .samples = 1 });
}

int slices_add_span(struct slices *slices, uint32_t node, uint64_t from, uint64_t to)
{
	int err = reach(slices, to);

	from = DKT__MAX(from, slices->origin);
	while (!err && !slices->given_up && from < to) {
		const uint32_t nr = nr_of(slices, from);
		const uint64_t end =
			slices->origin + (((uint64_t)nr + 1) * SLICE_NS << slices->shift);
		/* The last slice of all times ends after them. */
		const uint64_t until = end > from && end < to ? end : to;

		err = add(slices,
			  &(struct slice){ .node = node, .nr = nr, .weight = until - from });
		from = until;
	}
	return err;
}

static int by_node(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

int slices_finish(struct slices *slices, const uint32_t *places, size_t most)
{
	int err = 0;

	if (places) {
		for (size_t i = 0; i < slices->n; i++)
			slices->list[i].node = places[slices->list[i].node];
		err = merge(slices);
	}
	if (!err)
		err = widen_to(slices, most);
	if (slices->n)
		qsort(slices->list, slices->n, sizeof(*slices->list), by_node);
	return err;
}
