/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of perf.data in order of time. perf writes the buffers of all CPUs in turns, and what it writes
 * at once is in order: such runs of records are merged. They are looked for one block after the other,
 * as far as the times in the blocks ask for, so that a turn or two of the CPUs are in memory.
 */
#include "perfdata.h"

/* More runs at once are not noted: a file with more is not in order anyhow. */
#define MAX_RUNS (1u << 18)

/* ---- blocks ---- */

/* Room for a block's bytes. NULL: there is as much in memory as may be. */
static uint8_t *take_room(struct dkt__perf_merge *m)
{
	uint8_t *room;

	if (m->n_spare)
		return m->spare[--m->n_spare];
	room = m->n_copies < DKT__PERF_BLOCKS ? malloc(DKT__PERF_BLOCK) : NULL;
	m->n_copies += !!room;
	return room;
}

/* A block whose bytes have no room in memory is read where it is in the file. */
static bool block_bytes(struct dkt__perf *perf, struct dkt__perf_block *block,
			struct dkt__perf_tape *bytes)
{
	if (block->packed)
		return dkt__perf_unpack_get(perf, block->at, bytes);
	block->copy = take_room(&perf->merge);
	if (block->copy)
		return dkt__perf_read(perf, block->at, block->size, block->copy, bytes);
	*bytes =
		(struct dkt__perf_tape){ .data = perf->tape.data + block->at, .size = block->size };
	return true;
}

static void let_go(struct dkt__perf *perf, struct dkt__perf_block *block)
{
	if (block->copy)
		perf->merge.spare[perf->merge.n_spare++] = block->copy;
	else if (!block->packed)
		dkt__perf_forget(perf, block->at, block->at + block->size);
	block->copy = NULL;
}

/* Nobody has an item of it any more. */
static void block_over(struct dkt__perf *perf, struct dkt__perf_block *block)
{
	struct dkt__perf_merge *m = &perf->merge;

	m->done += block->size;
	let_go(perf, block);
	if (!perf->unpack)
		return;
	while (m->first < m->met && (!m->blocks[m->first].packed || !m->blocks[m->first].live))
		m->first++;
	if (m->first < m->n_blocks && m->blocks[m->first].packed)
		dkt__perf_unpack_drop(perf->unpack, m->blocks[m->first].at);
}

/* ---- runs ---- */

/* A run of the block that begins there, at that time. NULL: memory is out. */
static struct dkt__perf_run *add_run(struct dkt__perf *perf, size_t block, uint64_t time,
				     const uint8_t *data)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__heap_item first = { .ts = time, .order = m->order++ };
	struct dkt__perf_run *run;

	if (!m->free && m->n_runs == m->room_runs) {
		run = dkt__grow(m->runs, &m->room_runs, 64, sizeof(*run));
		if (!run)
			return NULL;
		m->runs = run;
	}
	first.nr = (uint32_t)(m->free ? m->free - 1 : m->n_runs);
	if (dkt__heap_add(&m->waiting, first))
		return NULL;
	run = &m->runs[first.nr];
	if (m->free)
		m->free = run->next;
	else
		m->n_runs++;
	*run = (struct dkt__perf_run){ .p = data, .block = (uint32_t)block };
	m->blocks[block].live++;
	return run;
}

static void run_over(struct dkt__perf *perf, uint32_t nr)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__perf_run *run = &m->runs[nr];

	run->next = m->free;
	m->free = nr + 1;
	if (!--m->blocks[run->block].live)
		block_over(perf, &m->blocks[run->block]);
}

/* Finds the runs in a block's bytes. */
static int find_runs(struct dkt__perf *perf, size_t nr, const struct dkt__perf_tape *bytes)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__perf_run *run = NULL;
	struct dkt__perf_item item;
	uint64_t next, last = 0;
	const uint8_t *data;
	uint32_t size;

	for (uint64_t at = 0; (data = dkt__perf_whole(perf, bytes, at, &size)); at = next) {
		next = dkt__perf_behind(perf, data, size, at);
		if (!dkt__perf_take(perf, data, size, &item)) {
			/* What it has behind it are no records. */
			run = next == at + size ? run : NULL;
			continue;
		}
		if (!run || (item.time < last && m->waiting.n < MAX_RUNS))
			run = add_run(perf, nr, item.time, data);
		if (!run)
			return -ENOMEM;
		run->end = data + size;
		last = item.time;
	}
	return 0;
}

/* Notes what of the next block is to be merged. */
static int meet_block(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	size_t nr = m->met++;
	struct dkt__perf_block *block = &m->blocks[nr];
	struct dkt__perf_tape bytes;
	struct dkt__perf_run *run;
	int err = 0;

	if ((block->last < perf->since && !block->tasks) || !block_bytes(perf, block, &bytes)) {
		block_over(perf, block);
		return dkt__perf_unpack_error(perf);
	}
	if (block->sorted) {
		run = add_run(perf, nr, block->first, bytes.data);
		if (!run)
			return -ENOMEM;
		run->end = bytes.data + DKT__MIN(bytes.size, block->size);
	} else {
		err = find_runs(perf, nr, &bytes);
	}
	if (!block->live)
		block_over(perf, block);
	else if (!block->packed && !block->copy)
		/* It is long until its turn comes. */
		dkt__perf_forget(perf, block->at, block->at + block->size);
	return err;
}

/* Makes the run's next record the item. False: it has no more. */
static inline __attribute__((always_inline)) bool run_peek(struct dkt__perf *perf,
							   struct dkt__perf_run *run)
{
	struct dkt__perf_merge *m = &perf->merge;
	const uint8_t *data;

	for (;; run->p += m->size) {
		const struct dkt__perf_tape left = { .data = run->p,
						     .size = (uint64_t)(run->end - run->p) };

		data = dkt__perf_whole(perf, &left, 0, &m->size);
		if (!data || dkt__perf_take(perf, data, m->size, &m->item))
			return data;
	}
}

/* Begins the run that waits longest. What comes before the window only gives names. */
static int begin_run(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__heap_item first = m->waiting.list[0];
	struct dkt__perf_run *run = &m->runs[first.nr];
	int err = 0;

	dkt__heap_drop(&m->waiting);
	for (; !err && run_peek(perf, run); run->p += m->size) {
		if (m->item.time >= perf->since) {
			first.ts = m->item.time;
			return dkt__heap_add(&m->heap, first);
		}
		err = dkt__perf_task(perf, &m->item);
	}
	run_over(perf, first.nr);
	return err;
}

/* ---- the merge ---- */

/* Finds the run with the next record, of all that may have it. 0, or 1: end. */
static int find_next(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	const struct dkt__heap *heap = &m->heap, *waiting = &m->waiting;
	int err = 0;

	while (!err) {
		const struct dkt__heap_item *next = heap->n ? &heap->list[0] : NULL;
		bool begin = waiting->n && (!next || dkt__heap_older(&waiting->list[0], next));

		if (begin)
			next = &waiting->list[0];
		if (m->met < m->n_blocks && (!next || m->blocks[m->met].rest <= next->ts))
			err = meet_block(perf);
		else if (begin)
			err = begin_run(perf);
		else
			break;
	}
	if (err || !heap->n)
		return err ? err : 1;
	run_peek(perf, &m->runs[heap->list[0].nr]);
	m->bound = dkt__heap_bound(heap);
	if (waiting->n)
		m->bound = DKT__MIN(m->bound, waiting->list[0].ts);
	if (m->met < m->n_blocks)
		m->bound = DKT__MIN(m->bound, m->blocks[m->met].rest);
	return 0;
}

int dkt__perf_merge_next(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__perf_run *run;
	bool more;

	if (dkt__likely(m->taken)) {
		run = &m->runs[m->heap.list[0].nr];
		run->p += m->size;
		more = run_peek(perf, run);
		if (dkt__likely(more && m->item.time < m->bound))
			return 0;
		m->taken = false;
		if (more) {
			dkt__heap_move(&m->heap, m->item.time);
		} else {
			run_over(perf, m->heap.list[0].nr);
			dkt__heap_drop(&m->heap);
		}
	}
	return find_next(perf);
}

void dkt__perf_merge_rewind(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;

	for (size_t i = 0; i < m->met; i++) {
		if (m->blocks[i].live)
			let_go(perf, &m->blocks[i]);
		m->blocks[i].live = 0;
	}
	m->met = m->first = m->n_runs = m->heap.n = m->waiting.n = 0;
	m->free = m->order = 0;
	m->taken = false;
	m->done = 0;
	if (perf->unpack)
		dkt__perf_unpack_rewind(perf->unpack);
}

void dkt__perf_merge_clear(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;

	dkt__perf_merge_rewind(perf);
	while (m->n_spare)
		free(m->spare[--m->n_spare]);
	dkt__heap_clear(&m->heap);
	dkt__heap_clear(&m->waiting);
	free(m->blocks);
	free(m->runs);
}
