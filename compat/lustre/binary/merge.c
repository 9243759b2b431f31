/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the runs of a slice; reads each run through a window, only while its records are due. */
#include "compat/lustre/binary/merge.h"

#include "lib/base/util.h"

/* A run that is being read. */
struct merge_cursor {
	uint8_t *buf;
	size_t size; /* of buf */
	size_t at; /* position of the next record in buf */
	size_t len; /* bytes in buf */
	uint64_t pos; /* file offset of the end of buf */
	uint64_t end; /* file offset of the end of the run */
	uint64_t key; /* of the next record */
	uint32_t rec_len;
	uint32_t order; /* of the run, for records with equal keys */
	struct merge_cursor *next; /* in the list of spare cursors */
};

/* ---- reading one run ---- */

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

/* Reads until the buffer has n bytes of the run. */
static int cursor_fill(struct merge *merge, struct merge_cursor *cursor, size_t n)
{
	memmove(cursor->buf, cursor->buf + cursor->at, cursor->len - cursor->at);
	cursor->len -= cursor->at;
	cursor->at = 0;
	while (cursor->len < n) {
		size_t room = cursor->size - cursor->len;
		ssize_t got;

		if (room > cursor->end - cursor->pos)
			room = cursor->end - cursor->pos;
		got = room ? pread(merge->log->fd, cursor->buf + cursor->len, room,
				   (off_t)cursor->pos) :
			     0;
		if (got > 0) {
			cursor->len += (size_t)got;
			cursor->pos += (size_t)got;
		} else if (!got) {
			return changed(merge, cursor->pos);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* Reads the record at the cursor. 1: the run has no more records for the slice. */
static __attribute__((always_inline)) inline int cursor_load(struct merge *merge,
							     struct merge_cursor *cursor)
{
	for (;;) {
		size_t left = cursor->len - cursor->at;
		const uint8_t *rec;
		int err;

		if (left < sizeof(struct record_head)) {
			if (!left && cursor->pos == cursor->end)
				return 1;
			err = cursor_fill(merge, cursor, sizeof(struct record_head));
			if (err)
				return err;
			left = cursor->len - cursor->at;
		}
		rec = cursor->buf + cursor->at;
		memcpy(&cursor->rec_len, rec, sizeof(cursor->rec_len));
		/*
		 * The record was valid when it was first read, but the file may have changed since.
		 */
		if (cursor->rec_len <= sizeof(struct record_head) || cursor->rec_len > cursor->size)
			return changed(merge, cursor->pos - left);
		if (left < cursor->rec_len) {
			err = cursor_fill(merge, cursor, cursor->rec_len);
			if (err)
				return err;
			rec = cursor->buf;
		}
		cursor->key = record_key(rec);
		if (cursor->key >= merge->slice.to)
			return 1;
		if (cursor->key >= merge->slice.from && record_shown(rec, &merge->log->show)) {
			/*
			 * Fetch the next record into the cache while records of other runs are
			 * used.
			 */
			__builtin_prefetch(rec + cursor->rec_len);
			__builtin_prefetch(rec + cursor->rec_len + 64);
			__builtin_prefetch(rec + cursor->rec_len + 128);
			return 0;
		}
		cursor->at += cursor->rec_len;
	}
}

static void cursor_free(struct merge_cursor *cursor)
{
	if (!cursor)
		return;
	free(cursor->buf);
	free(cursor);
}

static void keep_spare(struct merge *merge, struct merge_cursor *cursor)
{
	cursor->next = merge->spare;
	merge->spare = cursor;
}

static struct merge_cursor *cursor_new(struct merge *merge, const struct run *run)
{
	struct merge_cursor *cursor = merge->spare;

	if (cursor) {
		merge->spare = cursor->next;
	} else {
		size_t size = merge->log->window;

		cursor = calloc(1, sizeof(*cursor));
		if (!cursor || !(cursor->buf = malloc(size))) {
			cursor_free(cursor);
			return NULL;
		}
		cursor->size = size;
	}
	cursor->at = cursor->len = 0;
	cursor->pos = run->start;
	cursor->order = run->order;
	cursor->end = run->end;
	return cursor;
}

/* ---- merging ---- */

static int cursors_add(struct merge *merge, struct merge_cursor *cursor)
{
	uint32_t leaf;
	int err = winners_add(&merge->winners, cursor->key, cursor->order, &leaf);

	if (err)
		return err;
	if (merge->room < merge->winners.n_leaves) {
		struct merge_cursor **cursors =
			realloc(merge->cursors, merge->winners.n_leaves * sizeof(*cursors));

		if (!cursors)
			return -ENOMEM;
		merge->cursors = cursors;
		while (merge->room < merge->winners.n_leaves)
			merge->cursors[merge->room++] = NULL;
	}
	merge->cursors[leaf] = cursor;
	return 0;
}

static int start_run(struct merge *merge, const struct run *run)
{
	struct merge_cursor *cursor = cursor_new(merge, run);
	int err;

	if (!cursor)
		return -ENOMEM;
	err = cursor_load(merge, cursor);
	if (!err)
		err = cursors_add(merge, cursor);
	if (err)
		keep_spare(merge, cursor);
	/* 1: the run has records before and after the slice, but none within it. */
	return err == 1 ? 0 : err;
}

/* Returns the run that is due next; NULL: no more runs. */
static const struct run *due_run(const struct merge *merge)
{
	const struct slice *slice = &merge->slice;
	const struct run *runs = merge->log->runs.run;

	if (merge->next_open < slice->n_open)
		return &runs[slice->open[merge->next_open]];
	return merge->next_run < slice->end ? &runs[merge->next_run] : NULL;
}

/* Starts reading every run that is due. */
static __attribute__((noinline)) int start_runs(struct merge *merge)
{
	const struct run *run;
	int err;

	while ((run = due_run(merge))) {
		merge->next_first = run->first;
		if (run->first > winners_key(&merge->winners))
			return 0;
		if (merge->next_open < merge->slice.n_open)
			merge->next_open++;
		else
			merge->next_run++;
		err = start_run(merge, run);
		if (err)
			return err;
	}
	merge->next_first = WINNERS_NONE;
	return 0;
}

/* Steps past the record that was returned last. */
static inline int advance(struct merge *merge)
{
	struct merge_cursor *cursor = merge->current;
	int err;

	cursor->at += cursor->rec_len;
	err = cursor_load(merge, cursor);
	if (!err) {
		winners_set(&merge->winners, merge->leaf, cursor->key, cursor->order);
	} else if (err == 1) {
		keep_spare(merge, cursor);
		merge->cursors[merge->leaf] = NULL;
		winners_remove(&merge->winners, merge->leaf);
		err = 0;
	}
	return err;
}

int dkl_merge_next(struct merge *merge, const uint8_t **rec, uint32_t *len)
{
	struct merge_cursor *cursor;
	uint64_t key;
	int err = 0;

	if (merge->current)
		err = advance(merge);
	merge->current = NULL;
	key = winners_key(&merge->winners);
	if (!err && merge->next_first <= key && due_run(merge)) {
		err = start_runs(merge);
		key = winners_key(&merge->winners);
	}
	if (err)
		return err;
	if (key == WINNERS_NONE)
		return 1;
	merge->leaf = winners_leaf(&merge->winners);
	cursor = merge->current = merge->cursors[merge->leaf];
	*rec = cursor->buf + cursor->at;
	*len = cursor->rec_len;
	merge->done++;
	return 0;
}

/* ---- slices ---- */

int dkl_merge_start(struct merge *merge, const struct merge_log *log, const struct slice *slice)
{
	merge->log = log;
	merge->next_open = 0;
	merge->next_run = slice->first;
	merge->next_first = 0;
	return dkl_slice_copy(&merge->slice, slice);
}

void dkl_merge_clear(struct merge *merge)
{
	for (uint32_t i = 0; i < merge->room; i++)
		cursor_free(merge->cursors[i]);
	while (merge->spare) {
		struct merge_cursor *cursor = merge->spare;

		merge->spare = cursor->next;
		cursor_free(cursor);
	}
	free(merge->cursors);
	winners_clear(&merge->winners);
	dkl_slice_clear(&merge->slice);
	*merge = (struct merge){ 0 };
}
