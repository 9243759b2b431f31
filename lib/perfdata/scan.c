/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first pass over the records of perf.data. It finds the facts about the whole file, and the
 * range of times in each block, which tells the merge how far to read ahead.
 */
#include "lib/base/io.h"
#include "lib/perfdata.h"

void dkt__perf_forget(const struct dkt__perf_part *part, uint64_t from, uint64_t to)
{
	dkt__file_forget(&part->file, part->tape.data + from, part->tape.data + to);
}

bool dkt__perf_read(const struct dkt__perf_part *part, uint64_t at, size_t size, uint8_t *room,
		    struct dkt__perf_tape *bytes)
{
	const uint64_t base = (uint64_t)(part->tape.data - part->file.data);
	ssize_t n = 0;

	if (at < part->tape.size)
		n = dkt__pread_all(part->file.fd, room, DKT__MIN(part->tape.size - at, size),
				   base + at);
	*bytes = (struct dkt__perf_tape){ .data = room,
					  .size = (uint64_t)DKT__MAX(n, 0),
					  .err = (int)DKT__MIN(n, 0) };
	return bytes->size;
}

uint64_t dkt__perf_extra(const struct dkt__perf *perf, const uint8_t *record, uint32_t size)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, record, size);
	uint32_t type = dkt__perf_type(perf, record);

	dkt__cursor_bytes(&cur, sizeof(struct perf_event_header));
	if (type == DKT__PERF_TRACING_DATA)
		return (dkt__cursor_number(&cur, 4) + 7) & ~UINT64_C(7);
	return type == DKT__PERF_AUXTRACE ? dkt__cursor_number(&cur, 8) : 0;
}

/* Reads the records that perf added: attributes and the like, compressed records. */
static int scan_users(struct dkt__perf *perf, struct dkt__perf_part *part)
{
	const struct dkt__perf_tape *tape = &part->tape;
	uint64_t at = 0, next, end, kept = 0;
	const uint8_t *data;
	uint32_t size, type;
	int err = 0;

	while (!err && (data = dkt__perf_whole(perf, tape, at, &size))) {
		type = dkt__perf_type(perf, data);
		next = dkt__perf_behind(perf, data, size, at);
		end = DKT__MIN(next, tape->size);
		if (type == DKT__PERF_TRACING_DATA)
			err = dkt__perf_tracing_data(perf, data + size, end - at - size);
		else if (type >= DKT__PERF_ATTR && type != DKT__PERF_COMPRESSED &&
			 type != DKT__PERF_COMPRESSED2)
			err = dkt__perf_head_record(perf, type, data, size);
		else if (type >= DKT__PERF_ATTR && !part->unpack)
			err = dkt__perf_unpack_new(perf, part);
		if (end - kept >= DKT__PERF_BLOCK) {
			dkt__perf_forget(part, kept, end);
			kept = end;
		}
		at = next;
	}
	return err;
}

/* ---- blocks ---- */

static int add_cpus(struct dkt__streams *streams, uint32_t last)
{
	struct dkt__stream *more = reallocarray(streams->list, last + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	streams->list = more;
	for (; streams->n <= last; streams->n++)
		more[streams->n] = (struct dkt__stream){ .cpu = (int)streams->n };
	return 0;
}

static inline int note_cpu(struct dkt__perf *perf, uint32_t cpu)
{
	return dkt__likely(cpu < perf->streams.n) ? 0 : add_cpus(&perf->streams, cpu);
}

/* Stores data of a record that do not depend on the order: losses, the kernel's address. */
static int note_rest(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	int err = note_cpu(perf, item->cpu < DKT__PERF_CPUS ? item->cpu : 0);

	perf->lost_in_all += item->placed ? 0 : item->lost;
	perf->lost_in_place += item->placed ? item->lost : 0;
	return err ? err : dkt__perf_anchor(perf, item);
}

/* Scans a record that is not a quick sample. Returns false if it has no place in time. */
static bool scan_other(struct dkt__perf *perf, const uint8_t *data, uint32_t size,
		       struct dkt__perf_block *block, struct dkt__perf_item *item, int *err)
{
	if (dkt__unlikely(dkt__perf_type(perf, data) == DKT__PERF_DEFERRED)) {
		*err = dkt__perf_deferred_take(perf, data, size);
		return false;
	}
	if (!dkt__perf_item(perf, data, size, item)) {
		perf->bad += dkt__perf_type(perf, data) == PERF_RECORD_SAMPLE;
		perf->throttled += dkt__perf_type(perf, data) == PERF_RECORD_THROTTLE;
		return false;
	}
	*err = note_rest(perf, item);
	block->tasks |= item->type != PERF_RECORD_SAMPLE && !item->lost;
	return !*err && !(item->type != PERF_RECORD_SAMPLE && item->lost && !item->placed);
}

/* Scans a record. -ENOMEM. */
static inline int scan_record(struct dkt__perf *perf, const uint8_t *data, uint32_t size,
			      struct dkt__perf_block *block)
{
	const struct dkt__perf_quick *quick = dkt__perf_quick(perf, data, size);
	struct dkt__perf_item item;
	uint64_t time;
	uint32_t cpu = 0;
	int err = 0;

	if (dkt__likely(quick)) {
		memcpy(&time, data + quick->time, sizeof(time));
		if (quick->cpu)
			memcpy(&cpu, data + quick->cpu, sizeof(cpu));
		err = note_cpu(perf, cpu);
	} else {
		if (!scan_other(perf, data, size, block, &item, &err))
			return err;
		time = item.time;
	}
	block->sorted &= time >= block->last;
	block->first = DKT__MIN(block->first, time);
	block->last = DKT__MAX(block->last, time);
	return err;
}

/* Adds a block if one of its records has a time. */
static int add_block(struct dkt__perf *perf, const struct dkt__perf_block *block)
{
	struct dkt__perf_merge *m = &perf->merge;

	return block->first > block->last ? 0 : dkt__append(m->blocks, m->n_blocks, *block);
}

/*
 * Scans all records from *at on and makes them a block. Sets *at to the end of the last record.
 * -ENODATA: there is no complete record.
 */
static int scan_block(struct dkt__perf *perf, struct dkt__perf_part *part,
		      const struct dkt__perf_tape *bytes, bool packed, uint64_t *at)
{
	struct dkt__perf_block block = {
		.part = part, .at = *at, .first = UINT64_MAX, .packed = packed, .sorted = true
	};
	const uint8_t *data;
	uint32_t size;
	int err = 0;

	while (!err && (data = dkt__perf_whole(perf, bytes, *at - block.at, &size))) {
		if (dkt__perf_type(perf, data) < DKT__PERF_ATTR)
			err = scan_record(perf, data, size, &block);
		else if (dkt__perf_type(perf, data) == DKT__PERF_AUXTRACE)
			perf->aux += dkt__perf_extra(perf, data, size);
		block.size = (uint32_t)(*at - block.at) + size;
		*at = dkt__perf_behind(perf, data, size, *at);
		/* The bytes after such a record are not records. */
		block.sorted &= *at == block.at + block.size;
	}
	if (!err)
		err = add_block(perf, &block);
	return err ? err : block.size ? 0 : -ENODATA;
}

/* Reports the damage if the records end too early. */
static void report_end(struct dkt__perf *perf, const struct dkt__perf_part *part, uint64_t at,
		       uint64_t size)
{
	if (at < size)
		dkt__streams_damage(&perf->streams, "%sits records end at byte %llu of %llu",
				    part->label, (unsigned long long)at, (unsigned long long)size);
	/* The data behind a record, such as the formats in a pipe, end before they should. */
	if (at > size)
		dkt__streams_damage(&perf->streams, "%sthe file is truncated at byte %zu",
				    part->label, part->file.size);
}

static int scan_plain(struct dkt__perf *perf, struct dkt__perf_part *part, uint64_t at)
{
	uint8_t *room __cleanup(free) = dkt__read_buffer(DKT__PERF_BLOCK);
	struct dkt__perf_tape bytes = { 0 };
	int err = room ? 0 : -ENOMEM;

	while (!err && dkt__perf_read(part, at, DKT__PERF_BLOCK, room, &bytes))
		err = scan_block(perf, part, &bytes, false, &at);
	if (room && bytes.err)
		dkt__streams_damage(&perf->streams, "%sbyte %llu of its records cannot be read: %s",
				    part->label, (unsigned long long)at, strerror(-bytes.err));
	else
		report_end(perf, part, at, part->tape.size);
	return err == -ENODATA ? 0 : err;
}

/* Each decompressed piece is a block. */
static int scan_packed(struct dkt__perf *perf, struct dkt__perf_part *part)
{
	struct dkt__perf_tape bytes;
	uint64_t at = 0;
	int err = 0;

	while (!err && dkt__perf_unpack_get(perf, part, at, &bytes)) {
		err = scan_block(perf, part, &bytes, true, &at);
		dkt__perf_unpack_drop(part->unpack, at);
	}
	if (!err || err == -ENODATA)
		err = dkt__perf_unpack_error(part);
	if (err)
		return err;
	dkt__perf_unpack_end(perf, part);
	report_end(perf, part, at, part->unpacked);
	return 0;
}

/* ---- the order of blocks ---- */

/* The blocks of one file, while those of all files are put in order. */
struct lane {
	size_t next, end;
};

/*
 * Puts the blocks of several files in the order in which the merge needs them, so that it need not open all
 * files' blocks at once. Those of one file stay in its order: compressed ones are read only forwards.
 */
static int interleave(struct dkt__perf *perf, const size_t *ends)
{
	struct dkt__perf_merge *m = &perf->merge;
	struct dkt__perf_block *all = calloc(m->n_blocks + 1, sizeof(*all));
	struct lane *lanes __cleanup(free) = calloc(perf->n_parts, sizeof(*lanes));
	struct dkt__heap heap = { 0 };
	int err = all && lanes ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < perf->n_parts; i++) {
		lanes[i] = (struct lane){ i ? ends[i - 1] : 0, ends[i] };
		if (lanes[i].next < lanes[i].end)
			err = dkt__heap_add(
				&heap, (struct dkt__heap_item){ .ts = m->blocks[lanes[i].next].rest,
								.nr = i,
								.order = i });
	}
	for (size_t n = 0; !err && n < m->n_blocks; n++) {
		struct lane *lane = &lanes[heap.list[0].nr];

		all[n] = m->blocks[lane->next++];
		if (lane->next < lane->end)
			dkt__heap_move(&heap, m->blocks[lane->next].rest);
		else
			dkt__heap_drop(&heap);
	}
	dkt__heap_clear(&heap);
	if (err) {
		free(all);
		return err;
	}
	free(m->blocks);
	m->blocks = all;
	return 0;
}

/* Finds the oldest time in each block and all later ones, from a block on. */
static void find_rest(struct dkt__perf_merge *m, size_t from)
{
	uint64_t rest = UINT64_MAX;

	for (size_t i = m->n_blocks; i-- > from;)
		m->blocks[i].rest = rest = DKT__MIN(rest, m->blocks[i].first);
}

static int scan_part(struct dkt__perf *perf, struct dkt__perf_part *part)
{
	const size_t from = perf->merge.n_blocks;
	int err = scan_plain(perf, part, 0);

	if (!err && part->unpack)
		err = scan_packed(perf, part);
	find_rest(&perf->merge, from);
	return err;
}

int dkt__perf_scan(struct dkt__perf *perf)
{
	size_t *ends __cleanup(free) = calloc(perf->n_parts, sizeof(*ends));
	int err = ends ? 0 : -ENOMEM;

	for (size_t i = 0; !err && perf->has_users && i < perf->n_parts; i++)
		err = scan_users(perf, &perf->parts[i]);
	if (!err)
		err = dkt__perf_layout(perf);
	if (!err)
		err = note_cpu(perf, 0);
	for (size_t i = 0; !err && i < perf->n_parts; i++) {
		err = scan_part(perf, &perf->parts[i]);
		ends[i] = perf->merge.n_blocks;
	}
	dkt__perf_deferred_end(perf);
	if (err || perf->n_parts == 1)
		return err;
	err = interleave(perf, ends);
	find_rest(&perf->merge, 0);
	return err;
}

int dkt__perf_scan_more(struct dkt__perf *perf, uint64_t from)
{
	const size_t first = perf->merge.n_blocks;
	int err = scan_plain(perf, &perf->parts[0], from);

	find_rest(&perf->merge, first);
	return err;
}
