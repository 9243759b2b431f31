/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges the records of perf.data in order of time. perf writes the buffers of all CPUs in rounds,
 * and the records of one write are in order: such runs are merged. The merge reads block after
 * block, as far as the times in the blocks require, and so keeps one or two rounds in memory.
 */
#include "lib/base/io.h"
#include "lib/perfdata.h"

/* The limit of waiting runs: beyond it, records out of order no longer start a new run. */
#define MAX_RUNS (1u << 18)

/* ---- blocks ---- */

/* Returns memory for a block's bytes, or NULL if the limit is reached. */
static uint8_t *take_room(struct dkt__perf_merge *m)
{
	uint8_t *room;

	if (m->n_spare)
		return m->spare[--m->n_spare];
	room = m->n_copies < DKT__PERF_BLOCKS ? dkt__read_buffer(DKT__PERF_BLOCK) : NULL;
	m->n_copies += !!room;
	return room;
}

/* Reads a block again. Somebody may have truncated the file since it was scanned. */
static bool read_again(struct dkt__perf *perf, const struct dkt__perf_block *block,
		       struct dkt__perf_tape *bytes)
{
	bool any = dkt__perf_read(block->part, block->at, block->size, block->copy, bytes);

	if (bytes->err && !perf->merge.cut)
		dkt__streams_damage(&perf->streams, "%sbyte %llu of its records cannot be read: %s",
				    block->part->label, (unsigned long long)block->at,
				    strerror(-bytes->err));
	else if (bytes->size < block->size && !perf->merge.cut)
		dkt__streams_damage(&perf->streams, "%sthe file was truncated while it was read",
				    block->part->label);
	perf->merge.cut |= bytes->size < block->size;
	return any;
}

/* Loads a block. If the memory limit is reached, the block is read from the mapping of the file. */
static bool block_bytes(struct dkt__perf *perf, struct dkt__perf_block *block,
			struct dkt__perf_tape *bytes)
{
	if (block->packed)
		return dkt__perf_unpack_get(perf, block->part, block->at, bytes);
	block->copy = take_room(&perf->merge);
	if (block->copy)
		return read_again(perf, block, bytes);
	block->mapped = true;
	*bytes = (struct dkt__perf_tape){ .data = block->part->tape.data + block->at,
					  .size = block->size };
	return true;
}

static void release_block(struct dkt__perf *perf, struct dkt__perf_block *block)
{
	if (block->copy)
		perf->merge.spare[perf->merge.n_spare++] = block->copy;
	else if (block->mapped)
		dkt__perf_forget(block->part, block->at, block->at + block->size);
	block->copy = NULL;
	block->mapped = false;
}

/* True if a decompressed piece of the file may still be read for the block. */
static bool is_needed(const struct dkt__perf_merge *m, const struct dkt__perf_part *part, size_t nr)
{
	const struct dkt__perf_block *block = &m->blocks[nr];

	return block->part == part && block->packed && (nr >= m->opened || block->live);
}

/* Frees a block whose items have all been returned. */
static void block_over(struct dkt__perf *perf, struct dkt__perf_block *block)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__perf_part *part = block->part;
	size_t *needed = &part->needed;

	m->done += block->size;
	release_block(perf, block);
	if (!part->unpack)
		return;
	while (*needed < m->n_blocks && !is_needed(m, part, *needed))
		++*needed;
	if (*needed < m->n_blocks)
		dkt__perf_unpack_drop(part->unpack, m->blocks[*needed].at);
}

/* ---- runs ---- */

/* Adds a run of the block, with its start and time. NULL if memory is out. */
static struct dkt__perf_run *add_run(struct dkt__perf *perf, size_t block, uint64_t time,
				     const uint8_t *data)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__heap_item first = { .ts = time, .order = m->order++ };
	struct dkt__perf_run *run;

	if (!m->free && dkt__append(m->runs, m->n_runs, (struct dkt__perf_run){ 0 }))
		return NULL;
	first.nr = (uint32_t)(m->free ? m->free : m->n_runs) - 1;
	if (dkt__heap_add(&m->waiting, first))
		return NULL;
	run = &m->runs[first.nr];
	if (m->free)
		m->free = run->next;
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
	struct dkt__perf_quick *quick;
	struct dkt__perf_item item;
	uint64_t next, time, last = 0;
	const uint8_t *data;
	uint32_t size;

	for (uint64_t at = 0; (data = dkt__perf_whole(perf, bytes, at, &size)); at = next) {
		next = dkt__perf_behind(perf, data, size, at);
		if (!dkt__perf_take(perf, data, size, &quick, &item, &time)) {
			/* The bytes after it are not records. */
			run = next == at + size ? run : NULL;
			continue;
		}
		if (!run || (time < last && m->waiting.n < MAX_RUNS))
			run = add_run(perf, nr, time, data);
		if (!run)
			return -ENOMEM;
		run->end = data + size;
		last = time;
	}
	return 0;
}

/*
 * Adds the runs of the next block to the merge. A block that is one run is loaded when its turn comes:
 * with large buffers of perf, a round has hundreds of them.
 */
static int open_block(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	size_t nr = m->opened++;
	struct dkt__perf_block *block = &m->blocks[nr];
	struct dkt__perf_tape bytes;
	struct dkt__perf_run *run;
	int err = 0;

	if (block->last < perf->streams.since && !block->tasks) {
		block_over(perf, block);
		return 0;
	}
	if (block->sorted && !block->packed)
		return add_run(perf, nr, block->first, NULL) ? 0 : -ENOMEM;
	if (!block_bytes(perf, block, &bytes)) {
		block_over(perf, block);
		return dkt__perf_unpack_error(block->part);
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
	else if (block->mapped)
		/* The block's turn comes much later. */
		dkt__perf_forget(block->part, block->at, block->at + block->size);
	return err;
}

/* Loads the block of a run that is not loaded yet. If it cannot be read, the run is empty. */
static void load_run(struct dkt__perf *perf, struct dkt__perf_run *run)
{
	struct dkt__perf_block *block = &perf->merge.blocks[run->block];
	struct dkt__perf_tape bytes;

	if (run->p || !block_bytes(perf, block, &bytes))
		return;
	run->p = bytes.data;
	run->end = bytes.data + DKT__MIN(bytes.size, block->size);
}

/* Finds the run's next record. Returns false at its end. */
static inline __attribute__((always_inline)) bool run_peek(struct dkt__perf *perf,
							   struct dkt__perf_run *run)
{
	struct dkt__perf_merge *m = &perf->merge;
	const uint8_t *data;

	for (;; run->p += run->size) {
		const struct dkt__perf_tape left = { .data = run->p,
						     .size = (uint64_t)(run->end - run->p) };

		data = dkt__perf_whole(perf, &left, 0, &run->size);
		if (!data || dkt__perf_take(perf, data, run->size, &run->quick, &m->item, &m->time))
			return data;
	}
}

/*
 * Starts the waiting run with the oldest time. Its records before the window are used only for
 * names.
 */
static int begin_run(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__heap_item first = m->waiting.list[0];
	struct dkt__perf_run *run = &m->runs[first.nr];
	int err = 0;

	dkt__heap_drop(&m->waiting);
	load_run(perf, run);
	for (; !err && run_peek(perf, run); run->p += run->size) {
		if (m->time >= perf->streams.since) {
			first.ts = m->time;
			return dkt__heap_add(&perf->streams.heap, first);
		}
		if (!run->quick)
			err = dkt__perf_task(perf, &m->item);
	}
	run_over(perf, first.nr);
	return err;
}

/* ---- the merge ---- */

/* Starts all runs that may have the next record. Returns 0, or 1 at the end. */
static int begin_runs(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	const struct dkt__heap *heap = &perf->streams.heap, *waiting = &m->waiting;
	int err = 0;

	while (!err) {
		const struct dkt__heap_item *next = heap->n ? &heap->list[0] : NULL;
		bool begin = waiting->n && (!next || dkt__heap_older(&waiting->list[0], next));

		if (begin)
			next = &waiting->list[0];
		if (m->opened < m->n_blocks && (!next || m->blocks[m->opened].rest <= next->ts))
			err = open_block(perf);
		else if (begin)
			err = begin_run(perf);
		else
			break;
	}
	m->horizon = waiting->n ? waiting->list[0].ts : UINT64_MAX;
	if (m->opened < m->n_blocks)
		m->horizon = DKT__MIN(m->horizon, m->blocks[m->opened].rest);
	return err ? err : !heap->n;
}

/* Steps past the returned record. Returns 0 if the top has the next one, 1 at the end. */
static inline int advance(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;
	const struct dkt__heap *heap = &perf->streams.heap;
	bool more;
	int err = 0;

	if (dkt__likely(perf->streams.taken)) {
		uint32_t nr = heap->list[0].nr;

		m->top->p += m->top->size;
		more = run_peek(perf, m->top);
		if (dkt__streams_stays(&perf->streams, more, m->time))
			return 0;
		if (!more)
			run_over(perf, nr);
	}
	if (!heap->n || heap->list[0].ts >= m->horizon)
		err = begin_runs(perf);
	if (dkt__unlikely(err))
		return err;
	m->top = &m->runs[heap->list[0].nr];
	m->time = heap->list[0].ts;
	/* Only one item exists. */
	if (dkt__unlikely(!m->top->quick))
		run_peek(perf, m->top);
	perf->streams.bound = DKT__MIN(dkt__heap_bound(heap), m->horizon);
	return 0;
}

void dkt__perf_merge_rewind(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;

	for (size_t i = 0; i < m->opened; i++) {
		if (m->blocks[i].live)
			release_block(perf, &m->blocks[i]);
		m->blocks[i].live = 0;
	}
	m->item.n_counts = 0;
	dkt__perf_group_rewind(perf);
	m->opened = m->n_runs = m->waiting.n = 0;
	m->free = m->order = 0;
	m->done = m->horizon = 0;
	perf->streams.heap.n = 0;
	perf->streams.taken = false;
	for (size_t i = 0; i < perf->n_parts; i++) {
		perf->parts[i].needed = 0;
		if (perf->parts[i].unpack)
			dkt__perf_unpack_rewind(perf->parts[i].unpack);
	}
}

static void free_spare(struct dkt__perf_merge *m)
{
	m->n_copies -= m->n_spare;
	while (m->n_spare)
		free(m->spare[--m->n_spare]);
}

void dkt__perf_merge_clear(struct dkt__perf *perf)
{
	struct dkt__perf_merge *m = &perf->merge;

	dkt__perf_merge_rewind(perf);
	free_spare(m);
	dkt__heap_clear(&m->waiting);
	free(m->blocks);
	free(m->runs);
}

/* ---- records ---- */

/* Fills the record from a wanted sample. Returns false if the event is unknown. */
static inline bool fill(struct dkt__perf *perf, struct dkt_event *event, const void *data,
			uint32_t size, uint32_t cpu, int32_t tid, struct dkt_record *rec)
{
	struct dkt_loss *loss = &perf->streams.list[cpu].loss;
	struct dkt__entry entry;

	memcpy(&entry, data, sizeof(entry));
	*rec = (struct dkt_record){
		.ts = perf->merge.time,
		.event = event,
		.data = data,
		.size = size,
		.cpu = cpu,
		/* perf writes -1 for a thread that has exited. */
		.pid = tid < 0 ? entry.pid : tid,
		.flags = entry.flags,
		.preempt = entry.preempt & 0xf,
	};
	loss->seen += !!event;
	loss->bad += !event;
	return event;
}

/* Returns false if the sample is not wanted. */
static inline bool fill_quick(struct dkt__perf *perf, struct dkt__perf_quick *quick,
			      struct dkt_record *rec)
{
	const uint8_t *sample = perf->merge.top->p, *data = sample + quick->raw;
	struct dkt__stream *s;
	uint32_t size, cpu;
	int32_t tid;

	memcpy(&size, data - sizeof(size), sizeof(size));
	memcpy(&cpu, sample + quick->cpu, sizeof(cpu));
	memcpy(&tid, sample + quick->tid + sizeof(tid), sizeof(tid));
	if (dkt__unlikely(cpu >= perf->streams.n))
		return false;
	s = &perf->streams.list[cpu];
	if (dkt__unlikely(s->unasked))
		return false;
	if (!dkt__streams_wants(&perf->streams, quick->nr, data, size)) {
		s->loss.seen++;
		return false;
	}
	if (dkt__unlikely(!quick->event))
		quick->event = dkt__event_by_id(perf->streams.base.ctx, quick->nr);
	return fill(perf, quick->event, data, size, cpu, tid, rec);
}

/* Fills the record of a loss. Returns false if nothing was lost. */
static bool fill_gap(const struct dkt__perf_item *item, struct dkt__stream *s,
		     struct dkt_record *rec)
{
	s->loss.lost += item->lost;
	*rec = (struct dkt_record){ .ts = item->time, .cpu = item->cpu, .lost = item->lost };
	return item->lost;
}

/* Returns the data of the sample's record, NULL if memory is out; sets *nr to the ID of its event. */
static const void *sample_data(struct dkt__perf *perf, struct dkt__perf_item *item, uint64_t *nr,
			       uint32_t *size)
{
	struct dkt__streams *streams = &perf->streams;

	*nr = item->attr->nr;
	if (item->attr->type != PERF_TYPE_TRACEPOINT)
		return *nr ? dkt__perf_sample_data(perf, item, size) : NULL;
	*nr = item->attr->config;
	*size = item->size;
	return perf->swap ?
		       dkt__swapped(&streams->copy, streams->base.ctx, item->data, item->size) :
		       item->data;
}

/* True if no sample of the event is wanted, whatever its fields are. */
static bool is_unwanted(struct dkt__streams *streams, const struct dkt__perf_attr *attr)
{
	const uint64_t nr = attr->type == PERF_TYPE_TRACEPOINT ? attr->config : attr->nr;

	return nr && nr < MAX_ID && dkt__streams_verdict(streams, (uint16_t)nr) == DKT__UNWANTED;
}

/* Fills the record from the parsed item. */
static bool fill_item(struct dkt__perf *perf, struct dkt__perf_item *item, struct dkt_record *rec)
{
	struct dkt__streams *streams = &perf->streams;
	struct dkt__stream *s = item->cpu < streams->n ? &streams->list[item->cpu] : NULL;
	const void *data;
	uint32_t size;
	uint64_t nr;

	if (!s || s->unasked)
		return false;
	if (item->lost)
		return fill_gap(item, s, rec);
	if (dkt__perf_switch_is(perf, item->type)) {
		nr = perf->switch_nr;
		data = dkt__perf_switch_data(perf, item, &size);
	} else if (item->type == PERF_RECORD_SAMPLE) {
		if (is_unwanted(streams, item->attr)) {
			s->loss.seen++;
			return false;
		}
		data = sample_data(perf, item, &nr, &size);
	} else {
		return false;
	}
	if (data && nr < MAX_ID && !dkt__streams_wants(streams, (uint16_t)nr, data, size)) {
		s->loss.seen++;
		return false;
	}
	return data && fill(perf, nr < MAX_ID ? dkt__event_by_id(streams->base.ctx, (int)nr) : NULL,
			    data, size, item->cpu, item->tid, rec);
}

/* Frees what only the next record would need: the source is often open until all is printed. */
static int end_of_records(struct dkt__perf *perf)
{
	free_spare(&perf->merge);
	dkt__perf_callers_clear(perf);
	return 1;
}

static int take_chain(struct dkt__perf *perf, struct dkt_record *record)
{
	struct dkt__perf_item *item = &perf->merge.item;

	return item->n_chain || item->stack ? dkt__perf_chain_take(perf, item, record) : 0;
}

int dkt__perf_next(struct dkt_source *source, struct dkt_record *record)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__streams *streams = &perf->streams;
	int err;

	for (;;) {
		if (dkt__unlikely(m->item.n_counts) && dkt__perf_group_next(perf, &m->item)) {
			if (m->time >= streams->since && fill_item(perf, &m->item, record))
				return take_chain(perf, record);
			continue;
		}
		err = advance(perf);
		if (dkt__unlikely(err ||
				  (m->time >= streams->until && streams->until != UINT64_MAX)))
			return err == 1 ? end_of_records(perf) :
			       err      ? dkt__with_words(streams->base.ctx, err) :
					  1;
		streams->taken = true;
		if (dkt__likely(m->top->quick && m->top->quick->raw)) {
			if (dkt__likely(m->time >= streams->since) &&
			    fill_quick(perf, m->top->quick, record))
				return 0;
			continue;
		}
		if (m->time >= streams->since && m->top->quick)
			dkt__perf_quick_item(m->top->quick, m->top->p, &m->item);
		else if (m->top->quick)
			continue;
		if (m->item.type != PERF_RECORD_SAMPLE)
			err = dkt__perf_task(perf, &m->item);
		if (err)
			return dkt__with_words(streams->base.ctx, err);
		if (!m->item.n_counts && m->time >= streams->since &&
		    fill_item(perf, &m->item, record))
			return take_chain(perf, record);
	}
}
