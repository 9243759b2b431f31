/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds runs, stretches of records in order of time, while the records are read. */
#include "compat/lustre/binary/runs.h"

#include "lib/base/util.h"

/* True if a record at that offset, with that key, continues the run. */
static bool continues(const struct run *run, uint64_t offset, uint64_t key)
{
	return run->end == offset && key >= run->last;
}

void dkl_runs_join(struct runs *runs, uint64_t cut)
{
	size_t n = 0;

	if (!runs->n)
		return;
	runs->cut = cut;
	for (size_t i = 1; i < runs->n; i++) {
		struct run *last = &runs->run[n];
		const struct run *run = &runs->run[i];

		if (continues(last, run->start, run->first) &&
		    run->end - last->start <= runs->cut) {
			last->end = run->end;
			last->last = run->last;
		} else {
			runs->run[++n] = *run;
			runs->run[n].order = (uint32_t)n;
		}
	}
	runs->n = n + 1;
}

/* Reduces the number of runs. */
static void widen(struct runs *runs)
{
	dkl_runs_join(runs, runs->cut * 2);
	runs->too_many = runs->n > RUNS_MAX / 4 * 3;
}

static int begin_run(struct runs *runs, uint64_t start, uint64_t end, uint64_t first, uint64_t last)
{
	uint32_t order;

	if (!runs->cut)
		runs->cut = RUNS_CUT;
	if (runs->n == RUNS_MAX)
		widen(runs);
	if (runs->too_many)
		return 0;
	if (runs->n == runs->room) {
		size_t room = runs->room ? runs->room * 2 : 64;
		struct run *more = realloc(runs->run, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		runs->run = more;
		runs->room = room;
	}
	order = (uint32_t)runs->n++;
	runs->run[order] = (struct run){
		.start = start, .end = end, .first = first, .last = last, .order = order
	};
	return 0;
}

int dkl_runs_add(struct runs *runs, uint64_t offset, uint32_t len, uint64_t key)
{
	struct run *last = runs->n ? &runs->run[runs->n - 1] : NULL;

	if (last && continues(last, offset, key)) {
		/* Do not split between equal keys, or the two runs would overlap. */
		if (offset - last->start < runs->cut || key == last->last) {
			last->end += len;
			last->last = key;
			return 0;
		}
	} else {
		runs->breaks++;
	}
	return begin_run(runs, offset, offset + len, key, key);
}

int dkl_record_index_add(struct record_index *index, uint64_t offset, const uint8_t *rec,
			 uint32_t len)
{
	index->kept++;
	index->cpus = DKT__MAX(index->cpus, record_cpu(rec) + 1u);
	index->longest = DKT__MAX(index->longest, len);
	return dkl_runs_add(&index->runs, offset, len, record_key(rec));
}

int dkl_runs_append(struct runs *runs, const struct runs *more)
{
	int err = 0;

	for (size_t i = 0; !err && i < more->n; i++) {
		const struct run *run = &more->run[i];

		err = begin_run(runs, run->start, run->end, run->first, run->last);
	}
	if (more->cut > runs->cut)
		runs->cut = more->cut;
	runs->breaks += more->breaks;
	runs->too_many |= more->too_many;
	return err;
}

void dkl_runs_clear(struct runs *runs)
{
	free(runs->run);
	*runs = (struct runs){ 0 };
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Runs with the same first key stay in file order. */
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

void dkl_runs_order(struct runs *runs)
{
	if (runs->n)
		qsort(runs->run, runs->n, sizeof(*runs->run), compare_runs);
}

int dkl_runs_overlap(const struct runs *runs, size_t *overlap)
{
	uint64_t *firsts __cleanup(free) = malloc((runs->n + 1) * sizeof(*firsts));
	uint64_t *lasts __cleanup(free) = malloc((runs->n + 1) * sizeof(*lasts));
	size_t n = 0, over = 0;

	*overlap = 0;
	if (!firsts || !lasts)
		return -ENOMEM;
	/* Runs that were split do not overlap, so count them as one. */
	for (size_t i = 0; i < runs->n; i++) {
		const struct run *run = &runs->run[i];

		if (!i || !continues(run - 1, run->start, run->first))
			firsts[n++] = run->first;
		lasts[n - 1] = run->last;
	}
	qsort(firsts, n, sizeof(*firsts), compare_keys);
	qsort(lasts, n, sizeof(*lasts), compare_keys);
	for (size_t i = 0; i < n; i++) {
		while (lasts[over] < firsts[i])
			over++;
		if (i + 1 - over > *overlap)
			*overlap = i + 1 - over;
	}
	return 0;
}
