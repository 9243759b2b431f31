/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges streams by time: finds the stream whose next record is the oldest. */
#pragma once

#include "lib/base/memory.h"

/* A stream that has a next record. */
struct dkt__heap_item {
	uint64_t ts; /* of its next record */
	uint32_t order; /* if times are equal, the lower order comes first */
	uint32_t nr; /* the stream's number for the caller */
};

struct dkt__heap {
	struct dkt__heap_item *list; /* the oldest first */
	size_t n;
};

/* Adds a stream. -ENOMEM. */
int dkt__heap_add(struct dkt__heap *heap, struct dkt__heap_item item);

/* Puts an item in place of the first, and moves it down to its position. */
void dkt__heap_sift(struct dkt__heap *heap, struct dkt__heap_item item);

/* Removes the first stream, which has no next record. */
void dkt__heap_drop(struct dkt__heap *heap);

void dkt__heap_clear(struct dkt__heap *heap);

static inline bool dkt__heap_older(const struct dkt__heap_item *a, const struct dkt__heap_item *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->order < b->order);
}

/* Returns the bound below which the first stream stays first. */
static inline uint64_t dkt__heap_bound(const struct dkt__heap *heap)
{
	uint64_t bound = heap->n > 1 ? heap->list[1].ts : UINT64_MAX;

	return heap->n > 2 ? DKT__MIN(bound, heap->list[2].ts) : bound;
}

/* Sets the time of the first stream's next record, and restores the order. */
static inline void dkt__heap_move(struct dkt__heap *heap, uint64_t ts)
{
	struct dkt__heap_item first = { .ts = ts,
					.order = heap->list[0].order,
					.nr = heap->list[0].nr };

	/* Fast paths: often the first stays the first, or just two streams take turns. */
	if (ts < dkt__heap_bound(heap)) {
		heap->list[0].ts = ts;
	} else if (heap->n == 2 && dkt__heap_older(&heap->list[1], &first)) {
		heap->list[0] = heap->list[1];
		heap->list[1] = first;
	} else {
		dkt__heap_sift(heap, first);
	}
}
