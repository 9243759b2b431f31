/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of records: found as they are, or made by sorting pieces of a log into a file. */
#include "record/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util.h"

#define SPILL_BUFFER (256 * 1024)

/* ---- what is known of runs ---- */

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

/* ---- a file for them ---- */

int spill_open(struct dkt_ctx *ctx, struct spill *spill)
{
	const char *dir = secure_getenv("TMPDIR");
	char *path __cleanup(free) = NULL;

	*spill = (struct spill){ .fd = -1 };
	dir = dir && *dir ? dir : "/tmp";
	spill->buf = malloc(SPILL_BUFFER);
	if (!spill->buf)
		return -ENOMEM;
	spill->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (spill->fd >= 0)
		return 0;
	/* Not every file system has files without names. */
	if (asprintf(&path, "%s/dktrace-XXXXXX", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	spill->fd = mkostemp(path, O_CLOEXEC);
	if (spill->fd < 0)
		return dkt_fail(ctx, -errno, "make a file in %s to sort in: %s", dir,
				strerror(errno));
	unlink(path);
	return 0;
}

int spill_flush(struct dkt_ctx *ctx, struct spill *spill)
{
	size_t done = 0;

	while (done < spill->len) {
		ssize_t n = write(spill->fd, spill->buf + done, spill->len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return dkt_fail(ctx, -errno, "write the file to sort in: %s",
					strerror(errno));
	}
	spill->len = 0;
	return 0;
}

int spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len)
{
	int err = spill->len + len > SPILL_BUFFER ? spill_flush(ctx, spill) : 0;

	if (err)
		return err;
	memcpy(spill->buf + spill->len, rec, len);
	spill->len += len;
	spill->size += len;
	return 0;
}

void spill_close(struct spill *spill)
{
	if (spill->fd >= 0)
		close(spill->fd);
	free(spill->buf);
	*spill = (struct spill){ .fd = -1 };
}

/* ---- sorting piece by piece ---- */

struct entry {
	uint64_t key;
	uint32_t offset; /* in the piece */
	uint32_t len;
};

struct piece {
	uint8_t *bytes;
	struct entry *entries;
	size_t len, max_len;
	size_t n, max_n;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = compare_u64(x->key, y->key);

	return c ? c : compare_u64(x->offset, y->offset);
}

static int piece_write(struct dkt_ctx *ctx, struct piece *piece, struct spill *spill,
		       struct runs *runs)
{
	size_t i;
	int err = 0;

	qsort(piece->entries, piece->n, sizeof(*piece->entries), compare_entries);
	for (i = 0; !err && i < piece->n; i++) {
		const struct entry *entry = &piece->entries[i];

		err = runs_add(runs, spill->size, entry->len, entry->key);
		if (!err)
			err = spill_add(ctx, spill, piece->bytes + entry->offset, entry->len);
	}
	piece->n = 0;
	piece->len = 0;
	return err;
}

static int rewrite(struct dkt_ctx *ctx, struct record_scan *scan, const struct record_masks *show,
		   struct piece *piece, struct spill *spill, struct runs *runs)
{
	const uint8_t *rec;
	uint32_t len;
	int err;

	while (!(err = record_scan_next(scan, &rec, &len))) {
		if (!record_shown(rec, show))
			continue;
		if (piece->len + len > piece->max_len || piece->n == piece->max_n)
			err = piece_write(ctx, piece, spill, runs);
		if (err)
			return err;
		piece->entries[piece->n++] = (struct entry){ .key = record_key(rec),
							     .offset = (uint32_t)piece->len,
							     .len = len };
		memcpy(piece->bytes + piece->len, rec, len);
		piece->len += len;
	}
	if (err < 0)
		return dkt_fail(ctx, err, "read the log again: %s", strerror(-err));
	err = piece_write(ctx, piece, spill, runs);
	return err ? err : spill_flush(ctx, spill);
}

int runs_rewrite(struct dkt_ctx *ctx, struct record_scan *scan, const struct record_masks *show,
		 size_t memory, struct spill *spill, struct runs *runs)
{
	struct piece piece = { .max_len = memory / 4 * 3, .max_n = memory / 64 };
	int err = -ENOMEM;

	if (piece.max_len < RECORD_MAX)
		piece.max_len = RECORD_MAX;
	if (!piece.max_n)
		piece.max_n = 1;
	piece.bytes = malloc(piece.max_len);
	piece.entries = malloc(piece.max_n * sizeof(*piece.entries));
	if (piece.bytes && piece.entries)
		err = rewrite(ctx, scan, show, &piece, spill, runs);
	free(piece.bytes);
	free(piece.entries);
	return err;
}
