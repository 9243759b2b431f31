/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a binary log in order of time: finds its runs, or makes sorted ones. */
#include "compat/lustre/binary/sort.h"

#include <sys/stat.h>

#include "compat/lustre/binary/ahead.h"
#include "compat/lustre/binary/crew.h"
#include "compat/lustre/binary/merge.h"
#include "compat/lustre/binary/pieces.h"
#include "compat/lustre/binary/runs.h"
#include "compat/lustre/binary/spill.h"
#include "lib/base/memory.h"
#include "lib/base/temporary.h"

#define MEMORY     (32u << 20)
#define WINDOW_MIN (8u << 10)
#define WINDOW_MAX (256u << 10)

/* Bytes of records between two reports of progress. */
#define PROGRESS_BYTES (UINT64_C(1) << 20)

/* All windows together should fit into a cache of this size. */
#define CACHE (1u << 20)

#define SLICE_MIN (512u << 10)

struct record_sort {
	struct dkt_ctx *ctx;
	struct record_counts counts;
	size_t memory;
	size_t overlap; /* number of runs that overlap */
	struct record_scan scan; /* the first reading */
	struct record_scan again; /* for sorting: reads the records before scan's position again */
	uint64_t again_left; /* records that `again` must still read */
	uint64_t size; /* of the log, to report progress */
	uint64_t reported; /* last reported progress, in bytes */
	struct spill copy; /* copy of a log that is not seekable */
	int sorted; /* temporary file with the sorted records; -1: none */
	struct merge_log log;
	struct merge merge;
	bool started; /* the merge */
};

/* ---- the first reading ---- */

static void report_progress(struct record_sort *sort)
{
	uint64_t done = sort->scan.base + sort->scan.at;

	if (done - sort->reported < PROGRESS_BYTES || done >= sort->size)
		return;
	sort->reported = done;
	dkt_progress(sort->ctx, "file", done, sort->size);
}

static void count_shown(struct record_counts *counts, const uint8_t *rec)
{
	counts->kept++;
	if (record_cpu(rec) >= counts->cpus)
		counts->cpus = record_cpu(rec) + 1u;
}

static int add_record(struct record_sort *sort, uint64_t offset, const uint8_t *rec, uint32_t len)
{
	struct spill *copy = &sort->copy;
	int err;

	if (!record_shown(rec, &sort->log.show)) {
		sort->counts.dropped++;
		if (copy->fd < 0)
			runs_skip(&sort->log.runs, offset, len);
		return 0;
	}
	count_shown(&sort->counts, rec);
	if (copy->fd >= 0)
		offset = copy->size;
	err = dkl_runs_add(&sort->log.runs, offset, len, record_key(rec));
	return !err && copy->fd >= 0 ? dkl_spill_add(sort->ctx, copy, rec, len) : err;
}

static int take_index(struct record_sort *sort, const struct record_index *index)
{
	sort->counts.kept += index->kept;
	sort->counts.dropped += index->dropped;
	sort->counts.cpus = DKT__MAX(sort->counts.cpus, index->cpus);
	sort->scan.longest = DKT__MAX(sort->scan.longest, index->longest);
	return dkl_runs_append(&sort->log.runs, &index->runs);
}

/* Takes the part that a thread has read from that offset on. False: no such part. */
static bool take_part(struct record_sort *sort, struct ahead *ahead, uint64_t offset, int *err)
{
	const struct ahead_part *part = dkl_ahead_take(ahead, offset);

	if (!part)
		return false;
	*err = take_index(sort, &part->index);
	dkl_record_scan_seek(&sort->scan, part->end);
	return true;
}

/* Reads up to the end, or until the runs are too short. */
static int find_runs(struct record_sort *sort, struct ahead *ahead)
{
	struct record_scan *scan = &sort->scan;
	const uint8_t *rec;
	uint32_t len;
	int err = 0;

	while (!err && !runs_are_short(&sort->log.runs, sort->counts.kept)) {
		uint64_t offset;

		if (dkl_record_scan_next(scan, &rec, &len))
			break;
		offset = record_scan_offset(scan, len);
		if (offset < ahead_start(ahead) || !take_part(sort, ahead, offset, &err))
			err = add_record(sort, offset, rec, len);
		report_progress(sort);
	}
	if (!err && sort->copy.fd >= 0)
		err = dkl_spill_flush(sort->ctx, &sort->copy);
	return err;
}

/* ---- sorting ---- */

/* Gets the next shown record, beginning with those that were read before. */
static int next_shown(void *data, const uint8_t **rec, uint32_t *len)
{
	struct record_sort *sort = data;
	int end = 0;

	while (sort->again_left && !(end = dkl_record_scan_next(&sort->again, rec, len))) {
		if (record_shown(*rec, &sort->log.show)) {
			sort->again_left--;
			return 0;
		}
	}
	if (end < 0)
		return dkt_fail(sort->ctx, end, "read the log again: %s", strerror(-end));
	sort->again_left = 0;
	while (!dkl_record_scan_next(&sort->scan, rec, len)) {
		report_progress(sort);
		if (record_shown(*rec, &sort->log.show)) {
			count_shown(&sort->counts, *rec);
			return 0;
		}
		sort->counts.dropped++;
	}
	return 1;
}

static int sort_records(struct record_sort *sort)
{
	int err = dkl_record_scan_open(&sort->again, sort->log.fd, true);

	dkl_runs_clear(&sort->log.runs);
	sort->again_left = sort->counts.kept;
	if (!err) {
		sort->sorted = dkt__temporary_file(sort->ctx, dkt__temporary_dir());
		err = DKT__MIN(sort->sorted, 0);
	}
	if (!err)
		err = dkl_pieces_sort(sort->ctx, sort->memory, sort->sorted, next_shown, sort,
				      &sort->log.runs);
	dkl_record_scan_close(&sort->again);
	dkl_spill_close(&sort->copy);
	sort->log.fd = sort->sorted;
	return err;
}

/* ---- the log as sorted runs ---- */

/* Larger windows need fewer calls; smaller windows stay in the cache. */
static size_t choose_window(const struct record_sort *sort, size_t least)
{
	size_t overlap = sort->overlap, window = overlap ? CACHE / overlap : WINDOW_MAX;

	if (window < 2 * WINDOW_MIN)
		window = 2 * WINDOW_MIN;
	if (window > WINDOW_MAX)
		window = WINDOW_MAX;
	if (overlap && window > sort->memory / overlap)
		window = sort->memory / overlap;
	return window < least ? least : window;
}

static size_t least_window(const struct record_sort *sort)
{
	return sort->scan.longest > WINDOW_MIN ? sort->scan.longest : WINDOW_MIN;
}

/* Finds runs that can all be read at the same time; sorts the log if it has too many. */
static int make_runs(struct record_sort *sort, struct ahead *ahead,
		     const struct record_index *index)
{
	struct runs *runs = &sort->log.runs;
	int err = index ? take_index(sort, index) : find_runs(sort, ahead);
	bool no_order = runs->too_many || runs_are_short(runs, sort->counts.kept);

	if (!err && !no_order) {
		err = dkl_runs_overlap(runs, &sort->overlap);
		no_order = sort->overlap * least_window(sort) > sort->memory;
	}
	if (!err && no_order) {
		dkl_ahead_close(ahead);
		/* With an index, no record was read so far. */
		if (index)
			sort->counts.kept = sort->counts.dropped = 0;
		err = sort_records(sort);
		if (!err)
			err = dkl_runs_overlap(runs, &sort->overlap);
	}
	/* Runs that are read one after the other need no more calls than their windows. */
	if (!err && sort->overlap == 1)
		dkl_runs_join(runs, WINDOW_MAX);
	dkl_runs_order(runs);
	sort->log.window = choose_window(sort, least_window(sort));
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
	/* The records before a read error are printed. */
	counts->read_err = scan->err;
}

static int read_log(struct record_sort *sort, const struct record_sort_opts *opts)
{
	const struct record_index *index = opts->index;
	struct ahead ahead = { 0 };
	struct stat st = { 0 };
	bool seekable = !fstat(opts->fd, &st) && S_ISREG(st.st_mode);
	int err = dkl_record_scan_open(&sort->scan, opts->fd, seekable);

	sort->scan.report_bad = opts->report_bad;
	sort->scan.data = opts->data;
	/* The runs of a log without order end early, and sorting reads all records. */
	if (index && (index->runs.too_many || runs_are_short(&index->runs, index->kept)))
		index = NULL;
	if (seekable && !index) {
		dkl_ahead_open(&ahead, opts->fd, (uint64_t)st.st_size, sort->memory / 32,
			       &opts->show);
	} else if (!err && !seekable && !S_ISDIR(st.st_mode)) {
		err = dkl_spill_open(sort->ctx, &sort->copy);
		sort->log.fd = sort->copy.fd;
	}
	if (!err)
		err = make_runs(sort, &ahead, index);
	dkt_progress(sort->ctx, "file", sort->size, sort->size);
	dkl_ahead_close(&ahead);
	take_counts(&sort->counts, &sort->scan);
	dkl_record_scan_close(&sort->scan);
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
	err = read_log(sort, opts);
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
	unsigned int threads = dkl_crew_size();

	*size = sort->overlap * sort->log.runs.cut * 4;
	if (*size < SLICE_MIN)
		*size = SLICE_MIN;
	if (*size > most)
		*size = most;
	while (threads > 1 && threads * sort->overlap * sort->log.window > sort->memory / 2)
		threads--;
	return threads;
}

int dkl_record_sort_check(struct record_sort *sort, uint64_t done)
{
	const struct merge merge = { .log = &sort->log };

	return done == sort->counts.kept ? 0 : dkl_merge_fail(sort->ctx, &merge, -ESTALE);
}

int dkl_record_sort_next(struct record_sort *sort, const uint8_t **rec, uint32_t *len)
{
	struct slice all = slice_all(&sort->log.runs);
	int err = 0;

	if (!sort->started)
		err = dkl_merge_start(&sort->merge, &sort->log, &all);
	sort->started = true;
	if (!err)
		err = dkl_merge_next(&sort->merge, rec, len);
	if (err < 0)
		return dkl_merge_fail(sort->ctx, &sort->merge, err);
	if (err && dkl_record_sort_check(sort, sort->merge.done))
		return -ESTALE;
	return err;
}
