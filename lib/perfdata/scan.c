/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first look at the records of perf.data: perf writes the buffers of all CPUs in turns, and what
 * it writes at once is in order of time. The runs of such records are noted.
 */
#include <byteswap.h>

#include "perfdata.h"

#include "base/banned.h"

/* More are not noted: a file with more is not in order anyhow. */
#define MAX_RUNS (1u << 20)

const uint8_t *dkt__perf_whole(const struct dkt__perf *perf, const struct dkt__perf_tape *tape,
			       uint64_t at, uint32_t *size)
{
	struct perf_event_header head;

	*size = 0;
	if (at > tape->size || tape->size - at < sizeof(head))
		return NULL;
	memcpy(&head, tape->data + at, sizeof(head));
	if (perf->swap)
		head.size = bswap_16(head.size);
	if (head.size < sizeof(head) || head.size > tape->size - at)
		return NULL;
	*size = head.size;
	return tape->data + at;
}

const uint8_t *dkt__perf_record(struct dkt__perf *perf, enum dkt__perf_where where, uint64_t at,
				uint32_t *hint, uint32_t *size)
{
	struct dkt__perf_tape bytes;

	*size = 0;
	if (where == DKT__PERF_PLAIN)
		return dkt__perf_whole(perf, &perf->tape, at, size);
	return dkt__perf_unpack_get(perf, at, hint, &bytes) ?
		       dkt__perf_whole(perf, &bytes, 0, size) :
		       NULL;
}

uint32_t dkt__perf_type(const struct dkt__perf *perf, const uint8_t *record)
{
	uint32_t type;

	memcpy(&type, record, sizeof(type));
	return perf->swap ? bswap_32(type) : type;
}

uint64_t dkt__perf_behind(const struct dkt__perf *perf, const uint8_t *record, uint32_t size,
			  uint64_t at)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, record, size);
	uint32_t type = dkt__perf_type(perf, record);
	uint64_t more = 0; /* bytes that belong to it and are not counted in its size */

	dkt__cursor_bytes(&cur, sizeof(struct perf_event_header));
	if (type == DKT__PERF_TRACING_DATA)
		more = (dkt__cursor_number(&cur, 4) + 7) & ~UINT64_C(7);
	else if (type == DKT__PERF_AUXTRACE)
		more = dkt__cursor_number(&cur, 8);
	return more > UINT64_MAX - at - size ? UINT64_MAX : at + size + more;
}

/* Takes what perf added itself to the records: attributes and the like, compressed records. */
static int scan_users(struct dkt__perf *perf)
{
	const struct dkt__perf_tape *tape = &perf->tape;
	uint64_t at = 0, next, end;
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
		else if (type >= DKT__PERF_ATTR && !perf->unpack)
			err = dkt__perf_unpack_new(perf);
		at = next;
	}
	return err;
}

/* ---- runs ---- */

static int note(struct dkt__perf *perf, enum dkt__perf_where where, uint64_t at, uint32_t size,
		const struct dkt__perf_item *item)
{
	struct dkt__perf_run *run = perf->n_runs ? &perf->runs[perf->n_runs - 1] : NULL;

	if (!run || run->where != where || (item->time < run->last && perf->n_runs < MAX_RUNS)) {
		if (perf->n_runs == perf->room_runs) {
			struct dkt__perf_run *more =
				dkt__grow(perf->runs, &perf->room_runs, 64, sizeof(*more));

			if (!more)
				return -ENOMEM;
			perf->runs = more;
		}
		run = &perf->runs[perf->n_runs];
		*run = (struct dkt__perf_run){ .start = at,
					       .first = item->time,
					       .nr = (uint32_t)perf->n_runs++,
					       .where = where };
	}
	run->end = at + size;
	run->last = DKT__MAX(run->last, item->time);
	run->tasks |= item->type != PERF_RECORD_SAMPLE && !item->lost;
	return 0;
}

static int note_cpu(struct dkt__perf *perf, uint32_t cpu)
{
	struct dkt_loss *more;

	if (cpu < perf->n_losses)
		return 0;
	more = reallocarray(perf->losses, cpu + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + perf->n_losses, 0, (cpu + 1 - perf->n_losses) * sizeof(*more));
	perf->losses = more;
	perf->n_losses = cpu + 1;
	return 0;
}

/* Looks at a record. -ENOMEM. */
static int scan_item(struct dkt__perf *perf, enum dkt__perf_where where, uint64_t at,
		     const uint8_t *data, uint32_t size)
{
	struct dkt__perf_item item;
	int err;

	if (!dkt__perf_item(perf, data, size, &item)) {
		perf->bad += dkt__perf_type(perf, data) == PERF_RECORD_SAMPLE &&
			     (!item.attr || item.attr->type == PERF_TYPE_TRACEPOINT);
		return 0;
	}
	err = note_cpu(perf, item.cpu < DKT__PERF_CPUS ? item.cpu : 0);
	if (item.lost && !item.placed)
		perf->lost_in_all += item.lost;
	else if (!err)
		err = note(perf, where, at, size, &item);
	if (!err)
		err = dkt__perf_anchor(perf, &item);
	perf->lost_in_place += item.placed ? item.lost : 0;
	return err;
}

/* Looks at all records there; *at is where they end. */
static int scan_all(struct dkt__perf *perf, enum dkt__perf_where where, uint64_t *at)
{
	const uint8_t *data;
	uint32_t size, hint = 0;
	int err = 0;

	for (*at = 0; !err && (data = dkt__perf_record(perf, where, *at, &hint, &size));
	     *at = dkt__perf_behind(perf, data, size, *at)) {
		if (dkt__perf_type(perf, data) < DKT__PERF_ATTR)
			err = scan_item(perf, where, *at, data, size);
		if (where == DKT__PERF_PACKED)
			dkt__perf_unpack_drop(perf->unpack, *at);
	}
	return err ? err : dkt__perf_unpack_error(perf);
}

static void cut_off(struct dkt__perf *perf, uint64_t at, uint64_t size)
{
	if (at < size)
		dkt__perf_damage(perf, "its records end at byte %llu of %llu",
				 (unsigned long long)at, (unsigned long long)size);
}

static int scan_packed(struct dkt__perf *perf)
{
	uint64_t at;
	int err = scan_all(perf, DKT__PERF_PACKED, &at);

	if (err)
		return err;
	perf->unpacked = dkt__perf_unpack_size(perf->unpack);
	dkt__perf_unpack_damage(perf);
	cut_off(perf, at, perf->unpacked);
	return 0;
}

static int run_cmp(const void *a, const void *b)
{
	const struct dkt__perf_run *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static int sort_runs(struct dkt__perf *perf)
{
	size_t i;

	if (perf->n_runs)
		qsort(perf->runs, perf->n_runs, sizeof(*perf->runs), run_cmp);
	perf->heap = calloc(perf->n_runs + 1, sizeof(struct dkt__perf_run *));
	perf->in_order = calloc(perf->n_runs + 1, sizeof(*perf->in_order));
	if (!perf->heap || !perf->in_order)
		return -ENOMEM;
	for (i = 0; i < perf->n_runs; i++)
		perf->in_order[perf->runs[i].nr] = (uint32_t)i;
	return 0;
}

int dkt__perf_scan(struct dkt__perf *perf)
{
	int err = perf->has_users ? scan_users(perf) : 0;
	uint64_t at;

	if (err)
		return err;
	dkt__perf_sort_ids(perf);
	err = note_cpu(perf, 0);
	if (!err)
		err = scan_all(perf, DKT__PERF_PLAIN, &at);
	if (err)
		return err;
	cut_off(perf, at, perf->tape.size);
	if (perf->unpack)
		err = scan_packed(perf);
	return err ? err : sort_runs(perf);
}
