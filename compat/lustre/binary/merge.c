/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the runs of a log, one slice of time after another; reads a run when its records are due. */
#include "compat/lustre/binary/merge.h"

#include "lib/base/io.h"

/* A run that is being read. */
struct merge_cursor {
	uint8_t *buf; /* the run */
	size_t at; /* position of the next record in buf */
	size_t len; /* bytes in buf */
	uint64_t start; /* offset of the run in the file */
	uint32_t rec_len;
};

/* A run of a batch. */
struct merge_place {
	uint64_t start; /* offsets in the file */
	uint64_t end;
	size_t due; /* its place in the list of due runs */
};

static int changed(struct merge *merge, uint64_t offset)
{
	merge->failed_at = offset;
	return -ESTALE;
}

int dkl_merge_fail(struct dkt_ctx *ctx, const struct merge *merge, int err)
{
	const char *name = merge->log->name;

	if (err == -ESTALE)
		return dkt_fail(ctx, err, "%s changed at offset %llu while it was read", name,
				(unsigned long long)merge->failed_at);
	return err == -ENOMEM ? err : dkt_fail(ctx, err, "read %s: %s", name, strerror(-err));
}

/* Finds the next record of the slice from the cursor on. 1: the run has no more of them. */
static __attribute__((always_inline)) inline int
cursor_load(struct merge *merge, struct merge_cursor *cursor, uint64_t *key)
{
	for (; cursor->at < cursor->len; cursor->at += cursor->rec_len) {
		const uint8_t *rec = cursor->buf + cursor->at;
		size_t left = cursor->len - cursor->at;

		/* The record was valid when it was first read, but the file may have changed since. */
		if (left <= sizeof(struct record_head))
			return changed(merge, cursor->start + cursor->at);
		memcpy(&cursor->rec_len, rec, sizeof(cursor->rec_len));
		if (cursor->rec_len <= sizeof(struct record_head) || cursor->rec_len > left)
			return changed(merge, cursor->start + cursor->at);
		*key = record_key(rec);
		if (*key >= merge->to)
			return 1;
		if (*key >= merge->from && record_shown(rec, &merge->log->show)) {
			/* Fetch the next record into the cache while those of other runs are used. */
			__builtin_prefetch(rec + cursor->rec_len);
			__builtin_prefetch(rec + cursor->rec_len + 64);
			__builtin_prefetch(rec + cursor->rec_len + 128);
			return 0;
		}
	}
	return 1;
}

/* ---- batches: runs that are due soon, read together ---- */

static int place_compare(const void *a, const void *b)
{
	const struct merge_place *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

/* Notes where the bytes of runs are that one call has read. */
static void batch_note(struct merge_batch *batch, const struct merge_place *places, size_t n,
		       size_t at, size_t got)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = places[i].end - places[i].start;

		if (len > got)
			return;
		batch->at[places[i].due - batch->first] = at;
		at += len;
		got -= len;
	}
}

/* Reads the runs, which are in order of the file. One that cannot be read has no bytes in the batch. */
static void batch_read(struct merge *merge, const struct merge_place *places, size_t n)
{
	size_t at = 0, len, group;

	for (size_t i = 0; i < n; i += group) {
		ssize_t got;

		for (group = 1;
		     i + group < n && places[i + group].start == places[i + group - 1].end;)
			group++;
		len = places[i + group - 1].end - places[i].start;
		got = dkt__pread_all(merge->log->fd, merge->batch.bytes + at, len, places[i].start);
		if (got > 0)
			batch_note(&merge->batch, places + i, group, at, (size_t)got);
		at += len;
	}
}

/* Reads a batch that begins with that due run. */
static int batch_load(struct merge *merge, size_t first)
{
	struct merge_batch *batch = &merge->batch;
	struct merge_place *places = NULL;
	size_t n = 0, sum = 0;
	int err = 0;

	batch->first = first;
	batch->n = 0;
	for (size_t i = first; !err && i < merge->n_due; i++) {
		const struct run *run = &merge->log->runs.run[merge->due[i]];

		sum += run->end - run->start;
		if (sum > merge->log->batch)
			break;
		err = dkt__append(places, n, (struct merge_place){ run->start, run->end, i });
		if (!err)
			err = dkt__append(batch->at, batch->n, SIZE_MAX);
	}
	if (!err && n > 1 && !batch->bytes)
		batch->bytes = dkt__read_buffer(merge->log->batch);
	if (n > 1 && !batch->bytes)
		err = -ENOMEM;
	if (!err && n > 1) {
		qsort(places, n, sizeof(*places), place_compare);
		batch_read(merge, places, n);
	}
	free(places);
	return err;
}

/* Copies the next due run out of the batch. 1: it is not there. */
static int batch_copy(struct merge *merge, uint8_t *to, size_t len)
{
	struct merge_batch *batch = &merge->batch;
	size_t i = merge->next_due - batch->first;
	int err = i < batch->n ? 0 : batch_load(merge, merge->next_due);

	if (err)
		return err;
	i = merge->next_due - batch->first;
	if (i >= batch->n || batch->at[i] == SIZE_MAX)
		return 1;
	memcpy(to, batch->bytes + batch->at[i], len);
	return 0;
}

/* ---- runs ---- */

/* Reads the next due run. */
static int cursor_read(struct merge *merge, struct merge_cursor *cursor, const struct run *run)
{
	size_t len = run->end - run->start;
	ssize_t got = (ssize_t)len;
	int err;

	if (!cursor->buf)
		cursor->buf = dkt__read_buffer(merge->log->longest);
	if (!cursor->buf)
		return -ENOMEM;
	err = batch_copy(merge, cursor->buf, len);
	if (err < 0)
		return err;
	if (err)
		got = dkt__pread_all(merge->log->fd, cursor->buf, len, run->start);
	if (got < 0)
		return (int)got;
	if ((size_t)got < len)
		return changed(merge, run->start + (size_t)got);
	cursor->start = run->start;
	cursor->at = 0;
	cursor->len = len;
	return 0;
}

/* Makes another cursor, which has no run. */
static int cursor_add(struct merge *merge)
{
	uint32_t nr = (uint32_t)merge->n_cursors;
	int err = dkt__append(merge->cursors, merge->n_cursors, (struct merge_cursor){ 0 });

	return err ? err : dkt__append(merge->idle, merge->n_idle, nr);
}

static int start_run(struct merge *merge, const struct run *run)
{
	struct dkt__heap_item item = { .order = run->order };
	int err = merge->n_idle ? 0 : cursor_add(merge);

	if (err)
		return err;
	item.nr = merge->idle[merge->n_idle - 1];
	err = cursor_read(merge, &merge->cursors[item.nr], run);
	if (!err)
		err = cursor_load(merge, &merge->cursors[item.nr], &item.ts);
	/* 1: the run has records before and after the slice, but none within it. */
	if (err)
		return err == 1 ? 0 : err;
	merge->n_idle--;
	return dkt__heap_add(&merge->heap, item);
}

/* Starts every run that may have the next record. */
static __attribute__((noinline)) int start_runs(struct merge *merge)
{
	const struct dkt__heap *heap = &merge->heap;
	int err = 0;

	merge->horizon = UINT64_MAX;
	for (; !err && merge->next_due < merge->n_due; merge->next_due++) {
		const struct run *run = &merge->log->runs.run[merge->due[merge->next_due]];
		struct dkt__heap_item item = { .ts = run->first, .order = run->order };

		if (heap->n && dkt__heap_older(&heap->list[0], &item)) {
			merge->horizon = run->first;
			return 0;
		}
		err = start_run(merge, run);
	}
	return err;
}

/* Steps past the record that was returned last. */
static inline int advance(struct merge *merge)
{
	uint32_t nr = merge->heap.list[0].nr;
	struct merge_cursor *cursor = &merge->cursors[nr];
	uint64_t key;
	int err;

	cursor->at += cursor->rec_len;
	err = cursor_load(merge, cursor, &key);
	if (!err) {
		dkt__heap_move(&merge->heap, key);
	} else if (err == 1) {
		dkt__heap_drop(&merge->heap);
		err = dkt__append(merge->idle, merge->n_idle, nr);
	}
	return err;
}

int dkl_merge_next(struct merge *merge, const uint8_t **rec, uint32_t *len)
{
	const struct dkt__heap *heap = &merge->heap;
	struct merge_cursor *cursor;
	int err = 0;

	if (merge->taken)
		err = advance(merge);
	merge->taken = false;
	if (!err && (!heap->n || heap->list[0].ts >= merge->horizon))
		err = start_runs(merge);
	if (err)
		return err;
	if (!heap->n)
		return 1;
	merge->taken = true;
	cursor = &merge->cursors[heap->list[0].nr];
	*rec = cursor->buf + cursor->at;
	*len = cursor->rec_len;
	merge->done++;
	return 0;
}

int dkl_merge_slice(struct merge *merge, struct slices *slices, uint64_t size)
{
	const struct runs *runs = &merge->log->runs;
	size_t first = slices->end, end = first;
	uint64_t sum = 0;
	int err = 0;

	if (first == runs->n)
		return 1;
	merge->from = slices->to;
	merge->n_due = merge->next_due = 0;
	merge->batch.first = merge->batch.n = 0;
	merge->horizon = 0;
	for (size_t i = 0; !err && i < slices->n_open; i++)
		err = dkt__append(merge->due, merge->n_due, slices->open[i]);
	for (; !err && end < runs->n; end++) {
		const struct run *run = &runs->run[end];

		/* Runs with the same first key are in the same slice, so that slices share no key. */
		if (end > first && sum >= size && run->first > run[-1].first)
			break;
		sum += run->end - run->start;
		err = dkt__append(merge->due, merge->n_due, (uint32_t)end);
	}
	merge->to = end < runs->n ? runs->run[end].first : UINT64_MAX;
	slices->to = merge->to;
	slices->end = end;
	slices->n_open = 0;
	for (size_t i = 0; !err && i < merge->n_due; i++)
		if (runs->run[merge->due[i]].last >= merge->to)
			err = dkt__append(slices->open, slices->n_open, merge->due[i]);
	return err;
}

void dkl_merge_clear(struct merge *merge)
{
	for (size_t i = 0; i < merge->n_cursors; i++)
		free(merge->cursors[i].buf);
	free(merge->cursors);
	free(merge->idle);
	free(merge->due);
	free(merge->batch.bytes);
	free(merge->batch.at);
	dkt__heap_clear(&merge->heap);
	*merge = (struct merge){ 0 };
}
