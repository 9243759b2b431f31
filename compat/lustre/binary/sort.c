/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a binary log in order of time: finds its runs, or makes sorted ones. */
#include "compat/lustre/binary/sort.h"

#include <sys/stat.h>

#include "compat/lustre/binary/merge.h"
#include "compat/lustre/binary/spill.h"
#include "lib/base/memory.h"
#include "lib/base/pool.h"
#include "lib/base/temporary.h"
#include "lib/inside.h"

#define MEMORY (32u << 20)

/* Bytes of records between two reports of progress. */
#define PROGRESS_BYTES (UINT64_C(1) << 20)

/* Runs that are read one after the other are joined up to this length, for fewer calls. */
#define RUN_ALONE (256u << 10)

#define SLICE_MIN (512u << 10)

/* The share of the memory in which a thread keeps runs that are due soon. */
#define BATCH_PART 32

struct record_sort {
	struct dkt_ctx *ctx;
	struct record_counts counts;
	size_t memory;
	size_t overlap; /* number of runs that overlap */
	struct record_scan scan; /* the first reading */
	struct record_index index; /* its result */
	uint64_t size; /* of the log, to report progress */
	uint64_t reported; /* last reported progress, in bytes */
	struct spill copy; /* copy of a log that is not seekable */
	int sorted; /* temporary file with the sorted records; -1: none */
	struct merge_log log;
	struct merge merge;
};

/* ---- the first reading, whose later parts are read by threads ---- */

/* Records without damage, from a guessed offset on. */
struct part {
	uint64_t start; /* guessed offset of the first record */
	uint64_t first; /* its actual offset */
	uint64_t end; /* offset after the last record */
	struct record_index index;
};

struct parts {
	int fd;
	struct record_masks show;
	struct dkt__pool pool;
	bool over; /* ends the threads; atomic */
	unsigned int next; /* the first part that was not taken */
	unsigned int n; /* number of parts */
	uint64_t size; /* of a part, in bytes */
	struct part list[THREADS_MAX]; /* the caller reads the first one */
};

static int index_record(struct record_index *index, uint64_t offset, const uint8_t *rec,
			uint32_t len, const struct record_masks *show)
{
	if (record_shown(rec, show))
		return dkl_record_index_add(index, offset, rec, len);
	dkl_record_index_skip(index, offset, len);
	return 0;
}

static void read_part(void *data, unsigned int nr)
{
	struct parts *parts = data;
	struct part *part = &parts->list[nr];
	struct record_scan scan;
	const uint8_t *rec;
	uint32_t len;
	int err = dkl_record_scan_open(&scan, parts->fd, true);

	if (!err) {
		scan.plain = true;
		dkl_record_scan_seek(&scan, part->start);
		err = dkl_record_scan_find(&scan);
		part->first = part->end = record_scan_offset(&scan, 0);
	}
	while (!err && part->end < part->start + parts->size &&
	       !__atomic_load_n(&parts->over, __ATOMIC_RELAXED) &&
	       !dkl_record_scan_next(&scan, &rec, &len)) {
		uint64_t offset = record_scan_offset(&scan, len);

		err = index_record(&part->index, offset, rec, len, &parts->show);
		if (!err)
			part->end = offset + len;
	}
	dkl_record_scan_close(&scan);
}

/* Starts as many threads as there are CPUs for, each for a part of at least `least` bytes. */
static void parts_start(struct parts *parts, uint64_t size, uint64_t least, uint64_t piece_size)
{
	parts->n = dkt__pool_size(THREADS_MAX);
	while (parts->n > 1 && size / parts->n < least)
		parts->n--;
	parts->size = size / parts->n;
	parts->next = 1;
	for (unsigned int i = 0; i < parts->n; i++)
		parts->list[i] =
			(struct part){ .start = i * parts->size, .index.piece_size = piece_size };
	dkt__pool_start(&parts->pool, parts->n, read_part, parts);
}

static void parts_end(struct parts *parts)
{
	__atomic_store_n(&parts->over, true, __ATOMIC_RELAXED);
	dkt__pool_join(&parts->pool);
	for (unsigned int i = 0; i < parts->n; i++)
		dkl_record_index_clear(&parts->list[i].index);
}

/*
 * Takes the part whose first record is at that offset; reading continues at its end. NULL: no such part,
 * because of damage or a wrong guess.
 */
static const struct part *parts_take(struct parts *parts, uint64_t offset)
{
	while (parts->next < parts->n && offset >= parts->list[parts->next].start) {
		const struct part *part = &parts->list[parts->next++];

		dkt__pool_join(&parts->pool);
		if (part->first == offset && part->end > offset)
			return part;
	}
	return NULL;
}

static void report_progress(struct record_sort *sort)
{
	uint64_t done = sort->scan.base + sort->scan.at;

	if (done - sort->reported < PROGRESS_BYTES || done >= sort->size)
		return;
	sort->reported = done;
	dkt__progress(sort->ctx, "file", done, sort->size);
}

/* Adds a record of a log that is not seekable. */
static int copy_record(struct record_sort *sort, const uint8_t *rec, uint32_t len)
{
	uint64_t offset = sort->copy.size;
	int err;

	if (!record_shown(rec, &sort->log.show)) {
		sort->index.dropped++;
		return 0;
	}
	err = dkl_record_index_add(&sort->index, offset, rec, len);
	return err ? err : dkl_spill_add(sort->ctx, &sort->copy, rec, len);
}

static int read_records(struct record_sort *sort, struct parts *parts)
{
	struct record_scan *scan = &sort->scan;
	const uint8_t *rec;
	uint32_t len;
	int err = 0;

	while (!err && !dkl_record_scan_next(scan, &rec, &len)) {
		uint64_t offset = record_scan_offset(scan, len);
		const struct part *part = parts_take(parts, offset);

		if (part) {
			err = dkl_record_index_append(&sort->index, &part->index);
			dkl_record_scan_seek(scan, part->end);
		} else if (sort->copy.fd >= 0) {
			err = copy_record(sort, rec, len);
		} else {
			err = index_record(&sort->index, offset, rec, len, &sort->log.show);
		}
		report_progress(sort);
	}
	return err || sort->copy.fd < 0 ? err : dkl_spill_flush(sort->ctx, &sort->copy);
}

static int read_log(struct record_sort *sort, const struct record_sort_opts *opts)
{
	struct parts parts = { .fd = opts->fd, .show = opts->show };
	struct stat st = { 0 };
	bool seekable = !fstat(opts->fd, &st) && S_ISREG(st.st_mode);
	int err = dkl_record_scan_open(&sort->scan, opts->fd, seekable);

	sort->scan.report_bad = opts->report_bad;
	sort->scan.data = opts->data;
	sort->index.piece_size =
		DKT__MAX(sort->memory / dkt__pool_size(THREADS_MAX) / 2, (size_t)RECORD_MAX);
	if (!err && !seekable && !S_ISDIR(st.st_mode)) {
		err = dkl_spill_open(sort->ctx, &sort->copy);
		sort->log.fd = sort->copy.fd;
	}
	if (seekable)
		parts_start(&parts, (uint64_t)st.st_size, sort->memory / 32,
			    sort->index.piece_size);
	if (!err)
		err = read_records(sort, &parts);
	parts_end(&parts);
	/* The records before a read error are printed. */
	sort->counts = sort->scan.counts;
	dkl_record_scan_close(&sort->scan);
	return err;
}

/* ---- the log as sorted runs ---- */

/* Sets *fit if the memory has room for all runs that are read at the same time. */
static int runs_fit(struct record_sort *sort, bool *fit)
{
	const struct runs *runs = &sort->index.runs;
	int err = 0;

	*fit = !runs->no_order;
	if (*fit)
		err = dkl_runs_overlap(runs, &sort->overlap);
	*fit = *fit && sort->overlap * dkl_runs_longest(runs) <= sort->memory;
	return err;
}

static int sort_records(struct record_sort *sort)
{
	int err;

	sort->sorted = dkt__temporary_file(sort->ctx, dkt__temporary_dir());
	if (sort->sorted < 0)
		return sort->sorted;
	err = dkl_pieces_sort(sort->ctx, &sort->log, &sort->index, sort->sorted);
	dkl_spill_close(&sort->copy);
	return err ? err : dkl_runs_overlap(&sort->log.runs, &sort->overlap);
}

/* Finds runs that can all be read at the same time; sorts the log if it has too many. */
static int make_runs(struct record_sort *sort, const struct record_sort_opts *opts)
{
	struct record_index *index = &sort->index;
	struct runs *runs = &sort->log.runs;
	struct slices whole = { 0 };
	bool fit = false;
	int err = 0;

	if (opts->index) {
		err = dkl_record_index_append(index, opts->index);
		if (!err)
			err = runs_fit(sort, &fit);
		if (!fit)
			dkl_record_index_clear(index);
	}
	if (!err && !fit) {
		err = read_log(sort, opts);
		if (!err)
			err = runs_fit(sort, &fit);
	}
	sort->counts.kept = index->kept;
	sort->counts.dropped = index->dropped;
	sort->counts.cpus = index->cpus;
	if (!err && !fit) {
		err = sort_records(sort);
	} else {
		*runs = index->runs;
		index->runs = (struct runs){ 0 };
	}
	dkl_record_index_clear(index);
	if (!err && sort->overlap == 1)
		dkl_runs_join(runs, RUN_ALONE);
	dkl_runs_order(runs);
	sort->log.longest = dkl_runs_longest(runs);
	sort->log.batch = sort->memory / BATCH_PART;
	if (!err)
		err = dkl_merge_slice(&sort->merge, &whole, UINT64_MAX);
	/* 1: there are no runs. */
	err = DKT__MIN(err, 0);
	dkt__progress(sort->ctx, "file", sort->size, sort->size);
	return err;
}

int dkl_record_sort_new(struct dkt_ctx *ctx, const struct record_sort_opts *opts,
			struct record_sort **out)
{
	struct record_sort *sort = calloc(1, sizeof(*sort));
	int err;

	*out = NULL;
	if (!sort)
		return dkt__no_memory(ctx);
	*sort = (struct record_sort){
		.ctx = ctx,
		.log = { .name = opts->name, .fd = opts->fd, .show = opts->show },
		.memory = opts->memory ? opts->memory : MEMORY,
		.size = opts->size,
		.copy.fd = -1,
		.sorted = -1
	};
	sort->merge.log = &sort->log;
	err = make_runs(sort, opts);
	if (err)
		dkl_record_sort_free(sort);
	else
		*out = sort;
	return err;
}

void dkl_record_sort_free(struct record_sort *sort)
{
	if (!sort)
		return;
	dkl_merge_clear(&sort->merge);
	dkl_runs_clear(&sort->log.runs);
	dkl_spill_close(&sort->copy);
	if (sort->sorted >= 0)
		close(sort->sorted);
	free(sort);
}

const struct record_counts *dkl_record_sort_counts(const struct record_sort *sort)
{
	return &sort->counts;
}

/* ---- the second reading ---- */

const struct merge_log *dkl_record_sort_log(const struct record_sort *sort)
{
	return &sort->log;
}

/*
 * The reader of a slice also reads a useless part of each overlapping run, so the slice should be
 * several times as long as these parts together.
 */
unsigned int dkl_record_sort_share(const struct record_sort *sort, uint64_t *size)
{
	size_t most = sort->memory / 16;
	unsigned int threads = dkt__pool_size(THREADS_MAX);

	*size = sort->overlap * sort->log.runs.cut * 4;
	if (*size < SLICE_MIN)
		*size = SLICE_MIN;
	if (*size > most)
		*size = most;
	while (threads > 1 && threads * sort->overlap * sort->log.longest > sort->memory / 2)
		threads--;
	return threads;
}

int dkl_record_sort_check(struct record_sort *sort, uint64_t done)
{
	return done == sort->counts.kept ? 0 : dkl_merge_fail(sort->ctx, &sort->merge, -ESTALE);
}

int dkl_record_sort_next(struct record_sort *sort, const uint8_t **rec, uint32_t *len)
{
	int err = dkl_merge_next(&sort->merge, rec, len);

	if (err < 0)
		return dkl_merge_fail(sort->ctx, &sort->merge, err);
	if (err && dkl_record_sort_check(sort, sort->merge.done))
		return -ESTALE;
	return err;
}
