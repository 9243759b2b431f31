/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of records in order: found as they come. */
#include "record/runs.h"

#include <errno.h>
#include <stdlib.h>

#include "util.h"

int runs_add(struct runs *runs, uint64_t offset, uint32_t len, uint64_t key)
{
	struct run *last = runs->n ? &runs->run[runs->n - 1] : NULL;
	uint32_t order;

	if (last && last->end == offset && key >= last->last) {
		last->end += len;
		last->last = key;
		return 0;
	}
	if (runs->too_many || runs->n == RUNS_MAX) {
		runs->too_many = true;
		return 0;
	}
	if (runs->n == runs->room) {
		size_t room = runs->room ? runs->room * 2 : 64;

		last = realloc(runs->run, room * sizeof(*last));
		if (!last)
			return -ENOMEM;
		runs->run = last;
		runs->room = room;
	}
	order = (uint32_t)runs->n++;
	runs->run[order] = (struct run){
		.start = offset, .end = offset + len, .first = key, .last = key, .order = order
	};
	return 0;
}

void runs_clear(struct runs *runs)
{
	free(runs->run);
	*runs = (struct runs){ 0 };
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Runs that begin alike stay in the order of the file. */
static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	int c = compare_u64(x->first, y->first);

	return c ? c : compare_u64(x->start, y->start);
}

static int compare_keys(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

int runs_order(struct runs *runs, size_t *overlap)
{
	uint64_t *ends __cleanup(free) = malloc((runs->n + 1) * sizeof(*ends));
	size_t i, over = 0;

	*overlap = 0;
	if (!ends)
		return -ENOMEM;
	for (i = 0; i < runs->n; i++)
		ends[i] = runs->run[i].last;
	qsort(ends, runs->n, sizeof(*ends), compare_keys);
	if (runs->n)
		qsort(runs->run, runs->n, sizeof(*runs->run), compare_runs);
	for (i = 0; i < runs->n; i++) {
		while (ends[over] < runs->run[i].first)
			over++;
		if (i + 1 - over > *overlap)
			*overlap = i + 1 - over;
	}
	return 0;
}
