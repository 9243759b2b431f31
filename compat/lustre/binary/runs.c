/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds runs, stretches of records in order of time, while the records are read. */
#include "compat/lustre/binary/runs.h"

#include "lib/base/memory.h"
#include "lib/base/util.h"

/* With fewer breaks, it is too early to say that runs are short. */
#define BREAKS_MIN 4096

void dkl_runs_join(struct runs *runs, uint64_t cut)
{
	size_t n = 0;

	runs->cut = cut;
	for (size_t i = 0; i < runs->n; i++) {
		struct run *last = n ? &runs->run[n - 1] : NULL;
		const struct run *run = &runs->run[i];

		if (last && run->follows && run->end - last->start <= cut) {
			last->end = run->end;
			last->last = run->last;
		} else {
			runs->run[n] = *run;
			runs->run[n].order = (uint32_t)n;
			n++;
		}
	}
	runs->n = n;
}

static int begin_run(struct runs *runs, struct run run)
{
	if (!runs->cut)
		runs->cut = RUNS_CUT;
	if (runs->n == RUNS_MAX) {
		dkl_runs_join(runs, runs->cut * 2);
		runs->no_order = runs->n > RUNS_MAX / 4 * 3;
	}
	run.order = (uint32_t)runs->n;
	return runs->no_order ? 0 : dkt__append(runs->run, runs->n, run);
}

int dkl_runs_add(struct runs *runs, uint64_t offset, uint32_t len, uint64_t key)
{
	struct run *last = runs->n ? &runs->run[runs->n - 1] : NULL;
	bool follows = last && runs->next == offset && key >= last->last;

	runs->next = offset + len;
	if (follows && offset - last->start < runs->cut) {
		last->end = runs->next;
		last->last = key;
		return 0;
	}
	runs->breaks += !follows;
	return begin_run(runs, (struct run){ .start = offset,
					     .end = runs->next,
					     .first = key,
					     .last = key,
					     .follows = follows });
}

int dkl_runs_append(struct runs *runs, const struct runs *more)
{
	int err = 0;

	for (size_t i = 0; !err && i < more->n; i++)
		err = begin_run(runs, more->run[i]);
	if (more->cut > runs->cut)
		runs->cut = more->cut;
	runs->breaks += more->breaks;
	runs->next = more->next;
	runs->no_order |= more->no_order;
	return err;
}

void dkl_runs_clear(struct runs *runs)
{
	free(runs->run);
	*runs = (struct runs){ 0 };
}

/* ---- the index ---- */

static int add_to_piece(struct record_index *index, uint64_t start, uint64_t end)
{
	struct record_piece *last = index->n_pieces ? &index->pieces[index->n_pieces - 1] : NULL;

	if (last && end - last->start <= index->piece_size) {
		last->end = end;
		return 0;
	}
	return dkt__append(index->pieces, index->n_pieces, (struct record_piece){ start, end });
}

int dkl_record_index_add(struct record_index *index, uint64_t offset, const uint8_t *rec,
			 uint32_t len)
{
	struct runs *runs = &index->runs;

	index->kept++;
	index->cpus = DKT__MAX(index->cpus, record_cpu(rec) + 1u);
	if (index->piece_size && add_to_piece(index, offset, offset + len))
		return -ENOMEM;
	if (runs->no_order)
		return 0;
	runs->no_order = runs->breaks >= BREAKS_MIN && runs->breaks > index->kept / 8;
	return dkl_runs_add(runs, offset, len, record_key(rec));
}

void dkl_record_index_skip(struct record_index *index, uint64_t offset, uint32_t len)
{
	index->dropped++;
	/* A record that is not shown does not end a run. */
	if (index->runs.next == offset)
		index->runs.next += len;
}

int dkl_record_index_append(struct record_index *index, const struct record_index *more)
{
	int err = dkl_runs_append(&index->runs, &more->runs);

	for (size_t i = 0; !err && i < more->n_pieces; i++)
		err = dkt__append(index->pieces, index->n_pieces, more->pieces[i]);
	index->kept += more->kept;
	index->dropped += more->dropped;
	index->cpus = DKT__MAX(index->cpus, more->cpus);
	return err;
}

void dkl_record_index_clear(struct record_index *index)
{
	dkl_runs_clear(&index->runs);
	free(index->pieces);
	*index = (struct record_index){ 0 };
}

/* ---- all runs ---- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Runs with the same first key stay in file order. */
static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	int c = compare_u64(x->first, y->first);

	return c ? c : compare_u64(x->order, y->order);
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

size_t dkl_runs_longest(const struct runs *runs)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < runs->n; i++)
		longest = DKT__MAX(longest, runs->run[i].end - runs->run[i].start);
	return longest;
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
		if (!runs->run[i].follows)
			firsts[n++] = runs->run[i].first;
		lasts[n - 1] = runs->run[i].last;
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

/* A log whose clock goes back more often is one without order. */
#define EPOCHS_MAX 64

/* A CPU's records can be out of order by so many seconds, because an interrupt came between. */
#define SLACK 1

/* Runs of an epoch that are read at the same time. A log with more is sorted as a whole. */
#define OVERLAP_MAX 64

int dkl_epochs_add(struct epochs *epochs, uint64_t offset, const uint8_t *rec, uint32_t len)
{
	uint32_t sec = (uint32_t)(record_key(rec) >> 32);
	/* The seconds of the CPU's last record. */
	uint32_t *last = dkt__reach(epochs->last, epochs->n_last, record_cpu(rec));
	bool back = last && (uint64_t)sec + SLACK < *last && !epochs->none && !epochs->too_many;

	if (!last)
		return -ENOMEM;
	epochs->too_many |= back && epochs->n == EPOCHS_MAX;
	if (!epochs->n || (back && !epochs->too_many)) {
		if (dkt__append(epochs->list, epochs->n, (struct record_index){ 0 }))
			return -ENOMEM;
		memset(epochs->last, 0, epochs->n_last * sizeof(*epochs->last));
	}
	*last = sec;
	return dkl_record_index_add(&epochs->list[epochs->n - 1], offset, rec, len);
}

/* ---- the end ---- */

static void range(const struct runs *runs, uint64_t *first, uint64_t *last)
{
	*first = UINT64_MAX;
	*last = 0;
	for (size_t i = 0; i < runs->n; i++) {
		*first = DKT__MIN(*first, runs->run[i].first);
		*last = DKT__MAX(*last, runs->run[i].last);
	}
}

/* True if the times of two epochs overlap. */
static bool any_overlap(const struct epochs *epochs)
{
	for (size_t i = 1; i < epochs->n; i++) {
		uint64_t first, last;

		range(&epochs->list[i].runs, &first, &last);
		for (size_t j = 0; j < i; j++) {
			uint64_t other_first, other_last;

			range(&epochs->list[j].runs, &other_first, &other_last);
			if (first <= other_last && other_first <= last)
				return true;
		}
	}
	return false;
}

/* Sets *one if a part of the file would have to be sorted, which is done to all of it only. */
static int needs_sorting(const struct epochs *epochs, bool *one)
{
	*one = epochs->too_many;
	for (size_t i = 0; i < epochs->n && !*one; i++) {
		const struct record_index *index = &epochs->list[i];
		size_t overlap;

		if (dkl_runs_overlap(&index->runs, &overlap))
			return -ENOMEM;
		*one = index->runs.no_order || overlap > OVERLAP_MAX;
	}
	return 0;
}

static int join(struct epochs *epochs)
{
	int err = 0;

	for (size_t i = 1; i < epochs->n; i++) {
		if (!err)
			err = dkl_record_index_append(&epochs->list[0], &epochs->list[i]);
		dkl_record_index_clear(&epochs->list[i]);
	}
	epochs->n = 1;
	return err;
}

int dkl_epochs_finish(struct epochs *epochs)
{
	bool one = false;
	int err = 0;

	if (epochs->n <= 1)
		return 0;
	if (!epochs->never_back)
		one = !any_overlap(epochs);
	if (!one)
		err = needs_sorting(epochs, &one);
	return one && !err ? join(epochs) : err;
}

void dkl_epochs_clear(struct epochs *epochs)
{
	for (size_t i = 0; i < epochs->n; i++)
		dkl_record_index_clear(&epochs->list[i]);
	free(epochs->list);
	free(epochs->last);
	*epochs = (struct epochs){ 0 };
}
