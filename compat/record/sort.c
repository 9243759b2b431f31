/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merging the runs of a binary log: each is read through a window while it is due. */
#include "record/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/piece.h"
#include "record/runs.h"
#include "record/spill.h"
#include "record/tree.h"
#include "util.h"

#define MEMORY     (32u << 20)
#define WINDOW_MIN (8u << 10)
#define WINDOW_MAX (256u << 10)

/* Bytes of records between two looks at how far the reading is. */
#define TELL_BYTES (UINT64_C(1) << 20)

/* All windows together should stay in a cache of that size. */
#define CACHE (1u << 20)

/* A run that is being read. */
struct cursor {
	uint8_t *buf;
	size_t size; /* of buf */
	size_t at; /* the record that is next, in buf */
	size_t len; /* bytes in buf */
	uint64_t pos; /* offset of what follows buf */
	uint64_t end; /* of the run */
	uint64_t key; /* of the next record */
	uint32_t rec_len;
	uint32_t order; /* of the run: equal keys go by it */
};

struct record_sort {
	struct dkt_ctx *ctx;
	const char *name;
	int fd; /* that the runs are in */
	struct record_masks show;
	struct record_counts counts;
	size_t memory;
	struct spill copy; /* of a log that cannot be read twice */
	struct spill sorted; /* of one that is in no order */
	struct piece piece; /* open while it is being sorted */
	struct runs runs;
	size_t next_run; /* the first that is not being read yet */
	size_t window;
	struct tree tree;
	struct cursor **cursors; /* by leaf of the tree */
	uint32_t room; /* of cursors */
	struct cursor *spare;
	struct cursor *current; /* whose record was returned last, in that leaf */
	uint32_t leaf;
	uint64_t next_first; /* key of the first record of next_run */
	uint64_t done; /* records returned */
};

/* ---- sorting ---- */

/* From now on records are sorted into a file, after the first n of those shown, which are read again. */
static int start_sorting(struct record_sort *sort, uint64_t n)
{
	struct record_scan scan;
	const uint8_t *rec;
	uint32_t len;
	int err = sort->copy.write ? spill_flush(sort->ctx, &sort->copy) : 0, end = 0;

	if (err)
		return err;
	runs_clear(&sort->runs);
	err = record_scan_open(&scan, sort->fd, true);
	if (!err)
		err = spill_open(sort->ctx, &sort->sorted);
	if (!err)
		err = piece_open(&sort->piece, sort->ctx, sort->memory, &sort->sorted, &sort->runs);
	while (!err && n && !(end = record_scan_next(&scan, &rec, &len))) {
		if (!record_shown(rec, &sort->show))
			continue;
		err = piece_add(&sort->piece, rec, len);
		n--;
	}
	record_scan_close(&scan);
	spill_close(&sort->copy);
	sort->fd = sort->sorted.fd;
	if (end < 0 && !err)
		err = dkt_fail(sort->ctx, end, "read the log again: %s", strerror(-end));
	return err;
}

static int finish_sorting(struct record_sort *sort)
{
	int err = piece_finish(&sort->piece);

	piece_close(&sort->piece);
	return err;
}

/* ---- the first reading ---- */

static int add_record(struct record_sort *sort, const struct record_scan *scan, const uint8_t *rec,
		      uint32_t len)
{
	uint64_t offset = record_scan_offset(scan, len);
	bool copy = sort->copy.write, sorting = sort->piece.bytes;
	int err;

	if (!record_shown(rec, &sort->show)) {
		sort->counts.dropped++;
		if (!copy && !sorting)
			runs_skip(&sort->runs, offset, len);
		return 0;
	}
	sort->counts.kept++;
	if (sorting)
		return piece_add(&sort->piece, rec, len);
	err = runs_add(&sort->runs, copy ? sort->copy.size : offset, len, record_key(rec));
	if (!err && copy)
		err = spill_add(sort->ctx, &sort->copy, rec, len);
	if (!err && runs_are_short(&sort->runs, sort->counts.kept))
		err = start_sorting(sort, sort->counts.kept);
	return err;
}

static void take_counts(struct record_counts *counts, const struct record_scan *scan)
{
	counts->bad = scan->bad;
	counts->empty = scan->empty;
	counts->empty_at = scan->empty_at;
	counts->big = scan->big;
	counts->end = scan->end;
	counts->end_at = scan->end_at;
	counts->end_len = scan->end_len;
}

static int read_all(struct record_sort *sort, const struct record_sort_opts *opts, bool seekable,
		    uint32_t *longest)
{
	struct record_scan scan;
	uint64_t done = 0, told = 0;
	const uint8_t *rec;
	uint32_t len;
	int err = record_scan_open(&scan, opts->fd, seekable), end = 0;

	scan.tell_bad = opts->tell_bad;
	scan.data = opts->data;
	while (!err) {
		end = record_scan_next(&scan, &rec, &len);
		if (end)
			break;
		err = add_record(sort, &scan, rec, len);
		done += len;
		if (done - told >= TELL_BYTES && done < opts->size) {
			told = done;
			dkt_progress(sort->ctx, "file", done, opts->size);
		}
	}
	dkt_progress(sort->ctx, "file", opts->size, opts->size);
	/* What was read up to an error of the input is shown. */
	sort->counts.read_err = end < 0 ? end : 0;
	take_counts(&sort->counts, &scan);
	*longest = scan.longest;
	record_scan_close(&scan);
	if (!err && sort->piece.bytes)
		err = finish_sorting(sort);
	if (!err && sort->copy.write)
		err = spill_flush(sort->ctx, &sort->copy);
	return err;
}

/* ---- choosing windows ---- */

/* Larger windows need fewer calls, smaller ones stay in the cache. */
static size_t choose_window(size_t memory, size_t overlap, size_t least)
{
	size_t window = overlap ? CACHE / overlap : WINDOW_MAX;

	if (window < 2 * WINDOW_MIN)
		window = 2 * WINDOW_MIN;
	if (window > WINDOW_MAX)
		window = WINDOW_MAX;
	if (overlap && window > memory / overlap)
		window = memory / overlap;
	return window < least ? least : window;
}

static int prepare(struct record_sort *sort, uint32_t longest)
{
	size_t memory = sort->memory;
	size_t least = longest > WINDOW_MIN ? longest : WINDOW_MIN, overlap = 0;
	int err = 0;

	if (!sort->runs.too_many)
		err = runs_order(&sort->runs, &overlap);
	if (!err && !sort->sorted.write && (sort->runs.too_many || overlap * least > memory)) {
		err = start_sorting(sort, sort->counts.kept);
		if (!err)
			err = finish_sorting(sort);
		if (!err)
			err = runs_order(&sort->runs, &overlap);
	}
	sort->window = choose_window(memory, overlap, least);
	return err;
}

int record_sort_new(struct dkt_ctx *ctx, const struct record_sort_opts *opts,
		    struct record_sort **out)
{
	struct record_sort *sort = calloc(1, sizeof(*sort));
	uint32_t longest = 0;
	struct stat st;
	bool seekable;
	int err = 0;

	*out = NULL;
	if (!sort)
		return -ENOMEM;
	*sort = (struct record_sort){ .ctx = ctx,
				      .name = opts->name,
				      .fd = opts->fd,
				      .show = opts->show,
				      .memory = opts->memory ? opts->memory : MEMORY,
				      .copy.fd = -1,
				      .sorted.fd = -1 };
	seekable = !fstat(opts->fd, &st) && S_ISREG(st.st_mode);
	if (!seekable && !S_ISDIR(st.st_mode)) {
		err = spill_open(ctx, &sort->copy);
		sort->fd = sort->copy.fd;
	}
	if (!err)
		err = read_all(sort, opts, seekable, &longest);
	if (!err)
		err = prepare(sort, longest);
	if (err) {
		record_sort_free(sort);
		return err;
	}
	*out = sort;
	return 0;
}

static void cursor_free(struct cursor *cursor)
{
	if (!cursor)
		return;
	free(cursor->buf);
	free(cursor);
}

void record_sort_free(struct record_sort *sort)
{
	size_t i;

	if (!sort)
		return;
	for (i = 0; i < sort->room; i++)
		cursor_free(sort->cursors[i]);
	cursor_free(sort->spare);
	free(sort->cursors);
	tree_clear(&sort->tree);
	runs_clear(&sort->runs);
	piece_close(&sort->piece);
	spill_close(&sort->copy);
	spill_close(&sort->sorted);
	free(sort);
}

const struct record_counts *record_sort_counts(const struct record_sort *sort)
{
	return &sort->counts;
}

/* ---- reading one run ---- */

static int changed(struct record_sort *sort, uint64_t offset)
{
	return dkt_fail(sort->ctx, -ESTALE, "%s changed at offset %llu while it was read",
			sort->name, (unsigned long long)offset);
}

/* Gets n bytes of the run together. */
static int cursor_fill(struct record_sort *sort, struct cursor *cursor, size_t n)
{
	memmove(cursor->buf, cursor->buf + cursor->at, cursor->len - cursor->at);
	cursor->len -= cursor->at;
	cursor->at = 0;
	while (cursor->len < n) {
		size_t room = cursor->size - cursor->len;
		ssize_t got;

		if (room > cursor->end - cursor->pos)
			room = cursor->end - cursor->pos;
		got = room ? pread(sort->fd, cursor->buf + cursor->len, room, (off_t)cursor->pos) :
			     0;
		if (got > 0) {
			cursor->len += (size_t)got;
			cursor->pos += (size_t)got;
		} else if (!got) {
			return changed(sort, cursor->pos);
		} else if (errno != EINTR) {
			return dkt_fail(sort->ctx, -errno, "read %s: %s", sort->name,
					strerror(errno));
		}
	}
	return 0;
}

/* Makes the record at the cursor ready. 1: the run is at its end. */
static __attribute__((always_inline)) inline int cursor_load(struct record_sort *sort,
							     struct cursor *cursor)
{
	for (;;) {
		size_t left = cursor->len - cursor->at;
		const uint8_t *rec;
		int err;

		if (left < sizeof(struct record_head)) {
			if (!left && cursor->pos == cursor->end)
				return 1;
			err = cursor_fill(sort, cursor, sizeof(struct record_head));
			if (err)
				return err;
			left = cursor->len - cursor->at;
		}
		rec = cursor->buf + cursor->at;
		memcpy(&cursor->rec_len, rec, sizeof(cursor->rec_len));
		/* It was good when it was read first; somebody may have written to the file. */
		if (cursor->rec_len <= sizeof(struct record_head) || cursor->rec_len > cursor->size)
			return changed(sort, cursor->pos - left);
		if (left < cursor->rec_len) {
			err = cursor_fill(sort, cursor, cursor->rec_len);
			if (err)
				return err;
			rec = cursor->buf;
		}
		if (record_shown(rec, &sort->show)) {
			cursor->key = record_key(rec);
			/* The records of other runs come first, by then it is there. */
			__builtin_prefetch(rec + cursor->rec_len);
			__builtin_prefetch(rec + cursor->rec_len + 64);
			__builtin_prefetch(rec + cursor->rec_len + 128);
			return 0;
		}
		cursor->at += cursor->rec_len;
	}
}

static struct cursor *cursor_new(struct record_sort *sort, const struct run *run)
{
	struct cursor *cursor = sort->spare;
	uint8_t *buf;

	sort->spare = NULL;
	if (!cursor) {
		cursor = calloc(1, sizeof(*cursor));
		buf = malloc(sort->window);
		if (!cursor || !buf) {
			free(cursor);
			free(buf);
			return NULL;
		}
		cursor->buf = buf;
		cursor->size = sort->window;
	}
	cursor->at = cursor->len = 0;
	cursor->pos = run->start;
	cursor->order = run->order;
	cursor->end = run->end;
	return cursor;
}

/* ---- merging ---- */

static int cursors_add(struct record_sort *sort, struct cursor *cursor)
{
	uint32_t leaf;
	int err = tree_add(&sort->tree, cursor->key, cursor->order, &leaf);

	if (err)
		return err;
	if (sort->room < sort->tree.n_leaves) {
		struct cursor **cursors =
			realloc(sort->cursors, sort->tree.n_leaves * sizeof(struct cursor *));

		if (!cursors)
			return -ENOMEM;
		sort->cursors = cursors;
		while (sort->room < sort->tree.n_leaves)
			sort->cursors[sort->room++] = NULL;
	}
	sort->cursors[leaf] = cursor;
	return 0;
}

/* Begins to read every run that is due. */
static __attribute__((noinline)) int start_runs(struct record_sort *sort)
{
	int err = 0;

	while (!err && sort->next_run < sort->runs.n) {
		const struct run *run = &sort->runs.run[sort->next_run];
		struct cursor *cursor;

		sort->next_first = run->first;
		if (run->first > tree_key(&sort->tree))
			return 0;
		cursor = cursor_new(sort, run);
		if (!cursor)
			return -ENOMEM;
		sort->next_run++;
		err = cursor_load(sort, cursor);
		if (err == 1)
			err = changed(sort, run->start);
		if (!err)
			err = cursors_add(sort, cursor);
		if (err)
			cursor_free(cursor);
	}
	sort->next_first = TREE_NONE;
	return err;
}

/* Steps past the record that was returned last. */
static inline int advance(struct record_sort *sort)
{
	struct cursor *cursor = sort->current;
	int err;

	cursor->at += cursor->rec_len;
	err = cursor_load(sort, cursor);
	if (!err) {
		tree_set(&sort->tree, sort->leaf, cursor->key, cursor->order);
	} else if (err == 1) {
		cursor_free(sort->spare);
		sort->spare = cursor;
		sort->cursors[sort->leaf] = NULL;
		tree_remove(&sort->tree, sort->leaf);
		err = 0;
	}
	return err;
}

int record_sort_next(struct record_sort *sort, const uint8_t **rec, uint32_t *len)
{
	struct cursor *cursor;
	uint64_t key;
	int err = 0;

	if (sort->current)
		err = advance(sort);
	sort->current = NULL;
	key = tree_key(&sort->tree);
	if (!err && sort->next_first <= key && sort->next_run < sort->runs.n) {
		err = start_runs(sort);
		key = tree_key(&sort->tree);
	}
	if (err)
		return err;
	if (key == TREE_NONE)
		return sort->done == sort->counts.kept ? 1 : changed(sort, 0);
	sort->leaf = tree_leaf(&sort->tree);
	cursor = sort->current = sort->cursors[sort->leaf];
	*rec = cursor->buf + cursor->at;
	*len = cursor->rec_len;
	sort->done++;
	return 0;
}
