/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of samples: most have their fields at the same offsets. */
#include "lib/perfdata.h"

/* Fields at fixed offsets, each of 8 bytes. */
#define FIXED                                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |             \
	 PERF_SAMPLE_PERIOD)

/* Sets *at to the offset behind a field, and returns that of the field; 0: the samples do not have it. */
static uint16_t place(uint64_t type, uint64_t bit, size_t *at)
{
	const size_t here = *at;

	*at += 8 * dkt__perf_words(type, bit);
	return type & bit ? (uint16_t)here : 0;
}

/* Finds the fields at the start of a sample, in the kernel's order. */
static struct dkt__perf_quick find_places(const struct dkt__perf_attr *attr)
{
	const uint64_t type = attr->sample_type, plain = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							 PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	const bool tracepoint = attr->type == PERF_TYPE_TRACEPOINT;
	struct dkt__perf_quick quick = { .size = UINT32_MAX, .attr = attr };
	size_t at = sizeof(struct perf_event_header);

	if (!(type & PERF_SAMPLE_TIME) || !(type & PERF_SAMPLE_TID) ||
	    type & ~(uint64_t)(FIXED | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW) ||
	    (tracepoint && (attr->config >= MAX_ID || !(type & PERF_SAMPLE_RAW))))
		return quick;
	place(type, PERF_SAMPLE_IDENTIFIER, &at);
	quick.ip = place(type, PERF_SAMPLE_IP, &at);
	quick.tid = place(type, PERF_SAMPLE_TID, &at);
	quick.time = place(type, PERF_SAMPLE_TIME, &at);
	quick.addr = place(type, PERF_SAMPLE_ADDR, &at);
	place(type, PERF_SAMPLE_ID, &at);
	place(type, PERF_SAMPLE_STREAM_ID, &at);
	quick.cpu = place(type, PERF_SAMPLE_CPU, &at);
	quick.period = place(type, PERF_SAMPLE_PERIOD, &at);
	quick.end = (uint16_t)at;
	quick.size = (uint32_t)at;
	quick.nr = tracepoint ? (uint16_t)attr->config : 0;
	if (tracepoint && (type & plain) == plain && !(type & PERF_SAMPLE_CALLCHAIN)) {
		quick.raw = (uint16_t)(at + sizeof(uint32_t));
		quick.size = quick.raw + DKT__PERF_ENTRY;
	}
	return quick;
}

static int id_cmp(const void *a, const void *b)
{
	const struct dkt__perf_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* One of the IDs that share a slot in the table keeps it; the others take the slow path. */
#define QUICK_MAX (1u << 16)

static int fill_quick(struct dkt__perf *perf)
{
	size_t at, n = 2;

	while (n < perf->n_ids && n < QUICK_MAX)
		n *= 2;
	perf->quick = calloc(n, sizeof(*perf->quick));
	if (!perf->quick)
		return -ENOMEM;
	perf->quick_mask = n - 1;
	/* Slots without an ID match no sample. */
	for (size_t i = 0; i < n; i++)
		perf->quick[i].size = UINT32_MAX;
	for (size_t i = perf->n_ids; i--;) {
		at = perf->ids[i].id & perf->quick_mask;
		perf->quick[at] = find_places(&perf->attrs[perf->ids[i].attr]);
		perf->quick[at].id = perf->ids[i].id;
	}
	return 0;
}

int dkt__perf_layout(struct dkt__perf *perf)
{
	uint64_t type = perf->n_attrs ? perf->attrs->sample_type : 0;
	bool has_id = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);

	if (perf->n_ids)
		qsort(perf->ids, perf->n_ids, sizeof(*perf->ids), id_cmp);
	perf->quick_size = UINT32_MAX;
	if (!perf->n_attrs || perf->swap || (perf->n_attrs > 1 && !has_id))
		return 0;
	if (perf->n_attrs == 1) {
		perf->quick = malloc(sizeof(*perf->quick));
		if (!perf->quick)
			return -ENOMEM;
		*perf->quick = find_places(perf->attrs);
		perf->quick_size = 0;
		return 0;
	}
	perf->id_at = sizeof(struct perf_event_header);
	if (!(type & PERF_SAMPLE_IDENTIFIER))
		perf->id_at += 8 * dkt__perf_id_words(type);
	perf->quick_size = (uint32_t)(perf->id_at + sizeof(uint64_t));
	return fill_quick(perf);
}

struct dkt__perf_id *dkt__perf_id_of(const struct dkt__perf *perf, uint64_t id)
{
	const struct dkt__perf_id key = { .id = id };

	return perf->n_ids ? bsearch(&key, perf->ids, perf->n_ids, sizeof(key), id_cmp) : NULL;
}

const struct dkt__perf_attr *dkt__perf_attr_of(const struct dkt__perf *perf, uint64_t id)
{
	const struct dkt__perf_id *found = dkt__perf_id_of(perf, id);

	return found ? &perf->attrs[found->attr] : NULL;
}

/* ---- one sample ---- */

static uint32_t half_at(const uint8_t *data, size_t at)
{
	uint32_t half;

	memcpy(&half, data + at, sizeof(half));
	return half;
}

static uint64_t word_at(const uint8_t *data, size_t at)
{
	uint64_t word;

	memcpy(&word, data + at, sizeof(word));
	return word;
}

bool dkt__perf_quick_fits(const struct dkt__perf_quick *quick, const uint8_t *data, uint32_t size)
{
	const struct dkt__perf_attr *attr = quick->attr;
	uint32_t at = quick->end, n;
	uint64_t callers;

	if (quick->cpu && half_at(data, quick->cpu) >= DKT__PERF_CPUS)
		return false;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN) {
		if (size - at < sizeof(callers))
			return false;
		callers = word_at(data, at);
		at += (uint32_t)sizeof(callers);
		if (callers > (size - at) / sizeof(callers))
			return false;
		at += (uint32_t)(callers * sizeof(callers));
	}
	if (!(attr->sample_type & PERF_SAMPLE_RAW))
		return true;
	if (size - at < sizeof(n))
		return false;
	n = half_at(data, at);
	return n <= size - at - sizeof(n) &&
	       (n >= DKT__PERF_ENTRY || attr->type != PERF_TYPE_TRACEPOINT);
}

void dkt__perf_quick_item(const struct dkt__perf_quick *quick, const uint8_t *data,
			  struct dkt__perf_item *item)
{
	const struct dkt__perf_attr *attr = quick->attr;
	size_t at = quick->end;

	*item = (struct dkt__perf_item){ .type = PERF_RECORD_SAMPLE,
					 .attr = attr,
					 .time = word_at(data, quick->time),
					 .pid = (int32_t)half_at(data, quick->tid),
					 .tid = (int32_t)half_at(data, quick->tid + 4u) };
	memcpy(&item->misc, data + offsetof(struct perf_event_header, misc), sizeof(item->misc));
	item->cpu = quick->cpu ? half_at(data, quick->cpu) : 0;
	item->values[DKT__PERF_TGID] = (uint32_t)item->pid;
	item->values[DKT__PERF_PERIOD] = quick->period ? word_at(data, quick->period) :
							 attr->period;
	item->values[DKT__PERF_IP] = quick->ip ? word_at(data, quick->ip) : 0;
	item->values[DKT__PERF_ADDR] = quick->addr ? word_at(data, quick->addr) : 0;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN) {
		item->n_chain = (uint32_t)word_at(data, at);
		item->chain = data + at + sizeof(uint64_t);
		at += (item->n_chain + 1) * sizeof(uint64_t);
	}
	if (attr->sample_type & PERF_SAMPLE_RAW) {
		item->size = half_at(data, at);
		item->data = data + at + sizeof(uint32_t);
	}
}
