/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where the clock of a log goes back. */
#include "compat/lustre/binary/epochs.h"

#include "lib/base/memory.h"

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
