/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits the time of a log into slices, each with the runs that hold its records. */
#include "compat/lustre/binary/slice.h"

static int make_room(struct slice *slice, size_t n)
{
	size_t *open;

	if (n <= slice->room)
		return 0;
	open = realloc(slice->open, 2 * n * sizeof(*open));
	if (!open)
		return -ENOMEM;
	slice->open = open;
	slice->room = 2 * n;
	return 0;
}

/* Keeps the runs open that have records after the slice. */
static int keep_open(struct slice *slice, const struct runs *runs)
{
	size_t n = 0;
	int err = make_room(slice, slice->n_open + slice->end - slice->first);

	if (err)
		return err;
	for (size_t i = 0; i < slice->n_open; i++)
		if (runs->run[slice->open[i]].last >= slice->to)
			slice->open[n++] = slice->open[i];
	for (size_t i = slice->first; i < slice->end; i++)
		if (runs->run[i].last >= slice->to)
			slice->open[n++] = i;
	slice->n_open = n;
	return 0;
}

int dkl_slice_next(struct slice *slice, const struct runs *runs, uint64_t size)
{
	uint64_t sum = 0;
	int err;

	if (slice->end == runs->n)
		return 1;
	err = keep_open(slice, runs);
	if (err)
		return err;
	slice->from = slice->to;
	slice->first = slice->end;
	while (slice->end < runs->n) {
		const struct run *run = &runs->run[slice->end];

		/*
		 * Runs with the same first key are in the same slice, so that slices share no key.
		 */
		if (slice->end > slice->first && sum >= size &&
		    run->first > runs->run[slice->end - 1].first)
			break;
		sum += run->end - run->start;
		slice->end++;
	}
	slice->to = slice->end < runs->n ? runs->run[slice->end].first : UINT64_MAX;
	return 0;
}

int dkl_slice_copy(struct slice *to, const struct slice *from)
{
	size_t *open;
	int err = make_room(to, from->n_open);

	if (err)
		return err;
	open = to->open;
	if (from->n_open)
		memcpy(open, from->open, from->n_open * sizeof(*open));
	*to = (struct slice){ .from = from->from,
			      .to = from->to,
			      .first = from->first,
			      .end = from->end,
			      .open = open,
			      .n_open = from->n_open,
			      .room = to->room };
	return 0;
}

void dkl_slice_clear(struct slice *slice)
{
	free(slice->open);
	*slice = (struct slice){ 0 };
}
